//! Fields stored only in an index key.

use super::id;
use crate::{Fixture, TestResult};
use design::*;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    a_projection_reads_them,
    a_text_part_is_given_as_str,
    an_index_can_hold_their_key,
    they_are_set_with_the_others_of_their_key,
}

#[allow(unreachable_pub, missing_docs, reason = "declared as a program declares it")]
mod design {
    use singlet::prelude::*;

    id!(HallId, Label, Room);

    #[table(
        name = "{env}-talks",
        key = (PK, SK),
        index(
            GSI1 = (GSI1PK, GSI1SK),
            GSI2 = (GSI2PK, GSI2SK),
            GSI3 = (GSI3PK, GSI3SK) projecting("GSI2SK"),
            GSI4 = (GSI4PK, GSI4SK),
            GSI5 = (GSI5PK, GSI5SK)
        ),
        entities(Talk)
    )]
    pub struct Talks;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Talks,
        key in_hall = ("HALL#{hall}", "TALK#{number:04}"),
        GSI1 open = ("OPEN", "{title}") when is_open = true,
        GSI2 by_title = ("ALL", "{title}"),
        GSI3 by_number = ("ALL", "{number:04}"),
        GSI4 by_label = ("LABELS", "{label}"),
        GSI5 by_hour = ("HOURS", "{hour:02}#{room}")
    )]
    pub struct Talk {
        pub hall: HallId,
        pub number: u32,
        pub is_open: bool,
        #[attribute(in_key)]
        pub title: String,
        #[attribute(in_key)]
        pub label: Option<Label>,
        pub hour: u8,
        #[attribute(in_key)]
        pub room: Room,
    }

    #[derive(Projection, Debug, PartialEq)]
    #[projection(Talk)]
    pub struct TalkTitle {
        pub title: String,
    }

    #[derive(Projection, Debug, PartialEq)]
    #[projection(Talk)]
    pub struct TalkLabel {
        pub label: Option<Label>,
        pub room: Room,
    }
}

async fn stored(fixture: &Fixture) -> singlet::Result<(Db<Talks>, Talk)> {
    let db = fixture.open::<Talks>();
    db.provision().await?;
    let talk = Talk {
        hall: id("main"),
        number: 1,
        is_open: false,
        title: "Keys".into(),
        label: Some(id("design")),
        hour: 9,
        room: id("north"),
    };
    db.run(put(&talk)).await?;
    Ok((db, talk))
}

/// Regression: a projection did not request the key of an index that was not queried, so a required
/// field was corrupt and an optional one `None`.
async fn a_projection_reads_them(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, talk) = stored(fixture).await?;
    let label = || TalkLabel { label: talk.label.clone(), room: talk.room.clone() };
    let title = || TalkTitle { title: talk.title.clone() };
    let key = || Key::of(&talk).consistent();
    assert_eq!(db.get(key().project::<TalkLabel>()).await?, Some(label()));
    assert_eq!(db.get(key().project::<TalkTitle>()).await?, Some(title()));
    assert_eq!(db.get_many([key().project::<TalkLabel>()]).await?, [Some(label())]);
    let in_hall = || Talk::in_hall(&talk.hall).consistent();
    assert_eq!(db.query(in_hall().project::<TalkLabel>()).all().await?, [label()]);
    let by_title = Talk::by_title().project::<TalkLabel>();
    assert_eq!(db.query(by_title).all().await?, [label()]);
    Ok(())
}

/// Regression: the compiler looked for the field in the conditional key, which is never used to
/// read it, and rejected this query.
async fn an_index_can_hold_their_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, talk) = stored(fixture).await?;
    let titles = db.query(Talk::by_number().project::<TalkTitle>()).all().await?;
    assert_eq!(titles, [TalkTitle { title: talk.title }]);
    Ok(())
}

async fn a_text_part_is_given_as_str(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, talk) = stored(fixture).await?;
    let title = "Keys".to_owned();
    assert_eq!(db.query(Talk::by_title().with("Keys")).all().await?, [talk.clone()]);
    assert_eq!(db.query(Talk::by_title().between("K", &title)).all().await?, [talk.clone()]);
    assert_eq!(db.query(Talk::by_title().with(title)).all().await?, [talk]);
    assert_eq!(db.query(Talk::by_title().after("Keys")).count().await?, 0);
    Ok(())
}

async fn they_are_set_with_the_others_of_their_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, talk) = stored(fixture).await?;
    let moved = Talk { hour: 14, room: id("south"), ..talk.clone() };
    let together = (moved.hour, moved.room.clone());
    db.run(update(Key::of(&talk)).set_together(Talk::HOUR_AND_ROOM, together)).await?;
    assert_eq!(db.get(Key::of(&talk).consistent()).await?, Some(moved));
    Ok(())
}
