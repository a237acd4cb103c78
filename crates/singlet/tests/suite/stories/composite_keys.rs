//! Indexes with composite keys: fields without templates.

use super::id;
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_partition_attribute_is_given,
    sort_attributes_are_fixed_from_the_left,
    the_last_sort_attribute_can_be_a_range,
    each_attribute_sorts_by_its_own_type,
    an_item_that_lacks_one_attribute_is_not_in_the_index,
    an_update_moves_the_row,
    the_moment_of_the_last_change_can_be_the_last_attribute,
    pages_go_on_where_they_ended,
    a_cursor_belongs_to_its_query,
    an_index_holds_its_keys_and_what_it_projects,
    a_scan_of_the_index_finds_what_is_in_it,
    filters_cannot_be_on_key_attributes,
    several_partition_attributes_need_no_sort_key,
}

id!(Tenant, Region, IssueId);

#[table(
    name = "{env}-issues",
    key = (PK),
    index(
        byState = ((tenant, region), (state, priority: N, updatedAt)),
        byWeight = (tenant, (weight: N, checksum: B)) projecting("title"),
        byRegion = (tenant, (region, state)),
        byPlace = ((tenant, region, state))
    ),
    entities(Issue, Note)
)]
struct Issues;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "snake_case")]
enum State {
    Open,
    Closed,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Issues,
    key = ("ISSUE#{id}"),
    byState by_state = ((tenant, region), (state, priority, updated_at)),
    byWeight by_weight = (tenant, (weight, checksum)),
    byRegion by_region = (tenant, (region, state)),
    byPlace by_place = ((tenant, region, state)),
    rename_all = "camelCase"
)]
struct Issue {
    id: IssueId,
    tenant: Tenant,
    region: Region,
    state: State,
    priority: Option<u32>,
    weight: Option<i64>,
    checksum: Option<Bytes>,
    title: String,
    #[attribute(updated)]
    updated_at: Timestamp,
}

/// Has only the tenant in common with the index keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Issues, key = ("NOTE#{id}"))]
struct Note {
    id: IssueId,
    tenant: Tenant,
}

#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(Issue)]
struct Title {
    title: String,
    weight: Option<i64>,
    checksum: Option<Bytes>,
}

async fn issues(store: TestStore) -> (Fixture, Db<Issues>) {
    let fixture = Fixture::new(store).await;
    let db = fixture.open::<Issues>();
    db.provision().await.unwrap();
    (fixture, db)
}

fn issue(name: &str, region: &str, state: State, priority: Option<u32>) -> Issue {
    Issue {
        id: id(name),
        tenant: id("acme"),
        region: id(region),
        state,
        priority,
        weight: None,
        checksum: None,
        title: format!("The issue {name}"),
        updated_at: Timestamp::from_millis(0),
    }
}

fn names(issues: &[Issue]) -> Vec<&str> {
    issues.iter().map(|issue| issue.id.as_str()).collect()
}

fn acme() -> Tenant {
    id("acme")
}

fn north() -> Region {
    id("north")
}

/// In index order: closed before open, then by priority.
async fn some(db: &Db<Issues>) -> TestResult {
    let all = [
        ("a", "north", State::Closed, 2),
        ("b", "north", State::Closed, 10),
        ("c", "north", State::Open, 1),
        ("d", "north", State::Open, 9),
        ("e", "north", State::Open, 10),
        ("f", "south", State::Open, 5),
    ];
    for (name, region, state, priority) in all {
        db.run(create(&issue(name, region, state, Some(priority)))).await?;
    }
    let other = Issue { tenant: id("other"), ..issue("g", "north", State::Open, Some(9)) };
    db.run(create(&other)).await?;
    db.run(create(&Note { id: id("n"), tenant: acme() })).await?;
    Ok(())
}

async fn every_partition_attribute_is_given(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let found = async |tenant: &str, region: &str| {
        db.query(Issue::by_state(id::<Tenant>(tenant), id::<Region>(region))).all().await
    };
    assert_eq!(names(&found("acme", "north").await?), ["a", "b", "c", "d", "e"]);
    assert_eq!(names(&found("acme", "south").await?), ["f"]);
    assert_eq!(names(&found("other", "north").await?), ["g"]);
    assert_eq!(names(&found("other", "south").await?), [] as [&str; 0]);
    Ok(())
}

async fn sort_attributes_are_fixed_from_the_left(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let partition = || Issue::by_state(acme(), north());
    let open = db.query(partition().with(State::Open)).all().await?;
    assert_eq!(names(&open), ["c", "d", "e"]);
    let one = db.query(partition().with(State::Open).with(9)).all().await?;
    assert_eq!(names(&one), ["d"]);
    let moment = one.first().map(|issue| issue.updated_at).unwrap();
    let whole = partition().with(State::Open).with(9).with(moment);
    assert_eq!(names(&db.query(whole).all().await?), ["d"]);
    let down = partition().with(State::Open).descending().limit(2);
    assert_eq!(names(&db.query(down).all().await?), ["e", "d"]);
    assert_eq!(db.query(partition().with(State::Closed)).count().await?, 2);
    Ok(())
}

async fn the_last_sort_attribute_can_be_a_range(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let open = || Issue::by_state(acme(), north()).with(State::Open);
    for (query, expected) in [
        (open().from(9), &["d", "e"] as &[&str]),
        (open().after(9), &["e"]),
        (open().until(9), &["c", "d"]),
        (open().before(9), &["c"]),
        (open().between(2, 9), &["d"]),
        (open().between(9, 2), &[]),
    ] {
        assert_eq!(names(&db.query(query).all().await?), expected);
    }
    // Each attribute sorts separately, so a range on text works even if other attributes follow.
    let somewhere = Issue::by_region(acme()).starting_with("so");
    assert_eq!(names(&db.query(somewhere).all().await?), ["f"]);
    let between = Issue::by_region(acme()).between(id::<Region>("o"), id::<Region>("z"));
    assert_eq!(names(&db.query(between).all().await?), ["f"]);
    let from_open = Issue::by_state(acme(), north()).from(State::Open);
    assert_eq!(names(&db.query(from_open).all().await?), ["c", "d", "e"]);
    Ok(())
}

async fn each_attribute_sorts_by_its_own_type(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    let weighed = [
        ("a", -5, vec![1]),
        ("b", 9, vec![0]),
        ("c", 9, vec![0, 0]),
        ("d", 9, vec![255]),
        ("e", 10, vec![7]),
    ];
    for (name, weight, checksum) in weighed {
        let own = Issue {
            weight: Some(weight),
            checksum: Some(Bytes(checksum)),
            ..issue(name, "north", State::Open, None)
        };
        db.run(create(&own)).await?;
    }
    let titles = |found: Vec<Title>| -> Vec<String> {
        found.into_iter().map(|one| one.title.replace("The issue ", "")).collect()
    };
    let all = Issue::by_weight(acme()).project::<Title>();
    assert_eq!(titles(db.query(all).all().await?), ["a", "b", "c", "d", "e"]);
    let nine = Issue::by_weight(acme()).with(9).project::<Title>();
    assert_eq!(titles(db.query(nine).all().await?), ["b", "c", "d"]);
    let after = Issue::by_weight(acme()).with(9).after(Bytes(vec![0])).project::<Title>();
    assert_eq!(titles(db.query(after).all().await?), ["c", "d"]);
    let between = Issue::by_weight(acme()).between(-5, 9);
    assert_eq!(db.query(between.project::<Title>()).all().await?.len(), 4);
    Ok(())
}

async fn an_item_that_lacks_one_attribute_is_not_in_the_index(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    let one = issue("sparse", "north", State::Open, None);
    db.run(create(&one)).await?;
    let in_index = async || db.query(Issue::by_state(acme(), north())).count().await;
    assert_eq!(in_index().await?, 0);
    db.run(update(Issue::key(&one.id)).set(Issue::PRIORITY, Some(3))).await?;
    assert_eq!(in_index().await?, 1);
    db.run(update(Issue::key(&one.id)).remove(Issue::PRIORITY)).await?;
    assert_eq!(in_index().await?, 0);
    // It is in the index for which it has all key attributes.
    assert_eq!(db.query(Issue::by_place(acme(), north(), State::Open)).count().await?, 1);
    Ok(())
}

async fn an_update_moves_the_row(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let key = Issue::key(id::<IssueId>("c"));
    // Fields that are separate attributes can be set individually.
    db.run(update(key.clone()).set(Issue::STATE, State::Closed)).await?;
    let closed = db.query(Issue::by_state(acme(), north()).with(State::Closed)).all().await?;
    assert_eq!(names(&closed), ["c", "a", "b"]);
    db.run(update(key.clone()).set(Issue::PRIORITY, Some(9))).await?;
    let closed = db.query(Issue::by_state(acme(), north()).with(State::Closed)).all().await?;
    assert_eq!(names(&closed), ["a", "c", "b"]);
    db.run(update(key.clone()).set(Issue::REGION, id::<Region>("south"))).await?;
    assert_eq!(db.query(Issue::by_state(acme(), north())).count().await?, 4);
    let south = db.query(Issue::by_state(acme(), id::<Region>("south"))).all().await?;
    assert_eq!(names(&south), ["c", "f"]);
    db.run(delete(key)).await?;
    assert_eq!(db.query(Issue::by_state(acme(), id::<Region>("south"))).count().await?, 1);
    Ok(())
}

/// Priority and last change cannot be one template: the library does not know the priority when it
/// sets the timestamp.
async fn the_moment_of_the_last_change_can_be_the_last_attribute(store: TestStore) -> TestResult {
    let (fixture, db) = issues(store).await;
    for name in ["a", "b", "c"] {
        db.run(create(&issue(name, "north", State::Open, Some(1)))).await?;
        fixture.clock.advance(1000);
    }
    db.run(update(Issue::key(id::<IssueId>("a"))).set(Issue::TITLE, "Changed")).await?;
    let urgent = || Issue::by_state(acme(), north()).with(State::Open).with(1);
    let latest = db.query(urgent().descending()).all().await?;
    assert_eq!(names(&latest), ["a", "c", "b"]);
    let moment = latest.get(1).map(|issue| issue.updated_at).unwrap();
    assert_eq!(names(&db.query(urgent().after(moment)).all().await?), ["a"]);
    Ok(())
}

async fn pages_go_on_where_they_ended(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    for number in 0..7 {
        // All have the same index key; their primary keys differ.
        let name = format!("i{number}");
        db.run(create(&issue(&name, "north", State::Open, Some(1)))).await?;
    }
    let mut found = Vec::new();
    let mut cursor: Option<Cursor<Issue>> = None;
    loop {
        let query = Issue::by_state(acme(), north()).with(State::Open).from(1).limit(3);
        let page = db.query(query).page(cursor).await?;
        assert!(page.items.len() <= 3);
        found.extend(page.items.into_iter().map(|issue| issue.id.to_string()));
        // Round trip through text, as a program sends it to its users.
        cursor = page.next.map(|next| next.to_string().parse()).transpose()?;
        if cursor.is_none() {
            break;
        }
    }
    found.sort();
    assert_eq!(found, ["i0", "i1", "i2", "i3", "i4", "i5", "i6"]);
    Ok(())
}

async fn a_cursor_belongs_to_its_query(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let page = db.query(Issue::by_state(acme(), north()).limit(1)).page(None).await?;
    let cursor = page.next.unwrap();
    let other = Issue::by_state(acme(), id::<Region>("south")).limit(1);
    let refused = db.query(other).page(Some(cursor)).await;
    assert!(matches!(refused, Err(singlet::Error::Cursor)));
    Ok(())
}

async fn an_index_holds_its_keys_and_what_it_projects(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    let own = Issue {
        weight: Some(4),
        checksum: Some(Bytes(vec![1])),
        ..issue("held", "north", State::Open, None)
    };
    db.run(create(&own)).await?;
    let found = db.query(Issue::by_weight(acme()).project::<Title>()).all().await?;
    let expected = Title { title: own.title, weight: own.weight, checksum: own.checksum };
    assert_eq!(found, [expected]);
    Ok(())
}

async fn a_scan_of_the_index_finds_what_is_in_it(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    db.run(create(&issue("none", "north", State::Open, None))).await?;
    assert_eq!(db.scan(Scan::index(Issue::BY_STATE)).count().await?, 7);
    assert_eq!(db.scan(Scan::index(Issue::BY_PLACE)).count().await?, 8);
    Ok(())
}

async fn filters_cannot_be_on_key_attributes(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    let query = || Issue::by_state(acme(), north());
    for filter in [Issue::REGION.eq(north()), Issue::STATE.eq(State::Open)] {
        let refused = db.query(query().filter(filter)).all().await;
        assert!(matches!(refused, Err(singlet::Error::FilteredKey { .. })), "{refused:?}");
    }
    some(&db).await?;
    let titled = query().filter(Issue::TITLE.eq("The issue d"));
    assert_eq!(names(&db.query(titled).all().await?), ["d"]);
    Ok(())
}

async fn several_partition_attributes_need_no_sort_key(store: TestStore) -> TestResult {
    let (_fixture, db) = issues(store).await;
    some(&db).await?;
    let mut found = db.query(Issue::by_place(acme(), north(), State::Open)).all().await?;
    found.sort_by(|one, other| one.id.as_str().cmp(other.id.as_str()));
    assert_eq!(names(&found), ["c", "d", "e"]);
    Ok(())
}
