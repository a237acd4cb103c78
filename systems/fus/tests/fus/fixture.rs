//! What the tests work on.

use crate::backend::{Control, Watched};
use fus::design::{Comment, Fus, Rating, Site, SiteId, SiteList, SiteTag, TagName, UserId};
use fus::error::Error;
use fus::rules::NewMatch;
use fus::service::{NewPlayer, NewRating, NewSite, Service, SignIn};
use fus::view::SiteView;
use singlet::dynamo::{Item, Value};
use singlet::engine::Clock;
use singlet::prelude::*;
use singlet_testing::TestStore;
use singlet_web::api::Paging;
use singlet_web::blob::Blobs;
use singlet_web::identity::Caller;
use singlet_web::job::JobRun;
use singlet_web::problem::ApiError as _;
use singlet_web::random::Random;
use std::sync::Arc;

/// A service on a store of its own, with a fixed clock, whose requests are remembered.
pub(crate) struct Fixture {
    pub(crate) service: Service,
    pub(crate) clock: Clock,
    pub(crate) store: TestStore,
    pub(crate) control: Control,
}

pub(crate) fn caller(subject: &str, groups: &[&str]) -> Caller {
    let mut name = subject.to_owned();
    name[..1].make_ascii_uppercase();
    Caller {
        subject: subject.to_owned(),
        name: Some(name),
        email: None,
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..Caller::default()
    }
}

pub(crate) fn sofia() -> Caller {
    caller("sofia", &["SuperAdmin"])
}

pub(crate) fn adam() -> Caller {
    caller("adam", &["admin"])
}

pub(crate) fn mina() -> Caller {
    caller("mina", &["manager"])
}

pub(crate) fn nils() -> Caller {
    caller("nils", &[])
}

/// The name of a refusal.
pub(crate) fn code<T>(outcome: Result<T, Error>) -> &'static str {
    match outcome {
        Ok(_) => "done",
        Err(error) => error.problem_type().name,
    }
}

/// Which part of a list to ask for.
pub(crate) fn paging(limit: u32, cursor: Option<&str>) -> Paging<50, 100> {
    Paging::new(Some(limit), cursor.map(str::to_owned))
}

pub(crate) fn all() -> Paging<100, 100> {
    Paging::default()
}

pub(crate) fn new_site(title: &str, tags: &[&str]) -> NewSite {
    NewSite {
        url: "https://site.example/".to_owned(),
        title: title.to_owned(),
        description: "About it.".to_owned(),
        scraped_content: "Text of the page.".to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    }
}

pub(crate) fn many_tags(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}-{number:03}")).collect()
}

pub(crate) fn rating(stars: u8) -> NewRating {
    NewRating { stars, note: String::new() }
}

pub(crate) fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(Value::S(text)) => text.to_string(),
        _ => String::new(),
    }
}

impl Fixture {
    pub(crate) async fn new(store: TestStore) -> Self {
        store.open::<Fus>().await;
        let (control, clock) = (Control::default(), store.clock.clone());
        let backend =
            Watched { inner: store.backend(), control: control.clone(), clock: clock.clone() };
        let db = Db::<Fus>::on(Arc::new(backend), store.settings.clone());
        let service = Service::new(db, Random::new(), Blobs::memory());
        service.ensure_squash().await.unwrap();
        Self { service, clock, store, control }
    }

    pub(crate) async fn memory() -> Self {
        Self::new(TestStore::memory()).await
    }

    /// All items of the table, as the AWS CLI shows them.
    pub(crate) async fn items(&self) -> Vec<Item> {
        self.store.items::<Fus>().await
    }

    /// All items as one text, to compare with.
    pub(crate) async fn stored(&self) -> String {
        let mut items: Vec<String> =
            self.items().await.iter().map(|item| format!("{item:?}")).collect();
        items.sort();
        items.join("\n")
    }

    /// Somebody signs in, and so has a profile.
    pub(crate) async fn sign_in(&self, caller: &Caller) {
        let sign_in = SignIn { at: self.service.db().now(), ip: Some("192.0.2.7".to_owned()) };
        self.service.record_login(caller, &sign_in).await.unwrap();
    }

    pub(crate) async fn site(&self, title: &str, tags: &[&str]) -> SiteView {
        self.clock.advance(1);
        self.service.create_site(&adam(), &new_site(title, tags)).await.unwrap()
    }

    pub(crate) async fn rate(&self, who: &str, site: &str, stars: u8) {
        self.service.rate_site(&caller(who, &[]), site, &rating(stars)).await.unwrap();
    }

    /// Squash with Mina, who manages it, and these players.
    pub(crate) async fn club(&self, names: &[&str]) -> Vec<String> {
        for somebody in [mina(), sofia()] {
            self.sign_in(&somebody).await;
        }
        self.service.add_member(&sofia(), "Squash", "mina").await.unwrap();
        let mut ids = Vec::new();
        for name in names {
            self.clock.advance(1);
            let new = NewPlayer { name: (*name).to_owned(), email: None, user_id: None };
            ids.push(self.service.create_player(&mina(), &new).await.unwrap().id);
        }
        ids
    }

    /// Runs the job until nothing is due, an hour long at most.
    pub(crate) async fn finish_tasks(&self) {
        for _ in 0..60 {
            self.service.finish_tasks(&JobRun::by_hand()).await.unwrap();
            self.clock.advance(60_000);
        }
    }

    /// A site with ratings and comments, written without the service: much faster.
    pub(crate) async fn seed_site(&self, ratings: usize, comments: usize) -> SiteId {
        let db = self.service.db();
        let now = db.now();
        let id = SiteId::new("0198f000-0000-7000-8000-000000000001").unwrap();
        let (mut batch, mut stars) = (db.batch(), [0_u64; 5]);
        for number in 0..ratings {
            stars[number % 5] += 1;
            let rating = Rating {
                id: UserId::new(format!("user-{number}")).unwrap(),
                site_id: id.clone(),
                stars: u8::try_from(number % 5 + 1).unwrap(),
                note: String::new(),
                updated_at: now,
            };
            batch.put(&rating).unwrap();
        }
        for number in 0..comments {
            let comment = Comment {
                id: UserId::new(format!("user-{}", number % 7)).unwrap(),
                site_id: id.clone(),
                comment_id: format!("c-{number:06}").parse().unwrap(),
                body: "Yes.".to_owned(),
                created_at: now,
                updated_at: now,
                removed_at: None,
                removed_by: None,
                removed_reason: None,
            };
            batch.put(&comment).unwrap();
        }
        let tag = SiteTag { id: id.clone(), tag: TagName::new("old").unwrap() };
        batch.put(&tag).unwrap();
        batch.run().await.unwrap();
        let site = Site {
            id: id.clone(),
            entity_type: Some(SiteList::Site),
            url: "https://site.example/".to_owned(),
            title: "Closed forum".to_owned(),
            description: String::new(),
            scraped_content: String::new(),
            tags: vec!["old".to_owned()],
            logo_key: None,
            rating_sum: stars.iter().zip(1..).map(|(count, stars)| count * stars).sum(),
            rating_count: ratings as u64,
            stars_1: stars[0],
            stars_2: stars[1],
            stars_3: stars[2],
            stars_4: stars[3],
            stars_5: stars[4],
            comment_count: comments as u64,
            version: 1,
            state: None,
            task_id: None,
            created_at: now,
            updated_at: now,
        };
        db.run(create(&site)).await.unwrap();
        id
    }
}

/// A match of these players on a day.
pub(crate) fn new_match(date: &str, players: [&str; 4], games: [i32; 2]) -> NewMatch {
    let players = players.map(str::to_owned);
    NewMatch { date: date.to_owned(), players, games, winning_team: None }
}
