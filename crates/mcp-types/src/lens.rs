//! Reading a definition in one pass: what the lens needs is taken, the rest is passed over.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::document::ToolHints;

/// The members of a tool definition that are looked at. Of a doubled key the last value counts.
#[derive(Default)]
pub(crate) struct ToolLens {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) annotations: AnnotationLens,
    pub(crate) has_meta: bool,
}

/// The members of `annotations` that are looked at.
#[derive(Default)]
pub(crate) struct AnnotationLens {
    pub(crate) title: Option<String>,
    pub(crate) hints: ToolHints,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    Name,
    Title,
    Description,
    Annotations,
    ReadOnlyHint,
    DestructiveHint,
    IdempotentHint,
    OpenWorldHint,
    #[serde(rename = "_meta")]
    Meta,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for ToolLens {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ToolVisitor;
        impl<'de> Visitor<'de> for ToolVisitor {
            type Value = ToolLens;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolLens, A::Error> {
                let mut lens = ToolLens::default();
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::Name => lens.name = map.next_value::<Scalar>()?.text(),
                        Key::Title => lens.title = map.next_value::<Scalar>()?.text(),
                        Key::Description => lens.description = map.next_value::<Scalar>()?.text(),
                        Key::Annotations => lens.annotations = map.next_value()?,
                        Key::Meta => {
                            lens.has_meta = true;
                            map.next_value::<IgnoredAny>()?;
                        }
                        Key::ReadOnlyHint
                        | Key::DestructiveHint
                        | Key::IdempotentHint
                        | Key::OpenWorldHint
                        | Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(lens)
            }
        }
        deserializer.deserialize_map(ToolVisitor)
    }
}

impl<'de> Deserialize<'de> for AnnotationLens {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnnotationVisitor;
        impl<'de> Visitor<'de> for AnnotationVisitor {
            type Value = AnnotationLens;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("annotations")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnnotationLens, A::Error> {
                let mut lens = AnnotationLens::default();
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::Title => lens.title = map.next_value::<Scalar>()?.text(),
                        Key::ReadOnlyHint => lens.hints.read_only = map.next_value::<Scalar>()?.flag(),
                        Key::DestructiveHint => lens.hints.destructive = map.next_value::<Scalar>()?.flag(),
                        Key::IdempotentHint => lens.hints.idempotent = map.next_value::<Scalar>()?.flag(),
                        Key::OpenWorldHint => lens.hints.open_world = map.next_value::<Scalar>()?.flag(),
                        Key::Name | Key::Description | Key::Annotations | Key::Meta | Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(lens)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AnnotationLens, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(AnnotationLens::default())
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
            fn visit_str<E: Error>(self, _: &str) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
            fn visit_unit<E: Error>(self) -> Result<AnnotationLens, E> {
                Ok(AnnotationLens::default())
            }
        }
        deserializer.deserialize_any(AnnotationVisitor)
    }
}

/// A text or a flag; anything else is passed over.
enum Scalar {
    Text(String),
    Flag(bool),
    Other,
}

impl Scalar {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Flag(_) | Self::Other => None,
        }
    }

    fn flag(self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(flag),
            Self::Text(_) | Self::Other => None,
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScalarVisitor;
        impl<'de> Visitor<'de> for ScalarVisitor {
            type Value = Scalar;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.to_owned()))
            }
            fn visit_bool<E: Error>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar::Flag(flag))
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }
            fn visit_unit<E: Error>(self) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// Finds a member of a JSON object; of a doubled key the last.
pub(crate) fn member<'a>(text: &'a str, key: &str) -> Option<&'a RawValue> {
    struct MemberVisitor<'k>(&'k str);
    impl<'de> Visitor<'de> for MemberVisitor<'_> {
        type Value = Option<&'de RawValue>;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                if key == self.0 {
                    found = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    // A letter of a key can only be written otherwise as a `\u` escape.
    if !text.contains(key) && !text.contains("\\u") {
        return None;
    }
    serde_json::Deserializer::from_str(text).deserialize_map(MemberVisitor(key)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_another_shape_are_passed_over() {
        let text = r#"{"title":7,"name":"a","description":[1,{"x":2}],"annotations":[3],"name":"b","description":{"y":null}}"#;
        let lens: ToolLens = serde_json::from_str(text).unwrap();
        assert_eq!((lens.name.as_deref(), lens.title, lens.description), (Some("b"), None, None));
        let text = r#"{"annotations":{"title":"t","readOnlyHint":"yes","destructiveHint":false,"openWorldHint":null}}"#;
        let lens: ToolLens = serde_json::from_str(text).unwrap();
        let hints = ToolHints { destructive: Some(false), ..ToolHints::default() };
        assert_eq!((lens.annotations.title.as_deref(), lens.annotations.hints), (Some("t"), hints));
    }

    #[test]
    fn a_member_is_found_however_its_key_is_written() {
        let text = r#"{"a":{"b":1},"b":2,"\u005fmeta":3,"b":4}"#;
        let found = |key| member(text, key).map(RawValue::get);
        assert_eq!((found("b"), found("_meta"), found("c")), (Some("4"), Some("3"), None));
        assert!(member("{\"a\":1}", "b").is_none());
    }
}
