//! Invariants at every commit: counters and tags match their items.

use crate::fixture::text;
use singlet::dynamo::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};

fn number(item: &Item, name: &str) -> u64 {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().unwrap(),
        other => panic!("{name} is {other:?} in {item:?}"),
    }
}

fn list(item: &Item, name: &str) -> BTreeSet<String> {
    match item.get(name) {
        Some(Value::L(values)) => values
            .iter()
            .map(|value| match value {
                Value::S(text) => text.to_string(),
                other => panic!("{other:?}"),
            })
            .collect(),
        other => panic!("{name} is {other:?}"),
    }
}

/// An item with a state has no list attributes.
fn assert_listed(item: &Item) {
    let is_sealed = item.get("state").is_some();
    for name in ["entityType", "entitySk"] {
        assert_eq!(item.get(name).is_none(), is_sealed, "{name} of {}", text(item, "PK"));
    }
}

/// Fails if a counter or a tag is wrong.
pub(crate) fn assert_invariants(items: &[Item]) {
    let mut stars: BTreeMap<String, [u64; 5]> = BTreeMap::new();
    let mut comments: BTreeMap<String, u64> = BTreeMap::new();
    let mut members: BTreeMap<String, u64> = BTreeMap::new();
    let mut groups: BTreeMap<String, u64> = BTreeMap::new();
    let mut played: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut tags: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for item in items {
        let (pk, sk) = (text(item, "PK"), text(item, "SK"));
        if pk.starts_with("USER#") && sk.starts_with("SITE#") {
            let site = text(item, "siteId");
            if sk.contains("#COMMENT#") {
                *comments.entry(site).or_default() += 1;
            } else {
                let of = usize::try_from(number(item, "stars")).unwrap();
                stars.entry(site).or_default()[of - 1] += 1;
                assert_eq!(number(item, "starRating"), of as u64);
            }
        } else if sk.starts_with("MEMBERSHIP#") {
            *members.entry(format!("GROUP#{}", text(item, "groupName"))).or_default() += 1;
            *groups.entry(pk).or_default() += 1;
        } else if sk.starts_with("MATCH#") {
            let one = (text(item, "matchId"), text(item, "squashDate"));
            played.entry(pk).or_default().insert(one);
        } else if pk.starts_with("SITE#") && sk.starts_with("TAG#") {
            tags.entry(pk).or_default().insert(text(item, "tag"));
        }
    }
    let mut in_matches: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut sites = BTreeSet::new();
    for item in items.iter().filter(|item| text(item, "SK") == "METADATA") {
        let pk = text(item, "PK");
        if pk.starts_with("SITE#") {
            sites.insert(pk.clone());
            let stars = stars.get(&pk).copied().unwrap_or_default();
            let counted: Vec<u64> =
                (1..=5).map(|one| number(item, &format!("stars{one}"))).collect();
            assert_eq!(counted, stars, "{pk}");
            assert_eq!(number(item, "ratingCount"), stars.iter().sum::<u64>(), "{pk}");
            let sum: u64 = stars.iter().zip(1..).map(|(count, stars)| count * stars).sum();
            assert_eq!(number(item, "ratingSum"), sum, "{pk}");
            assert_eq!(
                number(item, "commentCount"),
                comments.get(&pk).copied().unwrap_or(0),
                "{pk}"
            );
            if item.get("taskId").is_none() {
                let stored = tags.get(&pk).cloned().unwrap_or_default();
                assert_eq!(list(item, "tags"), stored, "{pk}");
            }
            assert_listed(item);
        } else if pk.starts_with("GROUP#") {
            assert_listed(item);
            assert_eq!(number(item, "memberCount"), members.get(&pk).copied().unwrap_or(0), "{pk}");
        } else if pk.starts_with("SQUASH#MATCH#") {
            let one = (text(item, "matchId"), text(item, "date"));
            for of in ["teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id"] {
                let player = format!("SQUASH#PLAYER#{}", text(item, of));
                in_matches.entry(player).or_default().insert(one.clone());
            }
        }
    }
    for item in items.iter().filter(|item| text(item, "SK") == "PROFILE") {
        let pk = text(item, "PK");
        assert_eq!(number(item, "groupCount"), groups.remove(&pk).unwrap_or(0), "{pk}");
    }
    let linked = |kind: &str, own: &str, other: &str| -> BTreeSet<(String, String)> {
        let of_kind = items.iter().filter(|item| text(item, "entityType") == kind);
        let pairs = of_kind.map(|item| {
            let id = text(item, "PK").rsplit('#').next().unwrap().to_owned();
            let mut pair = [(own, id), (other, text(item, other))];
            pair.sort();
            pair.map(|(_, id)| id).into()
        });
        pairs.filter(|(one, two): &(String, String)| !one.is_empty() && !two.is_empty()).collect()
    };
    // The profile of an account names the player who names the account.
    let players = linked("SQUASH_PLAYER", "playerId", "userId");
    assert_eq!(linked("PROFILE", "userId", "playerId"), players);
    assert!(groups.is_empty(), "members without a profile: {groups:?}");
    assert_eq!(in_matches, played);
    for item in items.iter().filter(|item| text(item, "entityType") == "SQUASH_PLAYER") {
        let pk = text(item, "PK");
        let count = played.remove(&pk).unwrap_or_default().len() as u64;
        assert_eq!(number(item, "matchCount"), count, "{pk}");
    }
    assert!(played.is_empty(), "matches name players that are not there: {played:?}");
    for of in stars.keys().chain(comments.keys()).chain(tags.keys()) {
        assert!(sites.contains(of), "{of} is gone, and something of it is not");
    }
}
