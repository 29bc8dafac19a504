//! A JSON object whose members stay as they were written: order, numbers and unknown keys included.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// Says why a text is not the document it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is no JSON value of the expected shape.
    #[error("{what} is malformed: {reason}")]
    Malformed {
        /// The document, such as `tool` or `tools/list result`.
        what: &'static str,
        /// What the parser said. Never quotes the document.
        reason: String,
    },
    /// A member without which the document has no meaning is absent.
    #[error("{what} has no {member:?}")]
    Missing {
        /// The document.
        what: &'static str,
        /// The absent member.
        member: &'static str,
    },
}

impl DocumentError {
    /// Reports a document that the JSON parser or a lens refused.
    pub fn malformed(what: &'static str, reason: impl fmt::Display) -> Self {
        Self::Malformed { what, reason: reason.to_string() }
    }
}

/// A JSON object with raw members in their written order. Of a doubled key the last value counts.
#[derive(Clone, Default)]
pub struct RawObject(Vec<(String, Box<RawValue>)>);

impl RawObject {
    /// Parses a JSON text that must be an object.
    pub fn parse(what: &'static str, text: &str) -> Result<Self, DocumentError> {
        serde_json::from_str(text).map_err(|error| DocumentError::malformed(what, error))
    }

    /// Gives a member as it was written.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// Takes a member out.
    pub fn take(&mut self, key: &str) -> Option<Box<RawValue>> {
        let index = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(index).1)
    }

    /// Takes a member out and reads it as `T`; a member of another shape stays in place.
    pub fn take_as<T: for<'de> Deserialize<'de>>(&mut self, key: &str) -> Option<T> {
        let value = self.read(key)?;
        self.take(key);
        Some(value)
    }

    /// Reads a member as `T`; `None` when it is absent or of another shape.
    pub fn read<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// Sets a member, in place when the key stands already.
    pub fn insert(&mut self, key: impl Into<String>, value: Box<RawValue>) {
        let key = key.into();
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((key, value)),
        }
    }

    /// Walks the members in their written order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), &**value))
    }

    /// Counts the members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        self.iter()
            .map(|(key, value)| (key, value.get()))
            .eq(other.iter().map(|(key, value)| (key, value.get())))
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter().map(|(key, value)| (key, value.get()))).finish()
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = RawObject;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut object = RawObject::default();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    object.insert(key, value);
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// Renders any serialisable value as raw JSON; what cannot be rendered becomes `null`.
pub fn to_raw<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
