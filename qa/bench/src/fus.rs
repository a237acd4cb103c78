//! FUS: a page of the catalogue, a page of the sites with a tag, and a year of the squash club.
//!
//! Each is measured at the service, beside the same Queries made by hand on the engine, whose
//! answers nobody looks at: that is the least there can be. What the service adds is the typed
//! items, what is shown of them, and in the club the rights of the caller and the names of players.

mod by_hand;
mod store;

use crate::folder::Folder;
use crate::stopwatch::race;
use crate::systems::Outcome;
use axum::extract::FromRequestParts as _;
use axum::http::Request;
use singlet::block_on;
use singlet_web::api::Paging;
use singlet_web::identity::Caller;
use store::FusStore;

type Fifty = Paging<50, 100>;

/// How many sites have the tag, in the first and in the last measurement.
const FEW_TAGGED: usize = 1_000;
const TAGGED: usize = 100_000;
/// How many matches there are in the year: as many as standings count.
const MATCHES: usize = 10_000;
const PAGE: usize = 50;
/// The year.
const FROM: &str = "2025-01-01";
const TO: &str = "2025-12-31";

/// Measures, and prints the figures. `tagged` is how many sites have the tag at last; there are
/// fewer matches too if there are fewer of them.
pub(crate) fn run(tagged: Option<&str>) -> Outcome<()> {
    let tagged = tagged.map_or(Ok(TAGGED), str::parse)?;
    let matches = MATCHES.min(tagged);
    println!("in memory:");
    measure(&FusStore::open(None)?, tagged, matches)?;
    let folder = Folder::new("fus");
    println!("durable:");
    measure(&FusStore::open(Some(&folder))?, tagged, matches)
}

fn measure(store: &FusStore, tagged: usize, matches: usize) -> Outcome<()> {
    let few = FEW_TAGGED.min(tagged);
    store.load_sites(0..few)?;
    let at_first = page_of_tag(store, few)?;
    store.load_sites(few..tagged)?;
    let at_last = page_of_tag(store, tagged)?;
    println!("  growth from {few} to {tagged} items of the tag: {:.2}", at_last / at_first);
    page_of_catalogue(store, tagged)?;
    store.load_matches(matches)?;
    year(store, matches)
}

/// Which part of a list to ask for, as a request says it.
fn paging(cursor: Option<&str>) -> Outcome<Fifty> {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    let request = Request::builder().uri(format!("/?limit={PAGE}{cursor}")).body(())?;
    let (mut parts, ()) = request.into_parts();
    let paging = block_on(Paging::from_request_parts(&mut parts, &()));
    paging.map_err(|_| "no page can be asked for so".into())
}

fn superadmin() -> Caller {
    Caller {
        subject: "sofia".to_owned(),
        groups: ["SuperAdmin".to_owned()].into(),
        ..Caller::default()
    }
}

/// Nobody looks at it, and the compiler must not know.
fn ignore<T>(answer: T) {
    std::hint::black_box(answer);
}

/// Prints the times of the service and of the engine, and returns the first, in nanoseconds.
fn report(what: &str, service: &dyn Fn(), engine: &dyn Fn()) -> f64 {
    let times = race(&[service, engine]);
    let (own, least) = match times.as_slice() {
        [own, least] => (*own, *least),
        _ => (f64::NAN, f64::NAN),
    };
    let micros = |nanoseconds: f64| nanoseconds / 1e3;
    println!(
        "  {what}: {:.0} µs; the Queries alone {:.0} µs; ratio {:.2}",
        micros(own),
        micros(least),
        own / least,
    );
    own
}

fn page_of_catalogue(store: &FusStore, sites: usize) -> Outcome<()> {
    let first = paging(None)?;
    let shown = block_on(store.service.sites(&first))?.items.len();
    let read = by_hand::catalogue(store).len();
    same(shown, read, PAGE.min(sites))?;
    report(
        &format!("a page of {PAGE} of {sites} sites"),
        &|| ignore(block_on(store.service.sites(&first))),
        &|| ignore(by_hand::catalogue(store)),
    );
    Ok(())
}

fn page_of_tag(store: &FusStore, tagged: usize) -> Outcome<f64> {
    let first = paging(None)?;
    let shown = block_on(store.service.sites_with_tag(store::TAG, &first))?.items.len();
    let read = by_hand::tagged(store).len();
    same(shown, read, PAGE.min(tagged))?;
    Ok(report(
        &format!("a page of {PAGE} of {tagged} sites with the tag"),
        &|| ignore(block_on(store.service.sites_with_tag(store::TAG, &first))),
        &|| ignore(by_hand::tagged(store)),
    ))
}

/// The whole year, page by page: each is one Query of the index.
fn year(store: &FusStore, matches: usize) -> Outcome<()> {
    store.forget_queries();
    let (read, pages) = walk(store)?;
    let queries = store.queries();
    same(read, matches, matches)?;
    if queries != pages || pages != matches.div_ceil(PAGE) {
        return Err(format!("{pages} pages of {PAGE} have sent {queries} Queries").into());
    }
    same(by_hand::year(store), matches, matches)?;
    let what = format!("a year of {matches} matches in {pages} pages, one Query each");
    let whole = report(&what, &|| ignore(walk(store)), &|| ignore(by_hand::year(store)));
    println!("    that is {:.0} µs a page", whole / 1e3 / pages as f64);
    let caller = superadmin();
    let standings = || block_on(store.service.standings(&caller, FROM, TO));
    same(standings()?.matches, matches, matches)?;
    report(&format!("standings of {matches} matches"), &|| ignore(standings()), &|| {
        ignore(by_hand::year_at_once(store))
    });
    Ok(())
}

/// Reads all pages of the year, and counts matches and pages.
fn walk(store: &FusStore) -> Outcome<(usize, usize)> {
    let caller = superadmin();
    let (mut matches, mut pages, mut cursor) = (0, 0, None);
    loop {
        let paging = paging(cursor.as_deref())?;
        let page = block_on(store.service.matches_between(&caller, FROM, TO, &paging))?;
        matches += page.items.len();
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            return Ok((matches, pages));
        }
    }
}

/// Both must have read the same, or the comparison means nothing.
fn same(service: usize, engine: usize, expected: usize) -> Outcome<()> {
    if (service, engine) == (expected, expected) {
        return Ok(());
    }
    Err(format!("{service} and {engine} items were read: {expected} are there").into())
}
