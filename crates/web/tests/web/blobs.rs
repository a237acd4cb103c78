//! Uploaded files.

use axum::response::IntoResponse;
use singlet::Timestamp;
use singlet_web::blob::{BlobError, BlobKey, Blobs, ImageType, StoredFile, sniff_image};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A folder that is removed with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("singlet-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn key(text: &str) -> BlobKey {
    BlobKey::new(text.split('/')).unwrap()
}

#[tokio::test]
async fn files_are_stored_read_and_deleted() {
    let folder = Folder::new("blobs");
    for blobs in [Blobs::memory(), Blobs::folder(&folder.0).unwrap()] {
        let (fus, other) = (blobs.of_system("fus"), blobs.of_system("other"));
        let avatar = key("avatars/user-1/0192.png");
        assert_eq!(fus.get(&avatar).await.unwrap(), None);
        fus.put(&avatar, "one".into()).await.unwrap();
        fus.put(&avatar, "two".into()).await.unwrap();
        assert_eq!(fus.get(&avatar).await.unwrap().as_deref(), Some(&b"two"[..]));
        // Systems do not see each other's files.
        assert_eq!(other.get(&avatar).await.unwrap(), None);
        other.put(&key("avatars"), "three".into()).await.unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
        let now = Timestamp::from_millis(now);
        let (minute, all) = (Duration::from_secs(60), key("avatars"));
        assert_eq!(fus.older_than(&all, now.before(minute)).await.unwrap(), []);
        let old = fus.older_than(&all, now.after(minute)).await.unwrap();
        assert_eq!(old, std::slice::from_ref(&avatar));
        fus.delete(&avatar).await.unwrap();
        fus.delete(&avatar).await.unwrap();
        assert_eq!(fus.get(&avatar).await.unwrap(), None);
    }
    // A second server on the folder finds what the first has stored.
    let again = Blobs::folder(&folder.0).unwrap().of_system("other");
    assert_eq!(again.get(&key("avatars")).await.unwrap().as_deref(), Some(&b"three"[..]));
}

#[tokio::test]
async fn keys_cannot_leave_their_folder() {
    for segments in [
        &[][..],
        &[""],
        &["."],
        &[".."],
        &["a", "..", "b"],
        &["a/../../etc"],
        &["a\\..\\b"],
        &["%2e%2e"],
        &["a", ""],
        &["a\0"],
        &[".hidden"],
        &["dot."],
        &["ä"],
        &["a b"],
        &["C:"],
        &["x"; 9],
        &[&"x".repeat(129)],
    ] {
        assert_eq!(BlobKey::new(segments.iter().copied()), Err(BlobError::Key), "{segments:?}");
    }
    // Even those that are allowed stay below the folder.
    let folder = Folder::new("blob-keys");
    let blobs = Blobs::folder(&folder.0.join("inner")).unwrap().of_system("test");
    for text in ["a..b", "a/b..c/d", "-", "_/x"] {
        blobs.put(&key(text), "x".into()).await.unwrap();
        assert!(folder.0.join("inner/test").join(text).is_file(), "{text}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[test]
fn an_svg_named_png_is_refused() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let webp = b"RIFF\x24\0\0\0WEBPVP8 ";
    assert_eq!(sniff_image(png), Some(ImageType::Png));
    assert_eq!(sniff_image(b"\xff\xd8\xff\xe0\0\x10JFIF"), Some(ImageType::Jpeg));
    assert_eq!(sniff_image(webp), Some(ImageType::WebP));
    for other in [
        &b""[..],
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        b"<?xml version=\"1.0\"?><svg/>",
        b"<html>",
        b"GIF89a",
        b"%PDF-1.7",
        b"\x89PN",
        b"RIFF\x24\0\0\0WAVEfmt ",
        b"PNG\r\n\x1a\n",
        b" \x89PNG\r\n\x1a\n",
    ] {
        assert_eq!(sniff_image(other), None, "{other:?}");
    }
}

#[test]
fn stored_files_are_images_and_nothing_else_to_a_browser() {
    let file = StoredFile { bytes: "x".into(), kind: ImageType::WebP };
    let response = file.into_response();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/webp");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
    assert!(header("cache-control").ends_with("immutable"));
}
