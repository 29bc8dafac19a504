//! The picture of the demo.

/// A PNG of 16 × 16 pixels in base64.
pub(super) const LOGO_PNG_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAABlBMVEX///8UPG6XFO1yAAAALElEQVR42mNgYGBgPsDAogBCQAZjA4P8DxAJRIotDIV9IFJyBgP/B5AsAwMAwgoJJeJBQVkAAAAASUVORK5CYII=";
/// Its size in bytes.
pub(super) const LOGO_PNG_BYTES: u64 = 119;
/// Its type.
pub(super) const PNG: &str = "image/png";

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;

    #[test]
    fn the_logo_is_a_png_of_the_stated_size() {
        let bytes = base64::engine::general_purpose::STANDARD.decode(LOGO_PNG_BASE64).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n"));
        assert_eq!(u64::try_from(bytes.len()).unwrap(), LOGO_PNG_BYTES);
    }
}
