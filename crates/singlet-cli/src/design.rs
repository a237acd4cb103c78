//! `singlet design`: generates documents and templates from a design.

use crate::design_file;
use crate::failure::Failure;
use crate::output;
use clap::{Args, Subcommand};
use singlet::design::check::Severity;
use singlet::design::{Design, Table};
use singlet_dynamo::Timestamp;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Generates documents and templates from a design.
#[derive(Args)]
#[command(
    after_help = "Example:\n  singlet design document snakes.json > snakes.md\n  singlet design cloudformation snakes.json > snakes.template.json\n  singlet design create-table snakes.json --env test\n\ndocs/design-file.md describes the format."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    product: Product,
}

#[derive(Subcommand)]
enum Product {
    /// A Markdown document: tables, item collections, entities with an example of each, and access
    /// patterns with their cost.
    #[command(after_help = "Example:\n  singlet design document snakes.json > snakes.md")]
    Document(Source),
    /// The keys of all entities, as a Markdown table.
    #[command(after_help = "Example:\n  singlet design keys snakes")]
    Keys(Source),
    /// The design as a design file.
    #[command(after_help = "Example:\n  singlet design json snakes > snakes.json")]
    Json(Source),
    /// A CloudFormation template as JSON, with a resource for each table. Refuses a design with
    /// errors (see `singlet check`).
    #[command(after_help = "\
Example:
  singlet design cloudformation snakes.json > snakes.template.json
  aws cloudformation deploy --stack-name snakes --template-file snakes.template.json \\
    --parameter-overrides Env=test")]
    Cloudformation(Source),
    /// A data model for NoSQL Workbench, with an example item of each entity.
    #[command(after_help = "\
Example:
  singlet design workbench snakes.json --env test > snakes.workbench.json")]
    Workbench(Deployed),
    /// The CreateTable requests, as a sequence of JSON documents.
    #[command(after_help = "\
Examples:
  singlet design create-table snakes.json --env test

The AWS CLI takes one request at a time, so that of a design with several tables one is named:
  aws dynamodb create-table --cli-input-json \\
    \"$(singlet design create-table snakes.json --env test --table 'snakes-{env}')\"")]
    CreateTable(CreateTable),
}

#[derive(Args)]
struct Source {
    /// The design file, or the name of a system.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Args)]
struct Deployed {
    #[command(flatten)]
    source: Source,
    /// The environment, which replaces `{env}` in table names.
    #[arg(long, value_name = "NAME")]
    env: Option<String>,
}

#[derive(Args)]
struct CreateTable {
    #[command(flatten)]
    deployed: Deployed,
    /// Only this table, by its name in the design.
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Print UpdateTimeToLive requests instead, for the tables with a TTL attribute.
    #[arg(long)]
    time_to_live: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match &arguments.product {
        Product::Document(source) => source.read()?.document(),
        Product::Keys(source) => source.read()?.key_table(),
        Product::Json(source) => source.read()?.to_json(),
        Product::Cloudformation(source) => source.read_without_errors()?.cloud_formation(),
        Product::Workbench(deployed) => {
            let design = deployed.source.read()?;
            let environment = deployed.environment(&design.tables)?;
            design.workbench(&environment, now())
        }
        Product::CreateTable(request) => request.text()?,
    };
    output::print(&text)
}

impl Source {
    /// Reads a design and refuses it if the check finds errors that are not accepted.
    fn read_without_errors(&self) -> Result<Design, Failure> {
        let design = self.read()?;
        let findings = design.check();
        let mut errors = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error && finding.accepted.is_none());
        let Some(first) = errors.next() else {
            return Ok(design);
        };
        let more = match errors.count() {
            0 => String::new(),
            count => format!(" (and {count} more)"),
        };
        Err(Failure::new(
            format_args!("the design has errors and must not be deployed: {first}{more}"),
            format!(
                "Run `singlet check {}` and fix them, or accept intended ones in the design.",
                self.file.display()
            ),
        ))
    }

    fn read(&self) -> Result<Design, Failure> {
        design_file::read(&self.file).map_err(|error| design_file::unusable(&error))
    }
}

impl Deployed {
    /// The environment; an error if a table name needs one and it is missing.
    fn environment(&self, tables: &[Table]) -> Result<String, Failure> {
        let needy = tables.iter().find(|table| table.environment_variable().is_some());
        match (&self.env, needy) {
            (Some(environment), _) => Ok(environment.clone()),
            (None, None) => Ok(String::new()),
            (None, Some(table)) => Err(Failure::new(
                format_args!("the name of table `{}` depends on the environment", table.name),
                "Set the environment with --env.",
            )),
        }
    }
}

impl CreateTable {
    fn text(&self) -> Result<String, Failure> {
        let mut tables = self.deployed.source.read()?.tables;
        if let Some(name) = &self.table {
            tables.retain(|table| table.name == *name);
            if tables.is_empty() {
                return Err(Failure::new(
                    format_args!("the design has no table `{name}`"),
                    "Use the table's name in the design file.",
                ));
            }
        }
        let environment = self.deployed.environment(&tables)?;
        let mut text = String::new();
        for table in &tables {
            // Prints nothing that the service would refuse.
            table.create_table(&environment).map_err(|error| {
                Failure::new(
                    format_args!(
                        "DynamoDB would reject the table `{}`: {}",
                        table.name,
                        error.message()
                    ),
                    "Run `singlet check` for details.",
                )
            })?;
            if self.time_to_live {
                text.extend(table.time_to_live_json(&environment));
            } else {
                text.push_str(&table.create_table_json(&environment));
            }
        }
        Ok(text)
    }
}

fn now() -> Timestamp {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}
