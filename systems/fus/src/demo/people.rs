//! The people of the demo data, and their groups.

use crate::rules::Permission;
use crate::service::{NewGroup, Service, SignIn};
use singlet_web::Persona;
use singlet_web::demo::{Demo, DemoError};
use singlet_web::identity::Caller;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

pub(super) const SOFIA: Persona =
    Persona::new("sofia", "Sofia Lind", "may do everything").with_groups(&["SuperAdmin"]);
pub(super) const ADAM: Persona =
    Persona::new("adam", "Adam Weiss", "manages sites and groups").with_groups(&["admin"]);
pub(super) const MINA: Persona =
    Persona::new("mina", "Mina Roth", "manages the squash club").with_groups(&["manager"]);
pub(super) const MAX: Persona =
    Persona::new("max", "Max Berg", "a manager, not in Squash").with_groups(&["manager"]);
pub(super) const PIA: Persona = Persona::new("pia", "Pia Holm", "plays squash");
pub(super) const LEA: Persona = Persona::new("lea", "Lea Stern", "moderator and librarian");
pub(super) const NILS: Persona = Persona::new("nils", "Nils Aho", "in no group");

/// Those who can be signed in as with one click.
pub static PERSONAS: [Persona; 7] = [SOFIA, ADAM, MINA, MAX, PIA, LEA, NILS];

/// The other members of the club.
const OTHERS: [(&str, &str); 7] = [
    ("ben", "Ben Okafor"),
    ("cleo", "Cleo Vance"),
    ("dan", "Dan Muir"),
    ("eve", "Eve Sato"),
    ("finn", "Finn Daly"),
    ("gus", "Gus Hale"),
    ("hana", "Hana Novak"),
];

/// All fourteen people.
pub(super) fn callers() -> Vec<Caller> {
    let others = OTHERS.iter().map(|(subject, name)| Caller {
        subject: (*subject).to_owned(),
        name: Some((*name).to_owned()),
        ..Caller::default()
    });
    PERSONAS.iter().map(Persona::caller).chain(others).collect()
}

/// Everybody has signed in, and some say who they are.
pub(super) async fn load_people(service: &Service, demo: &Demo) -> Result<(), DemoError> {
    for (number, caller) in (0_u32..).zip(callers()) {
        let at = demo.loaded_at().before(HOUR * (7 * number + 2));
        let ip = Some(format!("192.0.2.{}", number + 10));
        service.record_login(&caller, &SignIn { at, ip }).await?;
    }
    for (caller, about) in [
        (MINA.caller(), "Books the court on Mondays."),
        (PIA.caller(), "Left-handed. Plays in the corner."),
        (LEA.caller(), "Reads every comment."),
    ] {
        let sign_in = SignIn { at: demo.loaded_at(), ip: None };
        let name = caller.name.clone().unwrap_or_default();
        service.update_profile(&caller, &sign_in, &name, about).await?;
    }
    Ok(())
}

/// Who creates it, name, description, what its members may do, members.
type Group<'a> = (&'a Caller, &'a str, &'a str, &'a [Permission], &'a [&'a str]);

/// Four groups. What a group may do, whoever adds to it may do too.
pub(super) async fn load_groups(service: &Service, _: &Demo) -> Result<(), DemoError> {
    use Permission::{ManageMembers, ModerateComments, ReadGroups, ReadLogins};
    let (sofia, adam) = (SOFIA.caller(), ADAM.caller());
    let groups: [Group<'_>; 3] = [
        (
            &adam,
            "Moderators",
            "They remove what is no comment.",
            &[ModerateComments],
            &["lea", "ben", "cleo"],
        ),
        (
            &adam,
            "Librarians",
            "They know who is who.",
            &[ReadGroups, ManageMembers],
            &["lea", "dan"],
        ),
        (&sofia, "Helpdesk", "They see who could not sign in.", &[ReadLogins], &["gus"]),
    ];
    for (caller, name, description, permissions, members) in groups {
        let new = NewGroup {
            description: description.to_owned(),
            permissions: permissions.iter().copied().collect(),
        };
        service.create_group(caller, name, &new).await?;
        for member in members {
            service.add_member(caller, name, member).await?;
        }
    }
    for member in ["mina", "pia", "ben", "cleo", "dan", "eve", "finn", "gus", "hana"] {
        service.add_member(&sofia, "Squash", member).await?;
    }
    Ok(())
}
