//! Shows requests before they are sent.

use crate::attribute::NotStorable;
use crate::collection::{Collection, Load};
use crate::condition::Condition;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::Result;
use crate::get::Get;
use crate::key::Key;
use crate::operation::{Operation, Or};
use crate::projection::Projection;
use crate::query::{AccessPattern, Described, Query, Readable};
use crate::scan::Scan;
use crate::shape::KeyFault;
use crate::source::Start;
use crate::table::{Contains, Declaration};
use crate::transaction::{Once, Planned, Step, Transactional};
use singlet_dynamo::Value;
use singlet_dynamo::expression::Printer;
use singlet_dynamo::operation::{Request, TransactWriteItem, TransactWriteItems};
use std::fmt;

/// Shows the DynamoDB request that an operation, a query or a transaction will send.
///
/// A [`Request`] prints as the operation's name and the JSON on the wire; its fields are public
/// too.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Code);
///
/// #[table(name = "games", key = (PK, SK), entities(Turn))]
/// pub struct Games;
///
/// #[derive(Entity)]
/// #[entity(Games, key = ("GAME#{code}", "TURN#{turn:04}"))]
/// pub struct Turn {
///     pub code: Code,
///     pub turn: u32,
///     pub roll: u8,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Games>::memory().await?;
/// let code = Code::new("ABC123")?;
///
/// let request = Turn::of(&code).descending().limit(5).request(&db)?;
/// assert_eq!(
///     request.to_string(),
///     concat!(
///         r##"Query {"TableName":"games","KeyConditionExpression":"#0 = :0 AND begins_with(#1, :1)","##,
///         r##""ExpressionAttributeNames":{"#0":"PK","#1":"SK"},"##,
///         r##""ExpressionAttributeValues":{":0":{"S":"GAME#ABC123"},":1":{"S":"TURN#"}},"##,
///         r##""Limit":5,"ScanIndexForward":false}"##
///     )
/// );
///
/// let roll = update(Turn::key(&code, 1)).set(Turn::ROLL, 6).only_if(Turn::ROLL.eq(0));
/// assert_eq!(
///     format!("{roll:?}"),
///     concat!(
///         r#"Update { entity: "Turn", key: Key({S:GAME#ABC123}, {S:TURN#0001}), "#,
///         r#"changes: SET roll = {N:6}, only_if: roll = {N:0}, .. }"#
///     )
/// );
/// assert_eq!(roll.request(&db)?.operation(), "UpdateItem");
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// For a read this is the first request of [`all`](crate::Reading::all); later ones continue where
/// it ends. [`page`](crate::Reading::page) sends the same with a `Limit` one higher, to find out
/// whether there is a next page. Time-dependent values, such as conditions on the time to live, use
/// the current time; a transaction with [`once`](crate::transaction::once) uses the time when its
/// token was first sent.
pub trait Inspect<D: Declaration>: Sized {
    /// The request that would be sent to this database.
    fn request(self, db: &Db<D>) -> Result<Request>;
}

/// A check is sent in a transaction.
impl<D: Contains<<O::Entity as Entity>::Table>, O: Operation> Inspect<D> for O {
    fn request(self, db: &Db<D>) -> Result<Request> {
        let table_name = db.table_name::<<O::Entity as Entity>::Table>();
        Ok(match self.plan(table_name, db.now())?.action {
            TransactWriteItem::Put(put) => put.into(),
            TransactWriteItem::Delete(delete) => delete.into(),
            TransactWriteItem::Update(update) => update.into(),
            check @ TransactWriteItem::ConditionCheck(_) => {
                TransactWriteItems::new(vec![check]).into()
            }
        })
    }
}

impl<D: Declaration, O: Operation + Inspect<D>, R> Inspect<D> for Or<O, R> {
    fn request(self, db: &Db<D>) -> Result<Request> {
        self.into_parts().0.request(db)
    }
}

impl<D: Contains<E::Table>, E: Entity> Inspect<D> for Key<E> {
    fn request(self, db: &Db<D>) -> Result<Request> {
        Get::from(self).request(db)
    }
}

impl<D, E, P> Inspect<D> for Get<E, P>
where
    D: Contains<E::Table>,
    E: Entity,
    P: Projection<Entity = E>,
{
    fn request(self, db: &Db<D>) -> Result<Request> {
        Ok(self.into_request(db.table_name::<E::Table>())?.into())
    }
}

/// The request for the first page.
fn first_request<P: Readable>(described: Described, table_name: &str) -> Result<Request> {
    let mut source = described.source?;
    source.selection = P::selection(source.index)?;
    source.request(table_name, Start::default(), described.limit)
}

impl<D, E, Rest, S, P> Inspect<D> for Query<E, Rest, S, P>
where
    D: Contains<P::Table>,
    P: Readable<Subject = E>,
{
    fn request(self, db: &Db<D>) -> Result<Request> {
        first_request::<P>(self.describe(), db.table_name::<P::Table>())
    }
}

impl<D, E, P, S> Inspect<D> for Scan<E, P, S>
where
    D: Contains<E::Table>,
    E: Entity,
    P: Projection<Entity = E>,
{
    fn request(self, db: &Db<D>) -> Result<Request> {
        first_request::<P>(self.describe(), db.table_name::<E::Table>())
    }
}

impl<D, C> Inspect<D> for Load<C>
where
    D: Contains<<C::Head as Entity>::Table>,
    C: Collection,
{
    fn request(self, db: &Db<D>) -> Result<Request> {
        self.first_request(db.table_name::<<C::Head as Entity>::Table>())
    }
}

impl<D: Declaration, T: Transactional<D>> Inspect<D> for Once<T> {
    fn request(self, db: &Db<D>) -> Result<Request> {
        Ok(self.preview(db, db.now())?.request())
    }
}

impl<D: Declaration, S: Step<D>> Inspect<D> for Vec<S>
where
    Self: Transactional<D>,
{
    fn request(self, db: &Db<D>) -> Result<Request> {
        Ok(self.preview(db, db.now())?.request())
    }
}

macro_rules! tuples {
    ($(($($step:ident)+))+) => {
        $(
            impl<D: Declaration, $($step),+> Inspect<D> for ($($step,)+)
            where
                Self: Transactional<D>,
            {
                fn request(self, db: &Db<D>) -> Result<Request> {
                    Ok(self.preview(db, db.now())?.request())
                }
            }
        )+
    };
}

tuples! {
    (A)
    (A B)
    (A B C)
    (A B C E)
    (A B C E F)
    (A B C E F G)
    (A B C E F G H)
    (A B C E F G H I)
}

impl<R> Planned<R> {
    /// The request of the transaction.
    pub(crate) fn request(&self) -> Request {
        let actions = self.plans().map(|plan| plan.action.clone()).collect();
        let mut request = TransactWriteItems::new(actions);
        request.client_request_token = self.token().map(str::to_owned);
        request.into()
    }
}

/// The `Debug` output of an operation on one item.
pub(crate) fn debug_operation<E: Entity>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    key: &Key<E>,
    condition: Option<&Condition<E>>,
) -> fmt::Result {
    let mut shown = f.debug_struct(name);
    shown.field("entity", &E::SHAPE.name).field("key", key);
    if let Some(condition) = condition {
        shown.field("only_if", condition);
    }
    shown.finish_non_exhaustive()
}

/// A part of a key, for people.
pub(crate) fn readable_part(part: &Result<Option<Value>, NotStorable>) -> String {
    match part {
        Ok(Some(value)) => format!("{value:?}"),
        Ok(None) => "nothing".to_owned(),
        Err(error) => format!("({error})"),
    }
}

/// A key attribute, for people.
pub(crate) fn readable_key(key: &Result<Value, KeyFault>) -> String {
    match key {
        Ok(value) => format!("{value:?}"),
        Err(fault) => format!("({fault})"),
    }
}

/// Shows the flags that are set.
pub(crate) fn debug_flags(shown: &mut fmt::DebugStruct<'_, '_>, flags: &[(&str, bool)]) {
    for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        shown.field(name, &true);
    }
}

/// An expression for people, with names and values instead of placeholders.
pub(crate) fn readable<'v>(print: impl FnOnce(&mut Printer<'v>) -> String) -> String {
    let mut printer = Printer::new();
    let text = print(&mut printer);
    let names: Vec<&str> = printer.names().map(|(_, name)| name).collect();
    let values: Vec<String> = printer.values().map(|(_, value)| format!("{value:?}")).collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(place) = rest.find(['#', ':']) {
        let (before, placeholder) = rest.split_at(place);
        out.push_str(before);
        let is_name = placeholder.starts_with('#');
        let behind = placeholder.get(1..).unwrap_or_default();
        let end = behind.find(|one: char| !one.is_ascii_digit()).unwrap_or(behind.len());
        let (number, after) = behind.split_at(end);
        let number = number.parse().unwrap_or(usize::MAX);
        let text = match is_name {
            true => names.get(number).copied(),
            false => values.get(number).map(String::as_str),
        };
        out.push_str(text.unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    out
}
