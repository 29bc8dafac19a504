//! One block of what a tool returned: a typed lens for the kinds we know, the raw object for those we do not.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::object::{RawObject, to_raw};

/// A block of content. Members beyond the named ones are kept in `extra` and written out again.
///
/// A block of an unknown kind, or one that lacks what its kind needs, is [`ContentBlock::Other`] and travels whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text for the model.
    Text {
        /// The text.
        text: String,
        /// All other members, such as `annotations` and `_meta`.
        extra: RawObject,
    },
    /// A picture.
    Image {
        /// Base64 of the bytes.
        data: String,
        /// Media type as the server gave it.
        mime_type: String,
        /// All other members.
        extra: RawObject,
    },
    /// A sound.
    Audio {
        /// Base64 of the bytes.
        data: String,
        /// Media type as the server gave it.
        mime_type: String,
        /// All other members.
        extra: RawObject,
    },
    /// A pointer to a resource.
    ResourceLink {
        /// Where the resource can be read.
        uri: String,
        /// Its programmatic name.
        name: String,
        /// All other members.
        extra: RawObject,
    },
    /// A resource carried along.
    Resource {
        /// The resource contents: `uri`, `mimeType` and either `text` or `blob`.
        resource: RawObject,
        /// All other members.
        extra: RawObject,
    },
    /// A kind that this version does not know, or a block without its required members.
    Other(RawObject),
}

impl ContentBlock {
    /// Makes a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), extra: RawObject::default() }
    }

    /// Makes an image block from Base64.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image { data: data.into(), mime_type: mime_type.into(), extra: RawObject::default() }
    }

    /// Reads a block out of its object.
    pub fn from_object(mut object: RawObject) -> Self {
        let kind: String = object.read("type").unwrap_or_default();
        match kind.as_str() {
            "text" => match object.read::<String>("text") {
                Some(text) => Self::Text { text, extra: strip(object, &["type", "text"]) },
                None => Self::Other(object),
            },
            "image" | "audio" => {
                let (Some(data), Some(mime_type)) = (object.read("data"), object.read("mimeType")) else {
                    return Self::Other(object);
                };
                let extra = strip(object, &["type", "data", "mimeType"]);
                if kind == "image" {
                    return Self::Image { data, mime_type, extra };
                }
                Self::Audio { data, mime_type, extra }
            }
            "resource_link" => match (object.read("uri"), object.read("name")) {
                (Some(uri), Some(name)) => {
                    Self::ResourceLink { uri, name, extra: strip(object, &["type", "uri", "name"]) }
                }
                _ => Self::Other(object),
            },
            "resource" => match object.take_as::<RawObject>("resource") {
                Some(resource) => Self::Resource { resource, extra: strip(object, &["type"]) },
                None => Self::Other(object),
            },
            _ => Self::Other(object),
        }
    }

    /// Gives the object that goes on the wire.
    pub fn to_object(&self) -> RawObject {
        let mut object = RawObject::default();
        let mut put = |key: &str, value: &str| object.insert(key, to_raw(value));
        let extra = match self {
            Self::Text { text, extra } => {
                put("type", "text");
                put("text", text);
                extra
            }
            Self::Image { data, mime_type, extra } => {
                put("type", "image");
                put("data", data);
                put("mimeType", mime_type);
                extra
            }
            Self::Audio { data, mime_type, extra } => {
                put("type", "audio");
                put("data", data);
                put("mimeType", mime_type);
                extra
            }
            Self::ResourceLink { uri, name, extra } => {
                put("type", "resource_link");
                put("uri", uri);
                put("name", name);
                extra
            }
            Self::Resource { resource, extra } => {
                put("type", "resource");
                object.insert("resource", to_raw(resource));
                extra
            }
            Self::Other(object) => return object.clone(),
        };
        for (key, value) in extra.iter() {
            object.insert(key, value.to_owned());
        }
        object
    }
}

fn strip(mut object: RawObject, keys: &[&str]) -> RawObject {
    for key in keys {
        object.take(key);
    }
    object
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawObject::deserialize(deserializer).map(Self::from_object)
    }
}
