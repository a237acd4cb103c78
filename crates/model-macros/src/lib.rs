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

/// Makes a struct, or an enum without fields, storable as an attribute.
#[proc_macro_derive(Attribute, attributes(attribute))]
pub fn attribute(input: TokenStream) -> TokenStream {
    answer(attribute::expand(input.into()))
}

/// Declares a collection: several entities of one partition, read together. A struct holds all of
/// them at once; an enum is one of them, and is read in the order of the sort keys.
///
/// The members are entities of one table, whose templates for the partition key are the same, with
/// fields of the same types. Everything else in the partition is passed over: items of other
/// entities, and items that are expired.
///
/// # A struct: everything at once
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Owner, Name, User);
///
/// #[table(name = "hub", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)),
///         entities(Repo, Issue, Star))]
/// pub struct Hub;
///
/// #[derive(Entity, Debug)]
/// #[entity(Hub, key = ("REPO#{owner}#{name}", "REPO#{owner}#{name}"),
///          GSI1 of_owner = ("USER#{owner}", "{created_at}#REPO"))]
/// pub struct Repo { pub owner: Owner, pub name: Name, pub created_at: Timestamp }
///
/// #[derive(Entity, Debug)]
/// #[entity(Hub, key = ("REPO#{owner}#{name}", "ISSUE#{number:08}"),
///          GSI1 of_author = ("USER#{author}", "{created_at}#ISSUE"))]
/// pub struct Issue {
///     pub owner: Owner,
///     pub name: Name,
///     pub number: u32,
///     pub author: Owner,
///     pub created_at: Timestamp,
/// }
///
/// #[derive(Entity, Debug)]
/// #[entity(Hub, key = ("REPO#{owner}#{name}", "STAR#{user}"))]
/// pub struct Star { pub owner: Owner, pub name: Name, pub user: User }
///
/// #[derive(Collection)]
/// pub struct Front {
///     /// Must be there, or there is no collection.
///     pub repo: Repo,
///     /// All issues are taken by a plain `Vec<Issue>`; this takes the last ten.
///     #[collection(limit = 10, descending)]
///     pub issues: Vec<Issue>,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Hub>::memory().await?;
/// let (owner, name) = (Owner::new("ada")?, Name::new("engine")?);
/// db.run(put(&Repo { owner: owner.clone(), name: name.clone(), created_at: db.now() })).await?;
/// # for number in 1..=20 {
/// #     let (owner, name, author) = (owner.clone(), name.clone(), owner.clone());
/// #     db.run(put(&Issue { owner, name, number, author, created_at: db.now() })).await?;
/// # }
/// // One part of the partition key is given by itself, several as a tuple.
/// let front = db.load(Front::of((&owner, &name))).await?.unwrap();
/// assert_eq!((front.issues.len(), front.issues[0].number), (10, 20));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// | member | takes |
/// |---|---|
/// | `repo: Repo` | The item of an entity of which a partition holds one at most. If there is none, there is no collection. |
/// | `repo: Option<Repo>` | The same, and it may be missing. |
/// | `issues: Vec<Issue>` | All items of the entity, ascending. |
/// | `#[collection(descending)]` on a `Vec` | All items, from the last sort key to the first. |
/// | `#[collection(limit = 10)]` on a `Vec` | The first ten; with `descending`, the last ten, the last one first. |
///
/// A partition holds one item of an entity if its sort key is text alone, or repeats fields of the
/// partition key, as that of `Repo` does. Of other entities a member is a `Vec`.
///
/// How many requests a load sends: one query for each range of the sort key that it needs, one after
/// the other, and more only if a range has more than a megabyte. Members without a limit are in one
/// range if no items of other entities of the table can lie between them; so a game and its players
/// take one query if nothing else is in their partition. A member with a limit has a query of its
/// own, which reads no more than the limit if nothing else is in its range. `Front` takes two: one
/// for the repository, one for ten issues. The stars are not read. What shares the beginning of its
/// sort key with a member cannot be told from it by DynamoDB, and is read and passed over.
///
/// # An enum: one after the other
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Owner, Name, User);
/// # #[table(name = "hub", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)),
/// #         entities(Repo, Issue, Star))]
/// # pub struct Hub;
/// # #[derive(Entity, Debug)]
/// # #[entity(Hub, key = ("REPO#{owner}#{name}", "REPO#{owner}#{name}"),
/// #          GSI1 of_owner = ("USER#{owner}", "{created_at}#REPO"))]
/// # pub struct Repo { pub owner: Owner, pub name: Name, pub created_at: Timestamp }
/// # #[derive(Entity, Debug)]
/// # #[entity(Hub, key = ("REPO#{owner}#{name}", "ISSUE#{number:08}"),
/// #          GSI1 of_author = ("USER#{author}", "{created_at}#ISSUE"))]
/// # pub struct Issue {
/// #     pub owner: Owner, pub name: Name, pub number: u32, pub author: Owner,
/// #     pub created_at: Timestamp,
/// # }
/// # #[derive(Entity, Debug)]
/// # #[entity(Hub, key = ("REPO#{owner}#{name}", "STAR#{user}"))]
/// # pub struct Star { pub owner: Owner, pub name: Name, pub user: User }
/// #[derive(Collection, Debug)]
/// pub enum Thing {
///     Issue(Issue),
///     Star(Star),
/// }
///
/// /// By an index: each member must have a key for it, and the index must hold all of it.
/// #[derive(Collection, Debug)]
/// #[collection(index = GSI1)]
/// pub enum Activity {
///     Repo(Repo),
///     Issue(Issue),
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Hub>::memory().await?;
/// let (owner, name) = (Owner::new("ada")?, Name::new("engine")?);
/// # let then = db.now();
/// # db.run(put(&Repo { owner: owner.clone(), name: name.clone(), created_at: db.now() })).await?;
/// // A query like any other: `all`, `first`, `page`, `items`, `count`.
/// let newest = db.query(Thing::of((&owner, &name)).descending().limit(20)).page(None).await?;
/// let some = Thing::of((&owner, &name)).sort_key_between("ISSUE#00000010", "STAR#b");
/// let some = db.query(some).all().await?;
/// // The sort keys of both begin with a moment, so they can be narrowed by one.
/// let recent = db.query(Activity::of(&owner).from(then)).all().await?;
/// assert!(matches!(recent[..], [Activity::Repo(_)]));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// Ranges of the sort key can always be given as text: `sort_key_from`, `sort_key_until`,
/// `sort_key_between` and `sort_key_starting_with`. Where the templates of all members begin alike,
/// their first fields can be fixed and narrowed as in any query, with `with`, `between`, `from`,
/// `after`, `until` and `before`. Pages have as many items as the limit says, whatever else lies
/// between them, and their cursors are signed, for this enum, partition, range and direction.
///
/// A query of an enum reads the ranges of the sort key that its members are in, one after the other,
/// as a load does.
#[proc_macro_derive(Collection, attributes(collection))]
pub fn collection(input: TokenStream) -> TokenStream {
    answer(collection::expand(input.into()))
}

/// Declares a projection: a smaller struct for what is read of an entity.
#[proc_macro_derive(Projection, attributes(projection))]
pub fn projection(input: TokenStream) -> TokenStream {
    answer(projection::expand(input.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
