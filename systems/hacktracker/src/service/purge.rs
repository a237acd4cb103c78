//! The daily job: removes members and invites of teams that were deleted more than thirty days ago.

use super::Service;
use crate::design::{Invite, Membership, Team, TeamMember};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::job::{JobError, JobRun, Next};
use std::time::Duration;

/// How long a deleted team can be recovered.
pub const RECOVERY_TIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Service {
    /// Removes memberships, members and invites of teams that can no longer be recovered. Team,
    /// players, games and at-bats stay, so that careers keep them. Returns how many members.
    ///
    /// # Errors
    ///
    /// If the store fails, or the job has lost its lease.
    pub async fn purge_deleted_teams(
        &self,
        check_held: impl Fn() -> Result<(), JobError>,
    ) -> Result<usize, JobError> {
        let limit = self.db.now().before(RECOVERY_TIME);
        let is_over = || Team::DELETED_AT.le(limit);
        let mut teams = self.db.query(Team::all().filter(is_over())).items();
        let mut count = 0;
        while let Some(team) = teams.next().await {
            let team = team?;
            let members = TeamMember::members_of(&team.team_id).consistent();
            for member in self.db.query(members).all().await? {
                check_held()?;
                let removed = self.db.transact((
                    check(Team::key(&team.team_id)).only_if(is_over()).or(Error::changed()),
                    delete(Membership::key(&member.user_id, &team.team_id)).or(Error::changed()),
                    delete(TeamMember::key(&team.team_id, &member.user_id)).or(Error::changed()),
                ));
                removed.await?;
                count += 1;
            }
            for invite in self.db.query(Invite::invites_of(&team.team_id)).all().await? {
                check_held()?;
                self.db.run(delete(Invite::key(&team.team_id, &invite.code))).await?;
            }
        }
        Ok(count)
    }

    /// The same as a job.
    pub(crate) async fn purge_job(self, run: JobRun) -> Result<Next, JobError> {
        self.purge_deleted_teams(|| run.check_held()).await?;
        Ok(Next::Interval)
    }
}
