//! Making the tables of a design, and telling how they differ from it.

mod difference;
mod lacking;

pub use difference::{Difference, DifferenceKind};
pub use lacking::LackingItems;

use crate::backend::{BackendError, BoxFuture};
use crate::db::Db;
use crate::declared;
use crate::design::Billing;
use crate::error::{Error, Result};
use crate::shape::TableShape;
use crate::table::Declaration;
use singlet_dynamo::ErrorKind;
use singlet_dynamo::operation::{
    Answer, CreateTable, DescribeTable, DescribeTimeToLive, IndexUpdate, OnDemandChange, Request,
    StreamChange, UpdateTable, UpdateTimeToLive,
};
use singlet_dynamo::schema::{Index, IndexProjection, KeyAttribute, KeySchema};
use singlet_dynamo::table::{TableDescription, TableStatus, Throughput};
use std::fmt;
use std::future::IntoFuture;
use std::time::Duration;

/// How long to wait at first before looking again whether a table is ready: an engine in memory
/// needs less than this, DynamoDB some seconds.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// How long to wait at most between two looks.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// How often to look: for about ten minutes, within which DynamoDB makes tables, and indexes of
/// tables that are not very large.
const LOOKS_MAX: u32 = 310;

/// What [`Db::provision`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provision {
    /// What was made.
    pub made: Vec<String>,
    /// Differences from the design that were [accepted](Provisioning::accepting). The tables were
    /// not changed.
    pub differences: Vec<Difference>,
    /// Items that lack their key in an index that was made. Each is also logged by `tracing` as a
    /// warning.
    pub lacking: Vec<LackingItems>,
}

impl fmt::Display for Provision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for made in &self.made {
            writeln!(f, "made: {made}")?;
        }
        for difference in &self.differences {
            writeln!(f, "differs: {difference}")?;
        }
        for lacking in &self.lacking {
            writeln!(f, "lacking: {lacking}")?;
        }
        Ok(())
    }
}

/// Makes the tables of a design; see [`Db::provision`].
#[must_use = "tables are made when this is awaited"]
pub struct Provisioning<'d, D> {
    db: &'d Db<D>,
    with_streams: bool,
    accepts: Box<dyn Fn(&Difference) -> bool + Send + 'd>,
}

impl<'d, D> Provisioning<'d, D> {
    /// Enables no streams.
    ///
    /// For the embedded engine, where [`changes`](Db::changes) needs no stream: a stream would keep
    /// both images of every change for a day. [`changes_from`](Db::changes_from) needs one.
    pub fn without_streams(mut self) -> Self {
        self.with_streams = false;
        self
    }

    /// Accepts differences: they are listed in [`Provision::differences`], and `provision`
    /// succeeds.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code }
    /// use singlet::DifferenceKind;
    ///
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// // The operator chooses the billing mode.
    /// db.provision().accepting(|difference| difference.kind == DifferenceKind::Billing).await?;
    /// # Ok::<(), singlet::Error>(()) }).unwrap();
    /// ```
    pub fn accepting(mut self, accepts: impl Fn(&Difference) -> bool + Send + 'd) -> Self {
        self.accepts = Box::new(accepts);
        self
    }
}

impl<'d, D: Declaration> IntoFuture for Provisioning<'d, D> {
    type Output = Result<Provision>;
    type IntoFuture = BoxFuture<'d, Result<Provision>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { db, with_streams, accepts } = self;
            let mut provision = db.provision_tables(with_streams).await?;
            let found = std::mem::take(&mut provision.differences);
            let (accepted, differences) = found.into_iter().partition(accepts);
            provision.differences = accepted;
            match differences.is_empty() {
                true => Ok(provision),
                false => Err(Error::Differs { differences }),
            }
        })
    }
}

impl<D> fmt::Debug for Provisioning<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Provisioning");
        shown.field("with_streams", &self.with_streams).finish_non_exhaustive()
    }
}

impl<D: Declaration> Db<D> {
    /// Makes the tables, indexes, streams and times to live that are missing. Nothing is ever
    /// changed or deleted that is there.
    ///
    /// After making an index of a table that was there already, it scans up to 8 MB of the table
    /// for items that lack their key in the index, which costs at most 1,024 read units, and says
    /// how many there are in [`Provision::lacking`].
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] if a table differs from the design, unless the difference is
    /// [accepted](Provisioning::accepting). Missing tables and indexes are made in either case.
    pub fn provision(&self) -> Provisioning<'_, D> {
        Provisioning { db: self, with_streams: true, accepts: Box::new(|_| false) }
    }

    async fn provision_tables(&self, with_streams: bool) -> Result<Provision> {
        let mut provision = Provision::default();
        for (place, shape) in D::TABLES.iter().enumerate() {
            let mut table = declared::table(shape);
            table.stream = table.stream.filter(|_| with_streams);
            self.provision_table(self.name_at(place), shape, &table, &mut provision).await?;
        }
        Ok(provision)
    }

    async fn provision_table(
        &self,
        name: &str,
        shape: &'static TableShape,
        table: &crate::design::Table,
        provision: &mut Provision,
    ) -> Result<()> {
        let found = match self.describe_table(name).await? {
            Some(_) => self.wait_until_active(name).await?,
            None => {
                match self.execute(create_table(name, table)).await {
                    Ok(_) => provision.made.push(format!("table {name}")),
                    // Another process was faster.
                    Err(BackendError::Refused(refused))
                        if refused.kind() == ErrorKind::ResourceInUse => {}
                    Err(other) => return Err(other.into()),
                }
                self.wait_until_active(name).await?
            }
        };
        let key = table.key.schema();
        if found.key != key {
            let (is, wanted) = (key_text(&found.key), key_text(&key));
            let text = format!("table {name} has the key {is}, and not {wanted}");
            provision.differences.push(Difference::new(name, DifferenceKind::Key, text));
            // Whatever else there is to say, it is another table.
            return Ok(());
        }
        let on_demand = matches!(table.billing, Billing::OnDemand);
        if on_demand != matches!(found.throughput.throughput, Throughput::OnDemand(_)) {
            let paid = if on_demand {
                "provisioned, and not on demand"
            } else {
                "on demand, and not provisioned"
            };
            let text = format!("table {name} is {paid}");
            provision.differences.push(Difference::new(name, DifferenceKind::Billing, text));
        }
        let new_indexes = self.provision_indexes(name, table, &found, provision).await?;
        if !new_indexes.is_empty() {
            let lacking = self.count_lacking(name, shape, &new_indexes).await?;
            for items in &lacking {
                tracing::warn!("{items}");
            }
            provision.lacking.extend(lacking);
        }
        self.provision_stream(name, table, &found, provision).await?;
        self.provision_time_to_live(name, table, provision).await
    }

    async fn provision_indexes(
        &self,
        name: &str,
        table: &crate::design::Table,
        found: &TableDescription,
        provision: &mut Provision,
    ) -> Result<Vec<String>> {
        let mut made = Vec::new();
        let mut differs = |kind: DifferenceKind, text: String| {
            provision.differences.push(Difference::new(name, kind, text));
        };
        for index in table.indexes.iter().map(crate::design::Index::schema) {
            match found.index(&index.name) {
                Some(own) if is_same(&own.index, &index) => {}
                Some(own) => {
                    let (is, wanted) = (index_text(&own.index), index_text(&index));
                    let index = &index.name;
                    let text = format!("index {index} of table {name} is {is}, and not {wanted}");
                    differs(DifferenceKind::Index, text);
                }
                None if index.scope == singlet_dynamo::schema::Scope::Local => {
                    let index = &index.name;
                    let text = format!(
                        "table {name} has no local index {index}, and only a new table can get one"
                    );
                    differs(DifferenceKind::MissingIndex, text);
                }
                None => {
                    let index_name = index.name.clone();
                    // One at a time, which is all that DynamoDB takes.
                    let mut update = UpdateTable::new(name);
                    update.index_updates.push(IndexUpdate::Create {
                        index,
                        provisioned_throughput: match throughput(table.billing) {
                            Throughput::Provisioned(throughput) => Some(throughput),
                            Throughput::OnDemand(_) => None,
                        },
                        on_demand_throughput: OnDemandChange::default(),
                    });
                    self.execute(update).await?;
                    self.wait_until_active(name).await?;
                    made.push(index_name);
                }
            }
        }
        for own in &found.indexes {
            if table.index(&own.index.name).is_none() {
                let index = &own.index.name;
                let text =
                    format!("table {name} has an index {index} that the design does not have");
                differs(DifferenceKind::ExtraIndex, text);
            }
        }
        let names = made.iter().map(|index| format!("index {index} of table {name}"));
        provision.made.extend(names);
        Ok(made)
    }

    async fn provision_stream(
        &self,
        name: &str,
        table: &crate::design::Table,
        found: &TableDescription,
        provision: &mut Provision,
    ) -> Result<()> {
        match (table.stream, found.stream) {
            (Some(wanted), None) => {
                let mut update = UpdateTable::new(name);
                update.stream = Some(StreamChange::Enable(wanted));
                self.execute(update).await?;
                self.wait_until_active(name).await?;
                provision.made.push(format!("stream of table {name}"));
            }
            (Some(wanted), Some(own)) if wanted != own => {
                let (is, wanted) = (own.as_str(), wanted.as_str());
                let text = format!("the stream of table {name} has {is}, and not {wanted}");
                provision.differences.push(Difference::new(name, DifferenceKind::Stream, text));
            }
            _ => {}
        }
        Ok(())
    }

    async fn provision_time_to_live(
        &self,
        name: &str,
        table: &crate::design::Table,
        provision: &mut Provision,
    ) -> Result<()> {
        match (&table.ttl, self.describe_time_to_live(name).await?) {
            (Some(wanted), None) => {
                let request = UpdateTimeToLive {
                    table_name: name.to_owned(),
                    attribute_name: wanted.clone(),
                    enabled: true,
                };
                match self.execute(request).await {
                    Ok(_) => provision.made.push(format!("time to live {wanted} of table {name}")),
                    // Another process may have been faster.
                    Err(refused) => {
                        if self.describe_time_to_live(name).await?.as_ref() != Some(wanted) {
                            return Err(refused.into());
                        }
                    }
                }
            }
            (Some(wanted), Some(own)) if *wanted != own => {
                let text = format!("the time to live of table {name} is {own}, and not {wanted}");
                provision.differences.push(Difference::new(name, DifferenceKind::TimeToLive, text));
            }
            (None, Some(own)) => {
                let text =
                    format!("table {name} has a time to live {own} that the design does not have");
                provision.differences.push(Difference::new(
                    name,
                    DifferenceKind::ExtraTimeToLive,
                    text,
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// The attribute that says when items expire.
    async fn describe_time_to_live(&self, name: &str) -> Result<Option<String>> {
        match self.execute(DescribeTimeToLive { table_name: name.to_owned() }).await? {
            Answer::DescribeTimeToLive(answer) => Ok(answer.attribute_name),
            _ => Err(BackendError::unexpected().into()),
        }
    }

    async fn describe_table(&self, name: &str) -> Result<Option<TableDescription>> {
        let request = Request::from(DescribeTable { table_name: name.to_owned() });
        match self.execute(request).await {
            Ok(Answer::DescribeTable(answer)) => Ok(Some(answer.table)),
            Ok(_) => Err(BackendError::unexpected().into()),
            Err(BackendError::Refused(refused))
                if refused.kind() == ErrorKind::ResourceNotFound =>
            {
                Ok(None)
            }
            Err(other) => Err(other.into()),
        }
    }

    async fn wait_until_active(&self, name: &str) -> Result<TableDescription> {
        let mut pause = FIRST_LOOK;
        for _ in 0..LOOKS_MAX {
            if let Some(table) = self.describe_table(name).await?
                && table.status == TableStatus::Active
                && table.indexes.iter().all(|index| index.status == TableStatus::Active)
            {
                return Ok(table);
            }
            self.backend().sleep(pause).await;
            pause = (pause * 2).min(LAST_LOOK);
        }
        Err(Error::NotReady { table: name.to_owned() })
    }
}

fn create_table(name: &str, table: &crate::design::Table) -> CreateTable {
    let mut schema = table.schema();
    name.clone_into(&mut schema.name);
    let throughput = throughput(table.billing);
    let mut request = CreateTable::new(schema);
    request.throughput = throughput;
    if matches!(throughput, Throughput::Provisioned(_)) {
        let global = |index: &&Index| index.scope == singlet_dynamo::schema::Scope::Global;
        let indexes = request.schema.indexes.iter().filter(global);
        request.index_throughput = indexes.map(|index| (index.name.clone(), throughput)).collect();
    }
    request.stream = table.stream;
    request
}

fn throughput(billing: Billing) -> Throughput {
    match billing {
        Billing::OnDemand => Throughput::default(),
        Billing::Provisioned { read_units, write_units } => {
            let units = |units: u64| i64::try_from(units).unwrap_or(i64::MAX);
            Throughput::provisioned(units(read_units), units(write_units))
        }
    }
}

/// Whether two indexes are the same. DynamoDB does not keep the order of what is projected.
fn is_same(one: &Index, other: &Index) -> bool {
    let sorted = |index: &Index| {
        let mut index = index.clone();
        if let IndexProjection::Include(names) = &mut index.projection {
            names.sort_unstable();
        }
        index
    };
    sorted(one) == sorted(other)
}

fn key_text(key: &KeySchema) -> String {
    let attribute = |KeyAttribute { name, kind }: &KeyAttribute| format!("{name}: {kind}");
    let attributes: Vec<String> = key.attributes().map(attribute).collect();
    format!("({})", attributes.join(", "))
}

fn index_text(index: &Index) -> String {
    format!("{:?} with the key {} and {:?}", index.scope, key_text(&index.key), index.projection)
}
