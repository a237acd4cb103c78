//! What messages say.

use crate::rules::{DisplayState, EventKind, LastEvent, Phase, event_title};
use serde_json::{Value, json};

pub const PAYLOAD_BYTES_MAX: usize = 4096;
/// After so many seconds an activity is stale; longer in breaks.
const STALE_SECONDS: i64 = 5 * 60;
const BREAK_STALE_SECONDS: i64 = 45 * 60;
const DISMISSAL_SECONDS: i64 = 3600;

/// Title and body of an alert: `WICKET! KIN 111/4 (12.5)`, `L. Moyo c A. Mensah …`.
pub fn alert_text(event: &LastEvent, team: &str) -> (String, String) {
    let title = event_title(event, team);
    let title = match event.kind {
        EventKind::MatchEnd => format!("{title}: {}", event.score),
        _ => format!("{title} {}", event.score),
    };
    (title, event.text.clone())
}

pub fn alert_payload(
    match_id: &str,
    sequence: u64,
    kind: &str,
    (title, body): (&str, &str),
) -> Value {
    json!({
        "aps": {
            "alert": {"title": title, "body": body},
            "sound": "default",
            "thread-id": format!("match-{match_id}"),
            "relevance-score": 0.8,
        },
        "matchId": match_id,
        "sequence": sequence,
        "kind": kind,
    })
}

fn content(state: &DisplayState) -> Value {
    serde_json::to_value(state).unwrap_or_default()
}

fn stale_date(state: &DisplayState, at_seconds: i64) -> i64 {
    match state.phase {
        Phase::Live => at_seconds + STALE_SECONDS,
        _ => at_seconds + BREAK_STALE_SECONDS,
    }
}

/// Starts an activity. `at_seconds` is when the state was committed.
pub fn start_payload(state: &DisplayState, league_name: &str, at_seconds: i64) -> Value {
    let codes: Vec<&str> = state.teams.iter().map(|team| team.team.code.as_str()).collect();
    let title = format!("{} is live", codes.join(" v "));
    json!({"aps": {
        "timestamp": at_seconds,
        "event": "start",
        "attributes-type": "MatchActivityAttributes",
        "attributes": {"matchId": state.match_id, "teamId": state.team},
        "content-state": content(state),
        "input-push-token": 1,
        "stale-date": stale_date(state, at_seconds),
        "alert": {"title": title, "body": league_name},
    }})
}

/// Changes an activity; with an alert, phones buzz.
pub fn update_payload(state: &DisplayState, alert: Option<(&str, &str)>, at_seconds: i64) -> Value {
    let mut aps = json!({
        "timestamp": at_seconds,
        "event": "update",
        "content-state": content(state),
        "stale-date": stale_date(state, at_seconds),
        "relevance-score": 75,
    });
    if let (Some((title, body)), Some(aps)) = (alert, aps.as_object_mut()) {
        let alert = json!({"title": title, "body": body, "sound": "default"});
        aps.insert("alert".to_owned(), alert);
    }
    json!({"aps": aps})
}

/// Ends an activity: it disappears after an hour, or at once.
pub fn end_payload(state: &DisplayState, at_seconds: i64, is_at_once: bool) -> Value {
    let dismissal = if is_at_once { at_seconds } else { at_seconds + DISMISSAL_SECONDS };
    json!({"aps": {
        "timestamp": at_seconds,
        "event": "end",
        "content-state": content(state),
        "dismissal-date": dismissal,
    }})
}

/// What a payload can do without, the least important first.
const OPTIONAL: [&str; 3] = ["thisOver", "bowler", "batters"];

/// The payload in at most 4,096 bytes: else `thisOver`, `bowler` and `batters` become null, in that
/// order; `None` if that is not enough.
pub fn fit(payload: &Value) -> Option<String> {
    let mut texts = (0..=OPTIONAL.len()).map(|count| trimmed(payload, count));
    texts.find(|text| text.len() <= PAYLOAD_BYTES_MAX)
}

/// The payload without so many of its optional parts.
pub(super) fn trimmed(payload: &Value, count: usize) -> String {
    let mut payload = payload.clone();
    if let Some(Value::Object(state)) = payload.pointer_mut("/aps/content-state") {
        for name in OPTIONAL.iter().take(count) {
            state.insert((*name).to_owned(), Value::Null);
        }
    }
    payload.to_string()
}
