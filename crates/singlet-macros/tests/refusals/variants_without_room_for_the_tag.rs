//! The tag of an enum is a member beside those of the variant, so a variant is a struct.

use singlet::prelude::*;

#[derive(Attribute)]
enum Number {
    One(u32),
}

#[derive(Attribute)]
enum Maybe {
    One(Option<Size>),
}

#[derive(Attribute)]
struct Size {
    r#type: u32,
}

#[derive(Attribute)]
enum Clash {
    One(Size),
}

#[derive(Attribute)]
enum Nested {
    One(Clash),
}

fn main() {}
