//! The daily job: removes members and invites of teams that were deleted more than thirty days ago.

use super::Service;
use crate::design::{Invite, Membership, Team, TeamId, TeamMember, User};
use singlet::prelude::*;
use singlet_web::job::{JobError, JobRun, Next};
use std::time::Duration;

pub const RECOVERY_TIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Service {
    /// Removes memberships, members and invites of teams that can no longer be recovered. Team,
    /// players, games and at-bats stay, so that careers keep them. Returns how many members.
    pub async fn purge_deleted_teams(
        &self,
        check_held: impl Fn() -> Result<(), JobError>,
    ) -> Result<usize, JobError> {
        let limit = self.db.now().before(RECOVERY_TIME);
        let mut teams = self.db.query(Team::all().filter(is_due(limit))).items();
        let mut count = 0;
        while let Some(team) = teams.next().await {
            count += self.purge_team(&team?.team_id, limit, &check_held).await?;
        }
        Ok(count)
    }

    async fn purge_team(
        &self,
        team_id: &TeamId,
        limit: Timestamp,
        check_held: impl Fn() -> Result<(), JobError>,
    ) -> Result<usize, JobError> {
        let members = TeamMember::members_of(team_id).consistent();
        let members = self.db.query(members).all().await?;
        for member in &members {
            check_held()?;
            let mut transaction = self.transaction(self.db.now());
            let counted = update(Team::key(team_id)).add(Team::MEMBER_COUNT, -1);
            transaction.push(counted.only_if(is_due(limit)));
            transaction.push(delete(Membership::key(&member.user_id, team_id)));
            let key = TeamMember::key(team_id, &member.user_id);
            transaction.push(delete(key).only_if(Condition::exists()));
            transaction.push(update(User::key(&member.user_id)).add(User::TEAM_COUNT, -1));
            transaction.run().await?;
        }
        for invite in self.db.query(Invite::invites_of(team_id)).all().await? {
            check_held()?;
            self.db.run(delete(Invite::key(team_id, &invite.code))).await?;
        }
        let purged = update(Team::key(team_id)).set(Team::PURGED_AT, self.db.now());
        match self.db.run(purged.only_if(is_due(limit))).await {
            // Purged before: the index lags behind.
            Err(singlet::Error::ConditionFailed { .. }) => Ok(members.len()),
            other => Ok(other.map(|()| members.len())?),
        }
    }

    pub(crate) async fn purge_job(self, run: JobRun) -> Result<Next, JobError> {
        self.purge_deleted_teams(|| run.check_held()).await?;
        Ok(Next::Interval)
    }
}

fn is_due(limit: Timestamp) -> Condition<Team> {
    Team::DELETED_AT.le(limit).and(Team::PURGED_AT.missing())
}
