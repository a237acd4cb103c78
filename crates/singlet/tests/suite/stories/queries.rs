//! Queries by access patterns.

use super::{comment, game, goal, id, rating};
use crate::sample::{Account, Comment, Goal, MatchId, Profile, Rating, Scoreboard, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::time::Duration;

on_every_backend! {
    by_the_beginning_of_the_sort_key,
    by_a_range,
    by_eight_parts,
    by_numbers,
    entities_are_never_mixed,
    collections_are_read_by_one_query,
}

fn ids(goals: Vec<Goal>) -> Vec<String> {
    goals.into_iter().map(|goal| goal.id.to_string()).collect()
}

async fn by_the_beginning_of_the_sort_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let game: MatchId = id("beginning");
    for (third, minute, id) in [(1, 5, "a"), (1, 50, "b"), (2, 5, "c"), (3, 5, "d"), (1, 5, "aa")] {
        db.run(create(&goal("beginning", third, minute, id))).await?;
    }
    let found = async |query| db.query(query).all().await.map(ids);
    assert_eq!(ids(db.query(Goal::timeline(&game)).all().await?), ["a", "aa", "b", "c", "d"]);
    assert_eq!(ids(db.query(Goal::timeline(&game).with(1)).all().await?), ["a", "aa", "b"]);
    assert_eq!(ids(db.query(Goal::timeline(&game).with(1).with(5)).all().await?), ["a", "aa"]);
    // A full key is matched exactly, not as a prefix: "a" does not match "aa".
    let whole = Goal::timeline(&game).with(1).with(5).with(id::<crate::sample::GoalId>("a"));
    assert_eq!(found(whole).await?, ["a"]);
    let begun = Goal::timeline(&game).with(1).with(5).starting_with("a");
    assert_eq!(ids(db.query(begun).all().await?), ["a", "aa"]);
    let descending = Goal::timeline(&game).descending();
    assert_eq!(ids(db.query(descending).all().await?), ["d", "c", "b", "aa", "a"]);
    let last = db.query(Goal::timeline(&game).descending()).first().await?;
    assert_eq!(last.map(|goal| goal.id.to_string()).as_deref(), Some("d"));
    let consistent = Goal::timeline(&game).consistent().with(2);
    assert_eq!(ids(db.query(consistent).all().await?), ["c"]);
    Ok(())
}

async fn by_a_range(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let game: MatchId = id("range");
    for minute in [1, 9, 10, 11, 100] {
        // Two goals per minute: a range includes all goals of its last minute.
        for id in ["x", "y"] {
            db.run(create(&goal("range", 1, minute, &format!("{id}{minute}")))).await?;
        }
        db.run(create(&goal("range", 2, minute, "z"))).await?;
    }
    let minutes = |goals: Vec<Goal>| goals.into_iter().map(|goal| goal.minute).collect::<Vec<_>>();
    let first = || Goal::timeline(&game).with(1);
    assert_eq!(minutes(db.query(first().between(9, 10)).all().await?), [9, 9, 10, 10]);
    assert_eq!(minutes(db.query(first().from(11)).all().await?), [11, 11, 100, 100]);
    assert_eq!(minutes(db.query(first().after(11)).all().await?), [100, 100]);
    assert_eq!(minutes(db.query(first().until(9)).all().await?), [1, 1, 9, 9]);
    assert_eq!(minutes(db.query(first().before(9)).all().await?), [1, 1]);
    assert_eq!(minutes(db.query(first().between(12, 11)).all().await?), [] as [u16; 0]);
    // A range on the last part.
    let last = |from: &str, to: &str| {
        let id = id::<crate::sample::GoalId>;
        first().with(10).between(id(from), id(to))
    };
    assert_eq!(ids(db.query(last("x10", "x10")).all().await?), ["x10"]);
    let before = first().with(10).before(id::<crate::sample::GoalId>("y10"));
    assert_eq!(ids(db.query(before).all().await?), ["x10"]);
    let after = first().with(10).after(id::<crate::sample::GoalId>("x10"));
    assert_eq!(ids(db.query(after).all().await?), ["y10"]);
    Ok(())
}

#[table(name = "{env}-steps", key = (PK, SK), entities(Step, Mark))]
struct Steps;

/// A sort key with the maximum number of parts, and a literal after them.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Steps, key = ("TASK#{task}", "{a:01}#{b:01}#{c:01}#{d:01}#{e:01}#{f:01}#{g:01}#{h:01}#STEP"))]
struct Step {
    task: SiteId,
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Steps, key = ("TASK#{task}", "{a:01}#MARK"))]
struct Mark {
    task: SiteId,
    a: u8,
}

#[derive(Collection, Debug, PartialEq)]
enum Entry {
    Step(Step),
    Mark(Mark),
}

/// Regression: parts from the seventh on could not be fixed.
async fn by_eight_parts(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Steps>();
    db.provision().await?;
    let task: SiteId = id("eight");
    let mut batch = db.batch();
    for h in 0..4 {
        batch.put(&Step { task: task.clone(), a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h })?;
    }
    batch.put(&Mark { task: task.clone(), a: 1 })?;
    batch.put(&Mark { task: task.clone(), a: 2 })?;
    batch.run().await?;
    let seven = || Step::of(&task).with(1).with(2).with(3).with(4).with(5).with(6).with(7);
    let last = |steps: Vec<Step>| steps.into_iter().map(|step| step.h).collect::<Vec<_>>();
    assert_eq!(last(db.query(seven()).all().await?), [0, 1, 2, 3]);
    assert_eq!(last(db.query(seven().with(2)).all().await?), [2]);
    assert_eq!(last(db.query(seven().after(1)).all().await?), [2, 3]);
    assert_eq!(last(db.query(seven().until(1)).all().await?), [0, 1]);
    assert_eq!(db.query(Step::of(&task).with(1).with(2).from(4)).count().await?, 0);
    assert_eq!(db.query(Entry::of(&task).with(1)).all().await?.len(), 5);
    assert_eq!(db.query(Entry::of(&task)).all().await?.len(), 6);
    Ok(())
}

async fn by_numbers(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    for user in ["n1", "n2"] {
        db.run(put(&rating(user, "numbered", 9))).await?;
    }
    db.run(put(&rating("n3", "numbered", 10))).await?;
    let site: SiteId = id("numbered");
    let found = db.query(Rating::by_stars(9).with(&site)).all().await?;
    let users: Vec<&str> = found.iter().map(|rating| rating.user.as_str()).collect();
    assert_eq!(users.len(), 2);
    assert!(users.contains(&"n1") && users.contains(&"n2"));
    Ok(())
}

async fn entities_are_never_mixed(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("mixed");
    let mut batch = db.batch();
    for number in 0..40 {
        let site = format!("site-{number:02}");
        batch.put(&rating("mixed", &site, 1))?;
        for comment_id in ["1", "2", "3"] {
            batch.put(&comment("mixed", &site, comment_id, db.now()))?;
        }
    }
    batch.run().await?;
    assert_eq!(db.query(Rating::of(&user)).all().await?.len(), 40);
    assert_eq!(db.query(Comment::of(&user)).all().await?.len(), 120);
    assert_eq!(db.query(Rating::of(&user)).count().await?, 40);
    // Pages are filled with ratings even if other entities lie between them.
    let (mut cursor, mut sites) = (None, Vec::new());
    loop {
        let page = db.query(Rating::of(&user).limit(15)).page(cursor).await?;
        assert_eq!(page.items.len(), if page.next.is_some() { 15 } else { 10 });
        sites.extend(page.items.into_iter().map(|rating| rating.site.to_string()));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sites.len(), 40);
    assert!(sites.is_sorted());
    // One user's comments on one site: a prefix that ends with a literal.
    let of_site = Comment::of(&user).with(id::<SiteId>("site-07"));
    assert_eq!(db.query(of_site).all().await?.len(), 3);
    Ok(())
}

async fn collections_are_read_by_one_query(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let game_id: MatchId = id("collected");
    assert_eq!(db.load(Scoreboard::of(&game_id)).await?, None);
    let game = game("collected", db.now());
    db.run(create(&game)).await?;
    assert_eq!(
        db.load(Scoreboard::of(&game_id)).await?,
        Some(Scoreboard { game: game.clone(), goals: vec![] })
    );
    let goals = vec![goal("collected", 1, 3, "a"), goal("collected", 2, 1, "b")];
    for goal in &goals {
        db.run(create(goal)).await?;
    }
    let loaded = db.load(Scoreboard::of(&game_id).consistent()).await?;
    assert_eq!(loaded, Some(Scoreboard { game, goals }));

    let user: UserId = id("collector");
    let nothing = Account { profile: None, ratings: vec![], comments: vec![] };
    assert_eq!(db.load(Account::of(&user)).await?, Some(nothing));
    let profile = Profile { user: user.clone(), about: "me".into() };
    let later = db.now().after(Duration::from_secs(1));
    let (rating, comment) = (rating("collector", "s", 2), comment("collector", "s", "c", later));
    db.transact((put(&profile), put(&rating), put(&comment))).await?;
    let all = Account { profile: Some(profile), ratings: vec![rating], comments: vec![comment] };
    assert_eq!(db.load(Account::of(&user).consistent()).await?, Some(all));
    Ok(())
}
