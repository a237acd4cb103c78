//! Expressions in designs: DynamoDB syntax with shortcuts.
//!
//! Attribute names are written plainly, even reserved words, and value placeholders have no values.
//! This module fills in both and hands the result to DynamoDB's parser, so an expression that is
//! rejected here is rejected by DynamoDB too.

use serde_json::{Value, json};
use singlet_dynamo::expression::{Condition, Parameter, Placeholders, Update};
use singlet_dynamo::json::Reader;
use std::collections::BTreeMap;

/// Parses a condition or filter.
pub(super) fn condition(text: &str, parameter: Parameter) -> Result<Condition, String> {
    let (text, mut placeholders) = completed(text)?;
    Condition::parse(&text, parameter, &mut placeholders)
        .map_err(|error| error.message().to_owned())
}

/// Parses an update.
pub(super) fn update(text: &str) -> Result<Update, String> {
    let (text, mut placeholders) = completed(text)?;
    Update::parse(&text, Parameter::UpdateExpression, &mut placeholders)
        .map_err(|error| error.message().to_owned())
}

/// A piece of an expression's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Name(&'t str),
    Value(&'t str),
    Other(&'t str),
}

impl Token<'_> {
    fn is_space(self) -> bool {
        matches!(self, Self::Other(text) if text.trim().is_empty())
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_first = first.len_utf8();
        let run = |from: usize| {
            let tail = rest.get(from..).unwrap_or_default();
            from + tail.find(|c| !is_word(c)).unwrap_or(tail.len())
        };
        let len = match first {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '#' | ':' => run(after_first),
            _ => after_first,
        };
        let (token, after) = rest.split_at(len);
        tokens.push(match first {
            'a'..='z' | 'A'..='Z' => Token::Word(token),
            '#' if len > 1 => Token::Name(token),
            ':' if len > 1 => Token::Value(token),
            _ => Token::Other(token),
        });
        rest = after;
    }
    tokens
}

fn is_keyword(word: &str) -> bool {
    ["AND", "OR", "NOT", "BETWEEN", "IN"].iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
        || clause_of(word).is_some()
}

/// The update clause that a keyword starts.
fn clause_of(word: &str) -> Option<&'static str> {
    ["SET", "REMOVE", "ADD", "DELETE"].into_iter().find(|clause| clause.eq_ignore_ascii_case(word))
}

/// Replaces all names with placeholders, and returns the placeholders' values.
fn completed(text: &str) -> Result<(String, Placeholders), String> {
    let tokens = tokens(text);
    let mut completed = String::new();
    let mut names = BTreeMap::new();
    let mut values = BTreeMap::new();
    let mut clause = "";
    for (place, token) in tokens.iter().enumerate() {
        let (before, after) = tokens.split_at(place);
        let next = after.iter().skip(1).find(|token| !token.is_space()).copied();
        match *token {
            Token::Word(word) if is_keyword(word) => {
                clause = clause_of(word).unwrap_or(clause);
                completed.push_str(word);
            }
            Token::Word(function) if next == Some(Token::Other("(")) => {
                completed.push_str(function);
            }
            Token::Word(name) => {
                let placeholder = format!("#{name}");
                completed.push_str(&placeholder);
                names.insert(placeholder, name);
            }
            Token::Name(placeholder) => {
                completed.push_str(placeholder);
                names.insert(placeholder.to_owned(), placeholder.trim_start_matches('#'));
            }
            Token::Value(placeholder) => {
                completed.push_str(placeholder);
                values.insert(placeholder, value_for(clause, before, next));
            }
            Token::Other(other) => completed.push_str(other),
        }
    }
    let mut placeholders = Placeholders::default();
    let told = |error: singlet_dynamo::Error| error.message().to_owned();
    if !names.is_empty() {
        let names = json!(names).to_string();
        let mut reader = Reader::new(names.as_bytes()).map_err(told)?;
        placeholders.read_names(&mut reader).map_err(told)?;
    }
    if !values.is_empty() {
        let values = json!(values).to_string();
        let mut reader = Reader::new(values.as_bytes()).map_err(told)?;
        placeholders.read_values(&mut reader).map_err(told)?;
    }
    Ok((completed, placeholders))
}

/// A value of a type that is valid at this position.
fn value_for(clause: &str, before: &[Token<'_>], next: Option<Token<'_>>) -> Value {
    let previous = before.iter().rev().find(|token| !token.is_space()).copied();
    let is_sign = |token| matches!(token, Some(Token::Other("+" | "-")));
    let call = before
        .iter()
        .rev()
        .find(|token| matches!(token, Token::Word("list_append") | Token::Other(")")));
    match clause {
        _ if call == Some(&Token::Word("list_append")) => json!({"L": []}),
        "ADD" => json!({"N": "1"}),
        "DELETE" => json!({"SS": ["S"]}),
        _ if is_sign(previous) || is_sign(next) => json!({"N": "1"}),
        // `S` is also a valid type name, for `attribute_type`.
        _ => json!({"S": "S"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_dynamo::expression::Clause;

    #[test]
    fn names_need_no_placeholders() {
        let names = |text| {
            let condition = condition(text, Parameter::ConditionExpression).unwrap();
            let mut names: Vec<String> =
                condition.attribute_names().into_iter().map(str::to_owned).collect();
            names.sort();
            names.join(" ")
        };
        assert_eq!(names("attribute_not_exists(lockId) OR expiresAt < :now"), "expiresAt lockId");
        assert_eq!(names("ttl > :now AND #status = :s"), "status ttl");
        assert_eq!(names("size(board.cells[0]) > :n AND a IN (:x, :y)"), "a board");
        assert_eq!(names("attribute_type(a, :t) AND b BETWEEN :from AND :to"), "a b");
    }

    #[test]
    fn updates_of_every_kind_are_read() {
        let changes = |text| {
            let update = update(text).unwrap();
            let change = |action: &singlet_dynamo::expression::Action| {
                format!("{} {}", action.clause(), action.path().name())
            };
            update.actions().iter().map(change).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            changes("SET teamId = :t, createdAt = if_not_exists(createdAt, :now) REMOVE live"),
            "SET teamId, SET createdAt, REMOVE live"
        );
        assert_eq!(
            changes("SET balls = list_append(balls, :ball), n = n + :one, s = :s ADD c :n"),
            "SET balls, SET n, SET s, ADD c"
        );
        assert_eq!(changes("DELETE tags :tags"), "DELETE tags");
        assert_eq!(update("ADD n :one").unwrap().actions()[0].clause(), Clause::Add);
    }

    #[test]
    fn what_the_service_refuses_is_told_in_its_words() {
        assert_eq!(
            condition("a = ", Parameter::FilterExpression).unwrap_err(),
            "Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"= \""
        );
        assert_eq!(
            update("SET a = :v, a = :w").unwrap_err(),
            "Invalid UpdateExpression: Two document paths overlap with each other; must remove or \
             rewrite one of these paths; path one: [a], path two: [a]"
        );
        assert!(condition("é", Parameter::FilterExpression).is_err());
        assert!(condition("", Parameter::FilterExpression).is_err());
    }
}
