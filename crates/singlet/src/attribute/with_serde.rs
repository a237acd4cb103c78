//! Values of any serde type, as attributes.
//!
//! The representation is that of `serde_dynamo`: structs and maps become M, sequences and tuples L,
//! numbers N, text S, bytes B, `None` and units NULL. The reasons for our own implementation are in
//! docs/decisions/0015-serde-values-are-read-where-they-lie.md.

mod read;
mod write;

use super::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use crate::field::Operand;
use serde::Serialize;
use serde::de::DeserializeOwned;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;

/// Maximum depth of nested serializer or deserializer calls. Lists and maps nest up to 31 levels in
/// an attribute; the rest is for options and newtypes, which take a call but no level.
const CALLS_MAX: usize = 256;

/// A value in serde's representation, for a field with `#[attribute(with = serde)]`.
///
/// The field keeps its own type; only the constant for the field uses `Serde`. Conditions and
/// updates take the value with or without it.
///
/// ```
/// use singlet::prelude::*;
/// use std::net::IpAddr;
///
/// id!(HostId);
/// #[table(name = "hosts", key = (hostId), entities(Host))]
/// pub struct Hosts;
///
/// #[derive(Entity, Debug, PartialEq)]
/// #[entity(Hosts, key = ("{id}"))]
/// pub struct Host {
///     #[attribute(rename = "hostId")]
///     pub id: HostId,
///     #[attribute(with = serde)]
///     pub address: IpAddr,
///     /// Missing in the item when it is `None`, like every other option.
///     #[attribute(with = serde)]
///     pub labels: Option<serde_json::Value>,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Hosts>::memory().await?;
/// let id = HostId::new("h1")?;
/// let address: IpAddr = "10.0.0.1".parse()?;
/// db.run(create(&Host { id: id.clone(), address, labels: None })).await?;
/// let labels = serde_json::json!({"rack": 7});
/// db.run(update(Host::key(&id)).set(Host::LABELS, &labels).only_if(Host::ADDRESS.eq(address))).await?;
/// let host = db.get(Host::key(&id).consistent()).await?;
/// assert_eq!(host, Some(Host { id, address, labels: Some(labels) }));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serde<T>(pub T);

impl<T: Serialize + DeserializeOwned> Attribute for Serde<T> {
    const KIND: AttributeType = AttributeType::Any;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        serde_value(&self.0)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(value) => read::from_value(value),
            None => read::from_nothing(),
        }
        .map(Self)
    }
}

/// A value in serde's representation.
#[doc(hidden)]
pub fn serde_value<T: Serialize + ?Sized>(value: &T) -> Result<Option<Value>, NotStorable> {
    write::to_value(value).map(Some)
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Operand<Serde<T>> for T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        serde_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Operand<Serde<T>> for &T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        serde_value(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Operand<Option<Serde<T>>> for T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        serde_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Operand<Option<Serde<T>>> for &T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        serde_value(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Operand<Option<Serde<T>>> for Option<T> {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        self.as_ref().map_or(Ok(None), serde_value)
    }
}
