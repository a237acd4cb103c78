//! Uploaded files.

use crate::client::{start, system};
use axum::response::IntoResponse;
use singlet::Timestamp;
use singlet_web::Options;
use singlet_web::api::{Api, Route};
use singlet_web::blob::{BlobError, BlobKey, Blobs, FileCache, ImageType, StoredFile, sniff_image};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A temporary folder, removed on drop.
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
        assert_eq!(fus.older_than(&all, now.before(minute)).next().await.unwrap(), None);
        let mut old = fus.older_than(&all, now.after(minute));
        assert_eq!(old.next().await.unwrap().as_ref(), Some(&avatar));
        assert_eq!(old.next().await.unwrap(), None);
        fus.delete(&avatar).await.unwrap();
        fus.delete(&avatar).await.unwrap();
        assert_eq!(fus.get(&avatar).await.unwrap(), None);
    }
    // A second server on the folder finds the stored files.
    let again = Blobs::folder(&folder.0).unwrap().of_system("other");
    assert_eq!(again.get(&key("avatars")).await.unwrap().as_deref(), Some(&b"three"[..]));
}

/// Regression: folders had mode 0755 and files 0644, so other users could read them outside of the
/// data folder.
#[cfg(unix)]
#[tokio::test]
async fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("private-blobs");
    let root = folder.0.join("blobs");
    let blobs = Blobs::folder(&root).unwrap().of_system("fus");
    for _ in 0..2 {
        blobs.put(&key("avatars/user-1/0192.png"), "one".into()).await.unwrap();
    }
    for (path, expected) in [
        ("", 0o700),
        ("fus", 0o700),
        ("fus/avatars", 0o700),
        ("fus/avatars/user-1", 0o700),
        ("fus/avatars/user-1/0192.png", 0o600),
    ] {
        let mode = std::fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{path}: {mode:o}");
    }
}

/// Regression: only the first thousand files were listed. When these were all in use, a cleanup job
/// never got past them.
#[tokio::test]
async fn more_files_than_a_page_are_listed_and_deleted_meanwhile() {
    let folder = Folder::new("many-blobs");
    let (in_memory, in_folder) = (Blobs::memory(), Blobs::folder(&folder.0).unwrap());
    std::fs::create_dir(folder.0.join("all")).unwrap();
    let count = 2_500;
    for number in 0..count {
        in_memory.put(&key(&format!("all/{number}")), "x".into()).await.unwrap();
        // Not with `put`, which syncs each file.
        std::fs::write(folder.0.join(format!("all/{number}")), "x").unwrap();
    }
    for blobs in [in_memory, in_folder] {
        let later = Timestamp::from_millis(i64::MAX / 2);
        let mut old = blobs.older_than(&key("all"), later);
        let mut listed = std::collections::BTreeSet::new();
        while let Some(found) = old.next().await.unwrap() {
            // Every other one is in use.
            if listed.len() % 2 == 0 {
                blobs.delete(&found).await.unwrap();
            }
            assert!(listed.insert(found));
        }
        assert_eq!(listed.len(), count);
        let mut left = blobs.older_than(&key("all"), later);
        let mut count_left = 0;
        while left.next().await.unwrap().is_some() {
            count_left += 1;
        }
        assert_eq!(count_left, count / 2);
    }
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
    // Unusual but valid keys stay inside the folder.
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
    let file = |cache| StoredFile::new("x".into(), ImageType::WebP).cache(cache).into_response();
    let response = file(FileCache::default());
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/webp");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
    assert_eq!(header("content-disposition"), "inline");
    for (cache, expected) in [
        (FileCache::Private, "private, max-age=31536000, immutable"),
        (FileCache::Public, "public, max-age=31536000, immutable"),
        (FileCache::Revalidated, "private, no-cache"),
    ] {
        assert_eq!(file(cache).headers()["cache-control"], expected);
    }
}

async fn logo() -> StoredFile {
    StoredFile::new("a logo".into(), ImageType::Png).cache(FileCache::Revalidated)
}

/// Regression: a cached file was sent again, and the document omitted image responses.
#[tokio::test]
async fn a_file_that_the_browser_has_is_not_sent_again() {
    let api = || {
        let logo = Route::get("/logo", logo).describe("getLogo", "The logo.");
        Api::new(()).named("test", "Images.").route(logo)
    };
    let content = &api().document()["paths"]["/logo"]["get"]["responses"]["200"]["content"];
    assert!(content["image/png"].is_object() && content["image/webp"].is_object(), "{content}");
    let server =
        start(Options::default(), |server| server.with_system(system(api().into_router()))).await;
    let first = server.get("/test/logo").await;
    assert_eq!((first.status, first.body.as_str()), (200, "a logo"));
    let known = format!("if-none-match: {}", first.headers["etag"]);
    let again = server.send("GET /test/logo", &[&known], "").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(again.headers["etag"], first.headers["etag"]);
    assert_eq!(again.headers["cache-control"], "private, no-cache");
    let other = server.send("GET /test/logo", &["if-none-match: \"other\""], "").await;
    assert_eq!((other.status, other.body.as_str()), (200, "a logo"));
}
