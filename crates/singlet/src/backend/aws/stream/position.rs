//! A position in a stream, as text.
//!
//! It holds the progress of every shard being read, and the finished shards of which no child was
//! started. Every other shard is either an ancestor of these, and was read, or has not been
//! started.

use super::shard::Place;
use std::collections::BTreeMap;

/// The version prefix of the text form.
const FORM: &str = "a1";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Position {
    pub(super) stream_arn: String,
    /// Progress by shard id.
    pub(super) shards: BTreeMap<String, Place>,
}

impl Position {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{FORM};{}", self.stream_arn);
        for (id, place) in &self.shards {
            text.push_str(&match place {
                Place::Latest(second) | Place::Since(second) => format!(";{id}=@{second}"),
                Place::Beginning => format!(";{id}=*"),
                Place::Behind(number) => format!(";{id}={number}"),
                Place::End => format!(";{id}=!"),
            });
        }
        text
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(';');
        if parts.next()? != FORM {
            return None;
        }
        let stream_arn = parts.next().filter(|arn| !arn.is_empty())?.to_owned();
        let shard = |part: &str| {
            let (id, place) = part.split_once('=').filter(|(id, _)| !id.is_empty())?;
            let place = match (place, place.strip_prefix('@')) {
                ("*", _) => Place::Beginning,
                ("!", _) => Place::End,
                (_, Some(second)) => Place::Since(second.parse().ok()?),
                (number, None) if !number.is_empty() => Place::Behind(number.to_owned()),
                _ => return None,
            };
            Some((id.to_owned(), place))
        };
        Some(Self { stream_arn, shards: parts.map(shard).collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_was_written() {
        let shards = [
            ("shardId-1", Place::Since(1_794_787_200)),
            ("shardId-2", Place::Beginning),
            ("shardId-3", Place::Behind("300000000000000499659".into())),
            ("shardId-4", Place::End),
        ];
        let shards = shards.map(|(id, place)| (id.to_owned(), place)).into();
        let position =
            Position { stream_arn: "arn:aws:dynamodb:eu:1:table/a/stream/b".into(), shards };
        assert_eq!(Position::parse(&position.to_text()), Some(position));
    }

    #[test]
    fn other_texts_are_no_positions() {
        for text in [
            "",
            "a1",
            "a1;",
            "a2;arn",
            "e1;arn;7",
            "a1;arn;",
            "a1;arn;x",
            "a1;arn;=1",
            "a1;arn;x=",
            "a1;arn;x=@now",
        ] {
            assert_eq!(Position::parse(text), None, "{text}");
        }
    }
}
