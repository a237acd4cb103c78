//! Design files: parsing, writing, and error messages.

use singlet::design::Design;

/// A design that uses every member of the file format.
const EVERYTHING: &str = include_str!("../designs/everything.json");

#[test]
fn a_design_comes_back_as_it_was_written() {
    let design = Design::from_json(EVERYTHING).unwrap();
    let text = design.to_json();
    assert_eq!(Design::from_json(&text).unwrap(), design);
    assert_eq!(text, EVERYTHING, "and is written as a person would");
}

/// Replaces a piece of the file and checks the error message.
fn check(from: &str, to: &str, expected: &str) {
    assert!(EVERYTHING.contains(from), "{from} is in the file");
    let message = match Design::from_json(&EVERYTHING.replacen(from, to, 1)) {
        Ok(_) => "it is read".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(message, expected, "{from} -> {to}");
}

#[test]
fn a_template_says_what_is_wrong_with_it() {
    check(
        r#""partition": "GAME|{code}""#,
        r#""partition": "GAME|{code""#,
        "line 50, column 37: tables.games-{env}.entities.Game.key.partition: `GAME|{code` has a \
         `{` without a `}`: close it, or write `{{` for the character",
    );
}

#[test]
fn unknown_words_are_answered_with_the_known_ones() {
    check(
        r#""key": {"#,
        r#""keys": {"#,
        "line 8, column 12: tables.games-{env}.keys: unknown field `keys`, expected one of \
         `description`, `key`, `indexes`, `delimiter`, `ttl`, `billing`, `stream`, `entities`",
    );
    check(
        r#""code": "id""#,
        r#""code": "uuid""#,
        "line 66, column 26: tables.games-{env}.entities.Game.attributes.code: unknown variant \
         `uuid`, expected one of `id`, `text`, `timestamp`, `timestamp_nanos`, `date`, \
         `integer`, `number`, `epoch_seconds`, `boolean`, `binary`, `list`, `map`, `struct`, \
         `text_set`, `number_set`, \
         `binary_set`, `json`, `any`",
    );
    check(
        r#""begins_with": "#,
        r#""starts_with": "#,
        "line 208, column 27: patterns.End game.operations[1].key.SK.starts_with: unknown variant \
         `starts_with`, expected one of `equals`, `below`, `at_most`, `above`, `at_least`, \
         `between`, `begins_with`",
    );
}

#[test]
fn names_are_given_once() {
    check(
        r#""code": "id","#,
        r#""code": "id", "code": "text","#,
        "line 66, column 40: tables.games-{env}.entities.Game.attributes: there are two of \
         the name `code`: each attribute needs its own",
    );
    check(
        r#""code": "id","#,
        r#""": "id","#,
        "line 66, column 20: tables.games-{env}.entities.Game.attributes: the name of a \
         member is empty: give the attribute one",
    );
}

#[test]
fn short_forms_say_what_they_can_be() {
    check(
        r#""type": "N""#,
        r#""type": "NUMBER""#,
        "line 19, column 13: tables.games-{env}.indexes.byStars.key.partition: a key attribute is \
         a name such as \"PK\", which is text, or an object such as {\"name\": \"stars\", \
         \"type\": \"N\"} with a type of S, N or B",
    );
    check(
        r#""code": "id""#,
        r#""code": 5"#,
        "line 66, column 21: tables.games-{env}.entities.Game.attributes.code: invalid type: \
         integer `5`, expected a type such as \"id\", or an object with a member `type`",
    );
    check(
        r#""PK": "GAME|{code}""#,
        r#""PK": 7"#,
        "line 170, column 19: patterns.Goals of a game.operations[0].key.PK: invalid type: integer \
         `7`, expected a template, or an object such as {\"begins_with\": \"PLAYER#\"}",
    );
}

#[test]
fn shapes_are_told() {
    check(
        r#""patterns": {"#,
        r#""patterns": [], "": {"#,
        "line 153, column 14: patterns: invalid type: sequence, expected an object with a member \
         for each pattern, by name",
    );
    check(
        r#""between": ["#,
        r#""between": "x", "no": ["#,
        "line 172, column 28: patterns.Goals of a game.operations[0].key.SK.between: invalid type: \
         string \"x\", expected an array of length 2",
    );
    check("\"name\": \"everything\",", "", "line 230, column 1: missing field `name`");
    check("]\n}\n", "]\n}\n]", "line 231, column 1: trailing characters");
    check("]\n}\n", "]\n", "line 230, column 0: EOF while parsing an object");
}

fn reference() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design-file.md");
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_examples_of_the_reference_are_designs_without_a_fault() {
    let page = reference();
    let blocks = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut count = 0;
    for block in blocks {
        let design = Design::from_json(block);
        let findings = design.as_ref().map(Design::check).map_err(ToString::to_string);
        let open = findings.map(|findings| findings.iter().all(|found| found.accepted.is_some()));
        assert_eq!(open, Ok(true), "{block}");
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn the_reference_names_every_member() {
    fn names(value: &serde_json::Value, into: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(members) => {
                for (name, value) in members {
                    into.push(name.clone());
                    names(value, into);
                }
            }
            serde_json::Value::Array(elements) => {
                elements.iter().for_each(|element| names(element, into));
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    names(&serde_json::from_str(EVERYTHING).unwrap(), &mut all);
    // Names specific to this design rather than part of the format.
    let own = [
        "games-{env}",
        "byStars",
        "byDay",
        "Game",
        "Goal",
        "code",
        "status",
        "stars",
        "creatorId",
        "minute",
        "eventId",
        "spot",
        "at",
        "Goals of a game",
        "End game",
        "Games of a player",
        "PK",
        "SK",
    ];
    let page = reference();
    for name in all.iter().filter(|name| !own.contains(&name.as_str())) {
        let is_named = page.contains(&format!("`{name}`")) || page.contains(&format!("\"{name}\""));
        assert!(is_named, "the reference does not name `{name}`");
    }
}

/// Regression: a file could have a delimiter that a Rust declaration could not.
#[test]
fn a_delimiter_is_punctuation() {
    let design = |delimiter: &str, of_table: &str| {
        let table = r#""key": {"partition": "PK"}, "entities": {}"#;
        let text = format!(
            r#"{{"name": "games", "delimiter": {delimiter},
                "tables": {{"games": {{{table}, "delimiter": {of_table}}}}}, "patterns": {{}}}}"#
        );
        Design::from_json(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(design(r##""#""##, "null"), Ok(()));
    assert_eq!(design(r#""|""#, r#"":""#), Ok(()));
    let rule = "a delimiter is one ASCII character that is neither a letter, a digit nor a space";
    for wrong in ["a", "7", " ", "→"] {
        let quoted = format!("\"{wrong}\"");
        for message in [design(&quoted, "null"), design(r#""|""#, &quoted)] {
            let message = message.unwrap_err();
            assert!(message.ends_with(&format!("{rule}, not `{wrong}`")), "{message}");
        }
    }
}

/// Regression: SD606 was reported for an index whose own key contains the TTL attribute.
#[test]
fn an_index_holds_the_attributes_of_keys() {
    let findings = |sort: &str| {
        let text = format!(
            r##"{{
              "name": "games",
              "tables": {{"games": {{
                "key": {{"partition": "PK"}},
                "indexes": {{"byHost": {{
                  "key": {{"partition": "host", "sort": {{"name": "{sort}", "type": "N"}}}},
                  "projection": "KEYS_ONLY"
                }}}},
                "ttl": "TTL",
                "entities": {{"Game": {{
                  "key": {{"partition": "GAME#{{code}}"}},
                  "indexes": {{"byHost": {{"partition": "{{host}}", "sort": "{{{sort}}}"}}}},
                  "attributes": {{
                    "code": "id", "host": "id", "TTL": "epoch_seconds", "turn": "integer"
                  }},
                  "expires": {{"since": "change", "seconds": 86400}}
                }}}}
              }}}},
              "patterns": {{}}
            }}"##
        );
        let design = Design::from_json(&text).unwrap();
        let findings: Vec<String> = design.check().iter().map(ToString::to_string).collect();
        findings.iter().any(|finding| finding.contains("SD606"))
    };
    assert!(findings("turn"));
    assert!(!findings("TTL"));
}
