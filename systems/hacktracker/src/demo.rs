//! Demo data: a team in the middle of its season, a deleted team, and somebody's own at-bats.

mod deleted_team;
mod personal;
mod roster;
mod scorer;
mod season;

use crate::input::NewUser;
use crate::service::{ADMIN_GROUP, Service};
use singlet::Timestamp;
use singlet_web::Persona;
use singlet_web::demo::{Demo, DemoError};
use std::time::Duration;

/// Lists everything.
pub const ADA: Persona = Persona::new("ada-quist", "Ada Quist", "admin")
    .with_groups(&[ADMIN_GROUP])
    .with_email("ada.quist@example.com");
/// Owns Copper Kettles and Old Tins.
pub const NORA: Persona = Persona::new("nora-vance", "Nora Vance", "owner of Copper Kettles, #7")
    .with_email("nora.vance@example.com");
/// Manages Copper Kettles.
pub const OMAR: Persona = Persona::new("omar-reyes", "Omar Reyes", "manager of Copper Kettles")
    .with_email("omar.reyes@example.com");
/// Scores for Copper Kettles.
pub const SKYE: Persona =
    Persona::new("skye-tanaka", "Skye Tanaka", "scorekeeper of Copper Kettles")
        .with_email("skye.tanaka@example.com");
/// Plays for Copper Kettles.
pub const PIA: Persona =
    Persona::new("pia-lindgren", "Pia Lindgren", "player of Copper Kettles, #12")
        .with_email("pia.lindgren@example.com");
/// Is linked to a player of Copper Kettles, and inactive.
pub const IVAN: Persona =
    Persona::new("ivan-brandt", "Ivan Brandt", "inactive member of Copper Kettles, linked")
        .with_email("ivan.brandt@example.com");
/// Has a Personal team and knows nobody.
pub const STELLA: Persona =
    Persona::new("stella-moreau", "Stella Moreau", "stranger with personal statistics")
        .with_email("stella.moreau@example.com");

/// Everybody who can be signed in as.
pub const PERSONAS: &[Persona] = &[ADA, NORA, OMAR, SKYE, PIA, IVAN, STELLA];

/// People signed up twelve weeks ago, before the first game.
const SIGN_UP_AGE: Duration = Duration::from_secs(84 * 24 * 60 * 60);

/// Loads the demo data through the service, so that it keeps every rule.
pub(crate) async fn load(service: &Service, demo: Demo) -> Result<(), DemoError> {
    let begin = demo.loaded_at().before(SIGN_UP_AGE);
    let mut loader = DemoLoader { service: service.clone(), demo, now: begin };
    loader.set_time(begin);
    for persona in PERSONAS {
        let (first, last) = persona.name.split_once(' ').unwrap_or((persona.name, "-"));
        let new = NewUser {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
            phone_number: None,
            email: None,
        };
        service.sign_up(&persona.caller(), &new).await?;
        loader.pass(60);
    }
    deleted_team::load(&mut loader).await?;
    let kettles = roster::load(&mut loader).await?;
    season::load(&mut loader, &kettles).await?;
    personal::load(&mut loader).await
}

/// The service at the time that the demo data has reached.
struct DemoLoader {
    service: Service,
    demo: Demo,
    now: Timestamp,
}

impl DemoLoader {
    fn set_time(&mut self, now: Timestamp) {
        self.now = now;
        self.demo.set_time(now);
    }

    /// Some time passes.
    fn pass(&mut self, seconds: u64) {
        self.set_time(self.now.after(Duration::from_secs(seconds)));
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.demo.below(100) < percent
    }
}

/// What demo data relies on is missing.
fn missing(what: &str) -> DemoError {
    DemoError::new(format!("{what} is missing"))
}
