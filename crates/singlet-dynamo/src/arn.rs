//! ARNs: the full names of tables, indexes and streams.

use crate::Timestamp;
use crate::error::{Error, Result};

/// Where tables live: what all ARNs of one server have in common.
///
/// ```
/// use singlet_dynamo::arn::Home;
///
/// let home = Home { region: "us-east-1".into(), account: "123456789012".into() };
/// assert_eq!(home.table("games"), "arn:aws:dynamodb:us-east-1:123456789012:table/games");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The region, as in `us-east-1`.
    pub region: String,
    /// The account: twelve digits.
    pub account: String,
}

impl Home {
    /// The ARN of a table of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> String {
        format!("arn:aws:dynamodb:{}:{}:table/{name}", self.region, self.account)
    }
}

/// The ARN of an index of a table.
#[must_use]
pub fn index(table_arn: &str, index_name: &str) -> String {
    format!("{table_arn}/index/{index_name}")
}

/// The ARN of the stream of a table that was enabled at this moment.
#[must_use]
pub fn stream(table_arn: &str, enabled_at: Timestamp) -> String {
    format!("{table_arn}/stream/{enabled_at}")
}

/// An ARN, taken apart at its colons: `arn:partition:service:region:account:resource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arn<'a> {
    /// `aws` almost everywhere.
    pub partition: &'a str,
    /// `dynamodb` for what is ours.
    pub service: &'a str,
    /// The region.
    pub region: &'a str,
    /// The account.
    pub account: &'a str,
    /// What it names: `table/games`, `table/games/index/byDay`, ….
    pub resource: &'a str,
}

impl<'a> Arn<'a> {
    /// Takes an ARN apart, if it has all of its parts.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.strip_prefix("arn:")?.splitn(5, ':');
        let arn = Self {
            partition: parts.next()?,
            service: parts.next()?,
            region: parts.next()?,
            account: parts.next()?,
            resource: parts.next()?,
        };
        let all = [arn.partition, arn.service, arn.region, arn.account, arn.resource];
        all.iter().all(|part| !part.is_empty()).then_some(arn)
    }

    /// The name of the table, if the ARN names a table and nothing inside it.
    #[must_use]
    pub fn table_name(&self) -> Option<&'a str> {
        self.resource.strip_prefix("table/").filter(|name| !name.contains('/'))
    }
}

/// The name of a table that a request names by its name or its ARN.
///
/// ```
/// use singlet_dynamo::arn;
///
/// assert_eq!(arn::name_of_table("games"), "games");
/// assert_eq!(arn::name_of_table("arn:aws:dynamodb:us-east-1:123456789012:table/games"), "games");
/// ```
#[must_use]
pub fn name_of_table(name_or_arn: &str) -> &str {
    // What looks like an ARN and is none is no table's name either.
    Arn::parse(name_or_arn).and_then(|arn| arn.table_name()).unwrap_or(name_or_arn)
}

/// The ARN of a stream, of which the table's name and the label are known.
///
/// ```
/// use singlet_dynamo::arn::StreamArn;
///
/// let text = "arn:aws:dynamodb:us-east-1:123456789012:table/games/stream/2026-01-01T00:00:00.000";
/// let arn = StreamArn::parse(text)?;
/// assert_eq!(arn.table_name(), "games");
/// assert_eq!(arn.label(), "2026-01-01T00:00:00.000");
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamArn {
    text: String,
}

impl StreamArn {
    /// Reads the ARN of a stream; any other text is refused as the service does.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        match Self::parts(&text) {
            Some(_) => Ok(Self { text }),
            None => Err(Error::validation("Invalid StreamArn")),
        }
    }

    /// The table's name and the stream's label.
    fn parts(text: &str) -> Option<(&str, &str)> {
        let arn = Arn::parse(text).filter(|arn| arn.service == "dynamodb")?;
        let (table_name, label) = arn.resource.strip_prefix("table/")?.split_once("/stream/")?;
        let is_name = !table_name.is_empty() && !table_name.contains('/');
        (is_name && !label.is_empty() && !label.contains('/')).then_some((table_name, label))
    }

    /// The ARN as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the table.
    #[must_use]
    pub fn table_name(&self) -> &str {
        Self::parts(&self.text).map_or("", |(table_name, _)| table_name)
    }

    /// The label of the stream.
    #[must_use]
    pub fn label(&self) -> &str {
        Self::parts(&self.text).map_or("", |(_, label)| label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_has_all_of_its_parts() {
        assert!(Arn::parse("arn:aws:dynamodb:us-east-1:123456789012:table/games").is_some());
        for bad in ["", "arn:", "table/games", "arn:aws:dynamodb:us-east-1:table/x", "arn:::::"] {
            assert_eq!(Arn::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_the_arn_of_a_stream_is_one() {
        let home = Home { region: "us-east-1".into(), account: "123456789012".into() };
        let table = home.table("games");
        assert!(StreamArn::parse(stream(&table, Timestamp::default())).is_ok());
        for bad in [
            table.clone(),
            index(&table, "byDay"),
            format!("{table}/stream/"),
            format!("{table}/stream/a/b"),
            "arn:aws:s3:us-east-1:123456789012:table/games/stream/1".to_owned(),
            "nonsense".to_owned(),
        ] {
            let error = StreamArn::parse(bad).unwrap_err();
            assert_eq!(error.message(), "Invalid StreamArn");
        }
    }
}
