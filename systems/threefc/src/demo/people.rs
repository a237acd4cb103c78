//! The people and players of the demo data.

use singlet_web::Persona;

pub(super) const INES: Persona =
    Persona::new("ines", "Ines Okafor", "admin of Tidewall").with_email("ines.okafor@example.org");
pub(super) const TOMASZ: Persona = Persona::new("tomasz", "Tomasz Wren", "scorekeeper of Tidewall")
    .with_email("tomasz.wren@example.org");
pub(super) const BEA: Persona =
    Persona::new("bea", "Bea Lindqvist", "viewer of Tidewall and of Quarry Lane");
pub(super) const RUBEN: Persona = Persona::new("ruben", "Ruben Castle", "admin of Quarry Lane");
const NOOR: Persona = Persona::new("noor", "Noor Haddad", "signed in, without a role");

/// The people of the demo data.
pub const PERSONAS: [Persona; 5] = [INES, TOMASZ, BEA, RUBEN, NOOR];

/// The players of Tidewall by team, with their numbers.
const SQUADS: [(&str, &str); 6] = [
    ("anc", "Lark 10, Tully 2, Harrow 5, Wick 8, Sorrel 14, Dace 17, Plover 1"),
    ("bel", "Ember 3, Quill 6, Rook 9, Thistle 11, Marlow 12, Jackdaw 20, Nettle 1"),
    ("cin", "Cob 4, Sable 7, Vesper 10, Flint 13, Onyx 15, Ash 21, Clinker 1"),
    ("dri", "Moss 6, Alder 2, Reed 8, Wren 9, Bracken 16, Otter 19, Teasel 1"),
    ("eas", "Saffron 5, Gable 7, Linnet 10, Hob 18, Mercer 22, Tansy 1"),
    ("fog", "Kite 4, Juno 7, Pepper 9, Brick 11, Gull 23, Haar 1"),
];

/// The players of Tidewall: team, nickname, number.
pub(super) fn players() -> impl Iterator<Item = (&'static str, &'static str, Option<u8>)> {
    SQUADS.into_iter().flat_map(|(team, squad)| {
        let players = squad.split(", ").filter_map(|player| player.split_once(' '));
        players.map(move |(nickname, number)| (team, nickname, number.parse().ok()))
    })
}
