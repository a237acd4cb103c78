//! Matches of the squash club: a match, its four participations and the counters of its four
//! players live and die in one transaction.

use super::{Service, match_id, parse_id, player_id};
use crate::design::{MatchId, MatchList, Participation, PlayerId, SquashMatch, SquashPlayer};
use crate::error::Error;
use crate::rules::{MatchResult, NewMatch, Squash, check_match};
use crate::view::{MatchPage, MatchView};
use singlet::prelude::*;
use singlet::{Cursor, Page};
use singlet_web::api::Paging;
use singlet_web::identity::Caller;
use singlet_web::problem::changed_meanwhile;
use std::collections::{BTreeMap, BTreeSet};

/// A match that can be written, if its players exist.
struct ValidMatch {
    players: [PlayerId; 4],
    result: MatchResult,
}

impl ValidMatch {
    fn check(new: &NewMatch, now: Timestamp) -> Result<Self, Error> {
        let result = check_match(new, now)?;
        let [a1, a2, b1, b2] = &new.players;
        let id = |text: &String| parse_id(text).ok_or(Error::UnknownPlayer);
        Ok(Self { players: [id(a1)?, id(a2)?, id(b1)?, id(b2)?], result })
    }

    fn into_match(self, match_id: MatchId, now: Timestamp) -> SquashMatch {
        let [a1, a2, b1, b2] = self.players;
        let MatchResult { date, games: [a_games, b_games], winner } = self.result;
        SquashMatch {
            match_id,
            entity_type: MatchList::SquashMatch,
            date,
            team_a_player_1_id: a1,
            team_a_player_2_id: a2,
            team_b_player_1_id: b1,
            team_b_player_2_id: b2,
            winning_team: winner,
            team_a_games: a_games,
            team_b_games: b_games,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }
}

fn participation(player: &PlayerId, one: &SquashMatch) -> Participation {
    Participation {
        player_id: player.clone(),
        match_id: one.match_id.clone(),
        squash_date: one.date,
    }
}

impl Service {
    /// 21: enters a match: nine items in one transaction.
    ///
    /// # Errors
    ///
    /// What is wrong with the match, or that the caller does not manage the club.
    pub async fn create_match(&self, caller: &Caller, new: &NewMatch) -> Result<MatchView, Error> {
        self.squash(caller, Squash::Write).await?;
        let now = self.db.now();
        let valid = ValidMatch::check(new, now)?;
        let one = valid.into_match(self.random.id(now)?, now);
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(create(&one).or(Error::changed()));
        for player in one.players() {
            transaction.push(create(&participation(player, &one)).or(Error::changed()));
            let counted = update(SquashPlayer::key(player)).add(SquashPlayer::MATCH_COUNT, 1);
            transaction.push(counted.or(Error::UnknownPlayer));
        }
        transaction.run().await?;
        Ok(one.into())
    }

    /// 22: changes a match: at most 17 items, each once.
    ///
    /// # Errors
    ///
    /// What is wrong with the match, that the version is an older one, or that the caller does not
    /// manage the club.
    pub async fn update_match(
        &self,
        caller: &Caller,
        id: &str,
        version: u64,
        new: &NewMatch,
    ) -> Result<MatchView, Error> {
        self.squash(caller, Squash::Write).await?;
        let id = match_id(id)?;
        self.retrying(|| self.try_update_match(&id, version, new)).await
    }

    async fn try_update_match(
        &self,
        id: &MatchId,
        version: u64,
        new: &NewMatch,
    ) -> Result<MatchView, Error> {
        let old = self.stored_match(id).await?;
        if old.version != version {
            return Err(changed_meanwhile(version, old.version).into());
        }
        let now = self.db.now();
        let one = ValidMatch::check(new, now)?.into_match(id.clone(), now);
        let one = SquashMatch { version: version + 1, created_at: old.created_at, ..one };
        let before: BTreeSet<&PlayerId> = old.players().into_iter().collect();
        let after: BTreeSet<&PlayerId> = one.players().into_iter().collect();
        let mut transaction = self.db.transaction::<Error>();
        let unchanged = put(&one).only_if(SquashMatch::VERSION.eq(version));
        transaction.push(unchanged.or(Error::changed()));
        for &left in before.difference(&after) {
            transaction.push(delete(Participation::key(left, id)));
            let counted = update(SquashPlayer::key(left)).add(SquashPlayer::MATCH_COUNT, -1);
            transaction.push(counted.or(Error::changed()));
        }
        for &joined in after.difference(&before) {
            transaction.push(create(&participation(joined, &one)).or(Error::changed()));
            let counted = update(SquashPlayer::key(joined)).add(SquashPlayer::MATCH_COUNT, 1);
            transaction.push(counted.or(Error::UnknownPlayer));
        }
        for &stayed in before.intersection(&after).filter(|_| old.date != one.date) {
            let moved = update(Participation::key(stayed, id));
            let moved = moved.set(Participation::SQUASH_DATE, one.date);
            transaction.push(moved.or(Error::changed()));
        }
        transaction.run().await?;
        Ok(one.into())
    }

    /// 23: deletes a match: nine items in one transaction.
    ///
    /// # Errors
    ///
    /// If there is none, or the caller does not manage the club.
    pub async fn delete_match(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        self.squash(caller, Squash::Write).await?;
        let id = match_id(id)?;
        self.retrying(|| self.try_delete_match(&id)).await
    }

    async fn try_delete_match(&self, id: &MatchId) -> Result<(), Error> {
        let old = self.stored_match(id).await?;
        let mut transaction = self.db.transaction::<Error>();
        let gone = delete(SquashMatch::key(id)).only_if(SquashMatch::VERSION.eq(old.version));
        transaction.push(gone.or(Error::changed()));
        for player in old.players() {
            transaction.push(delete(Participation::key(player, id)));
            let counted = update(SquashPlayer::key(player)).add(SquashPlayer::MATCH_COUNT, -1);
            transaction.push(counted.or(Error::changed()));
        }
        transaction.run().await
    }

    async fn stored_match(&self, id: &MatchId) -> Result<SquashMatch, Error> {
        let stored = self.db.get(SquashMatch::key(id).consistent()).await?;
        stored.ok_or(Error::MatchNotFound)
    }

    /// R12: a match.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club, or there is no such match.
    pub async fn one_match(&self, caller: &Caller, id: &str) -> Result<MatchView, Error> {
        self.squash(caller, Squash::Read).await?;
        Ok(self.stored_match(&match_id(id)?).await?.into())
    }

    /// R12: the matches of a day, the last entered first. The index has the participations too,
    /// which the filter leaves out.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club, or the date is malformed.
    pub async fn matches_on<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        date: &str,
        paging: &Paging<D, M>,
    ) -> Result<MatchPage, Error> {
        self.squash(caller, Squash::Read).await?;
        let date: Date = date.parse().map_err(|_| Error::DateInvalid)?;
        let of_day = SquashMatch::on_day(date)
            .filter(SquashMatch::ENTITY_TYPE.eq(MatchList::SquashMatch))
            .descending()
            .limit(paging.limit());
        let page = self.db.query(of_day).page(paging.cursor()?).await?;
        self.show_matches(page).await
    }

    /// R12: the matches of a range of days, the newest first: one Query.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club, or the range is empty or malformed.
    pub async fn matches_between<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        from: &str,
        to: &str,
        paging: &Paging<D, M>,
    ) -> Result<MatchPage, Error> {
        self.squash(caller, Squash::Read).await?;
        let (from, to) = parse_range(from, to)?;
        let range = SquashMatch::by_date(MatchList::SquashMatch).between(from, to);
        let range = range.descending().limit(paging.limit());
        let page = self.db.query(range).page(paging.cursor()?).await?;
        self.show_matches(page).await
    }

    /// R11: the matches of a player, the last entered first.
    ///
    /// # Errors
    ///
    /// If the caller is not in the club, or there is no such player.
    pub async fn matches_of<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        player: &str,
        paging: &Paging<D, M>,
    ) -> Result<MatchPage, Error> {
        self.squash(caller, Squash::Read).await?;
        let player = player_id(player)?;
        let there = self.db.get(SquashPlayer::key(&player).consistent()).await?;
        there.ok_or(Error::PlayerNotFound)?;
        let last = Participation::matches_of(&player).consistent().descending();
        let page = self.db.query(last.limit(paging.limit())).page(paging.cursor()?).await?;
        let keys = page.items.iter().map(|one| SquashMatch::key(&one.match_id));
        let found: Vec<Option<SquashMatch>> = self.db.get_many(keys).await?;
        let items: Vec<SquashMatch> = found.into_iter().flatten().collect();
        let players = self.names_of(items.iter().flat_map(SquashMatch::players)).await?;
        let next = page.next.map(|cursor: Cursor<_>| cursor.to_string());
        Ok(shown(items, next, players))
    }

    async fn show_matches<E>(&self, page: Page<SquashMatch, E>) -> Result<MatchPage, Error> {
        let players = self.names_of(page.items.iter().flat_map(SquashMatch::players)).await?;
        let next = page.next.map(|cursor| cursor.to_string());
        Ok(shown(page.items, next, players))
    }

    /// The names of these players.
    pub(super) async fn names_of<'i>(
        &self,
        players: impl Iterator<Item = &'i PlayerId>,
    ) -> Result<BTreeMap<PlayerId, String>, Error> {
        let ids: BTreeSet<&PlayerId> = players.collect();
        let found: Vec<Option<SquashPlayer>> =
            self.db.get_many(ids.into_iter().map(SquashPlayer::key)).await?;
        Ok(found.into_iter().flatten().map(|player| (player.id, player.name)).collect())
    }
}

fn shown(
    items: Vec<SquashMatch>,
    next: Option<String>,
    players: BTreeMap<PlayerId, String>,
) -> MatchPage {
    let players = players.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    MatchPage { items: items.into_iter().map(MatchView::from).collect(), next, players }
}

/// Two days, the first not after the last.
pub(super) fn parse_range(from: &str, to: &str) -> Result<(Date, Date), Error> {
    let day = |text: &str| text.parse::<Date>().map_err(|_| Error::RangeInvalid);
    let (from, to) = (day(from)?, day(to)?);
    if from > to { Err(Error::RangeInvalid) } else { Ok((from, to)) }
}
