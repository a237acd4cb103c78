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

/// The players of Tidewall: team, nickname, number.
pub(super) const PLAYERS: &[(&str, &str, u8)] = &[
    ("anc", "Lark", 10),
    ("anc", "Tully", 2),
    ("anc", "Harrow", 5),
    ("anc", "Wick", 8),
    ("anc", "Sorrel", 14),
    ("anc", "Dace", 17),
    ("anc", "Plover", 1),
    ("bel", "Ember", 3),
    ("bel", "Quill", 6),
    ("bel", "Rook", 9),
    ("bel", "Thistle", 11),
    ("bel", "Marlow", 12),
    ("bel", "Jackdaw", 20),
    ("bel", "Nettle", 1),
    ("cin", "Cob", 4),
    ("cin", "Sable", 7),
    ("cin", "Vesper", 10),
    ("cin", "Flint", 13),
    ("cin", "Onyx", 15),
    ("cin", "Ash", 21),
    ("cin", "Clinker", 1),
    ("dri", "Moss", 6),
    ("dri", "Alder", 2),
    ("dri", "Reed", 8),
    ("dri", "Wren", 9),
    ("dri", "Bracken", 16),
    ("dri", "Otter", 19),
    ("dri", "Teasel", 1),
    ("eas", "Saffron", 5),
    ("eas", "Gable", 7),
    ("eas", "Linnet", 10),
    ("eas", "Hob", 18),
    ("eas", "Mercer", 22),
    ("eas", "Tansy", 1),
    ("fog", "Kite", 4),
    ("fog", "Juno", 7),
    ("fog", "Pepper", 9),
    ("fog", "Brick", 11),
    ("fog", "Gull", 23),
    ("fog", "Haar", 1),
];
