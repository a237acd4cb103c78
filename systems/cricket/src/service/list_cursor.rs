//! Where the next page of the list of all matches begins.

use crate::design::{Fixture, ID_BYTES_MAX, LeagueCode, MatchId};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use singlet::Timestamp;
use std::fmt;
use std::str::FromStr;

/// The last match of a page. The list is in the order of start, then league, then as the index of
/// the league has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListCursor {
    pub(super) start_time: Timestamp,
    pub(super) league: LeagueCode,
    pub(super) match_id: MatchId,
}

/// A text is not a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotACursor;

impl ListCursor {
    /// The page ends with this match.
    pub(super) fn after(last: &Fixture) -> Self {
        Self {
            start_time: last.start_time,
            league: last.league_code.clone(),
            match_id: last.match_id.clone(),
        }
    }

    /// What the list is sorted by.
    pub(super) fn place(&self) -> (Timestamp, &LeagueCode) {
        (self.start_time, &self.league)
    }
}

impl fmt::Display for ListCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Ids never contain the delimiter.
        let text = format!("{}#{}#{}", self.start_time, self.league, self.match_id);
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for ListCursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotACursor)?;
        let text = String::from_utf8(bytes).map_err(|_| NotACursor)?;
        let mut parts = text.splitn(3, '#');
        let mut next = || parts.next().ok_or(NotACursor);
        let (start_time, league, match_id) = (next()?, next()?, next()?);
        if league.len() > ID_BYTES_MAX || match_id.len() > ID_BYTES_MAX {
            return Err(NotACursor);
        }
        Ok(Self {
            start_time: start_time.parse().map_err(|_| NotACursor)?,
            league: LeagueCode::new(league).map_err(|_| NotACursor)?,
            match_id: MatchId::new(match_id).map_err(|_| NotACursor)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let cursor = ListCursor {
            start_time: Timestamp::from_millis(1_794_753_000_000),
            league: LeagueCode::new("CTL").unwrap(),
            match_id: MatchId::new("9000001").unwrap(),
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        let long = ListCursor { match_id: MatchId::new("9".repeat(3_000)).unwrap(), ..cursor };
        assert_eq!(long.to_string().parse::<ListCursor>(), Err(NotACursor));
        for text in ["", "é", "abc", "2026-11-16T00:00:00.000Z"] {
            assert_eq!(text.parse::<ListCursor>(), Err(NotACursor), "{text}");
        }
    }
}
