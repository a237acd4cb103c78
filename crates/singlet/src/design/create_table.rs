//! CreateTable requests.

use super::definition::TableDefinition;
use super::template::Piece;
use super::{Table, Template};
use serde::Serialize;
use singlet_dynamo::operation::CreateTable;

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
    /// The table's name in an environment: `snakes-test` for `snakes-{env}`.
    #[must_use]
    pub fn name_in(&self, environment: &str) -> String {
        match self.name.parse::<Template>() {
            Ok(template) => template.fill(|_| environment.to_owned()),
            // Not a template: use the name unchanged.
            Err(_) => self.name.clone(),
        }
    }

    /// Name of the environment placeholder: `env` for `snakes-{env}`.
    #[must_use]
    pub fn environment_variable(&self) -> Option<String> {
        let template = self.name.parse::<Template>().ok()?;
        template.pieces().iter().find_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Field { name, .. } => Some(name.clone()),
        })
    }

    /// The body of the CreateTable request for this table.
    ///
    /// It does not cover the TTL attribute; see [`Table::time_to_live_json`].
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

    /// The CreateTable request for this table, validated as DynamoDB would.
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

    /// The body of the UpdateTimeToLive request that enables TTL, if the table has a TTL attribute.
    #[must_use]
    pub fn time_to_live_json(&self, environment: &str) -> Option<String> {
        let attribute = self.ttl.as_ref()?;
        Some(super::file::pretty(&serde_json::json!({
            "TableName": self.name_in(environment),
            "TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": true},
        })))
    }
}
