//! The secret with which cursors are signed: the same for all servers on one store.
//!
//! A cursor goes to a browser and comes back with the next request, perhaps to another server, or
//! after a restart. So the secret is kept in the store, where every server finds it; the first one
//! makes it up. Whoever can read it there can read everything that cursors lead to.

use crate::Web;
use crate::random::Random;
use ring::digest::{SHA256, digest};
use singlet::prelude::*;
use singlet::{Bytes, CursorKey};

/// How many bytes a secret has.
const SECRET_LEN: usize = 32;

/// The secret, as it is stored.
#[derive(Entity, Clone, PartialEq)]
#[entity(Web, key = ("CURSOR-SECRET"))]
pub struct CursorSecret {
    /// Random bytes.
    pub secret: Bytes,
}

/// The secret for the cursors of all systems on a store, to be put into the
/// [`Settings`](singlet::Settings) of their databases.
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
/// If the store fails, or the operating system gives no random numbers.
pub async fn shared_key(db: &Db<Web>) -> singlet::Result<CursorKey> {
    let random: [u8; SECRET_LEN] =
        Random::new().bytes().map_err(|_| singlet::Error::RandomUnavailable)?;
    let ours = CursorSecret { secret: Bytes(random.to_vec()) };
    match db.run(create(&ours)).await {
        // Another server was the first.
        Ok(()) | Err(singlet::Error::ConditionFailed { .. }) => {}
        Err(error) => return Err(error),
    }
    let kept = db
        .get(CursorSecret::key().consistent())
        .await?
        .ok_or(singlet::Error::Conflict { subject: None })?;
    // A hash is as long as a key must be, whatever is stored.
    let mut key = [0; SECRET_LEN];
    key.iter_mut().zip(digest(&SHA256, &kept.secret.0).as_ref()).for_each(|(to, from)| *to = *from);
    Ok(CursorKey::new(key))
}
