//! The macros of [singlet](https://docs.rs/singlet), which re-exports and documents them.
//!
//! They turn declarations into constants and generate as little code as possible: keys, conditions,
//! queries and checks are ordinary library code that reads the constants. Errors within one
//! declaration are reported by the macro, at the offending token. Checks across declarations are
//! `const` functions of the library, which run when the compiler evaluates the constants.

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

/// Declares a table: its name, keys, indexes, TTL and entities.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(SiteId, UserId);
///
/// #[table(
///     name = "shop-{env}",                                     // {env}: see `Settings`
///     key = (PK, SK),                                          // or `key = (siteId)` alone
///     index(
///         GSI1 = (GSI1PK, GSI1SK),                             // global, with all attributes
///         byStars = (stars: N, siteId) projecting(TTL),        // a number; keys and the TTL
///         local byTime = (PK, createdAt) projecting("title", "TTL")
///     ),
///     ttl = TTL,                                               // when an item expires
///     stream,                                                  // for the change feed on DynamoDB
///     provisioned(5, 5),                                       // read and write units
///     entities(Site, Rating)                                   // all that is in it
/// )]
/// pub struct Shop;
///
/// #[derive(Entity)]
/// #[entity(Shop, key = ("SITE#{id}", "METADATA"))]
/// pub struct Site {
///     #[attribute(rename = "siteId")]
///     pub id: SiteId,
///     pub title: String,
/// }
///
/// #[derive(Entity)]
/// #[entity(Shop, key = ("USER#{user}", "SITE#{site}"), byStars by_stars = ("{stars}", "{site}"))]
/// pub struct Rating {
///     #[attribute(in_key)]
///     pub user: UserId,
///     #[attribute(rename = "siteId")]
///     pub site: SiteId,
///     pub stars: u8,
/// }
///
/// // The table is a type, and an item of it is one of its entities.
/// fn title(item: ShopItem) -> Option<String> {
///     match item {
///         ShopItem::Site(site) => Some(site.title),
///         ShopItem::Rating(_) => None,
///     }
/// }
/// assert_eq!(Shop::design().tables[0].indexes.len(), 3);
/// # let _ = title;
/// ```
///
/// | | |
/// |---|---|
/// | `name = "…"` | The name. A placeholder in braces stands for the environment. |
/// | `elsewhere = "…-{env}"` | The name in every environment but the default one, if it differs. |
/// | `key = (PK, SK)` | The partition key, and the sort key if there is one: text, or `name: N`, `name: B`. A name that is not an identifier must be quoted. |
/// | `index(Name = (…), …)` | Indexes with their keys, at most 20. `local` before the name makes it a local index, with the table's partition key; at most 5. `projecting(keys)` or `projecting(one, another)` after the key limits the projected attributes. |
/// | `index(Name = ((a, b), (c, d: N)))` | A global index with a composite key of up to four partition and four sort attributes. The entity names its fields: `Name by_state = ((a, b), (c, d))`. |
/// | `ttl = TTL` | The TTL attribute. |
/// | `stream` | Enables the table's stream. |
/// | `provisioned(read, write)` | Provisioned capacity units; on demand by default. |
/// | `delimiter = "\|"` | The character between key parts: ASCII, and not a letter, digit or space. Identifiers may not contain it. The default is `#`. |
/// | `entities(…)` | The entities. The compiler checks that their keys cannot collide. |
///
/// Identifiers must be declared for a custom delimiter:
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Owner, Repo; delimiter = '|');
///
/// #[table(name = "repos", key = (PK), delimiter = "|", entities(Repository))]
/// pub struct Repositories;
///
/// #[derive(Entity)]
/// #[entity(Repositories, key = ("REPO|{owner}|{repo}"))]
/// pub struct Repository {
///     pub owner: Owner,
///     pub repo: Repo,
/// }
///
/// assert!(Owner::new("a#b").is_ok());
/// assert!(Owner::new("a|b").is_err());
/// ```
#[proc_macro_attribute]
pub fn table(arguments: TokenStream, item: TokenStream) -> TokenStream {
    answer(table::expand(arguments.into(), item.into()))
}

/// Declares an entity: a kind of item, with its keys, access patterns and fields.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Code, PlayerId);
///
/// #[table(
///     name = "snakes",
///     key = (PK, SK),
///     index(GSI1 = (GSI1PK, GSI1SK)),
///     ttl = TTL,
///     entities(Player)
/// )]
/// pub struct Snakes;
///
/// #[derive(Entity, Clone, Debug, PartialEq)]
/// #[entity(
///     Snakes,                                                  // the table, first
///     key of_game = ("GAME#{code}", "PLAYER#{id}"),            // the primary key
///     GSI1 by_team = ("TEAM#{team}", "{score:06}"),            // a key in an index
///     discriminator = ("entityType", "PLAYER"),                // what an item says it is
///     rename_all = "camelCase"                                 // how attributes are called
/// )]
/// pub struct Player {
///     #[attribute(in_key)]                     // stored within the key and nowhere else
///     pub code: Code,
///     #[attribute(rename = "playerId")]
///     pub id: PlayerId,
///     pub team: Option<PlayerId>,              // without a team, it is not in GSI1
///     pub score: u32,
///     #[attribute(default)]                    // older items do not have it
///     pub wins: u32,
///     #[attribute(created)]                    // the model keeps these three
///     pub joined_at: Timestamp,
///     #[attribute(updated)]
///     pub changed_at: Timestamp,
///     #[attribute(version)]
///     pub version: u64,
///     #[attribute(ttl)]                        // stored as TTL
///     pub expires: Option<Expiry>,
/// }
///
/// # fn patterns(code: &Code, id: &PlayerId, team: &PlayerId) {
/// let key = Player::key(code, id);                   // an argument for each field of the key
/// let players = Player::of_game(code);               // the items of a partition
/// let best = Player::by_team(team).from(100_000);    // an index, from this score on
/// let winners = Player::WINS.gt(0);                  // fields, for conditions and updates
/// # let _ = (key, players, best, winners);
/// # }
/// ```
///
/// # Keys
///
/// A template is text with fields in braces; a sort key template has at most eight. An integer
/// needs a number of digits, `{score:06}`, so that it sorts correctly. A literal brace is doubled.
/// A template that is a single field can fill a key attribute of type N or B.
///
/// | | |
/// |---|---|
/// | `key = (…)`, `key of_game = (…)` | The templates of the primary key, and the name of the function that queries its partition; `of` by default. |
/// | `GSI1 by_team = (…)` | The templates of an index key, and the name of the function that queries it. An index name that is not an identifier must be quoted. |
/// | `Name by_state = ((tenant, region), (state, priority))` | The fields that fill the attributes of a composite index key. A field can also replace a template elsewhere: `due` means `"{due}"`. |
/// | `… when state = "open" \| "reopened"` | An item has this key only if the field has one of these stored values; also `when archived = false`. |
/// | `shares_key_with(Other)` | The two entities share a key space: a key can belong to an item of only one of them. |
///
/// Updates keep index keys in sync with their fields. Fields that share an index key must be set
/// together, with `set_together` and the constant that combines their names, here
/// `Player::TEAM_AND_SCORE`.
///
/// ## Several keys in one index
///
/// Each key has a condition on the same field. An item is indexed under the key whose condition
/// holds, or not at all. Each function returns only items with its own key.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Repo);
///
/// #[table(name = "issues", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Issue))]
/// pub struct Issues;
///
/// #[derive(Attribute, Clone, Copy, PartialEq)]
/// #[attribute(rename_all = "lowercase")]
/// pub enum State {
///     Open,
///     Closed,
/// }
///
/// #[derive(Entity)]
/// #[entity(
///     Issues,
///     key = ("REPO#{repo}", "ISSUE#{number:07}"),
///     GSI1 open = ("REPO#{repo}", "OPEN#{number:07}") when state = "open",
///     GSI1 closed = ("REPO#{repo}", "CLOSED#{closed_at}") when state = "closed"
/// )]
/// pub struct Issue {
///     pub repo: Repo,
///     pub number: u32,
///     pub state: State,
///     pub closed_at: Option<Timestamp>,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Issues>::memory().await?;
/// let repo = Repo::new("singlet")?;
/// let issue = Issue { repo: repo.clone(), number: 14, state: State::Open, closed_at: None };
/// db.run(create(&issue)).await?;
/// assert_eq!(db.query(Issue::open(&repo)).all().await?.len(), 1);
///
/// // The key of a closed issue needs to know when it was closed, so both are set together.
/// let close = update(Issue::key(&repo, 14))
///     .set_together(Issue::STATE_AND_CLOSED_AT, (State::Closed, Some(db.now())));
/// db.run(close).await?;
/// assert_eq!(db.query(Issue::open(&repo)).all().await?.len(), 0);
/// assert_eq!(db.query(Issue::closed(&repo)).all().await?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// ## Entities that share a key
///
/// Several entities can share one key space: a key can belong to only one item of all of them. The
/// relation is declared on each entity, and a discriminator tells their items apart. Reading an
/// entity where an item of another is stored returns `None`, and writes fail rather than touch it.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Name);
///
/// #[table(name = "accounts", key = (PK), entities(User, Organization))]
/// pub struct Accounts;
///
/// #[derive(Entity, Debug, PartialEq)]
/// #[entity(Accounts, key = ("ACCOUNT#{name}"), discriminator = "kind", shares_key_with(Organization))]
/// pub struct User {
///     pub name: Name,
/// }
///
/// #[derive(Entity)]
/// #[entity(Accounts, key = ("ACCOUNT#{name}"), discriminator = "kind", shares_key_with(User))]
/// pub struct Organization {
///     pub name: Name,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Accounts>::memory().await?;
/// let acme = Name::new("acme")?;
/// db.run(create(&Organization { name: acme.clone() })).await?;
/// assert!(db.run(create(&User { name: acme.clone() })).await.is_err());
/// assert_eq!(db.get(User::key(&acme)).await?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// # The rest of `#[entity(…)]`
///
/// | | |
/// |---|---|
/// | `discriminator = "entityType"` | An attribute with the name of the entity, or with a given value: `("entityType", "PLAYER")`. It is written with each item and checked on reads. |
/// | `payload = "data"` | Stores the fields as one JSON text in this attribute, except the TTL, `in_key` fields and fields managed by the library. DynamoDB cannot see inside it. |
/// | `rename_all = "…"` | `camelCase`, `PascalCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `lowercase`, `UPPERCASE`. |
///
/// # Fields: `#[attribute(…)]`
///
/// | | |
/// |---|---|
/// | `rename = "…"` | The attribute's name. |
/// | `null` | `None` is stored as NULL; otherwise the attribute is left out. |
/// | `default` | Items without the attribute get the type's default, in projections too. `add` still counts from zero. |
/// | `created`, `updated` | A `Timestamp` managed by the library. |
/// | `version` | A `u64`, or a newtype of one, for optimistic locking: `put` fails if the item was written since it was read. |
/// | `ttl` | An `Expiry` or an `Option<Expiry>`. Expired items are hidden even before DynamoDB deletes them. |
/// | `in_key` | Stored only as part of a key. |
/// | `with = serde` | A field of any type that implements serde's traits, stored as serde writes it. Not allowed in keys. |
///
/// Inconsistent declarations do not compile, and the error gives the reason. `singlet check`
/// applies the same rules to design files.
#[proc_macro_derive(Entity, attributes(entity, attribute))]
pub fn entity(input: TokenStream) -> TokenStream {
    entity::expand(input.into()).into()
}

/// Makes a type storable as an attribute.
///
/// # Structs
///
/// A struct with named fields is stored as a map, and its fields are attributes. Fields that are
/// `None` are left out. The struct gets a constant for each field, for conditions and updates:
/// `Game::BOARD.member(Board::SIZE)`.
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
/// `rename_all` supports `camelCase`, `PascalCase`, `snake_case`, `SCREAMING_SNAKE_CASE`,
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
/// A struct around one value is stored as that value and supports the same uses: keys, conditions,
/// arithmetic, map keys. In a key, a newtype of `String` may contain the delimiter, as a `String`
/// may; a type made by `id!` never does.
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
/// An enum without data is stored as text: the name of the variant, which `as_str` returns. It can
/// be a map key, and a key part unless one of the texts contains `#`.
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
/// An enum with data is stored as a map with a tag member, `type` unless `tag` gives another name.
/// The variant's fields, or the members of its inner struct, are stored next to the tag.
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// `rename_all` applies to the variants, `rename_all_fields` to their fields. A variant accepts
/// `rename`, and `rename_all` for its fields. In conditions the tag is `Event::TAG`:
/// `Game::LAST_EVENT.member(Event::TAG).eq("joined")`.
///
/// With `content`, the variant's data is stored in a separate member and can be of any type:
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// With `externally_tagged`, a variant with data is a map with one member, named after the variant;
/// a unit variant is text. This is serde's default representation.
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// Untagged enums are not supported. To read existing values without a tag, use serde:
/// `#[attribute(with = serde)]`.
#[proc_macro_derive(Attribute, attributes(attribute))]
pub fn attribute(input: TokenStream) -> TokenStream {
    answer(attribute::expand(input.into()))
}

/// Declares a collection: several entities of one partition, read together. A struct holds all of
/// them; an enum is one of them, read in sort key order.
///
/// The members are entities of one table with the same partition key template and the same field
/// types. Items of other entities and expired items are skipped.
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
/// | `repo: Repo` | The item of an entity with at most one item per partition. If it is missing, the load returns `None`. |
/// | `repo: Option<Repo>` | The same, but optional. |
/// | `issues: Vec<Issue>` | All items of the entity, ascending. |
/// | `#[collection(descending)]` on a `Vec` | All items, in descending sort key order. |
/// | `#[collection(limit = 10)]` on a `Vec` | The first ten; with `descending`, the last ten in descending order. |
/// | `#[collection(pattern = open)]` on any member | The key to read by, if the entity has several in the index. |
///
/// A partition holds at most one item of an entity whose sort key is a literal or repeats fields of
/// the partition key, like that of `Repo`. Other entities need a `Vec`.
///
/// A load sends one query for each range of the sort key that it needs, sequentially, and more only
/// if a range exceeds a megabyte. Members without a limit share a range if no other entity of the
/// table can have sort keys between them: a game and its players take one query if nothing else is
/// in their partition. A member with a limit has a separate query, which reads no more than the
/// limit if nothing else is in its range. `Front` takes two: one for the repository, one for ten
/// issues. The stars are not read. Items whose sort keys share a member's prefix are read and
/// discarded.
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
/// `sort_key_between` and `sort_key_starting_with`. If the sort key templates of all members start
/// the same way, their first fields can be narrowed as in any query, with `with`, `between`,
/// `from`, `after`, `until` and `before`. Pages are filled up to the limit even if other items lie
/// between the members'. Cursors are signed for this enum, partition, range and direction.
///
/// As in a load, the sort key ranges of the members are read sequentially.
///
/// # An entity with several keys in the index
///
/// If an entity has several keys in the index, each with a condition, a member names the pattern to
/// read by. Items with other keys are skipped.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Name);
/// # #[table(name = "hub", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Issue, Pull))]
/// # pub struct Hub;
/// #[derive(Entity, Debug)]
/// #[entity(Hub, key = ("REPO#{repo}", "ISSUE#{number:08}"),
///          GSI1 open = ("REPO#{repo}", "ISSUE#OPEN#{number:08}") when is_open = true,
///          GSI1 closed = ("REPO#{repo}", "ISSUE#CLOSED#{number:08}") when is_open = false)]
/// pub struct Issue { pub repo: Name, pub number: u32, pub is_open: bool }
///
/// #[derive(Entity, Debug)]
/// #[entity(Hub, key = ("REPO#{repo}", "PULL#{number:08}"),
///          GSI1 in_index = ("REPO#{repo}", "PULL#{number:08}"))]
/// pub struct Pull { pub repo: Name, pub number: u32 }
///
/// #[derive(Collection, Debug)]
/// #[collection(index = GSI1)]
/// pub enum Work {
///     #[collection(pattern = open)]
///     Issue(Issue),
///     Pull(Pull),
/// }
///
/// # singlet::block_on(async {
/// # let db = Db::<Hub>::memory().await?;
/// # let repo = Name::new("engine")?;
/// for number in 1..=4 {
///     let is_open = number % 2 == 0;
///     db.run(put(&Issue { repo: repo.clone(), number, is_open })).await?;
/// }
/// db.run(put(&Pull { repo: repo.clone(), number: 5 })).await?;
/// assert_eq!(db.query(Work::of(&repo)).all().await?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[proc_macro_derive(Collection, attributes(collection))]
pub fn collection(input: TokenStream) -> TokenStream {
    answer(collection::expand(input.into()))
}

/// Declares a projection: a struct with some of an entity's fields.
#[proc_macro_derive(Projection, attributes(projection, attribute))]
pub fn projection(input: TokenStream) -> TokenStream {
    answer(projection::expand(input.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
