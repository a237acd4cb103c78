//! Declared types in a design.

use singlet::design::{AttributeType, Design};
use singlet::prelude::*;
use std::collections::BTreeMap;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Attribute)]
struct Size {
    width: u32,
    height: Option<u32>,
}

#[derive(Attribute)]
struct Board {
    size: Size,
    title: String,
}

#[derive(Attribute)]
struct History {
    moves: Vec<u32>,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
    board: Board,
    history: Option<History>,
    scores: BTreeMap<String, u32>,
}

/// Regression: SD701 reported a struct as unbounded.
#[test]
fn a_struct_holds_no_more_than_its_members() {
    let design: Design = Games::design();
    let kind = |name: &str| {
        let found = design.tables.first().and_then(|table| table.entity("Game")?.attribute(name));
        found.map(|attribute| attribute.kind)
    };
    assert_eq!(kind("board"), Some(AttributeType::Struct));
    assert_eq!(kind("history"), Some(AttributeType::Map), "a member grows");
    let findings: Vec<String> = design.check().iter().map(ToString::to_string).collect();
    let told = |name: &str| {
        format!(
            "note[SD701] table 'games', entity 'Game', attribute '{name}': `{name}` holds any number of elements, and nothing says how large it gets"
        )
    };
    assert_eq!(findings, [told("history"), told("scores")]);
}

#[table(name = "posts", key = (PK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Post))]
struct Posts;

#[derive(Entity)]
#[entity(Posts, key = ("POST#{blog:04}#{id}"), GSI1 of_author = ("AUTHOR#{author:04}", "TITLE#{title}"))]
struct Post {
    id: Code,
    #[attribute(default)]
    blog: u32,
    #[attribute(default)]
    author: u32,
    #[attribute(default)]
    likes: u32,
    #[attribute(in_key)]
    title: String,
}

/// Regression: a field with a default was optional in the design even as part of a key, so the
/// check rejected a design that the compiler accepts.
#[test]
fn a_field_with_a_default_is_never_missing_in_a_key() {
    let design: Design = Posts::design();
    let post = design.tables.first().and_then(|table| table.entity("Post"));
    let is_optional = |name| post.and_then(|post| post.attribute(name)).map(|own| own.optional);
    assert_eq!(
        ["blog", "author", "likes"].map(is_optional),
        [Some(false), Some(false), Some(true)]
    );
    let errors = design.check();
    let errors = errors.iter().filter(|finding| ["SD103", "SD112"].contains(&finding.code));
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    assert_eq!(errors, Vec::<String>::new());
}
