//! Files on a real disk.
#![expect(clippy::disallowed_methods, reason = "tests look at files directly")]

use std::fs;

use mcp_fs::{
    FileLock, Mode, create_private_dir, create_private_file, is_file, list_dir, read_bounded,
    read_text_bounded, remove_dir_all, write_atomic,
};

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

#[cfg(unix)]
#[test]
fn a_write_through_a_link_to_nothing_makes_the_target() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("target", &link).unwrap();
    write_atomic(&link, b"new", Mode::Default, false).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(fs::read_to_string(dir.path().join("target")).unwrap(), "new");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("a");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("inside"), "old").unwrap();
    let error = write_atomic(&target, b"new", Mode::Default, false).unwrap_err();
    assert!(error.to_string().contains(&target.display().to_string()), "{error}");
    assert_eq!(list_dir(dir.path()).unwrap(), [target]);
}

#[test]
fn a_lock_is_held_until_it_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let lock = FileLock::acquire(&path).unwrap();
    let other = fs::File::open(&path).unwrap();
    assert!(other.try_lock().is_err());
    drop(lock);
    assert!(other.try_lock().is_ok());
}

#[test]
fn directories_are_listed_and_removed_and_absence_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("inner");
    assert_eq!(list_dir(&inner).unwrap(), Vec::<std::path::PathBuf>::new());
    remove_dir_all(&inner).unwrap();
    create_private_dir(&inner).unwrap();
    fs::write(inner.join("b"), "").unwrap();
    fs::write(inner.join("a"), "").unwrap();
    assert_eq!(list_dir(&inner).unwrap(), [inner.join("a"), inner.join("b")]);
    assert_eq!([is_file(&inner.join("a")).unwrap(), is_file(&inner).unwrap()], [true, false]);
    remove_dir_all(&inner).unwrap();
    assert!(!is_file(&inner.join("a")).unwrap());
}
