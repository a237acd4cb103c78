//! Collections on an index with several keys per entity.

use super::collections::counted;
use super::id;
use crate::{Fixture, TestResult};
use design::*;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    a_collection_reads_one_of_several_keys,
    other_keys_in_a_range_are_passed_over,
}

/// Open and done items have separate ranges; notes can sort anywhere.
#[allow(unreachable_pub, missing_docs, reason = "declared as a program declares it")]
mod design {
    use singlet::prelude::*;

    id!(DeskId, NoteId);

    #[table(
        name = "{env}-desks",
        key = (PK, SK),
        index(GSI1 = (GSI1PK, GSI1SK)),
        entities(Task, Bug, Note)
    )]
    pub struct Desks;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Desks,
        key = ("DESK#{desk}", "TASK#{number:03}"),
        GSI1 open = ("DESK#{desk}", "TASK#OPEN#{number:03}") when is_open = true,
        GSI1 done = ("DESK#{desk}", "TASK#DONE#{number:03}") when is_open = false
    )]
    pub struct Task {
        pub desk: DeskId,
        pub number: u32,
        pub is_open: bool,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Desks,
        key = ("DESK#{desk}", "BUG#{number:03}"),
        GSI1 open = ("DESK#{desk}", "BUG#OPEN#{number:03}") when is_open = true,
        GSI1 done = ("DESK#{desk}", "BUG#DONE#{number:03}") when is_open = false
    )]
    pub struct Bug {
        pub desk: DeskId,
        pub number: u32,
        pub is_open: bool,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(
        Desks,
        key = ("DESK#{desk}", "NOTE#{id}"),
        GSI1 on_desk = ("DESK#{desk}", "{id}")
    )]
    pub struct Note {
        pub desk: DeskId,
        pub id: NoteId,
    }

    /// Done tasks sort between the two.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub enum OpenWork {
        #[collection(pattern = open)]
        Bug(Bug),
        #[collection(pattern = open)]
        Task(Task),
    }

    /// One entity, by both of its keys.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub struct Tasks {
        #[collection(pattern = open)]
        pub open: Vec<Task>,
        #[collection(pattern = done, limit = 2, descending)]
        pub last_done: Vec<Task>,
    }

    /// The same as an enum.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub enum AnyTask {
        #[collection(pattern = open)]
        Open(Task),
        #[collection(pattern = done)]
        Done(Task),
    }

    /// Notes can have any sort key, so the whole partition is read.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub enum NoteOrTask {
        Note(Note),
        #[collection(pattern = open)]
        Task(Task),
    }

    /// The same as a struct.
    #[derive(Collection, Clone, Debug, PartialEq)]
    #[collection(index = GSI1)]
    pub struct Desk {
        pub notes: Vec<Note>,
        #[collection(pattern = open)]
        pub open: Vec<Task>,
    }
}

/// Six tasks and six bugs, the even-numbered ones open, and two notes.
async fn fill(db: &Db<Desks>, desk: &DeskId) -> singlet::Result<()> {
    let mut batch = db.batch();
    for number in 1..=6 {
        let is_open = number % 2 == 0;
        batch.put(&Task { desk: desk.clone(), number, is_open })?;
        batch.put(&Bug { desk: desk.clone(), number, is_open })?;
    }
    for note in ["A-first", "z-last"] {
        batch.put(&Note { desk: desk.clone(), id: id(note) })?;
    }
    batch.run().await
}

fn numbers(tasks: &[Task]) -> Vec<u32> {
    tasks.iter().map(|task| task.number).collect()
}

async fn a_collection_reads_one_of_several_keys(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted::<Desks>(fixture.store.backend(), &fixture.settings).await?;
    let desk: DeskId = id("several");
    fill(&db, &desk).await?;
    log.take();
    let work = db.query(OpenWork::of(&desk)).all().await?;
    let named: Vec<String> = work
        .iter()
        .map(|one| match one {
            OpenWork::Bug(bug) => format!("bug {} {}", bug.number, bug.is_open),
            OpenWork::Task(task) => format!("task {} {}", task.number, task.is_open),
        })
        .collect();
    let expected = ["bug 2", "bug 4", "bug 6", "task 2", "task 4", "task 6"];
    assert_eq!(named, expected.map(|name| format!("{name} true")));
    // Done tasks sort between the two and are not read.
    assert_eq!(log.take(), (2, 6));
    assert_eq!(db.query(OpenWork::of(&desk)).count().await?, 6);
    let page = db.query(OpenWork::of(&desk).descending().limit(4)).page(None).await?;
    assert_eq!(page.items, [&work[5], &work[4], &work[3], &work[2]].map(Clone::clone));
    let page = db.query(OpenWork::of(&desk).descending().limit(4)).page(page.next).await?;
    assert_eq!(page.items, [&work[1], &work[0]].map(Clone::clone));
    assert!(page.next.is_none());

    let tasks = db.load(Tasks::of(&desk)).await?.ok_or("nothing")?;
    assert_eq!((numbers(&tasks.open), numbers(&tasks.last_done)), (vec![2, 4, 6], vec![5, 3]));
    let both = db.query(AnyTask::of(&desk)).all().await?;
    let open = both.iter().filter(|one| matches!(one, AnyTask::Open(task) if task.is_open));
    let done = both.iter().filter(|one| matches!(one, AnyTask::Done(task) if !task.is_open));
    assert_eq!((open.count(), done.count(), both.len()), (3, 3, 6));
    Ok(())
}

/// Items with another key of the same entity can be in another member's range.
async fn other_keys_in_a_range_are_passed_over(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, _) = counted::<Desks>(fixture.store.backend(), &fixture.settings).await?;
    let desk: DeskId = id("between");
    fill(&db, &desk).await?;
    let loaded = db.load(Desk::of(&desk)).await?.ok_or("nothing")?;
    assert_eq!((loaded.notes.len(), numbers(&loaded.open)), (2, vec![2, 4, 6]));
    let all = db.query(NoteOrTask::of(&desk)).all().await?;
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|one| !matches!(one, NoteOrTask::Task(task) if !task.is_open)));
    assert_eq!(db.query(NoteOrTask::of(&desk)).count().await?, 5);
    assert_eq!(db.query(NoteOrTask::of(&desk).limit(3)).count().await?, 3);
    // A full page is the last one if only items with other keys follow.
    let last = NoteOrTask::of(&desk).sort_key_from("B").descending().limit(4);
    let page = db.query(last).page(None).await?;
    assert_eq!((page.items.len(), page.next.is_none()), (4, true));
    Ok(())
}
