//! Avatars and logos.
//!
//! A new picture is stored first, then the item names it and gives the old name back, then the old
//! picture is deleted. A server that dies in between leaves at most a picture that nothing names:
//! the job `forget-images` removes it.

use super::rights::require_admin;
use super::{Service, SignIn, is_live_site, parse_user, site_id};
use crate::design::{Profile, Site, SiteId};
use crate::error::Error;
use crate::view::{Me, SiteView};
use bytes::Bytes;
use singlet::prelude::*;
use singlet_picture::{Picture, PictureUse, prepare};
use singlet_web::blob::{BlobKey, ImageType};
use singlet_web::identity::Caller;
use singlet_web::problem::{Problem, UNAVAILABLE};
use std::sync::Arc;

/// A stored picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredImage {
    /// The file.
    pub bytes: Bytes,
    /// What it is.
    pub kind: ImageType,
}

/// What a file is called: a UUID, and `jpg` or `png`. Nothing else leads to the store.
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
    ///
    /// # Errors
    ///
    /// If the file is not taken.
    pub async fn set_avatar(
        &self,
        caller: &Caller,
        sign_in: &SignIn,
        file: Bytes,
    ) -> Result<Me, Error> {
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
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn remove_avatar(&self, caller: &Caller, sign_in: &SignIn) -> Result<(), Error> {
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
    ///
    /// # Errors
    ///
    /// If the site is not in the catalogue, or the file is not taken.
    pub async fn set_logo(
        &self,
        caller: &Caller,
        site: &str,
        file: Bytes,
    ) -> Result<SiteView, Error> {
        require_admin(caller)?;
        let id = site_id(site)?;
        self.live_site(&id).await?;
        let picture = self.prepare(file, PictureUse::Logo).await?;
        let name = self.file_name(&picture)?;
        let key = BlobKey::new(["sites", "logos", id.as_str(), &name])?;
        self.blobs.put(&key, picture.bytes.into()).await?;
        let named = update(Site::key(&id)).set(Site::LOGO_KEY, key.to_string());
        match self.db.run(named.only_if(is_live_site()).returning_old()).await {
            Ok(old) => self.delete_old(old.and_then(|old| old.logo_key)).await,
            Err(singlet::Error::ConditionFailed { .. }) => {
                self.delete_old(Some(key.to_string())).await;
                return Err(Error::SiteNotFound);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(SiteView::whole(self.live_site(&id).await?))
    }

    /// 3: removes the logo of a site, if there is one.
    ///
    /// # Errors
    ///
    /// If the site is not in the catalogue.
    pub async fn remove_logo(&self, caller: &Caller, site: &str) -> Result<(), Error> {
        require_admin(caller)?;
        let id = site_id(site)?;
        if self.live_site(&id).await?.logo_key.is_none() {
            return Ok(());
        }
        let gone = update(Site::key(&id)).remove(Site::LOGO_KEY).only_if(is_live_site());
        match self.db.run(gone.returning_old()).await {
            Ok(old) => self.delete_old(old.and_then(|old| old.logo_key)).await,
            Err(singlet::Error::ConditionFailed { .. }) => return Err(Error::SiteNotFound),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Section 5: an avatar.
    ///
    /// # Errors
    ///
    /// [`Error::ImageNotFound`] also for names that no picture has.
    pub async fn avatar(&self, user: &str, file: &str) -> Result<StoredImage, Error> {
        let user = parse_user(user).ok_or(Error::ImageNotFound)?;
        self.image(["profile", "avatars", user.as_str(), file], file).await
    }

    /// Section 5: a logo.
    ///
    /// # Errors
    ///
    /// [`Error::ImageNotFound`] also for names that no picture has.
    pub async fn logo(&self, site: &str, file: &str) -> Result<StoredImage, Error> {
        let id: SiteId = site_id(site).map_err(|_| Error::ImageNotFound)?;
        self.image(["sites", "logos", id.as_str(), file], file).await
    }

    async fn image(&self, segments: [&str; 4], file: &str) -> Result<StoredImage, Error> {
        let kind = file_kind(file).ok_or(Error::ImageNotFound)?;
        let key = BlobKey::new(segments).map_err(|_| Error::ImageNotFound)?;
        let bytes = self.blobs.get(&key).await?.ok_or(Error::ImageNotFound)?;
        Ok(StoredImage { bytes, kind })
    }

    /// Decodes on a thread that may be blocked, two pictures at a time.
    async fn prepare(&self, file: Bytes, used_as: PictureUse) -> Result<Picture, Error> {
        let unavailable = || Problem::new(&UNAVAILABLE);
        let permit = Arc::clone(&self.decoding).acquire_owned();
        let permit = permit.await.map_err(|_| unavailable())?;
        let prepared = tokio::task::spawn_blocking(move || {
            // The thread goes on if the client hangs up, and so does its permit.
            let _permit = permit;
            prepare(&file, used_as)
        });
        let prepared = prepared.await;
        Ok(prepared.map_err(|_| Error::ImageType)??)
    }

    fn file_name(&self, picture: &Picture) -> Result<String, Error> {
        Ok(format!("{}.{}", self.random.uuid_v4()?, picture.extension))
    }

    /// Deletes a picture that nothing names any more. If that fails, the job does it.
    async fn delete_old(&self, key: Option<String>) {
        let Some(key) = key else { return };
        if let Err(error) = self.delete_file(&key).await {
            tracing::warn!(%error, "an old picture stays until the job removes it");
        }
    }

    /// Deletes a picture by its stored key.
    pub(super) async fn delete_file(&self, key: &str) -> Result<(), Error> {
        Ok(self.blobs.delete(&BlobKey::new(key.split('/'))?).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_we_give_lead_to_the_store() {
        let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(file_kind(&format!("{uuid}.jpg")), Some(ImageType::Jpeg));
        assert_eq!(file_kind(&format!("{uuid}.png")), Some(ImageType::Png));
        let others = [
            format!("{uuid}.svg"),
            format!("{uuid}.jpg.png"),
            format!("../{uuid}.png"),
            format!("{}.png", uuid.to_uppercase()),
            format!("{}/.png", &uuid[..35]),
            uuid.to_owned(),
            "..".to_owned(),
            String::new(),
        ];
        for other in others {
            assert_eq!(file_kind(&other), None, "{other}");
        }
    }
}
