//! Acceptance case 24: avatars and logos.

use crate::fixture::*;
use fus::design::{Profile, UserId};
use fus::service::SignIn;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::blob::BlobKey;
use singlet_web::job::JobRun;
use std::io::Cursor;
use std::time::Duration;

on_every_backend! {
    case_24_only_the_picture_itself_is_kept_of_a_file,
    logos_come_and_go_with_their_site,
    pictures_that_nothing_names_are_forgotten,
}

pub(crate) fn picture(format: ImageFormat) -> Vec<u8> {
    let picture = RgbImage::from_pixel(120, 120, Rgb([200, 10, 20]));
    let mut file = Vec::new();
    DynamicImage::ImageRgb8(picture).write_to(&mut Cursor::new(&mut file), format).unwrap();
    file
}

/// A JPEG with a script among its metadata.
pub(crate) fn jpeg_with_script() -> Vec<u8> {
    let jpeg = picture(ImageFormat::Jpeg);
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0".to_vec();
    exif.extend_from_slice(b"<script>alert(1)</script>");
    let mut file = vec![0xff, 0xd8, 0xff, 0xe1];
    file.extend_from_slice(&u16::try_from(exif.len() + 2).unwrap().to_be_bytes());
    file.extend_from_slice(&exif);
    file.extend_from_slice(&jpeg[2..]);
    file
}

/// A PNG of a few bytes that says it has 20,000 by 20,000 pixels.
pub(crate) fn huge_png() -> Vec<u8> {
    let mut png = picture(ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
    let mut crc = !0_u32;
    for byte in &png[12..29] {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    png[29..33].copy_from_slice(&(!crc).to_be_bytes());
    png
}

/// The file at an address that a view has.
fn file_of(url: &str) -> String {
    url.rsplit('/').next().unwrap().to_owned()
}

async fn case_24_only_the_picture_itself_is_kept_of_a_file(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let sign_in = SignIn { at: service.db().now(), ip: None };
    let set = async |file: Vec<u8>| service.set_avatar(&nils(), &sign_in, file.into()).await;
    let stored = async |file: &str| {
        let key = BlobKey::new(["profile", "avatars", "nils", file]).unwrap();
        service.blobs().get(&key).await.unwrap().unwrap()
    };
    // The first upload makes the profile.
    let me = set(picture(ImageFormat::Png)).await.unwrap();
    let first = file_of(&me.user.avatar_url.unwrap());
    // An opaque PNG is stored as a JPEG.
    assert!(first.ends_with(".jpg"), "{first}");
    let read = image::load_from_memory(&stored(&first).await).unwrap();
    assert_eq!((read.width(), read.height()), (256, 256));
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".to_vec();
    assert_eq!(code(set(svg).await), "image-type");
    assert_eq!(code(set(huge_png()).await), "image-dimensions");
    assert_eq!(code(set(vec![0; (2 << 20) + 1]).await), "image-too-large");
    // A rejected upload changes nothing.
    let shown = service.user(None, &id("nils")).await.unwrap().avatar_url.unwrap();
    assert_eq!(file_of(&shown), first);
    let me = set(jpeg_with_script()).await.unwrap();
    let second = file_of(&me.user.avatar_url.unwrap());
    let bytes = stored(&second).await;
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    assert!(!has(b"Exif") && !has(b"<script>"));
    assert_ne!(first, second);
    assert_eq!(code(service.avatar(&id("nils"), &first).await), "image-not-found");
    for (user, file) in [
        ("nils", "../../nils/x.png"),
        ("..", second.as_str()),
        ("nils/..", second.as_str()),
        ("ni%2fls", second.as_str()),
        ("nils", "0f8fad5b-d9cb-469f-a165-70867728950e.svg"),
        ("nils", "0f8fad5b-d9cb-469f-a165-70867728950e.jpg.png"),
        ("nils", "0F8FAD5B-D9CB-469F-A165-70867728950E.png"),
        ("nils", "0f8fad5b-d9cb-469f-a165-70867728950e"),
        ("nils", ".."),
        ("adam", second.as_str()),
    ] {
        assert_eq!(code(service.avatar(&id(user), file).await), "image-not-found", "{user} {file}");
    }
    service.remove_avatar(&nils(), &sign_in).await.unwrap();
    assert_eq!(code(service.avatar(&id("nils"), &second).await), "image-not-found");
    assert_eq!(service.me(&nils()).await.unwrap().user.avatar_url, None);
    // Once more changes nothing.
    fixture.control.forget();
    service.remove_avatar(&nils(), &sign_in).await.unwrap();
    assert_eq!(fixture.control.writes(), [] as [&str; 0]);
}

async fn logos_come_and_go_with_their_site(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let site = fixture.site("Tides", &[]).await;
    let png = || picture(ImageFormat::Png).into();
    assert_eq!(code(service.set_logo(&caller("nils", &[]), &site.id, png()).await), "forbidden");
    assert_eq!(code(service.set_logo(&adam(), &id("nowhere"), png()).await), "site-not-found");
    let shown = service.set_logo(&adam(), &site.id, png()).await.unwrap();
    assert_eq!(shown.site.version, site.version);
    let first = file_of(&shown.logo_url.unwrap());
    let shown = service.set_logo(&adam(), &site.id, png()).await.unwrap();
    let second = file_of(&shown.logo_url.unwrap());
    assert_eq!(code(service.logo(&site.id, &first).await), "image-not-found");
    service.logo(&site.id, &second).await.unwrap();
    service.remove_logo(&adam(), &site.id).await.unwrap();
    assert_eq!(code(service.logo(&site.id, &second).await), "image-not-found");
    let shown = service.set_logo(&adam(), &site.id, png()).await.unwrap();
    let third = file_of(&shown.logo_url.unwrap());
    let task = service.delete_site(&adam(), &site.id).await.unwrap();
    assert_eq!(code(service.set_logo(&adam(), &site.id, png()).await), "site-not-found");
    service.run_task(&task).await.unwrap();
    assert_eq!(code(service.logo(&site.id, &third).await), "image-not-found");
}

async fn pictures_that_nothing_names_are_forgotten(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let sign_in = SignIn { at: service.db().now(), ip: None };
    let file = picture(ImageFormat::Png);
    let me = service.set_avatar(&nils(), &sign_in, file.into()).await.unwrap();
    let kept = file_of(&me.user.avatar_url.unwrap());
    let name = "0f8fad5b-d9cb-469f-a165-70867728950e.png";
    let orphans = [
        BlobKey::new(["profile", "avatars", "nils", name]).unwrap(),
        BlobKey::new(["profile", "avatars", "nobody", name]).unwrap(),
        BlobKey::new(["sites", "logos", "nowhere", name]).unwrap(),
    ];
    for key in &orphans {
        service.blobs().put(key, "bytes".into()).await.unwrap();
    }
    // They are not a day old.
    service.clone().forget_images(JobRun::by_hand()).await.unwrap();
    for key in &orphans {
        assert!(service.blobs().get(key).await.unwrap().is_some());
    }
    let later = service.db().now().after(Duration::from_secs(48 * 3600));
    service.clone().forget_images_before(JobRun::by_hand(), later).await.unwrap();
    for key in &orphans {
        assert!(service.blobs().get(key).await.unwrap().is_none(), "{key}");
    }
    service.avatar(&id("nils"), &kept).await.unwrap();
}

/// The first thousand are all in use: the job goes on behind them.
#[tokio::test]
async fn pictures_behind_a_thousand_that_are_in_use_are_forgotten() {
    let fixture = Fixture::memory().await;
    let service = &fixture.service;
    let (mut kept, mut orphans) = (Vec::new(), Vec::new());
    let mut batch = service.db().batch();
    for number in 0..1_100 {
        let name = format!("0f8fad5b-d9cb-469f-a165-{number:012}.png");
        let user = format!("user-{number:04}");
        let key = BlobKey::new(["profile", "avatars", &user, &name]).unwrap();
        service.blobs().put(&key, "bytes".into()).await.unwrap();
        if number >= 1_050 {
            orphans.push(key);
            continue;
        }
        let sub = UserId::new(user).unwrap();
        let profile = Profile {
            entity_sk: Profile::sort_key("Somebody", &sub),
            sub,
            display_name: "Somebody".to_owned(),
            description: String::new(),
            avatar_key: Some(key.to_string()),
            player_id: None,
            updated_at: service.db().now(),
            group_count: 0,
            last_login_at: None,
            last_login_ip: None,
        };
        batch.put(&profile).unwrap();
        kept.push(key);
    }
    batch.run().await.unwrap();
    let later = service.db().now().after(Duration::from_secs(48 * 3600));
    service.clone().forget_images_before(JobRun::by_hand(), later).await.unwrap();
    for key in &orphans {
        assert!(service.blobs().get(key).await.unwrap().is_none(), "{key}");
    }
    for key in &kept {
        assert!(service.blobs().get(key).await.unwrap().is_some(), "{key}");
    }
}
