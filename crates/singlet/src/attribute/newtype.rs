//! Newtypes: a wrapped type under another name.

use super::{Attribute, MapKey, Mismatch};
use crate::field::{Containing, Numeric, Textual};
use crate::key::{KeyPart, Shape};
use crate::query::FixedWidth;
use singlet_dynamo::Number;
use std::borrow::Cow;

/// A newtype: a struct around one value, stored as that value. Made by `#[derive(Attribute)]`.
///
/// It can be used wherever its value can: in keys and conditions, in additions, as the key of a
/// map. A newtype around a `String` is any text; for a part of a key that cannot contain the
/// delimiter, make the type with [`id!`](crate::id), or wrap such a type.
///
/// ```
/// use singlet::prelude::*;
/// use singlet::dynamo::Value;
///
/// #[derive(Attribute, Clone, Debug, PartialEq)]
/// pub struct Email(pub String);
/// #[derive(Attribute, Clone, Copy, Debug, PartialEq)]
/// pub struct Coins(pub u64);
///
/// #[table(name = "accounts", key = (PK), entities(Account))]
/// pub struct Accounts;
///
/// #[derive(Entity, Debug, PartialEq)]
/// #[entity(Accounts, key = ("ACCOUNT#{email}"))]
/// pub struct Account {
///     pub email: Email,
///     pub coins: Coins,
/// }
///
/// # singlet::block_on(async {
/// assert_eq!(Coins(5).to_value()?, Some(Value::from(5)));
/// let db = Db::<Accounts>::memory().await?;
/// let email = Email("ada@example.org".into());
/// db.run(create(&Account { email: email.clone(), coins: Coins(5) })).await?;
/// let richer = update(Account::key(&email)).add(Account::COINS, 2);
/// db.run(richer.only_if(Account::EMAIL.begins_with("ada@").and(Account::COINS.ge(Coins(5))))).await?;
/// assert_eq!(db.get(Account::key(&email).consistent()).await?.map(|one| one.coins), Some(Coins(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub trait Newtype: Attribute {
    /// The wrapped type.
    type Inner: Attribute;

    /// The value.
    fn inner(&self) -> &Self::Inner;

    /// Wraps a value.
    fn wrap(inner: Self::Inner) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Newtype> KeyPart for T
where
    T::Inner: KeyPart,
{
    const SHAPE: Shape = T::Inner::SHAPE;
}

#[diagnostic::do_not_recommend]
impl<T: Newtype> FixedWidth for T where T::Inner: FixedWidth {}

#[diagnostic::do_not_recommend]
impl<T: Newtype> Textual for T where T::Inner: Textual {}

#[diagnostic::do_not_recommend]
impl<T: Newtype> Numeric for T
where
    T::Inner: Numeric,
{
    type Amounts = <T::Inner as Numeric>::Amounts;

    fn range() -> Option<(Number, Number)> {
        T::Inner::range()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Newtype, P> Containing<P> for T
where
    T::Inner: Containing<P>,
{
    const HAS_ELEMENTS: () = T::Inner::HAS_ELEMENTS;
}

#[diagnostic::do_not_recommend]
impl<T: Newtype> MapKey for T
where
    T::Inner: MapKey,
{
    fn to_name(&self) -> Cow<'_, str> {
        self.inner().to_name()
    }

    fn from_name(name: &str) -> Result<Self, Mismatch> {
        T::Inner::from_name(name).map(Self::wrap)
    }
}
