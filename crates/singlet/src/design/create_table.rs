//! CreateTable requests.

use super::definition::TableDefinition;
use super::template::Piece;
use super::{Table, Template};
use serde::Serialize;
use singlet_dynamo::operation::CreateTable;

/// The request as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'d> {
    table_name: String,
    #[serde(flatten)]
    definition: TableDefinition<'d>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_specification: Option<StreamSpecification>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct StreamSpecification {
    stream_enabled: bool,
    stream_view_type: &'static str,
}

impl Table {
    /// The table's name where this is the environment: `snakes-test` for `snakes-{env}`.
    #[must_use]
    pub fn name_in(&self, environment: &str) -> String {
        match self.name.parse::<Template>() {
            Ok(template) => template.fill(|_| environment.to_owned()),
            // A name that is no template is a name all the same.
            Err(_) => self.name.clone(),
        }
    }

    /// The part of the name that stands for the environment: `env` of `snakes-{env}`.
    #[must_use]
    pub fn environment_variable(&self) -> Option<String> {
        let template = self.name.parse::<Template>().ok()?;
        template.pieces().iter().find_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Field { name, .. } => Some(name.clone()),
        })
    }

    /// The body of the CreateTable request that makes this table.
    ///
    /// A TTL attribute is no part of it; [`Table::time_to_live_json`] has the request for that.
    #[must_use]
    pub fn create_table_json(&self, environment: &str) -> String {
        let request = Request {
            table_name: self.name_in(environment),
            definition: self.into(),
            stream_specification: self.stream.map(|view_type| StreamSpecification {
                stream_enabled: true,
                stream_view_type: view_type.as_str(),
            }),
        };
        super::file::pretty(&request)
    }

    /// The CreateTable request that makes this table, checked as the service checks it.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let design = Design::from_json(r#"{
    ///     "name": "snakes",
    ///     "tables": {"snakes-{env}": {"key": {"partition": "PK", "sort": "SK"}}}
    /// }"#)?;
    /// let request = design.tables[0].create_table("test")?;
    /// assert_eq!(request.schema.name, "snakes-test");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_table(&self, environment: &str) -> singlet_dynamo::Result<CreateTable> {
        CreateTable::from_json(self.create_table_json(environment).as_bytes())
    }

    /// The body of the UpdateTimeToLive request that makes the service delete what has expired, if
    /// the table has an attribute for that.
    #[must_use]
    pub fn time_to_live_json(&self, environment: &str) -> Option<String> {
        let attribute = self.ttl.as_ref()?;
        Some(super::file::pretty(&serde_json::json!({
            "TableName": self.name_in(environment),
            "TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": true},
        })))
    }
}
