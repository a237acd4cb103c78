//! Deleting what a query reads.

use super::{Batch, assert_keys_are_their_own};
use crate::db::Db;
use crate::error::Result;
use crate::page::Reading;
use crate::query::{AccessPattern, Readable};
use crate::table::{Contains, Declaration};

impl<D: Declaration> Db<D> {
    /// Deletes the items that a query reads, and returns how many there were. The query reads keys
    /// only, and the items are deleted in batches.
    ///
    /// Nothing is checked in between: an item that was changed after it was read is deleted too,
    /// and one that was created later stays. With a consistent query every item that was written
    /// before the call is deleted. Expired items are only deleted if the query includes them. After
    /// an error, call it again for the rest. Do not repeat a query with a limit, which would delete
    /// that many more items.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(SiteId, CommentId);
    /// # #[table(name = "sites", key = (PK, SK), entities(Comment))]
    /// # pub struct Sites;
    /// # #[derive(Entity)]
    /// # #[entity(Sites, key = ("SITE#{site}", "COMMENT#{id}"))]
    /// # pub struct Comment { pub site: SiteId, pub id: CommentId, pub text: String }
    /// # singlet::block_on(async {
    /// # let db = Db::<Sites>::memory().await?;
    /// # let site = SiteId::new("s1")?;
    /// for number in 0..1000 {
    ///     let id = CommentId::new(format!("c{number}"))?;
    ///     db.run(create(&Comment { site: site.clone(), id, text: "First!".into() })).await?;
    /// }
    /// assert_eq!(db.delete_all(Comment::of(&site).consistent()).await?, 1000);
    /// assert_eq!(db.query(Comment::of(&site)).count().await?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn delete_all<Q: AccessPattern>(&self, query: Q) -> Result<usize>
    where
        D: Contains<<Q::Output as Readable>::Table>,
    {
        const { assert_keys_are_their_own(<Q::Output as Readable>::ENTITIES) };
        let place = <D as Contains<<Q::Output as Readable>::Table>>::PLACE;
        let mut keys =
            Reading::<'_, D, Q::Output, Q::Source>::new(self, query.describe()).keys()?;
        let mut count = 0;
        while let Some(page) = keys.next().await? {
            let mut batch: Batch<'_, D> = self.batch();
            batch.delete_keys(place, <Q::Output as Readable>::NAME, page);
            count += batch.len();
            batch.run().await?;
        }
        Ok(count)
    }
}
