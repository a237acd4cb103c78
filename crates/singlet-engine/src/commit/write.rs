//! Writes as data: a request, or a maintenance task.

use super::Planner;
use crate::error::{Result, Unfinished};
use crate::maintenance::{Progress, Task};
use crate::operation::{Batch, Put, Transaction};
use singlet_dynamo::operation::{
    Answer, CreateTable, DeleteItem, DeleteTable, TagResource, UntagResource, UpdateItem,
    UpdateTable, UpdateTimeToLive,
};

pub(crate) enum Write {
    Put(Put),
    Delete(DeleteItem),
    Update(UpdateItem),
    Batch(Batch),
    Transaction(Transaction),
    CreateTable(CreateTable),
    DeleteTable(DeleteTable),
    UpdateTable(UpdateTable),
    TagResource(TagResource),
    UntagResource(UntagResource),
    UpdateTimeToLive(UpdateTimeToLive),
    Task(Task),
    /// Panics when it is planned.
    #[cfg(test)]
    Mistake,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    Answer(Answer),
    Progress(Progress),
}

impl<A: Into<Answer>> From<A> for Outcome {
    fn from(answer: A) -> Self {
        Self::Answer(answer.into())
    }
}

impl Write {
    /// Whether only the committing thread can plan it. Streams begin and end at the next sequence
    /// number, which only that thread knows.
    pub(crate) fn is_for_committing_thread(&self) -> bool {
        match self {
            Self::Put(_)
            | Self::Delete(_)
            | Self::Update(_)
            | Self::Batch(_)
            | Self::Transaction(_)
            | Self::Task(_) => false,
            Self::CreateTable(_)
            | Self::DeleteTable(_)
            | Self::UpdateTable(_)
            | Self::TagResource(_)
            | Self::UntagResource(_)
            | Self::UpdateTimeToLive(_) => true,
            #[cfg(test)]
            Self::Mistake => true,
        }
    }

    pub(super) fn plan(&self, planner: &mut Planner<'_, '_>) -> Result<Outcome, Unfinished> {
        Ok(match self {
            Self::Put(put) => planner.put_item(put)?.into(),
            Self::Delete(request) => planner.delete_item(request)?.into(),
            Self::Update(request) => planner.update_item(request)?.into(),
            Self::Batch(batch) => planner.batch_write_item(batch)?.into(),
            Self::Transaction(transaction) => planner.transact_write_items(transaction)?.into(),
            Self::CreateTable(request) => planner.create_table(request)?.into(),
            Self::DeleteTable(request) => planner.delete_table(request)?.into(),
            Self::UpdateTable(request) => planner.update_table(request)?.into(),
            Self::TagResource(request) => planner.tag_resource(request)?.into(),
            Self::UntagResource(request) => planner.untag_resource(request)?.into(),
            Self::UpdateTimeToLive(request) => planner.update_time_to_live(request)?.into(),
            Self::Task(task) => Outcome::Progress(planner.carry_out(task.clone())?),
            #[cfg(test)]
            Self::Mistake => panic!("a planted mistake"),
        })
    }
}
