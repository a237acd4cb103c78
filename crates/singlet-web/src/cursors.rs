//! The secret that signs cursors, shared by all servers on a store.
//!
//! A cursor may come back to another server or after a restart, so the secret is kept in the store;
//! the first server generates it. Anyone with access to it can forge cursors.

use crate::Web;
use crate::random::Random;
use ring::digest::{SHA256, digest};
use singlet::prelude::*;
use singlet::{Bytes, CursorKey};

/// Size of the secret.
const SECRET_LEN: usize = 32;

/// The stored secret.
#[derive(Entity, Clone, PartialEq)]
#[entity(Web, key = ("CURSOR-SECRET"))]
pub struct CursorSecret {
    /// Random bytes.
    pub secret: Bytes,
}

/// The cursor secret of all systems on a store, for the [`Settings`](singlet::Settings) of their
/// databases.
///
/// ```
/// use singlet::{Db, Settings};
/// use singlet_web::{Web, cursors};
///
/// # singlet::block_on(async {
/// let web = Db::<Web>::memory().await?;
/// let cursor_key = Some(cursors::shared_key(&web).await?);
/// let settings = Settings { cursor_key, ..Settings::default() };
/// # drop(settings);
/// # Ok::<(), singlet::Error>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// If the store fails or the operating system has no randomness.
pub async fn shared_key(db: &Db<Web>) -> singlet::Result<CursorKey> {
    let random: [u8; SECRET_LEN] =
        Random::new().bytes().map_err(|_| singlet::Error::RandomUnavailable)?;
    let ours = CursorSecret { secret: Bytes(random.to_vec()) };
    match db.run(create(&ours)).await {
        // Another server was first.
        Ok(()) | Err(singlet::Error::ConditionFailed { .. }) => {}
        Err(error) => return Err(error),
    }
    let kept = db
        .get(CursorSecret::key().consistent())
        .await?
        .ok_or(singlet::Error::Conflict { subject: None })?;
    // Hashed to the length of a key.
    let mut key = [0; SECRET_LEN];
    key.iter_mut().zip(digest(&SHA256, &kept.secret.0).as_ref()).for_each(|(to, from)| *to = *from);
    Ok(CursorKey::new(key))
}
