//! Avatars and logos.
//!
//! A new picture is stored before the item names it, and the old one is deleted last. A crash in
//! between leaves at most an orphaned picture, which the job `forget-images` deletes.

use super::rights::require_admin;
use super::{Service, SignIn, is_live_site};
use crate::design::{Profile, Site, SiteId, UserId};
use crate::error::{Error, Result};
use crate::view::{Me, SiteView};
use bytes::Bytes;
use singlet::prelude::*;
use singlet_picture::{Picture, PictureUse, prepare};
use singlet_web::blob::{BlobKey, FileCache, ImageType, StoredFile};
use singlet_web::prelude::*;
use singlet_web::problem::UNAVAILABLE;
use std::sync::Arc;

/// Parses a file name: a UUID with `jpg` or `png`. Other names never reach the store.
fn file_kind(file: &str) -> Option<ImageType> {
    let (name, extension) = file.split_once('.')?;
    let is_uuid = name.len() == 36
        && name.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        });
    match extension {
        "jpg" if is_uuid => Some(ImageType::Jpeg),
        "png" if is_uuid => Some(ImageType::Png),
        _ => None,
    }
}

impl Service {
    /// 18: changes the caller's picture.
    pub async fn set_avatar(&self, caller: &Caller, sign_in: &SignIn, file: Bytes) -> Result<Me> {
        let user = self.own_profile(caller, sign_in).await?.sub;
        let picture = self.prepare(file, PictureUse::Avatar).await?;
        let name = self.file_name(&picture)?;
        let key = BlobKey::new(["profile", "avatars", user.as_str(), &name])?;
        self.blobs.put(&key, picture.bytes.into()).await?;
        let named = update(Profile::key(&user))
            .set(Profile::AVATAR_KEY, key.to_string())
            .set(Profile::UPDATED_AT, self.db.now());
        let old = self.db.run(named.returning_old()).await?;
        self.delete_old(old.and_then(|old| old.avatar_key)).await;
        self.me(caller).await
    }

    /// 18: removes the caller's picture, if there is one.
    pub async fn remove_avatar(&self, caller: &Caller, sign_in: &SignIn) -> Result<()> {
        let profile = self.own_profile(caller, sign_in).await?;
        if profile.avatar_key.is_none() {
            return Ok(());
        }
        let gone = update(Profile::key(&profile.sub))
            .remove(Profile::AVATAR_KEY)
            .set(Profile::UPDATED_AT, self.db.now());
        let old = self.db.run(gone.returning_old()).await?;
        self.delete_old(old.and_then(|old| old.avatar_key)).await;
        Ok(())
    }

    /// 3: changes the logo of a site.
    pub async fn set_logo(&self, caller: &Caller, id: &SiteId, file: Bytes) -> Result<SiteView> {
        require_admin(caller)?;
        self.live_site(id).await?;
        let picture = self.prepare(file, PictureUse::Logo).await?;
        let name = self.file_name(&picture)?;
        let key = BlobKey::new(["sites", "logos", id.as_str(), &name])?;
        self.blobs.put(&key, picture.bytes.into()).await?;
        let named = update(Site::key(id)).set(Site::LOGO_KEY, key.to_string());
        let named = named.only_if(is_live_site()).returning_old().or(Error::SiteNotFound);
        match self.db.run(named).await {
            Ok(old) => self.delete_old(old.and_then(|old| old.logo_key)).await,
            Err(error) => {
                // After other errors the site may already name the file.
                if matches!(error, Error::SiteNotFound) {
                    self.delete_old(Some(key.to_string())).await;
                }
                return Err(error);
            }
        }
        self.site(id).await
    }

    /// 3: removes the logo of a site, if there is one.
    pub async fn remove_logo(&self, caller: &Caller, id: &SiteId) -> Result<()> {
        require_admin(caller)?;
        if self.live_site(id).await?.logo_key.is_none() {
            return Ok(());
        }
        let gone = update(Site::key(id)).remove(Site::LOGO_KEY).only_if(is_live_site());
        let old = self.db.run(gone.returning_old().or(Error::SiteNotFound)).await?;
        self.delete_old(old.and_then(|old| old.logo_key)).await;
        Ok(())
    }

    /// Section 5: an avatar.
    pub async fn avatar(&self, user: &UserId, file: &str) -> Result<StoredFile> {
        self.image(["profile", "avatars", user.as_str(), file], file).await
    }

    /// Section 5: a logo.
    pub async fn logo(&self, id: &SiteId, file: &str) -> Result<StoredFile> {
        self.image(["sites", "logos", id.as_str(), file], file).await
    }

    /// Every upload has a new address, so clients may cache it indefinitely.
    async fn image(&self, segments: [&str; 4], file: &str) -> Result<StoredFile> {
        let kind = file_kind(file).ok_or(Error::ImageNotFound)?;
        let key = BlobKey::new(segments).map_err(|_| Error::ImageNotFound)?;
        let bytes = self.blobs.get(&key).await?.ok_or(Error::ImageNotFound)?;
        Ok(StoredFile::new(bytes, kind).cache(FileCache::Public))
    }

    /// Decodes on a blocking thread, two pictures at a time.
    async fn prepare(&self, file: Bytes, used_as: PictureUse) -> Result<Picture> {
        let unavailable = || Problem::new(&UNAVAILABLE);
        let permit = Arc::clone(&self.decoding).acquire_owned();
        let permit = permit.await.map_err(|_| unavailable())?;
        let prepared = tokio::task::spawn_blocking(move || {
            // The thread outlives a disconnected client, so it holds the permit.
            let _permit = permit;
            prepare(&file, used_as)
        });
        let prepared = prepared.await;
        Ok(prepared.map_err(|_| Error::ImageType)??)
    }

    fn file_name(&self, picture: &Picture) -> Result<String> {
        Ok(format!("{}.{}", self.random.uuid_v4()?, picture.extension))
    }

    /// Deletes an orphaned picture. If that fails, the job does it.
    async fn delete_old(&self, key: Option<String>) {
        let Some(key) = key else { return };
        if let Err(error) = self.delete_file(&key).await {
            tracing::warn!(%error, "an old picture stays until the job removes it");
        }
    }

    /// Deletes a picture by its stored key.
    pub(super) async fn delete_file(&self, key: &str) -> Result<()> {
        Ok(self.blobs.delete(&BlobKey::new(key.split('/'))?).await?)
    }
}
