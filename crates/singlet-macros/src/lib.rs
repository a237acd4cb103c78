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
/// | `name = "…"` | The name. What is in braces stands for the environment. |
/// | `key = (PK, SK)` | The partition key, and the sort key if there is one: text, or `name: N`, `name: B`. A name that is no identifier stands in quotes. |
/// | `index(Name = (…), …)` | Indexes with their keys; at most 20. `local` in front makes a local one, which has the table's partition key; at most 5. `projecting(keys)` or `projecting(one, another)` behind says what it holds besides keys. |
/// | `ttl = TTL` | The attribute that holds when an item expires. |
/// | `stream` | A stream is kept. |
/// | `provisioned(read, write)` | Capacity units; paid for by request if nothing is said. |
/// | `delimiter = "\|"` | The character between the parts of keys, one of ASCII that is neither a letter, a digit nor a space. Identifiers may not contain it; `#` if nothing is said. |
/// | `entities(…)` | The entities. Their keys are compared with each other, so that no item can be two of them. |
///
/// With another delimiter, identifiers are made for it:
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

/// Declares an entity: a kind of item of a table, with its keys, its access patterns and its fields.
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
/// A template is text with fields in braces, up to eight in that of a sort key. A whole number says
/// with how many digits it is written, `{score:06}`, so that it sorts; a brace that is meant as such
/// is written twice. A template that is one field and nothing else can fill a key attribute of type
/// N or B.
///
/// | | |
/// |---|---|
/// | `key = (…)`, `key of_game = (…)` | The templates of the primary key, and the name of the function that queries its partition: `of` if nothing is said. |
/// | `GSI1 by_team = (…)` | The templates of a key in an index, and the name of the function that queries it. An index whose name is no identifier stands in quotes. |
/// | `… when state = "open" \| "reopened"` | An item has this key only if the field has one of these values, as they are stored; also `when archived = false`. |
/// | `shares_key_with(Other)` | Items of the other entity may have the same key, which is taken once for both. |
///
/// An index key follows the fields that an update sets. Fields that share one are set together, with
/// `set_together` and the constant that has all their names, here `Player::TEAM_AND_SCORE`.
///
/// ## Several keys in one index
///
/// Each has a condition on one and the same field, and the item is in the index with the key whose
/// condition holds, or not at all. Each function finds only its own.
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
/// One namespace for several entities: a key is taken once for all of them. Each says so of the
/// others, and a discriminator tells their items apart. Reading one where the other is gives
/// `None`; no write of one touches an item of the other, and is refused instead.
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
/// | `discriminator = "entityType"` | An attribute with the name of the entity, or with the text of `("entityType", "PLAYER")`. It is written, and compared when an item is read. |
/// | `payload = "data"` | The fields are one JSON text in this attribute, except the time to live, those with `in_key` and those that the model keeps. DynamoDB cannot look into it. |
/// | `rename_all = "…"` | `camelCase`, `PascalCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `lowercase`, `UPPERCASE`. |
///
/// # Fields: `#[attribute(…)]`
///
/// | | |
/// |---|---|
/// | `rename = "…"` | The attribute's name. |
/// | `null` | A missing value is stored as NULL; else the attribute is left out. |
/// | `default` | An item without the attribute has the default of the type, also in projections. `add` counts from zero all the same. |
/// | `created`, `updated` | A `Timestamp` that the model keeps. |
/// | `version` | A `u64`, or a newtype of one, for optimistic locking: `put` fails if somebody has written the item since it was read. |
/// | `ttl` | An `Expiry` or an `Option<Expiry>`. Expired items are gone, also before DynamoDB has deleted them. |
/// | `in_key` | Stored within a key and nowhere else. |
/// | `with = serde` | A field of any type that serde knows, stored as serde writes it. Not in a key. |
///
/// What contradicts itself does not compile, and says why; the same rules find it in a design file
/// with `singlet check`.
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
/// updates: `Game::BOARD.member(Board::SIZE)`.
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
/// unless one of the texts contains `#`, and can be the key of a map. `as_str` gives
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// `rename_all` is for the variants, `rename_all_fields` for their fields; a variant can say
/// `rename`, and `rename_all` for its own fields. In conditions the tag is `Event::TAG`:
/// `Game::LAST_EVENT.member(Event::TAG).eq("joined")`.
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
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
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// There are no untagged enums: a stored value says which variant it is. What is stored already
/// without a tag is read by serde, `#[attribute(with = serde)]`.
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
/// | `#[collection(pattern = open)]` on any member | By which key it is read, if its entity has several in the index. |
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
///
/// # An entity with several keys in the index
///
/// Where an entity has several keys in the index, each with a condition, a member names the pattern
/// by which it is read. Items of the other keys are not of that member.
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

/// Declares a projection: a smaller struct for what is read of an entity.
#[proc_macro_derive(Projection, attributes(projection, attribute))]
pub fn projection(input: TokenStream) -> TokenStream {
    answer(projection::expand(input.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
