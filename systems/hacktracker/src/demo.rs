//! Demo data: a team in the middle of its season, a deleted team, and somebody's own at-bats. It is
//! loaded by requests to the service, so that it keeps every rule.

mod scorer;
mod season;
mod teams;

use crate::service::{ADMIN_GROUP, Service};
use serde_json::{from_value, json};
use singlet::Timestamp;
use singlet_web::Persona;
use singlet_web::demo::{Demo, DemoError};
use std::time::Duration;

pub const ADA: Persona = Persona::new("ada-quist", "Ada Quist", "admin")
    .with_groups(&[ADMIN_GROUP])
    .with_email("ada.quist@example.com");
pub const NORA: Persona = Persona::new("nora-vance", "Nora Vance", "owner of Copper Kettles, #7")
    .with_email("nora.vance@example.com");
pub const OMAR: Persona = Persona::new("omar-reyes", "Omar Reyes", "manager of Copper Kettles")
    .with_email("omar.reyes@example.com");
pub const SKYE: Persona =
    Persona::new("skye-tanaka", "Skye Tanaka", "scorekeeper of Copper Kettles")
        .with_email("skye.tanaka@example.com");
pub const PIA: Persona =
    Persona::new("pia-lindgren", "Pia Lindgren", "player of Copper Kettles, #12")
        .with_email("pia.lindgren@example.com");
pub const IVAN: Persona =
    Persona::new("ivan-brandt", "Ivan Brandt", "inactive member of Copper Kettles, linked")
        .with_email("ivan.brandt@example.com");
pub const STELLA: Persona =
    Persona::new("stella-moreau", "Stella Moreau", "stranger with personal statistics")
        .with_email("stella.moreau@example.com");

pub const PERSONAS: &[Persona] = &[ADA, NORA, OMAR, SKYE, PIA, IVAN, STELLA];

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Before the first game.
const SIGN_UP_AGE: Duration = Duration::from_secs(84 * 24 * 60 * 60);

pub(crate) async fn load(service: &Service, demo: Demo) -> Result<(), DemoError> {
    let now = demo.loaded_at().before(SIGN_UP_AGE);
    let mut loader = Loader { service: service.clone(), demo, now, season: String::new() };
    loader.pass(0);
    for persona in PERSONAS {
        let (first, last) = persona.name.split_once(' ').unwrap_or((persona.name, "-"));
        let new = from_value(json!({"firstName": first, "lastName": last}))?;
        service.sign_up(&persona.caller(), &new).await?;
        loader.pass(60);
    }
    loader.season = season_of(loader.saturday(11));
    teams::old_tins(&mut loader).await?;
    let kettles = teams::copper_kettles(&mut loader).await?;
    loader.season = season_of(loader.saturday(5));
    season::load(&mut loader, &kettles).await?;
    season::personal(&mut loader).await
}

struct Loader {
    service: Service,
    demo: Demo,
    now: Timestamp,
    /// Of the games that are scheduled.
    season: String,
}

impl Loader {
    fn set_time(&mut self, now: Timestamp) {
        self.now = now;
        self.demo.set_time(now);
    }

    fn pass(&mut self, seconds: u64) {
        self.set_time(self.now.after(Duration::from_secs(seconds)));
    }

    /// The Saturday so many weeks before the last one, at 17:00 UTC: noon in America, evening in
    /// Europe.
    fn saturday(&self, weeks_ago: i64) -> Timestamp {
        let day = self.demo.loaded_at().as_millis().div_euclid(DAY_MS);
        // The third day of 1970 was a Saturday.
        let day = day - (day + 5).rem_euclid(7) - 7 * weeks_ago;
        Timestamp::from_millis(day * DAY_MS).after(17 * HOUR)
    }
}

fn missing(what: &str) -> DemoError {
    DemoError::new(format!("{what} is missing"))
}

/// Such as `2026-fall`. A winter has the year in which it begins.
fn season_of(at: Timestamp) -> String {
    let text = at.to_string();
    let mut numbers = text.split('-').map(|part| part.parse::<u32>().unwrap_or_default());
    let (year, month) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    match month {
        1 | 2 => format!("{}-winter", year.saturating_sub(1)),
        3..=5 => format!("{year}-spring"),
        6..=8 => format!("{year}-summer"),
        9..=11 => format!("{year}-fall"),
        _ => format!("{year}-winter"),
    }
}
