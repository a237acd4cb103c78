//! ARNs: the full names of tables, indexes and streams.

use crate::Timestamp;
use crate::error::{Error, Result};

/// The region and account that all ARNs of a server share.
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

/// The ARN of a table's stream that was enabled at this time.
#[must_use]
pub fn stream(table_arn: &str, enabled_at: Timestamp) -> String {
    format!("{table_arn}/stream/{enabled_at}")
}

/// A parsed ARN: `arn:partition:service:region:account:resource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arn<'a> {
    /// `aws` almost everywhere.
    pub partition: &'a str,
    /// `dynamodb` for tables, indexes and streams.
    pub service: &'a str,
    /// The region.
    pub region: &'a str,
    /// The account.
    pub account: &'a str,
    /// The resource: `table/games`, `table/games/index/byDay`, ….
    pub resource: &'a str,
}

impl<'a> Arn<'a> {
    /// Parses an ARN, if it is complete.
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

    /// The table's name, if the ARN names a table and nothing inside it.
    #[must_use]
    pub fn table_name(&self) -> Option<&'a str> {
        self.resource.strip_prefix("table/").filter(|name| !name.contains('/'))
    }
}

/// The name of the table that a request names by name or ARN.
///
/// ```
/// use singlet_dynamo::arn;
///
/// assert_eq!(arn::name_of_table("games"), "games");
/// assert_eq!(arn::name_of_table("arn:aws:dynamodb:us-east-1:123456789012:table/games"), "games");
/// ```
#[must_use]
pub fn name_of_table(name_or_arn: &str) -> &str {
    // A malformed ARN is not a table name either.
    Arn::parse(name_or_arn).and_then(|arn| arn.table_name()).unwrap_or(name_or_arn)
}

/// The ARN of a stream, with its table's name and its label.
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
    /// Parses the ARN of a stream. Other texts get the service's error.
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

    /// The ARN as given.
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
