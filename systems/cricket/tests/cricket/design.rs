//! The design of the tables, as `singlet check` judges it.

use cricket::design::Cricket;
use singlet::design::Design;
use singlet::design::check::Severity;
use singlet::{Declaration, Settings};

/// An acceptance that no longer matches anything is itself a finding.
#[test]
fn the_check_finds_nothing_but_the_matches_in_play() {
    let design = cricket::system().declared();
    assert_eq!(design.tables.len(), 13);
    let open: Vec<String> = design
        .check()
        .iter()
        // Notes say what types cannot tell: how large attributes get.
        .filter(|finding| finding.accepted.is_none() && finding.severity != Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(open, [] as [&str; 0]);
}

/// Names and keys are the specification's, with its corrections C-c to C-g.
#[test]
fn tables_have_the_names_and_keys_of_the_specification() {
    let design = Cricket::design();
    let keys: Vec<String> = design
        .tables
        .iter()
        .map(|table| {
            let sort = table.key.sort.first().map(|sort| format!(", {}", sort.name));
            let ttl = table.ttl.as_ref().map(|ttl| format!(" ttl {ttl}"));
            let indexes: Vec<String> =
                table.indexes.iter().map(|index| format!(" {}", index.name)).collect();
            format!(
                "{} ({}{}){}{}",
                table.name,
                table.key.partition[0].name,
                sort.unwrap_or_default(),
                ttl.unwrap_or_default(),
                indexes.concat()
            )
        })
        .collect();
    assert_eq!(
        keys,
        [
            "cricket-fixtures (matchId) leagueCode-startTime-index live-index",
            "cricket-teams (teamId)",
            "cricket-team-seasons (seasonId, teamId)",
            "cricket-leagues (leagueId)",
            "cricket-devices (userId, deviceToken) ttl expiresAt",
            "cricket-match-follows (matchId, userId) ttl expiresAt",
            "cricket-activity-subscriptions (matchId, pushToken) ttl expiresAt",
            "cricket-prematch-notifications (matchId, userId) ttl expiresAt",
            "cricket-locks (lockKey)",
            "cricket-state-hashes (matchTeamKey)",
            "DisplayStateCache (cacheKey) ttl ttl",
            "cricket-fixture-cache (matchId) ttl ttl leagueId-startingAt-index",
            "match-processing-state (matchId) ttl expiresAt",
        ]
    );
}

/// The design of the source, as the tests of the model keep it with its contradictions mended: all
/// of it is here. What is only here is ours.
#[test]
fn everything_that_the_source_stores_is_here() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/singlet/tests/designs/built/cricket.json"
    );
    let source = Design::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut differences = Cricket::design().differences(&source);
    differences.retain(|line| !line.ends_with(": only in the first"));
    assert_eq!(differences, [] as [&str; 0]);
}

/// Two environments never share a table.
#[test]
fn other_environments_have_tables_of_their_own() {
    let names = |environment: &str| -> Vec<String> {
        let settings = Settings { environment: environment.into(), ..Settings::default() };
        Cricket::TABLES.iter().map(|table| settings.name_of(table)).collect()
    };
    let default = names(Settings::DEFAULT_ENVIRONMENT);
    assert_eq!(default[0], "cricket-fixtures");
    let expected: Vec<String> = default.iter().map(|name| format!("{name}-prod")).collect();
    assert_eq!(names("prod"), expected);
}
