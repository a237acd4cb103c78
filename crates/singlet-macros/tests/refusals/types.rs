//! Types that cannot be stored as they are declared.

use singlet::prelude::*;
use std::collections::BTreeMap;

#[derive(Attribute)]
struct TwoValues(String, u32);

#[derive(Attribute)]
struct NoValue;

#[derive(Attribute)]
struct Borrowed<'a>(&'a str);

#[derive(Attribute)]
#[attribute(rename_all = "camelCase")]
struct RenamedNewtype(String);

#[derive(Attribute)]
struct DefaultNewtype(#[attribute(default)] String);

#[derive(Attribute)]
#[attribute(tag = "type")]
struct TaggedStruct {
    size: u32,
}

#[derive(Attribute)]
#[attribute(tag = "type", tag = "kind")]
enum TwoTags {
    One { size: u32 },
}

#[derive(Attribute)]
#[attribute(externally_tagged, tag = "type")]
enum TwoKindsOfTag {
    One { size: u32 },
}

#[derive(Attribute)]
#[attribute(content = "type")]
enum ContentCalledLikeTheTag {
    One { size: u32 },
}

#[derive(Attribute)]
#[attribute(untagged)]
enum Untagged {
    One { size: u32 },
}

#[derive(Attribute)]
enum MemberCalledLikeTheTag {
    One { r#type: u32 },
}

#[derive(Attribute)]
enum TwoValuesInAVariant {
    One(u32, u32),
}

#[derive(Attribute)]
#[attribute(rename_all = "lowercase")]
enum EqualTexts {
    DarkRed,
    Darkred,
}

#[derive(Attribute)]
enum EqualNames {
    One { size: u32 },
    #[attribute(rename = "One")]
    Two,
}

#[derive(Attribute)]
enum EqualMembers {
    #[attribute(rename_all = "camelCase")]
    One { left_side: u32, #[attribute(rename = "leftSide")] right: u32 },
}

#[derive(Attribute)]
enum CasedUnit {
    #[attribute(rename_all = "camelCase")]
    One,
    Two { size: u32 },
}

#[derive(Attribute)]
struct UnknownWay {
    #[attribute(with = json)]
    size: u32,
}

#[derive(Attribute)]
enum SerdeInside {
    One(#[attribute(with = serde)] BTreeMap<String, u32>),
}

#[table(name = "types", key = (PK), entities())]
struct T;

#[derive(Entity)]
#[entity(T, key = ("GAME#{code}"))]
struct SerdeInAKey {
    #[attribute(with = serde)]
    code: String,
}

fn main() {}
