//! Matches of the squash club: a match, its four participations and the counters of its four
//! players live and die in one transaction.

use super::{ListPaging, Service};
use crate::design::{MatchId, MatchList, Participation, PlayerId, SquashMatch, SquashPlayer};
use crate::error::{Error, Result};
use crate::rules::{MatchResult, NewMatch, Squash, check_match};
use crate::view::MatchPage;
use singlet::prelude::*;
use singlet_web::prelude::*;
use singlet_web::problem::changed_meanwhile;
use std::collections::{BTreeMap, BTreeSet};

fn as_stored(new: &NewMatch, match_id: MatchId, now: Timestamp) -> Result<SquashMatch> {
    let MatchResult { date, games: [team_a_games, team_b_games], winner } = check_match(new, now)?;
    let [a1, a2, b1, b2] = new.players().map(Clone::clone);
    Ok(SquashMatch {
        match_id,
        entity_type: MatchList::SquashMatch,
        date,
        team_a_player_1_id: a1,
        team_a_player_2_id: a2,
        team_b_player_1_id: b1,
        team_b_player_2_id: b2,
        winning_team: winner,
        team_a_games,
        team_b_games,
        version: 1,
        created_at: now,
        updated_at: now,
    })
}

/// One for each player of a match.
fn participations(of: Option<&SquashMatch>) -> BTreeMap<&PlayerId, Participation> {
    let one = |player_id: &PlayerId, one: &SquashMatch| Participation {
        player_id: player_id.clone(),
        match_id: one.match_id.clone(),
        squash_date: one.date,
    };
    of.into_iter().flat_map(|of| of.players().map(|player| (player, one(player, of)))).collect()
}

impl Service {
    /// 21: enters a match: nine items in one transaction.
    pub async fn create_match(&self, caller: &Caller, new: &NewMatch) -> Result<SquashMatch> {
        self.squash(caller, Squash::Write).await?;
        let now = self.db.now();
        let one = as_stored(new, self.random.id(now)?, now)?;
        self.write_match(None, Some(&one)).await?;
        Ok(one)
    }

    /// 22: changes a match: at most 17 items, each once.
    pub async fn update_match(
        &self,
        caller: &Caller,
        id: &MatchId,
        version: u64,
        new: &NewMatch,
    ) -> Result<SquashMatch> {
        self.squash(caller, Squash::Write).await?;
        self.db
            .attempt(async |_| {
                let old = self.stored_match(id).await?;
                if old.version != version {
                    return Err(changed_meanwhile(version, old.version).into());
                }
                let one = as_stored(new, id.clone(), self.db.now())?;
                let one = SquashMatch { version: version + 1, created_at: old.created_at, ..one };
                self.write_match(Some(&old), Some(&one)).await?;
                Ok(one)
            })
            .await
    }

    /// 23: deletes a match: nine items in one transaction.
    pub async fn delete_match(&self, caller: &Caller, id: &MatchId) -> Result<()> {
        self.squash(caller, Squash::Write).await?;
        self.db
            .attempt(async |_| {
                let old = self.stored_match(id).await?;
                self.write_match(Some(&old), None).await
            })
            .await
    }

    /// Writes what differs: the match, participations, and how many matches players have.
    async fn write_match(
        &self,
        before: Option<&SquashMatch>,
        after: Option<&SquashMatch>,
    ) -> Result<()> {
        let mut transaction = self.db.transaction::<Error>();
        if let Some(one) = after {
            match before {
                None => transaction.push(create(one).or(Error::changed())),
                Some(old) => {
                    let unchanged = put(one).only_if(SquashMatch::VERSION.eq(old.version));
                    transaction.push(unchanged.or(Error::changed()));
                }
            }
        } else if let Some(old) = before {
            let unchanged = SquashMatch::VERSION.eq(old.version);
            let gone = delete(SquashMatch::key(&old.match_id)).only_if(unchanged);
            transaction.push(gone.or(Error::changed()));
        }
        let (old, new) = (participations(before), participations(after));
        for (&player, gone) in old.iter().filter(|(player, _)| !new.contains_key(*player)) {
            transaction.push(delete(Participation::key(player, &gone.match_id)));
            let counted = update(SquashPlayer::key(player)).add(SquashPlayer::MATCH_COUNT, -1);
            transaction.push(counted.or(Error::changed()));
        }
        for (&player, new) in &new {
            match old.get(player) {
                None => {
                    transaction.push(create(new).or(Error::changed()));
                    let counted = update(SquashPlayer::key(player));
                    let counted = counted.add(SquashPlayer::MATCH_COUNT, 1);
                    transaction.push(counted.or(Error::UnknownPlayer));
                }
                Some(old) if old != new => {
                    let moved = update(Participation::key(player, &new.match_id))
                        .set(Participation::SQUASH_DATE, new.squash_date);
                    transaction.push(moved.or(Error::changed()));
                }
                Some(_) => {}
            }
        }
        transaction.run().await
    }

    async fn stored_match(&self, id: &MatchId) -> Result<SquashMatch> {
        let stored = self.db.get(SquashMatch::key(id).consistent()).await?;
        stored.ok_or(Error::MatchNotFound)
    }

    /// R12: a match.
    pub async fn one_match(&self, caller: &Caller, id: &MatchId) -> Result<SquashMatch> {
        self.squash(caller, Squash::Read).await?;
        self.stored_match(id).await
    }

    /// R12: the matches of a day, the last entered first. The index has the participations too,
    /// which the filter leaves out.
    pub async fn matches_on(
        &self,
        caller: &Caller,
        date: &str,
        paging: &ListPaging,
    ) -> Result<MatchPage> {
        self.squash(caller, Squash::Read).await?;
        let date: Date = date.parse().map_err(|_| Error::DateInvalid)?;
        let of_day = SquashMatch::on_day(date)
            .filter(SquashMatch::ENTITY_TYPE.eq(MatchList::SquashMatch))
            .descending()
            .limit(paging.limit());
        self.with_names(self.db.query(of_day).page(paging.cursor()?).await?.into()).await
    }

    /// R12: the matches of a range of days, the newest first: one Query.
    pub async fn matches_between(
        &self,
        caller: &Caller,
        from: &str,
        to: &str,
        paging: &ListPaging,
    ) -> Result<MatchPage> {
        self.squash(caller, Squash::Read).await?;
        let (from, to) = parse_range(from, to)?;
        let range = SquashMatch::by_date(MatchList::SquashMatch).between(from, to);
        let range = range.descending().limit(paging.limit());
        self.with_names(self.db.query(range).page(paging.cursor()?).await?.into()).await
    }

    /// R11: the matches of a player, the last entered first.
    pub async fn matches_of(
        &self,
        caller: &Caller,
        player: &PlayerId,
        paging: &ListPaging,
    ) -> Result<MatchPage> {
        self.player(caller, player).await?;
        let last = Participation::matches_of(player).consistent().descending();
        let last = last.limit(paging.limit());
        let page = Page::from(self.db.query(last).page(paging.cursor()?).await?);
        let keys = page.items.iter().map(|one| SquashMatch::key(&one.match_id));
        let found: Vec<Option<SquashMatch>> = self.db.get_many(keys).await?;
        self.with_names(Page { items: found, next: page.next }.filter_map(|one| one)).await
    }

    async fn with_names(&self, page: Page<SquashMatch>) -> Result<MatchPage> {
        let players = self.names_of(page.items.iter().flat_map(SquashMatch::players)).await?;
        Ok(MatchPage { page, players })
    }

    pub(super) async fn names_of<'i>(
        &self,
        players: impl Iterator<Item = &'i PlayerId>,
    ) -> Result<BTreeMap<PlayerId, String>> {
        let ids: BTreeSet<&PlayerId> = players.collect();
        let found: Vec<Option<SquashPlayer>> =
            self.db.get_many(ids.into_iter().map(SquashPlayer::key)).await?;
        Ok(found.into_iter().flatten().map(|player| (player.id, player.name)).collect())
    }
}

/// Two days, the first not after the last.
pub(super) fn parse_range(from: &str, to: &str) -> Result<(Date, Date)> {
    let day = |text: &str| text.parse::<Date>().map_err(|_| Error::RangeInvalid);
    let (from, to) = (day(from)?, day(to)?);
    if from > to { Err(Error::RangeInvalid) } else { Ok((from, to)) }
}
