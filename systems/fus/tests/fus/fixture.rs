//! Test fixtures.

use crate::backend::{Control, watched};
use fus::design::{
    Comment, Fus, MatchId, MatchList, PlayerId, Rating, Side, Site, SiteId, SiteList, SiteTag,
    SquashMatch, TagName, UserId,
};
use fus::error::Error;
use fus::rules::{Address, NewMatch, NewTag, NewTags};
use fus::service::{
    GroupChange, NewGroup, NewPlayer, NewProfile, NewRating, NewSite, Service, SignIn,
};
use singlet::IdError;
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
use singlet_web::text::CleanText;
use std::str::FromStr;

/// A service on its own store, with a fixed clock and recorded requests.
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

/// The code of a refusal.
pub(crate) fn code<T>(outcome: Result<T, Error>) -> &'static str {
    match outcome {
        Ok(_) => "done",
        Err(error) => error.problem_type().name,
    }
}

/// Which part of a list to ask for.
pub(crate) fn paging<const D: u32>(limit: u32, cursor: Option<&str>) -> Paging<D, 100> {
    Paging::new(Some(limit), cursor.map(str::to_owned))
}

pub(crate) fn all<const D: u32>() -> Paging<D, 100> {
    paging(100, None)
}

pub(crate) fn id<T: FromStr<Err = IdError>>(text: impl AsRef<str>) -> T {
    text.as_ref().parse().unwrap()
}

pub(crate) fn named(name: impl Into<String>, rest: &GroupChange) -> NewGroup {
    let GroupChange { description, permissions } = rest.clone();
    NewGroup { name: name.into().try_into().unwrap(), description, permissions }
}

pub(crate) fn profile(name: impl AsRef<str>, description: &str) -> NewProfile {
    NewProfile {
        display_name: name.as_ref().parse().unwrap(),
        description: description.parse().unwrap(),
    }
}

pub(crate) fn new_site(title: &str, tags: &[&str]) -> NewSite {
    NewSite {
        url: address("site.example"),
        title: title.parse().unwrap(),
        description: "About it.".parse().unwrap(),
        scraped_content: says::<8192, 0>("Text of the page.").try_into().unwrap(),
        tags: tags_of(tags),
    }
}

pub(crate) fn tags_of(tags: &[&str]) -> NewTags {
    let tags = tags.iter().map(|tag| NewTag::try_from((*tag).to_owned()).unwrap());
    NewTags::try_from(tags.collect::<Vec<_>>()).unwrap()
}

pub(crate) fn address(host: &str) -> Address {
    Address::try_from(format!("https://{host}/")).unwrap()
}

/// A text of a request.
pub(crate) fn says<const MAX: usize, const MIN: usize>(text: &str) -> CleanText<MAX, MIN> {
    text.parse().unwrap()
}

pub(crate) fn new_player(name: &str) -> NewPlayer {
    NewPlayer { name: name.parse().unwrap(), email: None, user_id: None }
}

pub(crate) fn many_tags(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}-{number:03}")).collect()
}

pub(crate) fn rating(stars: u8) -> NewRating {
    NewRating { stars, note: CleanText::default() }
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
        let db = Db::<Fus>::on(watched(&store, &control), store.settings.clone());
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

    /// Signs in, which creates the profile.
    pub(crate) async fn sign_in(&self, caller: &Caller) {
        let sign_in = SignIn { at: self.service.db().now(), ip: Some("192.0.2.7".to_owned()) };
        self.service.record_login(caller, &sign_in).await.unwrap();
    }

    pub(crate) async fn site(&self, title: &str, tags: &[&str]) -> Site {
        self.clock.advance(1);
        self.service.create_site(&adam(), &new_site(title, tags)).await.unwrap().site
    }

    pub(crate) async fn rate(&self, who: &str, site: &SiteId, stars: u8) {
        self.service.rate_site(&caller(who, &[]), site, &rating(stars)).await.unwrap();
    }

    /// Squash with Mina, who manages it, and these players.
    pub(crate) async fn club(&self, names: &[&str]) -> Vec<PlayerId> {
        for somebody in [mina(), sofia()] {
            self.sign_in(&somebody).await;
        }
        self.service.add_member(&sofia(), &id("Squash"), &id("mina")).await.unwrap();
        let mut ids = Vec::new();
        for name in names {
            self.clock.advance(1);
            ids.push(self.service.create_player(&mina(), &new_player(name)).await.unwrap().id);
        }
        ids
    }

    /// Runs the job until nothing is due, an hour long at most.
    pub(crate) async fn finish_tasks(&self) {
        for _ in 0..60 {
            self.service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
            self.clock.advance(60_000);
        }
    }

    /// Seeds a site with ratings and comments directly, which is much faster than the service.
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

/// A match in stored form.
pub(crate) fn stored_match(
    match_id: MatchId,
    date: Date,
    players: [PlayerId; 4],
    [team_a_games, team_b_games]: [u8; 2],
) -> SquashMatch {
    let [a1, a2, b1, b2] = players;
    let now = Timestamp::from_millis(0);
    SquashMatch {
        match_id,
        entity_type: MatchList::SquashMatch,
        date,
        team_a_player_1_id: a1,
        team_a_player_2_id: a2,
        team_b_player_1_id: b1,
        team_b_player_2_id: b2,
        winning_team: if team_a_games > team_b_games { Side::A } else { Side::B },
        team_a_games,
        team_b_games,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// A match of these players on a day.
pub(crate) fn new_match(date: &str, players: [&PlayerId; 4], [a, b]: [i32; 2]) -> NewMatch {
    let [a1, a2, b1, b2] = players.map(Clone::clone);
    NewMatch {
        date: date.to_owned(),
        team_a_player_1_id: a1,
        team_a_player_2_id: a2,
        team_b_player_1_id: b1,
        team_b_player_2_id: b2,
        team_a_games: a,
        team_b_games: b,
        winning_team: None,
    }
}
