//! The protocol revisions of the handshake era.

use rmcp::model::{ErrorData, ProtocolVersion};

/// What a server may answer, newest first. The first is what we offer.
const ACCEPTED: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2024_11_05,
];

/// The revision a handshake opens with.
pub(crate) fn newest() -> ProtocolVersion {
    ProtocolVersion::V_2025_11_25
}

/// Tells whether we can speak the revision a server chose.
pub(crate) fn is_accepted(version: &ProtocolVersion) -> bool {
    ACCEPTED.contains(version)
}

/// Reads the refusal of a handshake: the best revision of `data.supported` that we speak and did not just offer.
pub(crate) fn best_offered(error: &ErrorData) -> Option<ProtocolVersion> {
    if error.code.0 != -32602 {
        return None;
    }
    let supported = error.data.as_ref()?.get("supported")?.as_array()?;
    ACCEPTED
        .into_iter()
        .filter(|version| *version != newest())
        .find(|version| supported.iter().any(|offer| offer.as_str() == Some(version.as_str())))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;
    use serde_json::json;

    use super::*;

    fn best(code: i32, data: serde_json::Value) -> Option<String> {
        best_offered(&ErrorData::new(ErrorCode(code), "no", Some(data))).map(|version| version.to_string())
    }

    #[test]
    fn the_newest_common_revision_is_chosen() {
        assert_eq!(
            best(-32602, json!({"supported": ["2024-11-05", "2025-03-26", "1999-01-01"]})).as_deref(),
            Some("2025-03-26")
        );
        assert_eq!(best(-32602, json!({"supported": ["2025-11-25"]})), None);
        assert_eq!(best(-32602, json!({"supported": ["2026-07-28"]})), None);
        assert_eq!(best(-32601, json!({"supported": ["2025-03-26"]})), None);
    }
}
