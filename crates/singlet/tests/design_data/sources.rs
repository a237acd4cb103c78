//! The five documents that the systems were built from, as designs with all their mistakes.
//! `designs/sources` has the designs and their findings.
//!
//! The tables below list mistakes found by human readers; the check must find each of them.

use singlet::design::Design;
use std::fs;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/designs/sources").join(name)
}

fn read(name: &str) -> Design {
    let text = fs::read_to_string(path(&format!("{name}.json"))).unwrap_or_default();
    match Design::from_json(&text) {
        Ok(design) => design,
        Err(error) => {
            assert_eq!(error.to_string(), "", "{name}.json");
            Design::new(name)
        }
    }
}

/// Compares the findings with the file next to the design, and checks that they include the listed
/// contradictions. `UPDATE_EXPECT=1` rewrites the file.
fn check(name: &str, contradictions: &[(&str, &str)]) {
    let findings: Vec<String> = read(name).check().iter().map(ToString::to_string).collect();
    let found = findings.iter().map(|finding| format!("{finding}\n")).collect::<String>();
    let expected = path(&format!("{name}.findings"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        assert!(fs::write(&expected, &found).is_ok(), "{}", expected.display());
    }
    assert_eq!(found, fs::read_to_string(&expected).unwrap_or_default(), "{name}.findings");
    for (contradiction, finding) in contradictions {
        assert!(
            findings.iter().any(|found| found.starts_with(finding)),
            "{contradiction} is not found: {finding}"
        );
    }
}

/// The document does not state the duration of a match, so the check cannot know that 48 hours
/// after the start (C-j) is too early. But follows are deleted when a match ends and expire a fixed
/// time after it starts, and the check reports that mismatch.
#[test]
fn cricket() {
    check(
        "cricket",
        &[
            (
                "C-a",
                "error[SD403] table 'cricket-fixtures', index 'live-index', entity 'Fixture', attribute 'liveUpdatedAt'",
            ),
            ("C-b", "error[SD301] pattern 'Get starting-soon matches'"),
            (
                "C-c",
                "error[SD304] pattern 'Register subscription', operation 1, attribute 'pushToken'",
            ),
            (
                "C-c",
                "error[SD105] table 'cricket-activity-subscriptions', entity 'Subscription', attribute 'userId'",
            ),
            ("C-d", "error[SD303] pattern 'Check if notification was sent'"),
            ("C-d", "error[SD303] pattern 'Mark notification sent'"),
            ("C-e", "error[SD304] pattern 'Acquire lock', operation 1, attribute 'lockId'"),
            ("C-e", "error[SD106] pattern 'Release lock', operation 1, attribute 'holder'"),
            ("C-e", "error[SD106] pattern 'Extend lock', operation 1, attribute 'holder'"),
            ("C-f", "error[SD105] table 'cricket-state-hashes'"),
            (
                "C-f",
                "error[SD304] pattern 'Get stored hash', operation 1, attribute 'matchTeamKey'",
            ),
            ("C-g", "error[SD105] table 'DisplayStateCache'"),
            (
                "C-g",
                "error[SD304] pattern 'Get cached display state', operation 1, attribute 'cacheKey'",
            ),
            ("C-h", "error[SD102] pattern 'Remove all follows of a match', operation 2"),
            ("C-h", "error[SD102] pattern 'Remove all subscriptions of a match', operation 2"),
            ("C-i", "note[SD603] pattern 'Acquire lock'"),
            ("C-j", "note[SD605] table 'cricket-match-follows', entity 'Follow'"),
        ],
    );
}

#[test]
fn fus() {
    check(
        "fus",
        &[
            ("F-a", "error[SD302] pattern 'Squash matches by date range'"),
            ("F-b", "error[SD307] pattern 'Comments of a site'"),
            ("F-c", "warning[SD305] pattern 'My ratings', operation 1, entity 'Comment'"),
            ("F-d", "error[SD502] pattern 'Update site', entity 'SiteTag'"),
            ("F-e", "error[SD502] pattern 'Delete squash match', entity 'Participation'"),
            // Not found by human readers: participations have both key attributes of the index, so
            // they are listed with the matches of a day.
            ("new", "error[SD406] table 'fus-main', index 'bySquashDate', entity 'Participation'"),
        ],
    );
}

#[test]
fn threefc() {
    check(
        "threefc",
        &[
            (
                "the mirror of a season",
                "error[SD501] pattern 'Create season', entity 'SeasonLookup'",
            ),
            (
                "the mirror of a session",
                "error[SD501] pattern 'Create session', entity 'SessionLookup'",
            ),
            (
                "the leagues of a user",
                "note[SD312] table '3fc-{env}-app', entity 'AclGrant', attribute 'userId'",
            ),
            // Not found by human readers: the list of a session's games reads the whole partition,
            // including the session's lookup item.
            (
                "new",
                "warning[SD305] pattern 'List games of a session', operation 1, entity 'SessionLookup'",
            ),
        ],
    );
}

#[test]
fn hacktracker() {
    check(
        "hacktracker",
        &[
            (
                "members of a team",
                "note[SD312] table 'hacktracker-{environment}', entity 'Membership', attribute 'teamId'",
            ),
            ("GSI4 is reserved", "warning[SD401] table 'hacktracker-{environment}', index 'GSI4'"),
            ("GSI4 is reserved", "warning[SD402] table 'hacktracker-{environment}', index 'GSI4'"),
            ("GSI5 is reserved", "warning[SD401] table 'hacktracker-{environment}', index 'GSI5'"),
            ("GSI5 is reserved", "warning[SD402] table 'hacktracker-{environment}', index 'GSI5'"),
        ],
    );
}

#[test]
fn snakes() {
    check(
        "snakes",
        &[
            (
                "one partition for all games",
                "warning[SD204] table 'snakes', index 'GSI1', entity 'Game'",
            ),
            ("TTL is fixed at creation", "warning[SD602] pattern 'Change a game'"),
            ("TTL is fixed at creation", "warning[SD602] pattern 'Move a player'"),
            ("expired items are shown", "warning[SD601] pattern 'Get game'"),
        ],
    );
}
