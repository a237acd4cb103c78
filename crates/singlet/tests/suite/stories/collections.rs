//! Collections: results, and number of requests.

use super::id;
use crate::{Fixture, TestResult};
use singlet::backend::{Backend, BackendError, BoxFuture, Execution, Feed};
use singlet::dynamo::operation::{Answer, PutItem, Request};
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet::{Error, Settings};
use singlet_testing::{TestStore, on_every_backend};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

on_every_backend! {
    only_what_is_asked_for_is_read,
    by_an_index,
    several_entities_in_their_order,
    pages_of_several_entities,
    cursors_are_of_one_query,
    local_and_thin_indexes,
    every_range_narrows_the_one_before,
    expiry_is_that_of_the_entity,
    corrupt_items_fill_no_limit,
    filters_are_on_what_the_index_holds,
    the_last_character_is_in_every_range,
}

pub(crate) use design::*;

/// Part of a design for a repository host. The order in a table partition is drafts, issues, pull
/// requests, the repository, stars.
#[allow(unreachable_pub, missing_docs, dead_code, reason = "declared as a program declares it")]
mod design {
    use singlet::prelude::*;

    id!(Owner, RepoName, UserName, DraftId);

    #[table(
        name = "{env}-hub",
        key = (PK, SK),
        index(
            GSI1 = (GSI1PK, GSI1SK),
            thin = (GSI2PK, GSI2SK) projecting(keys),
            local byTitle = (PK, title),
            local byState = (PK, state) projecting(keys)
        ),
        ttl = TTL,
        entities(Repo, Issue, Pull, Star, Draft)
    )]
    pub struct Hub;

    /// The sort key repeats the partition key, so a partition has only one.
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Hub,
        key = ("REPO#{owner}#{name}", "REPO#{owner}#{name}"),
        GSI1 of_owner = ("USER#{owner}", "{created_at}#REPO#{name}")
    )]
    pub struct Repo {
        pub owner: Owner,
        pub name: RepoName,
        pub created_at: Timestamp,
        pub stars: u32,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Hub,
        key = ("REPO#{owner}#{repo}", "ISSUE#{number:06}"),
        GSI1 of_author = ("USER#{author}", "{created_at}#ISSUE#{number:06}"),
        byTitle by_title = ("REPO#{owner}#{repo}", "{title}"),
        byState by_state = ("REPO#{owner}#{repo}", "{state}"),
        thin numbered = ("ISSUE#{number:06}", "{owner}#{repo}")
    )]
    pub struct Issue {
        pub owner: Owner,
        pub repo: RepoName,
        pub number: u32,
        pub title: String,
        pub state: String,
        pub author: Owner,
        pub created_at: Timestamp,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Hub, key = ("REPO#{owner}#{repo}", "PULL#{number:06}"))]
    pub struct Pull {
        pub owner: Owner,
        pub repo: RepoName,
        pub number: u32,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Hub, key = ("REPO#{owner}#{repo}", "STAR#{user}"))]
    pub struct Star {
        pub owner: Owner,
        pub repo: RepoName,
        pub user: UserName,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(Hub, key = ("REPO#{owner}#{repo}", "DRAFT#{id}"))]
    pub struct Draft {
        pub owner: Owner,
        pub repo: RepoName,
        pub id: DraftId,
        #[attribute(ttl)]
        pub expires: Expiry,
    }

    /// A repository page: two separate ranges.
    #[derive(Collection, Debug, PartialEq)]
    pub struct Front {
        pub repo: Repo,
        #[collection(limit = 3, descending)]
        pub issues: Vec<Issue>,
    }

    /// Adjacent ranges.
    #[derive(Collection, Debug, PartialEq)]
    pub struct Pulls {
        pub repo: Option<Repo>,
        #[collection(descending)]
        pub pulls: Vec<Pull>,
    }

    /// Everything in the partition.
    #[derive(Collection, Debug, PartialEq)]
    pub struct Whole {
        pub repo: Repo,
        pub issues: Vec<Issue>,
        pub pulls: Vec<Pull>,
        pub stars: Vec<Star>,
        pub drafts: Vec<Draft>,
    }

    /// The same entity twice, in different orders.
    #[derive(Collection, Debug, PartialEq)]
    pub struct Ends {
        #[collection(limit = 1)]
        pub oldest: Vec<Issue>,
        #[collection(limit = 2, descending)]
        pub newest: Vec<Issue>,
        pub drafts: Vec<Draft>,
        pub stars: Vec<Star>,
    }

    /// By an index.
    #[derive(Collection, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub struct Portfolio {
        pub repos: Vec<Repo>,
        #[collection(limit = 2, descending)]
        pub issues: Vec<Issue>,
    }

    /// Two ranges, with pull requests and the repository between them.
    #[derive(Collection, Clone, Debug, PartialEq)]
    pub enum Thing {
        Issue(Issue),
        Star(Star),
        Draft(Draft),
    }

    /// By an index in which both sort keys start with a timestamp.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub enum Activity {
        Repo(Repo),
        Issue(Issue),
    }
}

/// A backend that logs requests and counts the items read.
struct Counting {
    inner: Arc<dyn Backend>,
    log: Arc<Log>,
}

#[derive(Default)]
pub(crate) struct Log {
    requests: Mutex<Vec<Request>>,
    items: AtomicUsize,
}

impl Log {
    /// The number of requests, and of items examined, since the last call.
    pub(crate) fn take(&self) -> (usize, usize) {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        (requests.len(), self.items.swap(0, Ordering::SeqCst))
    }
}

impl Backend for Counting {
    fn execute(&self, request: Request) -> Execution<'_> {
        self.log.requests.lock().unwrap().push(request.clone());
        Execution::pending(async move {
            let answer = self.inner.execute(request).await?;
            if let Answer::Page(page) = &answer {
                self.log.items.fetch_add(page.scanned_count, Ordering::SeqCst);
            }
            Ok(answer)
        })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.inner.sleep(duration)
    }

    fn has_conflicts(&self) -> bool {
        self.inner.has_conflicts()
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes(table_name)
    }
}

/// Opens a design with a request log.
pub(crate) async fn counted<D: Declaration>(
    inner: Arc<dyn Backend>,
    settings: &Settings,
) -> singlet::Result<(Db<D>, Arc<Log>)> {
    let log = Arc::new(Log::default());
    let db = Db::on(Counting { inner, log: Arc::clone(&log) }, settings.clone());
    db.provision().await?;
    log.take();
    Ok((db, log))
}

fn repo(owner: &str, name: &str, created_at: Timestamp) -> Repo {
    Repo { owner: id(owner), name: id(name), created_at, stars: 0 }
}

fn issue(owner: &str, name: &str, number: u32, created_at: Timestamp) -> Issue {
    Issue {
        owner: id(owner),
        repo: id(name),
        number,
        title: format!("title {}", 100 - number),
        state: if number.is_multiple_of(2) { "open" } else { "closed" }.into(),
        author: id(owner),
        created_at,
    }
}

fn star(owner: &str, name: &str, user: &str) -> Star {
    Star { owner: id(owner), repo: id(name), user: id(user) }
}

/// A repository with six issues one second apart, four pull requests, forty stars, and three
/// drafts, one of them expired.
async fn fill(db: &Db<Hub>, owner: &str) -> singlet::Result<(Owner, RepoName)> {
    let (now, name) = (db.now(), "engine");
    let mut batch = db.batch();
    batch.put(&repo(owner, name, now))?;
    for number in 1..=6 {
        let created_at = now.after(Duration::from_secs(number.into()));
        batch.put(&issue(owner, name, number, created_at))?;
    }
    for number in 1..=4 {
        batch.put(&Pull { owner: id(owner), repo: id(name), number })?;
    }
    for number in 0..40 {
        batch.put(&star(owner, name, &format!("user-{number:02}")))?;
    }
    for (draft, seconds) in [("a", 60), ("b", 0), ("c", 60)] {
        let expires = Expiry::at(now.after(Duration::from_secs(seconds)));
        batch.put(&Draft { owner: id(owner), repo: id(name), id: id(draft), expires })?;
    }
    batch.run().await?;
    Ok((id(owner), id(name)))
}

fn numbers(issues: &[Issue]) -> Vec<u32> {
    issues.iter().map(|issue| issue.number).collect()
}

async fn only_what_is_asked_for_is_read(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "ranges").await?;
    log.take();
    // The newest issues, without reading the stars.
    let front = db.load(Front::of((&owner, &name))).await?.ok_or("no repository")?;
    assert_eq!(numbers(&front.issues), [6, 5, 4]);
    assert_eq!(log.take(), (2, 4));
    // Pull requests and the repository are adjacent.
    let pulls = db.load(Pulls::of((&owner, &name)).consistent()).await?.ok_or("nothing")?;
    assert!(pulls.repo.is_some());
    assert_eq!(pulls.pulls.iter().map(|pull| pull.number).collect::<Vec<_>>(), [4, 3, 2, 1]);
    assert_eq!(log.take(), (1, 5));
    let whole = db.load(Whole::of((&owner, &name))).await?.ok_or("no repository")?;
    assert_eq!((whole.issues.len(), whole.pulls.len(), whole.stars.len()), (6, 4, 40));
    assert_eq!(whole.drafts.len(), 2, "one is expired");
    assert_eq!(log.take(), (1, 54));
    let all = db.load(Whole::of((&owner, &name)).with_expired()).await?.ok_or("no repository")?;
    assert_eq!(all.drafts.len(), 3);
    log.take();
    let ends = db.load(Ends::of((&owner, &name))).await?.ok_or("nothing")?;
    assert_eq!((numbers(&ends.oldest), numbers(&ends.newest)), (vec![1], vec![6, 5]));
    assert_eq!((ends.drafts.len(), ends.stars.len()), (2, 40));
    assert_eq!(log.take(), (4, 3 + 40 + 1 + 2));
    // A required item is missing.
    let nowhere: RepoName = id("nowhere");
    assert_eq!(db.load(Front::of((&owner, &nowhere))).await?, None);
    Ok(())
}

async fn by_an_index(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "indexed").await?;
    db.run(put(&repo("indexed", "second", db.now().after(Duration::from_secs(3))))).await?;
    log.take();
    let portfolio = db.load(Portfolio::of(&owner)).await?.ok_or("nothing")?;
    let names: Vec<&str> = portfolio.repos.iter().map(|repo| repo.name.as_str()).collect();
    assert_eq!(names, [name.as_str(), "second"]);
    assert_eq!(numbers(&portfolio.issues), [6, 5]);
    // Sort keys start with timestamps, so repositories and issues are interleaved.
    assert_eq!(log.take(), (2, 8 + 2));

    let kinds = |things: Vec<Activity>| {
        let kind = |thing: &Activity| match thing {
            Activity::Repo(repo) => repo.name.to_string(),
            Activity::Issue(issue) => issue.number.to_string(),
        };
        things.iter().map(kind).collect::<Vec<_>>().join(" ")
    };
    let all = || Activity::of(&owner);
    assert_eq!(kinds(db.query(all()).all().await?), "engine 1 2 3 second 4 5 6");
    assert_eq!(kinds(db.query(all().descending().limit(3)).all().await?), "6 5 4");
    // A range on the common first field.
    let second = |number| db.now().after(Duration::from_secs(number));
    log.take();
    let some = all().between(second(2), second(4));
    assert_eq!(kinds(db.query(some).all().await?), "2 3 second 4");
    assert_eq!(log.take(), (1, 4));
    assert_eq!(kinds(db.query(all().after(second(4))).all().await?), "5 6");
    assert_eq!(kinds(db.query(all().before(second(1))).all().await?), "engine");
    assert_eq!(kinds(db.query(all().until(second(1))).all().await?), "engine 1");
    assert_eq!(kinds(db.query(all().with(second(3))).all().await?), "3 second");
    assert_eq!(db.query(all().from(second(4))).count().await?, 3);
    Ok(())
}

fn label(thing: &Thing) -> String {
    match thing {
        Thing::Issue(issue) => format!("issue {}", issue.number),
        Thing::Star(star) => format!("star {}", star.user),
        Thing::Draft(draft) => format!("draft {}", draft.id),
    }
}

async fn several_entities_in_their_order(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "ordered").await?;
    log.take();
    let things = || Thing::of((&owner, &name));
    let labels = |things: &[Thing]| things.iter().map(label).collect::<Vec<_>>();
    let all = labels(&db.query(things()).all().await?);
    assert_eq!(all.len(), 2 + 6 + 40);
    assert_eq!(all[..4], ["draft a", "draft c", "issue 1", "issue 2"]);
    assert_eq!(all[47], "star user-39");
    // Drafts and issues in one range, stars in another; pull requests are not read.
    assert_eq!(log.take(), (2, 3 + 6 + 40));
    assert_eq!(db.query(things()).count().await?, 48);
    assert_eq!(db.query(things().with_expired()).count().await?, 49);
    let last = db.query(things().descending()).first().await?.ok_or("nothing")?;
    assert_eq!(label(&last), "star user-39");
    // A text range does not read ranges of other entities.
    log.take();
    let some = db.query(things().sort_key_between("ISSUE#000005", "STAR#user-01")).all().await?;
    assert_eq!(labels(&some), ["issue 5", "issue 6", "star user-00", "star user-01"]);
    assert_eq!(log.take(), (2, 4));
    let some = db.query(things().sort_key_starting_with("STAR#user-3").descending().limit(2));
    assert_eq!(labels(&some.all().await?), ["star user-39", "star user-38"]);
    assert_eq!(log.take(), (1, 2));
    let none = db.query(things().sort_key_starting_with("PULL#")).all().await?;
    assert_eq!(labels(&none), [] as [&str; 0]);
    assert_eq!(log.take(), (0, 0));
    assert_eq!(db.query(things().sort_key_until("DRAFT#b")).count().await?, 1);
    assert_eq!(db.query(things().sort_key_from("STAR#user-38")).count().await?, 2);
    let mut items = db.query(things()).items();
    let mut count = 0;
    while items.next().await.transpose()?.is_some() {
        count += 1;
    }
    assert_eq!(count, 48);
    Ok(())
}

/// All pages of a query, with their sizes.
async fn pages(
    db: &Db<Hub>,
    query: impl Fn() -> singlet::Query<Thing, ()>,
) -> Result<(Vec<Thing>, Vec<usize>), Box<dyn std::error::Error>> {
    let (mut cursor, mut things, mut sizes) = (None, Vec::new(), Vec::new());
    loop {
        let page = db.query(query()).page(cursor).await?;
        sizes.push(page.items.len());
        things.extend(page.items);
        match page.next {
            // Round trip through text, as in a browser.
            Some(next) => cursor = Some(next.to_string().parse()?),
            None => return Ok((things, sizes)),
        }
    }
}

async fn pages_of_several_entities(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, _) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "paged").await?;
    let all = db.query(Thing::of((&owner, &name))).all().await?;
    for descending in [false, true] {
        let query = |limit: usize| {
            let query = Thing::of((&owner, &name)).limit(limit);
            if descending { query.descending() } else { query }
        };
        let mut expected = all.clone();
        if descending {
            expected.reverse();
        }
        for limit in [1, 2, 3, 7, 8, 9, 40, 41, 47, 48, 49, 100] {
            let (things, sizes) = pages(&db, || query(limit)).await?;
            assert_eq!(things, expected, "limit {limit}");
            let (last, full) = sizes.split_last().ok_or("no page")?;
            assert!(full.iter().all(|size| *size == limit), "limit {limit}: {sizes:?}");
            assert!((1..=limit).contains(last), "limit {limit}: {sizes:?}");
        }
    }
    Ok(())
}

async fn cursors_are_of_one_query(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, _) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "cursors").await?;
    fill(&db, "elsewhere").await?;
    let other: Owner = id("elsewhere");
    let things = || Thing::of((&owner, &name)).limit(10);
    let cursor = db.query(things()).page(None).await?.next.ok_or("no cursor")?;
    let again = || Some(cursor.clone());
    assert_eq!(db.query(things()).page(again()).await?.items.len(), 10);
    for refused in [
        things().descending(),
        things().sort_key_from("ISSUE#"),
        things().sort_key_until("STAR#z"),
        things().sort_key_starting_with("STAR#"),
        Thing::of((&other, &name)).limit(10),
    ] {
        let outcome = db.query(refused).page(again()).await;
        assert!(matches!(outcome, Err(Error::Cursor)), "{:?}", outcome.map(|page| page.items));
    }
    // A cursor of another query is rejected, even if parsed as this type.
    let stars = || Star::of(&owner, &name).limit(3);
    let of_stars = db.query(stars()).page(None).await?.next.ok_or("no cursor")?;
    let outcome = db.query(things()).page(Some(of_stars.to_string().parse()?)).await;
    assert!(matches!(outcome, Err(Error::Cursor)));
    Ok(())
}

/// Regression: `sort_key_until` after `from` was ignored, and so was the first of two
/// `sort_key_from`.
async fn every_range_narrows_the_one_before(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "narrowed").await?;
    db.run(put(&repo("narrowed", "second", db.now().after(Duration::from_secs(3))))).await?;
    log.take();
    let at = |seconds| db.now().after(Duration::from_secs(seconds));
    type Narrowed = singlet::Query<Activity, (), <Activity as Collection>::Source>;
    let count = async |query: Narrowed| db.query(query).count().await;
    let all = || Activity::of(&owner);
    let until = |seconds| format!("{}~", at(seconds));
    assert_eq!(count(all().from(at(2)).sort_key_until(until(3))).await?, 3);
    assert_eq!(count(all().after(at(2)).sort_key_until(until(4))).await?, 3);
    assert_eq!(count(all().until(at(3)).sort_key_from(at(2).to_string())).await?, 3);
    assert_eq!(count(all().between(at(1), at(5)).sort_key_between("2", until(2))).await?, 2);
    let repo = format!("{}#REPO", at(3));
    log.take();
    assert_eq!(count(all().with(at(3)).sort_key_starting_with(repo)).await?, 1);
    assert_eq!(log.take(), (1, 1));
    assert_eq!(count(all().from(at(5)).sort_key_until(until(2))).await?, 0);
    assert_eq!(log.take(), (0, 0));

    let things = || Thing::of((&owner, &name));
    let found = db.query(things().sort_key_from("STAR#user-38").sort_key_from("ISSUE#")).count();
    assert_eq!(found.await?, 2);
    let found = db.query(things().sort_key_until("ISSUE#000002").sort_key_until("STAR#z")).count();
    assert_eq!(found.await?, 4);
    let prefixes =
        |one: &str, other: &str| things().sort_key_starting_with(one).sort_key_starting_with(other);
    assert_eq!(db.query(prefixes("STAR#user-3", "STAR#")).count().await?, 10);
    assert_eq!(db.query(prefixes("STAR#", "STAR#user-3")).count().await?, 10);
    assert_eq!(db.query(prefixes("STAR#", "ISSUE#")).count().await?, 0);
    Ok(())
}

/// Stores a raw item of the repository, as another program could.
async fn put_item(
    db: &Db<Hub>,
    owner: &str,
    sort: &str,
    more: &[(&str, Value)],
) -> Result<(), Box<dyn std::error::Error>> {
    let key = [("PK", format!("REPO#{owner}#engine")), ("SK", sort.to_owned())];
    let mut item = Item::from(key.map(|(name, text)| (name, Value::S(text))));
    for (name, value) in more {
        item.insert(*name, value.clone());
    }
    db.execute(PutItem::new(db.table_name::<Hub>(), item)).await?;
    Ok(())
}

/// Regression: a load skipped items of entities that do not expire if they had the table's TTL
/// attribute; a query did not.
async fn expiry_is_that_of_the_entity(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, _) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "unexpired").await?;
    let ended = db.now().as_millis() / 1000 - 10;
    let star = [("owner", "unexpired"), ("repo", "engine"), ("user", "zoe")];
    let mut star: Vec<_> = star.map(|(name, text)| (name, Value::from(text))).into();
    star.push(("TTL", Value::from(ended)));
    put_item(&db, "unexpired", "STAR#zoe", &star).await?;
    let queried = db.query(Star::of(&owner, &name)).all().await?.len();
    let loaded = db.load(Whole::of((&owner, &name))).await?.ok_or("no repository")?;
    assert_eq!((queried, loaded.stars.len(), loaded.drafts.len()), (41, 41, 2));
    Ok(())
}

/// Regression: skipped items counted towards a member's limit.
async fn corrupt_items_fill_no_limit(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, _) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "corrupt-limit").await?;
    put_item(&db, "corrupt-limit", "ISSUE#000007", &[]).await?;
    let front = || Front::of((&owner, &name));
    assert!(matches!(db.load(front()).await, Err(Error::Corrupt(_))));
    let found = db.load(front().skip_corrupt()).await?.ok_or("no repository")?;
    assert_eq!(numbers(&found.issues), [6, 5, 4]);
    Ok(())
}

/// The compiler checks that an index projects the whole entity; counting works without that.
async fn local_and_thin_indexes(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "local").await?;
    let by_title = Issue::by_title(&owner, &name).consistent();
    assert_eq!(numbers(&db.query(by_title).all().await?), [6, 5, 4, 3, 2, 1]);
    let open = || Issue::by_state(&owner, &name).with("open".to_owned());
    log.take();
    assert_eq!(db.query(open()).count().await?, 3);
    assert_eq!(db.query(open().consistent()).count().await?, 3);
    assert_eq!(db.query(Issue::numbered(2).with(&owner)).count().await?, 1);
    let ours = Scan::index(Issue::BY_TITLE).filter(Issue::OWNER.eq(&owner)).consistent();
    assert_eq!(db.scan(ours).all().await?.len(), 6);
    Ok(())
}

/// Regression: a scan that filtered on an attribute missing from the index matched nothing or
/// everything, and a query was rejected by the store.
async fn filters_are_on_what_the_index_holds(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted(fixture.store.backend(), &fixture.settings).await?;
    let (owner, name) = fill(&db, "filtered").await?;
    log.take();
    let thin = || Scan::index(Issue::NUMBERED);
    let numbered = || Issue::numbered(2);
    let refused = [
        db.scan(thin().filter(Issue::STATE.eq("open"))).count().await.map(drop),
        db.scan(thin().filter(Issue::STATE.ne("open"))).count().await.map(drop),
        db.scan(thin().filter(Issue::STATE.missing())).count().await.map(drop),
        db.query(numbered().filter(Issue::STATE.eq("open"))).count().await.map(drop),
        numbered().filter(Issue::STATE.eq("open")).request(&db).map(drop),
    ];
    for outcome in refused {
        let is_told =
            matches!(outcome, Err(Error::NotProjected { index: "thin", attribute: "state" }));
        assert!(is_told, "{outcome:?}");
    }

    // Queries cannot filter on their own key either.
    let by_title = || Issue::by_title(&owner, &name);
    let titled = || Issue::TITLE.begins_with("title");
    let filtered = |outcome: singlet::Result<usize>| match outcome {
        Err(Error::FilteredKey { index, attribute }) => (index, attribute),
        other => panic!("{other:?}"),
    };
    let outcome = db.query(by_title().filter(titled())).count().await;
    assert_eq!(filtered(outcome), (Some("byTitle"), "title"));
    let issues = Issue::of(&owner, &name).filter(Condition::exists());
    assert_eq!(filtered(db.query(issues).count().await), (None, "PK"));
    assert_eq!(log.take(), (0, 0));

    // Scans can, and so can queries by another key.
    let ours = || Issue::OWNER.eq(&owner).and(titled());
    assert_eq!(db.scan(Scan::index(Issue::BY_TITLE).filter(ours())).count().await?, 6);
    assert_eq!(db.query(Issue::of(&owner, &name).filter(titled())).count().await?, 6);
    Ok(())
}

/// Regression: texts that start with U+10FFFF were outside of every range.
async fn the_last_character_is_in_every_range(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Hub>();
    db.provision().await?;
    let (owner, name) = fill(&db, "last-character").await?;
    let users =
        ["user-38", "user-39", "\u{10ffff}", "\u{10ffff}x", "\u{10ffff}\u{10ffff}\u{10ffff}"];
    for user in &users[2..] {
        db.run(put(&star("last-character", "engine", user))).await?;
    }
    let found = async |query| {
        let stars: Vec<Star> = db.query(query).all().await?;
        Ok::<_, Error>(stars.iter().map(|star| star.user.to_string()).collect::<Vec<_>>())
    };
    let stars = || Star::of(&owner, &name);
    let user = |place: usize| id::<UserName>(users[place]);
    assert_eq!(found(stars().from(user(0))).await?, users);
    assert_eq!(found(stars().after(user(0))).await?, users[1..]);
    assert_eq!(found(stars().after(user(2))).await?, users[3..]);
    assert_eq!(found(stars().between(user(1), user(3))).await?, users[1..4]);
    assert_eq!(db.query(stars().after(user(0))).count().await?, users.len() - 1);

    let whole = db.load(Whole::of((&owner, &name))).await?.ok_or("nothing")?;
    assert_eq!(whole.stars.len(), 43);
    let things = db.query(Thing::of((&owner, &name))).all().await?;
    assert_eq!(things.iter().filter(|thing| matches!(thing, Thing::Star(_))).count(), 43);
    let behind = Thing::of((&owner, &name)).sort_key_from("STAR#user-39");
    assert_eq!(db.query(behind).all().await?.len(), 4);
    Ok(())
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;
    use singlet::backend::Embedded;
    use singlet::engine::Engine;
    use singlet_testing::fixed_clock;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Paging with any page size and direction returns the whole collection, sorted.
        #[test]
        fn pages_are_the_sorted_whole(
            issues in proptest::collection::btree_set(0_u32..60, 0..20),
            pulls in proptest::collection::btree_set(0_u32..60, 0..20),
            stars in proptest::collection::btree_set(0_u32..60, 0..20),
            limit in 1_usize..25,
            descending: bool,
            bounds in proptest::option::of((0_u32..60, 0_u32..60)),
        ) {
            singlet::block_on(async {
                let backend = Arc::new(Embedded::new(Engine::memory().unwrap()));
                let settings = crate::settings(&fixed_clock(), "pages");
                let (db, _) = counted(backend, &settings).await.unwrap();
                let (owner, name): (Owner, RepoName) = (id("o"), id("r"));
                let mut batch = db.batch();
                batch.put(&repo("o", "r", db.now())).unwrap();
                for number in &issues {
                    batch.put(&issue("o", "r", *number, db.now())).unwrap();
                }
                for number in &pulls {
                    batch.put(&Pull { owner: id("o"), repo: id("r"), number: *number }).unwrap();
                }
                for number in &stars {
                    batch.put(&star("o", "r", &format!("{number:02}"))).unwrap();
                }
                batch.run().await.unwrap();
                let keys = bounds.map(|(issue, star)| {
                    (format!("ISSUE#{issue:06}"), format!("STAR#{star:02}"))
                });
                let query = || {
                    let mut query = Thing::of((&owner, &name)).limit(limit);
                    if descending {
                        query = query.descending();
                    }
                    match &keys {
                        Some((first, last)) => query.sort_key_between(first, last),
                        None => query,
                    }
                };
                let (things, _) = pages(&db, query).await.unwrap();
                let labels: Vec<String> = things.iter().map(label).collect();
                let (first, last) = bounds.unwrap_or((0, 60));
                let issues = issues.iter().filter(|number| **number >= first);
                let issues = issues.map(|number| format!("issue {number}"));
                let stars = stars.iter().filter(|number| **number <= last);
                let stars = stars.map(|number| format!("star {number:02}"));
                let mut expected: Vec<String> = issues.chain(stars).collect();
                if descending {
                    expected.reverse();
                }
                assert_eq!(labels, expected);
            });
        }
    }
}
