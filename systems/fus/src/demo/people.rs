//! The people of the demo data, and their groups.

use super::at;
use crate::rules::Permission;
use crate::service::{NewGroup, NewName, NewProfile, Service, SignIn};
use singlet_web::prelude::*;

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

/// Personas for one-click sign-in.
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

/// Everybody has signed in within the last two weeks, and some say who they are.
pub(super) async fn load_people(service: &Service, demo: &Demo) -> Result<(), DemoError> {
    for (number, caller) in (0_u32..).zip(callers()) {
        let sign_in = SignIn {
            at: at(demo, 1 + number, number, 17 * number),
            ip: Some(format!("192.0.2.{}", number + 10)),
        };
        service.record_login(&caller, &sign_in).await?;
    }
    for (caller, about) in [
        (MINA.caller(), "Books the court on Mondays."),
        (PIA.caller(), "Left-handed. Plays in the corner."),
        (LEA.caller(), "Reads every comment."),
    ] {
        let sign_in = SignIn { at: demo.loaded_at(), ip: None };
        let display_name = caller.name.clone().unwrap_or_default().parse()?;
        let new = NewProfile { display_name, description: about.parse()? };
        service.update_profile(&caller, &sign_in, &new).await?;
    }
    Ok(())
}

/// Creator, name, description, permissions, members.
type Group<'a> = (Caller, &'a str, &'a str, &'a [Permission], &'a [&'a str]);

/// Four groups. Members are added by users who hold the group's permissions.
pub(super) async fn load_groups(service: &Service) -> Result<(), DemoError> {
    use Permission::{ManageMembers, ModerateComments, ReadGroups, ReadLogins};
    let (sofia, adam) = (SOFIA.caller(), ADAM.caller());
    let groups: [Group<'_>; 3] = [
        (
            adam.clone(),
            "Moderators",
            "They remove spam and insults from the comments.",
            &[ModerateComments],
            &["lea", "ben", "cleo"],
        ),
        (
            adam,
            "Librarians",
            "They look after groups and their members.",
            &[ReadGroups, ManageMembers],
            &["lea", "dan"],
        ),
        (
            sofia.clone(),
            "Helpdesk",
            "They see when and from where people last signed in.",
            &[ReadLogins],
            &["gus"],
        ),
    ];
    for (caller, name, description, permissions, members) in groups {
        let (name, description) = (NewName(name.parse()?), description.parse()?);
        let new = NewGroup { name, description, permissions: permissions.to_vec() };
        let group = service.create_group(&caller, new).await?;
        for member in members {
            service.add_member(&caller, &group.name, &member.parse()?).await?;
        }
    }
    for member in ["mina", "pia", "ben", "cleo", "dan", "eve", "finn", "gus", "hana"] {
        service.add_member(&sofia, &"Squash".parse()?, &member.parse()?).await?;
    }
    Ok(())
}
