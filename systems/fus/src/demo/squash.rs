//! The squash club of the demo data: three matches on each of 22 Mondays of a season.

use super::people::MINA;
use crate::rules::NewMatch;
use crate::service::{NewPlayer, Service};
use singlet::{Date, Timestamp};
use singlet_web::demo::{Demo, DemoError};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);
const HOUR: Duration = Duration::from_secs(3600);
const MONDAYS: u32 = 22;
/// How many weeks are from the first Monday of September to the last one of May.
const WEEKS: u32 = 38;
const MATCHES_A_DAY: usize = 3;
const SCORES: [[i32; 2]; 6] = [[3, 0], [3, 1], [3, 2], [2, 3], [1, 3], [0, 3]];

/// Name, e-mail address, account. The last one has no matches.
const PLAYERS: [(&str, Option<&str>, Option<&str>); 12] = [
    ("Ada", Some("ada@club.example"), None),
    ("Ben", Some("ben@club.example"), Some("ben")),
    ("Cleo", None, Some("cleo")),
    ("Dan", None, None),
    ("Eve", Some("eve@club.example"), None),
    ("Finn", None, None),
    ("Gus", None, None),
    ("Hana", None, None),
    ("Ivo", None, None),
    ("Jon", None, None),
    ("Pia", Some("pia@club.example"), Some("pia")),
    ("Kim", None, None),
];

/// The Mondays of the last season, September to May, that has ended.
fn mondays(now: Timestamp) -> Vec<Date> {
    let today = Date::of(now).to_string();
    let (year, rest) = today.split_once('-').unwrap_or_default();
    let year: u32 = year.parse().unwrap_or(2026);
    let begins_in = if rest >= "06-01" { year - 1 } else { year - 2 };
    let Ok(first) = format!("{begins_in}-09-01").parse::<Date>() else { return Vec::new() };
    let mut monday = first;
    // The first day of 1970 was a Thursday.
    while (monday.start().as_seconds() / 86_400 + 3) % 7 != 0 {
        monday = monday.next();
    }
    (0..MONDAYS)
        .map(|number| Date::of(monday.start().after(DAY * (7 * (number * WEEKS / (MONDAYS - 1))))))
        .collect()
}

pub(super) async fn load(service: &Service, demo: &mut Demo) -> Result<(), DemoError> {
    let (mina, mondays) = (MINA.caller(), mondays(demo.loaded_at()));
    let Some(first) = mondays.first() else { return Ok(()) };
    let mut ids = Vec::new();
    for (number, (name, email, user_id)) in (1_u32..).zip(PLAYERS) {
        demo.set_time(first.start().before(DAY * 10).after(HOUR * number));
        let new = NewPlayer {
            name: name.to_owned(),
            email: email.map(str::to_owned),
            user_id: user_id.map(str::to_owned),
        };
        ids.push(service.create_player(&mina, &new).await?.id);
    }
    // Kim has not come yet.
    ids.pop();
    let mut entered = 0_usize;
    for date in &mondays {
        for hour in (0_u32..).take(MATCHES_A_DAY) {
            demo.set_time(date.start().after(HOUR * (18 + hour)));
            let mut players = ids.clone();
            let mut pick = || -> String {
                let place = demo.below(u32::try_from(players.len()).unwrap_or(0));
                players.swap_remove((place as usize).min(players.len().saturating_sub(1)))
            };
            let players = [pick(), pick(), pick(), pick()];
            let games = SCORES.get(entered % SCORES.len()).copied().unwrap_or([3, 0]);
            let date = date.to_string();
            let new = NewMatch { date, players, games, winning_team: None };
            service.create_match(&mina, &new).await?;
            entered += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_season_has_22_mondays_from_september_to_may() {
        for now in ["2026-05-31", "2026-06-01", "2026-11-16", "2027-01-01"] {
            let now = format!("{now}T12:00:00.000Z").parse().unwrap();
            let mondays = mondays(now);
            assert_eq!(mondays.len(), 22);
            assert!(mondays.is_sorted() && mondays.windows(2).all(|two| two[0] != two[1]));
            let month = |date: &Date| date.to_string()[5..7].to_owned();
            assert_eq!((month(&mondays[0]), month(&mondays[21])), ("09".into(), "05".into()));
            assert!(mondays[21].start() < now);
        }
    }
}
