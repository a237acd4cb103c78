//! Cursors: the start of a page, as text that can be handed to clients.
//!
//! A cursor holds the key of the last item of a page, and a MAC over that key and over the identity
//! of the query. So a client cannot forge a cursor, or use it with another query. It is signed but
//! not encrypted: its holder can read the key in it.

use crate::error::Error;
use crate::marker::Marker;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_dynamo::{Item, Value, base64, binary};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// The first byte of every cursor: its format version.
const VERSION: u8 = 1;
/// Length of the MAC in bytes.
const CODE_LEN: usize = 32;

/// The start of a page of a query, as text that clients can hold and send back.
///
/// A cursor belongs to the query that returned it. With another entity or collection, index,
/// partition, range or direction, or if it was modified, it is refused with
/// [`Error::Cursor`](crate::Error::Cursor). The filter may differ, since it often contains the
/// current time.
///
/// It is signed but not encrypted: it holds the key of the last item read, which a filter may have
/// dropped. If clients must not see keys, keep the cursor and give them a token that stands for it.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (PK, SK), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("GAMES", "{code}"))]
/// # pub struct Game { pub code: Code }
/// # singlet::block_on(async {
/// # let db = Db::<Games>::memory().await?;
/// for code in ["A", "B", "C"] {
///     db.run(put(&Game { code: Code::new(code)? })).await?;
/// }
/// let page = db.query(Game::of().limit(2)).page(None).await?;
/// let text = page.next.unwrap().to_string();
///
/// // It went to a browser and came back.
/// let next = db.query(Game::of().limit(2)).page(Some(text.parse()?)).await?;
/// assert_eq!(next.items[0].code.as_str(), "C");
/// assert!(next.next.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct Cursor<E> {
    bytes: Vec<u8>,
    entity: Marker<E>,
}

impl<E> Cursor<E> {
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, entity: PhantomData }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The signed bytes of a cursor of this query that starts after this key.
pub(crate) fn seal(start: &Item, identity: Identity, key: &CursorKey) -> Result<Vec<u8>, Error> {
    let start = binary::encode(start);
    let mut bytes = Vec::with_capacity(1 + CODE_LEN + start.len());
    bytes.push(VERSION);
    bytes.extend_from_slice(&identity.code(&start, key)?.finalize().into_bytes());
    bytes.extend_from_slice(&start);
    Ok(bytes)
}

/// The key that the cursor's page starts after, if the cursor belongs to this query.
pub(crate) fn open(bytes: &[u8], identity: Identity, key: &CursorKey) -> Result<Item, Error> {
    let (version, rest) = bytes.split_first().ok_or(Error::Cursor)?;
    let (code, start) = rest.split_at_checked(CODE_LEN).ok_or(Error::Cursor)?;
    if *version != VERSION {
        return Err(Error::Cursor);
    }
    identity.code(start, key)?.verify_slice(code).map_err(|_| Error::Cursor)?;
    Ok(binary::ItemRef::new(start).map_err(|_| Error::Cursor)?.to_item())
}

/// URL-safe Base64, because cursors often travel in addresses.
impl<E> fmt::Display for Cursor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = base64::encode(&self.bytes);
        f.write_str(&text.trim_end_matches('=').replace('+', "-").replace('/', "_"))
    }
}

impl<E> fmt::Debug for Cursor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<E> Clone for Cursor<E> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), entity: PhantomData }
    }
}

impl<E> PartialEq for Cursor<E> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<E> FromStr for Cursor<E> {
    type Err = Error;

    /// Parses the text of a cursor. The signature is checked when the cursor is used.
    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(Self { bytes: bytes_of(text)?, entity: PhantomData })
    }
}

#[inline(never)]
fn bytes_of(text: &str) -> Result<Vec<u8>, Error> {
    let mut padded = text.replace('-', "+").replace('_', "/");
    while !padded.len().is_multiple_of(4) {
        padded.push('=');
    }
    base64::decode(&padded).map_err(|_| Error::Cursor)
}

/// The secret with which cursors are signed, for [`Settings::cursor_key`](crate::Settings).
///
/// All instances that accept each other's cursors need the same secret, and it must survive a
/// restart: keep it in the configuration, with the other secrets. There is no default, because a
/// key generated per process works in tests and fails as soon as there is a second instance.
///
/// ```
/// use singlet::{CursorKey, Settings};
///
/// // 32 random bytes, made once and kept with the other secrets: `openssl rand -hex 32`
/// let secret: [u8; 32] = [7; 32];
/// let settings = Settings { cursor_key: Some(CursorKey::new(secret)), ..Settings::default() };
///
/// // For tests, and for programs of which there is one instance whose cursors may end with it.
/// let settings = Settings { cursor_key: Some(CursorKey::of_this_process()), ..settings };
/// ```
#[derive(Clone)]
pub struct CursorKey {
    /// `None` if the operating system had no random bytes. Then no cursor can be signed.
    secret: Option<[u8; 32]>,
}

impl CursorKey {
    /// A secret of 32 bytes, from configuration.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self { secret: Some(secret) }
    }

    /// A random secret from the operating system that lives as long as the process: other processes
    /// refuse its cursors, and so does this program after a restart.
    ///
    /// If the operating system has no random bytes, reading a page fails with
    /// [`Error::RandomUnavailable`] as soon as it needs a cursor.
    #[must_use]
    pub fn of_this_process() -> Self {
        let mut secret = [0; 32];
        Self { secret: getrandom::fill(&mut secret).is_ok().then_some(secret) }
    }
}

/// Hides the secret.
impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey(…)")
    }
}

/// The identity of a query: its parts, each preceded by its length, so that different lists of
/// parts never give the same bytes.
pub(crate) struct Identity(Vec<u8>);

impl Identity {
    pub(crate) fn new(entity: &str) -> Self {
        Self(Vec::with_capacity(128)).text("singlet cursor").text(entity)
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn number(self, number: u32) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(crate) fn value(self, value: &Value) -> Self {
        let item = Item::from_entries(vec![(String::new(), value.clone())]);
        self.bytes(&binary::encode(&item))
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    fn code(self, start: &[u8], key: &CursorKey) -> Result<Hmac<Sha256>, Error> {
        let secret = key.secret.ok_or(Error::RandomUnavailable)?;
        // HMAC pads shorter keys with zeros to the block size.
        let mut block = [0; 64];
        block.iter_mut().zip(secret).for_each(|(byte, secret)| *byte = secret);
        let mut code = <Hmac<Sha256> as KeyInit>::new(&block.into());
        code.update(&self.bytes(start).0);
        Ok(code)
    }
}
