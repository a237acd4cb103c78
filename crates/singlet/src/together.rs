//! Transactional reads.

use crate::backend::BackendError;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::Result;
use crate::item::{decode, is_expired, is_of_sharing_entity};
use crate::key::Key;
use crate::operation::stored;
use crate::retry::{Backoff, Obstacle};
use crate::subject::Subject;
use crate::table::{Contains, Declaration};
use crate::timestamp::Timestamp;
use singlet_dynamo as dynamo;
use singlet_dynamo::operation::{Answer, GetItem, Request, TransactGetItems};
use singlet_dynamo::stored::Attributes;

/// Keys for a transactional read: a tuple of up to eight, or a list of one entity.
pub trait Together<D: Declaration> {
    /// The items, each `None` if missing.
    type Output;
    #[doc(hidden)]
    fn requests(self, db: &Db<D>) -> Result<Vec<GetItem>>;
    #[doc(hidden)]
    fn read(items: Vec<Option<Attributes>>, now: Timestamp) -> Result<Self::Output>;
}

fn read_one<E: Entity>(item: Option<Attributes>, now: Timestamp) -> Result<Option<E>> {
    let Some(item) = item.map(stored) else { return Ok(None) };
    match is_expired::<E>(item.as_item(), now) || is_of_sharing_entity(&E::SHAPE, item.as_item()) {
        true => Ok(None),
        false => Ok(Some(decode(item.as_item())?)),
    }
}

impl<D, E> Together<D> for Vec<Key<E>>
where
    E: Entity,
    D: Contains<E::Table>,
{
    type Output = Vec<Option<E>>;

    fn requests(self, db: &Db<D>) -> Result<Vec<GetItem>> {
        let name = db.table_name::<E::Table>();
        self.into_iter().map(|key| Ok(GetItem::new(name, key.into_item()?))).collect()
    }

    fn read(items: Vec<Option<Attributes>>, now: Timestamp) -> Result<Self::Output> {
        items.into_iter().map(|item| read_one(item, now)).collect()
    }
}

macro_rules! tuples {
    ($(($($entity:ident $key:ident),+))+) => {
        $(
            impl<D, $($entity),+> Together<D> for ($(Key<$entity>,)+)
            where
                $($entity: Entity,)+
                D: Declaration $(+ Contains<$entity::Table>)+,
            {
                type Output = ($(Option<$entity>,)+);

                fn requests(self, db: &Db<D>) -> Result<Vec<GetItem>> {
                    let ($($key,)+) = self;
                    Ok(vec![$(GetItem::new(db.table_name::<$entity::Table>(), $key.into_item()?)),+])
                }

                fn read(items: Vec<Option<Attributes>>, now: Timestamp) -> Result<Self::Output> {
                    let mut items = items.into_iter();
                    Ok(($(read_one::<$entity>(items.next().flatten(), now)?,)+))
                }
            }
        )+
    };
}

tuples! {
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, E e)
    (A a, B b, C c, E e, F f)
    (A a, B b, C c, E e, F f, G g)
    (A a, B b, C c, E e, F f, G g, H h)
    (A a, B b, C c, E e, F f, G g, H h, I i)
}

impl<D: Declaration> Db<D> {
    /// Reads several items in one transaction, so that no other transaction is seen half done. On
    /// DynamoDB it conflicts with concurrent transactions on the items, and is retried.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code, PlayerId);
    /// # #[table(name = "snakes", key = (PK, SK), entities(Game, Player))]
    /// # pub struct Snakes;
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "METADATA"))]
    /// # pub struct Game { pub code: Code }
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
    /// # pub struct Player { pub code: Code, pub id: PlayerId }
    /// # singlet::block_on(async {
    /// # let db = Db::<Snakes>::memory().await?;
    /// # let (code, id) = (Code::new("A")?, PlayerId::new("p")?);
    /// db.run(create(&Game { code: code.clone() })).await?;
    /// let (game, player) = db.get_together((Game::key(&code), Player::key(&code, &id))).await?;
    /// assert!(game.is_some() && player.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn get_together<T: Together<D>>(&self, keys: T) -> Result<T::Output> {
        let gets = keys.requests(self)?;
        if gets.is_empty() {
            return T::read(Vec::new(), self.now());
        }
        let request = TransactGetItems::new(gets);
        let mut backoff = Backoff::new();
        loop {
            let refused = match self.execute(request.clone()).await {
                Ok(Answer::TransactGetItems(answer)) => {
                    return T::read(answer.responses, self.now());
                }
                Ok(_) => return Err(BackendError::unexpected().into()),
                Err(BackendError::Refused(refused)) => refused,
                Err(other) => return Err(other.into()),
            };
            let waited = match Obstacle::of(&refused) {
                Some(obstacle) => backoff.wait(self.backend(), obstacle).await,
                None => Err(BackendError::Refused(refused.clone()).into()),
            };
            waited.map_err(|error| error.about_any(self.blamed(&request, &refused)))?;
        }
    }

    /// The request that [`get_together`](Self::get_together) would send. Without keys it sends
    /// nothing.
    pub fn get_together_request<T: Together<D>>(&self, keys: T) -> Result<Request> {
        Ok(TransactGetItems::new(keys.requests(self)?).into())
    }

    /// The item that made the read fail; if unknown, what the items have in common.
    fn blamed(&self, request: &TransactGetItems, refused: &dynamo::Error) -> Option<Subject> {
        let subject = |get: &GetItem| Subject::in_table(self.shape_of(&get.table_name)?, &get.key);
        let mut reasons = refused.cancellation_reasons().iter();
        match reasons.position(|reason| reason.failure.is_some()) {
            Some(place) => request.gets.get(place).and_then(subject),
            None => Subject::common(request.gets.iter().map(subject)),
        }
    }
}
