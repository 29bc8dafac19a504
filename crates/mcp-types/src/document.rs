//! What a server offers: tools, resources, templates and prompts, each a typed lens over its whole definition.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::digest::Digest;
use crate::lens::ToolLens;
use crate::name::ToolName;
use crate::object::{DocumentError, RawObject};

/// What a tool says of its own behaviour (`annotations`). Hints of an untrusted server: never a reason to trust it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolHints {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// One tool definition. A definition without `inputSchema` is kept: only a usable name is required.
///
/// The text is kept once, as it was written; reading it for the lens is the only pass over it. Members are looked up
/// in the text when they are asked for.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    name: ToolName,
    title: Option<String>,
    description: Option<String>,
    hints: ToolHints,
    /// Spares a look through the text for what each tool is asked and few have.
    has_meta: bool,
    text: Arc<str>,
}

impl ToolSpec {
    /// Decodes one element of a `tools/list` result.
    ///
    /// ```
    /// let tool = mcp_types::ToolSpec::parse(r#"{"name":"echo","execution":{"taskSupport":"optional"}}"#)?;
    /// assert_eq!(tool.name().as_str(), "echo");
    /// assert!(tool.raw().get().contains("taskSupport"));
    /// # Ok::<(), mcp_types::DocumentError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        Self::from_text(Arc::from(text.trim_matches([' ', '\n', '\t', '\r'])))
    }

    /// Decodes a definition that is raw JSON already.
    pub fn from_raw(raw: Box<RawValue>) -> Result<Self, DocumentError> {
        Self::from_text(Arc::from(Box::<str>::from(raw)))
    }

    fn from_text(text: Arc<str>) -> Result<Self, DocumentError> {
        let lens: ToolLens =
            serde_json::from_str(&text).map_err(|error| DocumentError::malformed("tool", error))?;
        let name = lens.name.ok_or(DocumentError::Missing { what: "tool", member: "name" })?;
        Ok(Self {
            name: ToolName::new(name).map_err(|error| DocumentError::malformed("tool", error))?,
            title: lens.title.or(lens.annotations.title),
            description: lens.description,
            hints: lens.annotations.hints,
            has_meta: lens.has_meta,
            text,
        })
    }

    /// Gives the server's own name of the tool.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// Gives the display name: `title`, else `annotations.title`.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Gives the description.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Gives the behaviour hints.
    pub fn hints(&self) -> ToolHints {
        self.hints
    }

    /// Gives any member of the definition as it was written, such as `_meta` or `icons`. Looks through the text.
    pub fn member(&self, key: &str) -> Option<&RawValue> {
        if key == "_meta" && !self.has_meta {
            return None;
        }
        crate::lens::member(&self.text, key)
    }

    /// Gives `inputSchema`.
    pub fn input_schema(&self) -> Option<&RawValue> {
        self.member("inputSchema")
    }

    /// Gives `outputSchema`.
    pub fn output_schema(&self) -> Option<&RawValue> {
        self.member("outputSchema")
    }

    /// Gives `annotations`.
    pub fn annotations(&self) -> Option<&RawValue> {
        self.member("annotations")
    }

    /// Gives the whole definition as it was written, without looking through it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Gives the whole definition as it was written. Looks through the text.
    pub fn raw(&self) -> &RawValue {
        serde_json::from_str(&self.text).unwrap_or(RawValue::NULL)
    }

    /// Computes the digest of the whole definition. A grant is bound to it.
    pub fn digest(&self) -> Digest {
        Digest::of_json(&self.text)
    }
}

impl PartialEq for ToolSpec {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for ToolSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

macro_rules! listed_document {
    ($(#[$doc:meta])* $type:ident, $what:literal, $key:ident, $key_name:literal, $key_doc:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $type {
            $key: String,
            name: String,
            description: Option<String>,
            object: RawObject,
            raw: Arc<RawValue>,
        }

        impl $type {
            /// Decodes one element of its list result.
            pub fn from_raw(raw: Box<RawValue>) -> Result<Self, DocumentError> {
                let object = RawObject::parse($what, raw.get())?;
                let $key: String = object.read($key_name).ok_or(DocumentError::Missing { what: $what, member: $key_name })?;
                Ok(Self {
                    name: object.read("name").unwrap_or_else(|| $key.clone()),
                    description: object.read("description"),
                    $key,
                    object,
                    raw: Arc::from(raw),
                })
            }

            #[doc = $key_doc]
            pub fn $key(&self) -> &str {
                &self.$key
            }

            /// Gives the programmatic name; the key where the server gave none.
            pub fn display_name(&self) -> &str {
                &self.name
            }

            /// Gives the description.
            pub fn description(&self) -> Option<&str> {
                self.description.as_deref()
            }

            /// Gives any member of the definition as it was written.
            pub fn member(&self, key: &str) -> Option<&RawValue> {
                self.object.get(key)
            }

            /// Gives the whole definition as it was written.
            pub fn raw(&self) -> &RawValue {
                &self.raw
            }
        }

        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.raw.get() == other.raw.get()
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.raw.serialize(serializer)
            }
        }
    };
}

listed_document!(
    /// One resource of `resources/list`.
    ResourceSpec, "resource", uri, "uri", "Gives the URI under which the resource can be read."
);
listed_document!(
    /// One template of `resources/templates/list`.
    ResourceTemplateSpec, "resource template", uri_template, "uriTemplate", "Gives the RFC 6570 template."
);
listed_document!(
    /// One prompt of `prompts/list`.
    PromptSpec, "prompt", name_key, "name", "Gives the name under which the prompt can be got."
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p7_unknown_members_of_a_tool_survive() {
        let text = r#"{"name":"a","inputSchema":{"type":"object"},"futureField":{"x":[1,2]}}"#;
        let tool = ToolSpec::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&tool).unwrap(), text);
    }

    #[test]
    fn a_tool_without_input_schema_is_a_tool() {
        let tool = ToolSpec::parse(r#"{"name":"bare"}"#).unwrap();
        assert!(tool.input_schema().is_none());
    }

    #[test]
    fn title_falls_back_to_the_annotation() {
        let tool =
            ToolSpec::parse(r#"{"name":"a","annotations":{"title":"A","readOnlyHint":true}}"#).unwrap();
        assert_eq!((tool.title(), tool.hints().read_only), (Some("A"), Some(true)));
    }

    #[test]
    fn a_tool_without_name_is_refused() {
        assert_eq!(
            ToolSpec::parse(r#"{"description":"x"}"#).unwrap_err(),
            DocumentError::Missing { what: "tool", member: "name" }
        );
    }
}
