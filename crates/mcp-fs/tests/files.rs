//! Files on a real disk.
#![expect(clippy::disallowed_methods, reason = "tests look at files directly")]

use std::fs;

use mcp_fs::{Mode, create_private_dir, create_private_file, read_bounded, read_text_bounded, write_atomic};

#[test]
fn a_bound_is_exact_and_its_error_names_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "12345").unwrap();
    assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
    assert_eq!(
        read_bounded(&path, 4).unwrap_err().to_string(),
        format!("{} has more than 4 bytes", path.display())
    );
}

#[test]
fn text_that_is_none_is_told_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, b"ab\xff").unwrap();
    assert!(read_text_bounded(&path, 10).unwrap_err().to_string().contains("byte 2"));
}

#[test]
fn an_absent_file_is_told_from_a_refusal() {
    let dir = tempfile::tempdir().unwrap();
    assert!(read_bounded(&dir.path().join("none"), 1).unwrap_err().is_not_found());
    assert!(!read_bounded(dir.path(), 1).unwrap_err().is_not_found());
}

#[cfg(unix)]
#[test]
fn a_write_follows_a_link_and_keeps_the_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write_atomic(&link, b"new", Mode::Private, true).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn private_things_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let private = dir.path().join("p/q");
    create_private_dir(&private).unwrap();
    let file = create_private_file(&private, "output-", ".txt", b"x").unwrap();
    write_atomic(&private.join("c"), b"x", Mode::Private, false).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&private), mode(&file), mode(&private.join("c"))], [0o700, 0o600, 0o600]);
}
