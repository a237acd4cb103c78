//! The store: opened with a counter of Queries, and filled.

use crate::folder::Folder;
use crate::systems::{Observed, Outcome};
use ::systems::fus::design::{
    Fus, MatchId, MatchList, PlayerId, Side, Site, SiteId, SiteList, SiteTag, SquashMatch,
    SquashPlayer, TagName,
};
use ::systems::fus::service::Service;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use singlet::backend::Embedded;
use singlet::dynamo::operation::Request;
use singlet::engine::{Engine, Options};
use singlet::table::Contains;
use singlet::{CursorKey, Date, Db, Entity, Settings, block_on};
use singlet_web::blob::Blobs;
use singlet_web::random::Random;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The tag that all sites have.
pub(super) const TAG: &str = "sea";
/// How many items one task loads, and how many tasks load at once.
const LOADED_MAX: usize = 1_000;
const LOADERS: usize = 16;
const PLAYERS: usize = 40;
const DAYS: usize = 365;

/// What both work on.
pub(super) struct FusStore {
    pub(super) engine: Engine,
    pub(super) service: Service,
    pub(super) table: String,
    queries: Arc<AtomicUsize>,
}

impl FusStore {
    pub(super) fn open(folder: Option<&Folder>) -> Outcome<Self> {
        let engine = match folder {
            Some(folder) => Engine::open(folder.path(), Options::default())?,
            None => Engine::memory()?,
        };
        let queries = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&queries);
        let observe = move |request: &Request| {
            if let Request::Query(query) = request
                && query.index_name.as_deref() == Some("byEntity")
            {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        let backend = Observed { inner: Embedded::new(engine.clone()), observe };
        let cursor_key = Some(CursorKey::of_this_process());
        let db = Db::<Fus>::on(backend, Settings { cursor_key, ..Settings::default() });
        block_on(db.provision())?;
        let table = db.table_name::<Fus>().to_owned();
        let service = Service::new(db, Random::new(), Blobs::memory());
        Ok(Self { engine, service, table, queries })
    }

    pub(super) fn forget_queries(&self) {
        self.queries.store(0, Ordering::Relaxed);
    }

    /// How many Queries of byEntity there were.
    pub(super) fn queries(&self) -> usize {
        self.queries.load(Ordering::Relaxed)
    }

    /// Writes items, in batches.
    fn load<E>(&self, items: &[E]) -> Outcome<()>
    where
        E: Entity,
        Fus: Contains<E::Table>,
    {
        let mut loads = Vec::new();
        for chunk in items.chunks(LOADED_MAX) {
            let mut batch = self.service.db().batch();
            for item in chunk {
                batch.put(item)?;
            }
            loads.push(batch.run());
        }
        let loads = stream::iter(loads).buffer_unordered(LOADERS);
        block_on(loads.try_collect::<Vec<()>>())?;
        Ok(())
    }

    /// Sites with these numbers, each with the tag.
    pub(super) fn load_sites(&self, numbers: Range<usize>) -> Outcome<()> {
        let (mut sites, mut tags) = (Vec::new(), Vec::new());
        for number in numbers {
            let site = self.site(number)?;
            tags.push(SiteTag { id: site.id.clone(), tag: TagName::new(TAG)? });
            sites.push(site);
        }
        self.load(&sites)?;
        self.load(&tags)
    }

    fn site(&self, number: usize) -> Outcome<Site> {
        let now = self.service.db().now();
        Ok(Site {
            id: SiteId::new(format!("0198f000-0000-7000-8000-{number:012}"))?,
            entity_type: Some(SiteList::Site),
            url: format!("https://site-{number}.example/"),
            title: format!("Harbour and tides, part {number}"),
            description: "When the water comes and goes, for every harbour. ".repeat(4),
            scraped_content: "What the page says about it. ".repeat(10),
            tags: vec![TAG.to_owned(), "harbour".to_owned(), "tides".to_owned()],
            logo_key: None,
            rating_sum: 17,
            rating_count: 4,
            stars_1: 0,
            stars_2: 0,
            stars_3: 0,
            stars_4: 3,
            stars_5: 1,
            comment_count: 2,
            version: 1,
            state: None,
            task_id: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// So many matches of forty players, on all days of the year alike.
    pub(super) fn load_matches(&self, count: usize) -> Outcome<()> {
        let now = self.service.db().now();
        let players = (0..PLAYERS).map(|number| {
            Ok(SquashPlayer {
                id: player(number)?,
                name: format!("Player {number}"),
                email: None,
                user_id: None,
                match_count: 0,
                version: 1,
                created_at: now,
                updated_at: now,
            })
        });
        self.load(&players.collect::<Outcome<Vec<_>>>()?)?;
        let first: Date = super::FROM.parse().map_err(|_| "no day")?;
        let matches = (0..count).map(|number| {
            let day = Duration::from_secs((number % DAYS) as u64 * 24 * 3600);
            let games = number % 6;
            let a_wins = games < 3;
            let lost = u8::try_from(games % 3)?;
            Ok(SquashMatch {
                match_id: MatchId::new(format!("0198f100-0000-7000-8000-{number:012}"))?,
                entity_type: MatchList::SquashMatch,
                date: Date::of(first.start().after(day)),
                team_a_player_1_id: player(number)?,
                team_a_player_2_id: player(number + 1)?,
                team_b_player_1_id: player(number + 2 + number / PLAYERS % 8)?,
                team_b_player_2_id: player(number + 11 + number / PLAYERS % 20)?,
                winning_team: if a_wins { Side::A } else { Side::B },
                team_a_games: if a_wins { 3 } else { lost },
                team_b_games: if a_wins { lost } else { 3 },
                version: 1,
                created_at: now,
                updated_at: now,
            })
        });
        self.load(&matches.collect::<Outcome<Vec<_>>>()?)
    }
}

fn player(number: usize) -> Outcome<PlayerId> {
    Ok(PlayerId::new(format!("0198f200-0000-7000-8000-{:012}", number % PLAYERS))?)
}
