//! Stores for tests.

use crate::faults::{FaultPlan, FaultyBackend};
use singlet::backend::{Backend, Embedded};
use singlet::dynamo::Item;
use singlet::dynamo::operation::{
    Answer, BatchWriteItem, DescribeTable, ListTables, Request, Scan, TableWrites, WriteRequest,
};
use singlet::engine::{Clock, Engine, Options};
use singlet::table::Contains;
use singlet::{CursorKey, Db, Declaration, Settings, Table};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A store for one test, with a fixed clock. What is in it is gone with the test.
pub struct TestStore {
    /// The clock of the store and of its databases. It stands still until it is advanced. It begins
    /// at the real time: a store elsewhere has its own clock, and must not delete what has expired
    /// only here.
    pub clock: Clock,
    /// What databases are opened with.
    pub settings: Settings,
    /// Whether this is Amazon's DynamoDB Local, where a few things differ.
    pub is_dynamodb_local: bool,
    backend: Arc<dyn Backend>,
    engine: Option<Engine>,
    #[expect(dead_code, reason = "it is removed when it is dropped")]
    folder: Option<Folder>,
}

/// A folder that is removed with the test.
pub(crate) struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// All items of all tables of a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot(Vec<(String, Vec<Item>)>);

#[cfg(feature = "server")]
impl Snapshot {
    /// Without the table that the web keeps for itself: leases and budgets change on their own.
    pub(crate) fn without_web(mut self) -> Self {
        self.0.retain(|(name, _)| !name.starts_with("singlet-web-"));
        self
    }
}

/// A number that no other store of this process has.
pub(crate) fn number() -> u32 {
    static NUMBERS: AtomicU32 = AtomicU32::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// A clock that begins at the real time and stands still, on a full second.
pub fn fixed_clock() -> Clock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Clock::fixed(i64::try_from(now * 1000).unwrap())
}

impl TestStore {
    /// An engine in memory. It deletes expired items when it is told to.
    pub fn memory() -> Self {
        let clock = fixed_clock();
        let engine = Engine::memory_with(options(&clock)).unwrap();
        Self::embedded(clock, engine, None)
    }

    /// An engine in a folder of its own.
    pub fn folder() -> Self {
        let name = format!("singlet-test-{}-{}", std::process::id(), number());
        let (clock, path) = (fixed_clock(), std::env::temp_dir().join(name));
        let engine = Engine::open(&path, options(&clock)).unwrap();
        Self::embedded(clock, engine, Some(Folder(path)))
    }

    /// An engine that is open already, with a clock and a background of its own. Databases have a
    /// fixed clock.
    pub fn with_engine(engine: Engine) -> Self {
        Self::embedded(fixed_clock(), engine, None)
    }

    /// In memory, with requests that fail by plan.
    pub(crate) fn with_faults(plan: &Arc<FaultPlan>) -> Self {
        let store = Self::memory();
        let inner = store.backend();
        let backend = Arc::new(FaultyBackend { inner, plan: Arc::clone(plan) });
        Self { backend, ..store }
    }

    fn embedded(clock: Clock, engine: Engine, folder: Option<Folder>) -> Self {
        let backend = Arc::new(Embedded::new(engine.clone()));
        Self { engine: Some(engine), folder, ..Self::on(backend, clock, "dev") }
    }

    pub(crate) fn on(backend: Arc<dyn Backend>, clock: Clock, environment: &str) -> Self {
        let cursor_key = Some(CursorKey::of_this_process());
        let environment = environment.to_owned();
        let settings = Settings { environment, clock: clock.clone(), cursor_key };
        let is_dynamodb_local = false;
        Self { clock, settings, is_dynamodb_local, backend, engine: None, folder: None }
    }

    /// A database in this store, with its tables created.
    pub async fn open<D: Declaration>(&self) -> Db<D> {
        let db = self.database();
        db.provision().await.unwrap();
        db
    }

    /// A database in this store, whether its tables exist or not.
    pub fn database<D: Declaration>(&self) -> Db<D> {
        Db::on(Arc::clone(&self.backend), self.settings.clone())
    }

    /// The same store for a server. What is in it is gone when the first one is dropped.
    pub fn share(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            settings: self.settings.clone(),
            is_dynamodb_local: self.is_dynamodb_local,
            backend: self.backend(),
            engine: self.engine.clone(),
            folder: None,
        }
    }

    /// The backend, for a database with other settings.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// The engine, unless the store is elsewhere.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Has the store delete what has expired by its clock. A store elsewhere has its own clock, by
    /// which nothing has.
    pub fn delete_expired(&self) {
        if let Some(engine) = &self.engine {
            engine.maintain().unwrap();
        }
    }

    /// All items of a table, as the AWS CLI shows them.
    pub async fn items<T: Declaration + Contains<T> + Table>(&self) -> Vec<Item> {
        self.scan(self.database::<T>().table_name::<T>()).await
    }

    /// All items of all tables. For stores in memory or in a folder.
    pub async fn snapshot(&self) -> Snapshot {
        let list = ListTables { exclusive_start_table_name: None, limit: None };
        let Ok(Answer::ListTables(list)) = self.backend.execute(Request::ListTables(list)).await
        else {
            panic!("the tables cannot be listed");
        };
        let mut tables = Vec::new();
        for name in list.table_names {
            let mut items = self.scan(&name).await;
            items.sort_by_key(|item| format!("{item:?}"));
            tables.push((name, items));
        }
        Snapshot(tables)
    }

    /// Makes all tables as they were.
    pub async fn restore(&self, snapshot: &Snapshot) {
        for (table_name, then) in &snapshot.0 {
            let now = self.scan(table_name).await;
            let key = self.key_of(table_name).await;
            let key_of = |item: &Item| -> Item {
                let part = |name: &String| Some((name.clone(), item.get(name)?.clone()));
                Item::from_entries(key.iter().filter_map(part).collect())
            };
            let kept: Vec<Item> = then.iter().map(key_of).collect();
            let gone = now.iter().filter(|item| !then.contains(item)).map(key_of);
            let deletes = gone.filter(|key| !kept.contains(key)).map(WriteRequest::Delete);
            let puts = then.iter().filter(|item| !now.contains(item)).cloned();
            let writes: Vec<WriteRequest> = deletes.chain(puts.map(WriteRequest::Put)).collect();
            for requests in writes.chunks(25) {
                let table_name = table_name.clone();
                let mut batch = BatchWriteItem::new(Vec::new());
                batch.tables = vec![TableWrites { table_name, requests: requests.to_vec() }];
                self.backend.execute(Request::BatchWriteItem(batch)).await.unwrap();
            }
        }
    }

    async fn key_of(&self, table_name: &str) -> Vec<String> {
        let describe = DescribeTable { table_name: table_name.to_owned() };
        let answer = self.backend.execute(Request::DescribeTable(describe)).await;
        let Ok(Answer::DescribeTable(answer)) = answer else { panic!("there is no {table_name}") };
        let key = answer.table.key;
        [Some(key.partition), key.sort].into_iter().flatten().map(|part| part.name).collect()
    }

    async fn scan(&self, table_name: &str) -> Vec<Item> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let mut scan = Scan::new(table_name);
            scan.consistent_read = true;
            scan.exclusive_start_key = start;
            let Ok(Answer::Page(page)) = self.backend.execute(Request::Scan(scan)).await else {
                panic!("the table {table_name} cannot be read");
            };
            items.extend(page.items.unwrap_or_default().iter().map(|item| item.to_item()));
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }
}

fn options(clock: &Clock) -> Options {
    Options { clock: clock.clone(), background: false, ..Options::default() }
}
