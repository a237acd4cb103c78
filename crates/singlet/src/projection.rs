//! Projections: structs with some of an entity's fields.

use crate::entity::Entity;
use crate::item::{Corrupt, Reader};

/// The result of reading an item: the entity, or a smaller struct with some of its fields.
///
/// The smaller struct is derived. Its fields have the names and types of the entity's:
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// #[derive(Entity)]
/// #[entity(Games, key = ("{code}"))]
/// pub struct Game {
///     pub code: Code,
///     pub status: String,
///     pub moves: Vec<u32>,
/// }
///
/// #[derive(Projection, Debug, PartialEq)]
/// #[projection(Game)]
/// pub struct Summary {
///     pub code: Code,
///     pub status: String,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Games>::memory().await?;
/// let code = Code::new("ABC123")?;
/// db.run(create(&Game { code: code.clone(), status: "waiting".into(), moves: vec![] })).await?;
/// let summary = db.get(Game::key(&code).project::<Summary>()).await?;
/// assert_eq!(summary, Some(Summary { code, status: "waiting".into() }));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an entity nor a projection of one",
    label = "not a projection",
    note = "derive it: `#[derive(Projection)] #[projection(Entity)]`"
)]
pub trait Projection: Sized + Send + 'static {
    /// The entity.
    type Entity: Entity;
    /// The places of the fields to read; `None` for all.
    const FIELDS: Option<&'static [usize]>;

    /// Reads the fields of an item.
    fn decode(item: &mut Reader<'_>) -> Result<Self, Corrupt>;
}

impl<E: Entity> Projection for E {
    type Entity = E;
    const FIELDS: Option<&'static [usize]> = None;

    fn decode(item: &mut Reader<'_>) -> Result<Self, Corrupt> {
        E::decode(item)
    }
}
