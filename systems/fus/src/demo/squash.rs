//! The squash club of the demo data: three matches on each of the last 22 Mondays of its season.

use super::people::MINA;
use super::{DAY, HOUR};
use crate::design::PlayerId;
use crate::rules::NewMatch;
use crate::service::{Email, NewPlayer, Service};
use singlet::{Date, Timestamp};
use singlet_web::demo::{Demo, DemoError};

const MONDAYS: usize = 22;
const SCORES: [[i32; 2]; 6] = [[3, 0], [3, 1], [3, 2], [2, 3], [1, 3], [0, 3]];
/// When the three matches of a Monday are entered, UTC.
const ENTERED_AT: [u32; 3] = [18, 19, 20];

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

/// The latest past Mondays outside June, July and August, oldest first.
fn mondays(now: Timestamp) -> Vec<Date> {
    let mut day = Date::of(now).previous();
    // The first day of 1970 was a Thursday.
    while (day.start().as_seconds() / 86_400 + 3) % 7 != 0 {
        day = day.previous();
    }
    let weeks = (0_u32..).map(|week| Date::of(day.start().before(DAY * (7 * week))));
    let is_played = |day: &Date| !matches!(day.to_string().get(5..7), Some("06" | "07" | "08"));
    let mut mondays: Vec<Date> = weeks.filter(is_played).take(MONDAYS).collect();
    mondays.reverse();
    mondays
}

pub(super) async fn load(service: &Service, demo: &mut Demo) -> Result<(), DemoError> {
    let (mina, mondays) = (MINA.caller(), mondays(demo.loaded_at()));
    let Some(first) = mondays.first() else { return Ok(()) };
    let mut ids: Vec<PlayerId> = Vec::new();
    for (number, (name, email, user_id)) in (0_u32..).zip(PLAYERS) {
        demo.set_time(first.start().before(DAY * 6).after(HOUR * 18 + HOUR * number / 12));
        let new = NewPlayer {
            name: name.parse()?,
            email: email.map(|email| Email(email.to_owned())),
            user_id: user_id.map(str::parse).transpose()?,
        };
        ids.push(service.create_player(&mina, &new).await?.id);
    }
    // Kim has not come yet.
    ids.pop();
    let days = mondays.iter().flat_map(|date| ENTERED_AT.map(|hour| (date, hour)));
    for ((date, hour), [team_a_games, team_b_games]) in days.zip(SCORES.into_iter().cycle()) {
        demo.set_time(date.start().after(HOUR * hour));
        let mut left = ids.clone();
        let mut pick = || {
            let place = demo.below(u32::try_from(left.len()).unwrap_or(0));
            left.swap_remove((place as usize).min(left.len().saturating_sub(1)))
        };
        let new = NewMatch {
            date: date.to_string(),
            team_a_player_1_id: pick(),
            team_a_player_2_id: pick(),
            team_b_player_1_id: pick(),
            team_b_player_2_id: pick(),
            team_a_games,
            team_b_games,
            winning_team: None,
        };
        service.create_match(&mina, &new).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_22_mondays_of_the_season_are_played() {
        for (today, last) in [
            ("2026-11-18", "2026-11-16"),
            // A Monday is over when the next day begins.
            ("2026-11-16", "2026-11-09"),
            ("2026-11-17", "2026-11-16"),
            ("2026-08-20", "2026-05-25"),
            ("2027-01-01", "2026-12-28"),
        ] {
            let mondays = mondays(format!("{today}T12:00:00.000Z").parse().unwrap());
            assert_eq!((mondays.len(), mondays[21].to_string().as_str()), (22, last));
            assert!(mondays.is_sorted() && mondays.windows(2).all(|two| two[0] != two[1]));
            let months = mondays.iter().map(|day| day.to_string()[5..7].to_owned());
            assert!(!months.into_iter().any(|month| ["06", "07", "08"].contains(&&*month)));
        }
    }
}
