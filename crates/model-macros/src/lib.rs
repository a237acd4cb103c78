//! The macros of [singlet](https://docs.rs/singlet), which re-exports them and tells what they are
//! for.
//!
//! They read declarations and write down what they say as constants, with as little code as they
//! can: keys, conditions, queries and checks are ordinary code of the library, which reads the
//! constants. What a macro can see by itself it refuses with an error at the place in the
//! declaration; what takes more than one declaration is checked by constant functions of the
//! library, when the compiler evaluates the constants.

mod attribute;
mod case;
mod collection;
mod entity;
#[cfg(test)]
mod expansion;
mod field;
mod projection;
mod table;
mod template;

use proc_macro::TokenStream;

/// Declares a table: its name, keys, indexes, time to live, and the entities that are in it.
#[proc_macro_attribute]
pub fn table(arguments: TokenStream, item: TokenStream) -> TokenStream {
    answer(table::expand(arguments.into(), item.into()))
}

/// Declares an entity: a kind of item of a table.
#[proc_macro_derive(Entity, attributes(entity, attribute))]
pub fn entity(input: TokenStream) -> TokenStream {
    answer(entity::expand(input.into()))
}

/// Makes a type storable as an attribute.
///
/// # Structs
///
/// A struct with named fields is stored as a map. Each of its fields is an attribute itself. Fields
/// that are `None` are left out. The struct gets a constant for each field, for conditions and
/// updates: `Game::board.member(Board::size)`.
///
/// ```
/// use singlet::prelude::*;
///
/// #[derive(Attribute)]
/// #[attribute(rename_all = "camelCase")]
/// pub struct Address {
///     pub street_name: String,
///     /// Stored as `no`.
///     #[attribute(rename = "no")]
///     pub number: Option<u32>,
///     /// Stored as NULL when it is `None`, and not left out.
///     #[attribute(null)]
///     pub district: Option<String>,
///     /// Zero, where the map has no such member.
///     #[attribute(default)]
///     pub floor: i32,
///     /// Any type that serde knows.
///     #[attribute(with = serde)]
///     pub gateway: std::net::IpAddr,
/// }
/// ```
///
/// `rename_all` knows `camelCase`, `PascalCase`, `snake_case`, `SCREAMING_SNAKE_CASE`,
/// `kebab-case`, `lowercase` and `UPPERCASE`.
///
/// Type parameters in fields must be attributes; the derive adds the bound.
///
/// ```
/// # use singlet::prelude::*;
/// #[derive(Attribute)]
/// pub struct Recent<T> {
///     pub newest: Option<T>,
///     pub others: Vec<T>,
/// }
/// ```
///
/// # Newtypes
///
/// A struct around one value is stored as that value, and can do what the value can: stand in keys
/// and conditions, be added to, be the key of a map. In a key, a newtype around a `String` may contain
/// the delimiter, as a `String` may; a type made by `id!` never does.
///
/// ```
/// # use singlet::prelude::*;
/// #[derive(Attribute)]
/// pub struct Email(pub String);
/// #[derive(Attribute)]
/// pub struct Gateway(#[attribute(with = serde)] pub std::net::IpAddr);
/// ```
///
/// # Enums
///
/// An enum whose variants hold nothing is stored as text, the name of the variant. It is a key part,
/// unless one of the texts contains the delimiter `#`, and can be the key of a map. `as_str` gives
/// the text.
///
/// ```
/// # use singlet::prelude::*;
/// #[derive(Attribute)]
/// #[attribute(rename_all = "SCREAMING_SNAKE_CASE")]
/// pub enum Status {
///     InProgress,
///     #[attribute(rename = "FINAL")]
///     Over,
/// }
/// assert_eq!(Status::InProgress.as_str(), "IN_PROGRESS");
/// ```
///
/// An enum with variants that hold something is stored as a map, with a member that says which
/// variant it is. The member is called `type`, unless `tag` says otherwise. What the variant holds
/// lies beside it: the fields of the variant, or the members of the one struct that it holds.
///
/// ```
/// use singlet::prelude::*;
/// use singlet::dynamo::{Map, Value};
///
/// #[derive(Attribute)]
/// #[attribute(rename_all = "snake_case", rename_all_fields = "camelCase")]
/// pub enum Event {
///     Started,
///     PlayerMoved {
///         from_square: u32,
///         to_square: u32,
///     },
///     #[attribute(rename = "joined")]
///     PlayerJoined(Player),
/// }
///
/// #[derive(Attribute)]
/// pub struct Player {
///     pub name: String,
/// }
///
/// let stored = Map::from([
///     ("type", Value::from("player_moved")),
///     ("fromSquare", Value::from(1)),
///     ("toSquare", Value::from(7)),
/// ]);
/// let moved = Event::PlayerMoved { from_square: 1, to_square: 7 };
/// assert_eq!(moved.to_value()?, Some(Value::M(stored)));
/// let stored = Map::from([("type", Value::from("joined")), ("name", Value::from("Ada"))]);
/// let joined = Event::PlayerJoined(Player { name: "Ada".into() });
/// assert_eq!(joined.to_value()?, Some(Value::M(stored)));
/// # Ok::<(), singlet::attribute::Unstorable>(())
/// ```
///
/// `rename_all` is for the variants, `rename_all_fields` for their fields; a variant can say
/// `rename`, and `rename_all` for its own fields. In conditions the tag is `Event::TAG`:
/// `Game::last_event.member(Event::TAG).eq("joined")`.
///
/// With `content`, what the variant holds has a member of its own, so that it may be anything:
///
/// ```
/// # use singlet::prelude::*;
/// # use singlet::dynamo::{Map, Value};
/// #[derive(Attribute)]
/// #[attribute(tag = "kind", content = "value")]
/// pub enum Setting {
///     Unset,
///     Level(u32),
/// }
///
/// let stored = Map::from([("kind", Value::from("Level")), ("value", Value::from(3))]);
/// assert_eq!(Setting::Level(3).to_value()?, Some(Value::M(stored)));
/// # Ok::<(), singlet::attribute::Unstorable>(())
/// ```
///
/// With `externally_tagged`, a variant that holds something is a map with one member, which has the
/// name of the variant, and one that holds nothing is text. That is how serde stores enums by
/// default.
///
/// ```
/// # use singlet::prelude::*;
/// # use singlet::dynamo::{Map, Value};
/// #[derive(Attribute)]
/// #[attribute(externally_tagged)]
/// pub enum Command {
///     Stop,
///     Go(u32),
/// }
///
/// assert_eq!(Command::Stop.to_value()?, Some(Value::from("Stop")));
/// let stored = Map::from([("Go", Value::from(2))]);
/// assert_eq!(Command::Go(2).to_value()?, Some(Value::M(stored)));
/// # Ok::<(), singlet::attribute::Unstorable>(())
/// ```
///
/// There are no untagged enums: a stored value says which variant it is. What is stored already
/// without a tag is read by serde, `#[attribute(with = serde)]`.
#[proc_macro_derive(Attribute, attributes(attribute))]
pub fn attribute(input: TokenStream) -> TokenStream {
    answer(attribute::expand(input.into()))
}

/// Declares a collection: several entities of one partition, read by one query.
#[proc_macro_derive(Collection)]
pub fn collection(input: TokenStream) -> TokenStream {
    answer(collection::expand(input.into()))
}

/// Declares a projection: a smaller struct for what is read of an entity.
#[proc_macro_derive(Projection, attributes(projection, attribute))]
pub fn projection(input: TokenStream) -> TokenStream {
    answer(projection::expand(input.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
