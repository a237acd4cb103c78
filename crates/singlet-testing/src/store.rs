//! Stores for tests.

use crate::faults::{FaultPlan, faulty_backend};
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

/// A store for one test, with a fixed clock. Its contents are deleted with the test.
pub struct TestStore {
    /// The clock of the store and its databases. It starts at the real time and only moves when
    /// advanced. A remote store has its own clock and must not expire items that only this clock
    /// has expired.
    pub clock: Clock,
    /// The settings of databases.
    pub settings: Settings,
    /// Whether this is DynamoDB Local, which differs in a few ways.
    pub is_dynamodb_local: bool,
    backend: Arc<dyn Backend>,
    engine: Option<Engine>,
    plan: Option<Arc<FaultPlan>>,
    #[expect(dead_code, reason = "it is removed when it is dropped")]
    folder: Option<Folder>,
}

/// A folder that is removed on drop.
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
    /// Without the web kit's table: leases and budgets change in the background.
    pub(crate) fn without_web(mut self) -> Self {
        self.0.retain(|(name, _)| !crate::faults::is_kit(name));
        self
    }

    pub(crate) fn tables(self) -> Vec<(String, Vec<Item>)> {
        self.0
    }
}

/// A number that is unique in this process.
pub(crate) fn number() -> u32 {
    static NUMBERS: AtomicU32 = AtomicU32::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// A clock that stands still at the current time, rounded to a full second.
pub fn fixed_clock() -> Clock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Clock::fixed(i64::try_from(now * 1000).unwrap())
}

impl TestStore {
    /// An engine in memory. It deletes expired items only in
    /// [`delete_expired`](Self::delete_expired).
    pub fn memory() -> Self {
        let clock = fixed_clock();
        let engine = Engine::memory_with(options(&clock)).unwrap();
        Self::embedded(clock, engine, None)
    }

    /// An engine in a temporary folder.
    pub fn folder() -> Self {
        let name = format!("singlet-test-{}-{}", std::process::id(), number());
        let (clock, path) = (fixed_clock(), std::env::temp_dir().join(name));
        // Left behind by a killed process with the same id.
        let _ = std::fs::remove_dir_all(&path);
        let engine = Engine::open(&path, options(&clock)).unwrap();
        Self::embedded(clock, engine, Some(Folder(path)))
    }

    /// In memory, with requests that are counted and can fail: for [`Law`](crate::Law).
    pub fn faulty() -> Self {
        Self::with_faults(&Arc::default())
    }

    pub(crate) fn with_faults(plan: &Arc<FaultPlan>) -> Self {
        let store = Self::memory();
        let backend = faulty_backend(store.backend(), Arc::clone(plan));
        Self { backend, plan: Some(Arc::clone(plan)), ..store }
    }

    #[cfg(feature = "server")]
    pub(crate) fn plan(&self) -> Arc<FaultPlan> {
        self.plan.clone().expect("the law needs TestStore::faulty()")
    }

    /// The backend without faults and without counting.
    #[cfg(feature = "server")]
    pub(crate) fn without_faults(&self) -> Self {
        let engine = self.engine.clone().expect("a store in memory");
        Self { backend: Arc::new(Embedded::new(engine)), ..self.share() }
    }

    fn embedded(clock: Clock, engine: Engine, folder: Option<Folder>) -> Self {
        let backend = Arc::new(Embedded::new(engine.clone()));
        Self { engine: Some(engine), folder, ..Self::on(backend, clock, "dev") }
    }

    pub(crate) fn on(backend: Arc<dyn Backend>, clock: Clock, environment: &str) -> Self {
        let cursor_key = Some(CursorKey::of_this_process());
        let environment = environment.to_owned();
        let clock_of_settings = clock.clone();
        let settings =
            Settings { environment, clock: clock_of_settings, cursor_key, ..Settings::default() };
        let is_dynamodb_local = false;
        let (engine, plan, folder) = (None, None, None);
        Self { clock, settings, is_dynamodb_local, backend, engine, plan, folder }
    }

    /// Opens a database and creates its tables.
    pub async fn open<D: Declaration>(&self) -> Db<D> {
        let db = self.database();
        db.provision().await.unwrap();
        db
    }

    /// A database whose tables may not exist.
    pub fn database<D: Declaration>(&self) -> Db<D> {
        Db::on(Arc::clone(&self.backend), self.settings.clone())
    }

    /// The same store for a server. Its contents are deleted when the original is dropped.
    pub fn share(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            settings: self.settings.clone(),
            is_dynamodb_local: self.is_dynamodb_local,
            backend: self.backend(),
            engine: self.engine.clone(),
            plan: self.plan.clone(),
            folder: None,
        }
    }

    /// The backend, for a database with other settings.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// The engine; `None` for a remote store.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Deletes items that have expired by the store's clock. No-op for a remote store.
    pub fn delete_expired(&self) {
        if let Some(engine) = &self.engine {
            engine.maintain().unwrap();
        }
    }

    /// All items of a table.
    pub async fn items<T: Declaration + Contains<T> + Table>(&self) -> Vec<Item> {
        self.scan(self.database::<T>().table_name::<T>()).await
    }

    /// All items of all tables of a local store.
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

    /// Restores all tables to a snapshot.
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

    pub(crate) async fn key_of(&self, table_name: &str) -> Vec<String> {
        let describe = DescribeTable { table_name: table_name.to_owned() };
        let answer = self.backend.execute(Request::DescribeTable(describe)).await;
        let Ok(Answer::DescribeTable(answer)) = answer else { panic!("there is no {table_name}") };
        let key = answer.table.key;
        key.attributes().map(|part| part.name.clone()).collect()
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
