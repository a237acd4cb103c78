//! A sort key of more parts than queries can fix.

use singlet::prelude::*;

id!(Code);

#[table(name = "table", key = (PK, SK), entities(Long))]
struct Table;

#[derive(Entity)]
#[entity(Table, key = ("GAME#{code}", "{a}#{b}#{c}#{d}#{e}#{f}#{g}#{h}#{i}"))]
struct Long {
    code: Code,
    a: Code,
    b: Code,
    c: Code,
    d: Code,
    e: Code,
    f: Code,
    g: Code,
    h: Code,
    i: Code,
}

fn main() {}
