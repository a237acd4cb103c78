//! `singlet design`: what can be made of a design.

use crate::design_file;
use crate::failure::Failure;
use crate::output;
use clap::{Args, Subcommand};
use singlet::design::check::Severity;
use singlet::design::{Design, Table};
use singlet_dynamo::Timestamp;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes documents and templates of a design file.
#[derive(Args)]
#[command(
    after_help = "Example:\n  singlet design document snakes.json > snakes.md\n  singlet design cloudformation snakes.json > snakes.template.json\n  singlet design create-table snakes.json --env test\n\nThe file's form is told in docs/design-file.md."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    product: Product,
}

#[derive(Subcommand)]
enum Product {
    /// A document for people, in Markdown: tables, which items lie together, entities with an
    /// example of each, access patterns with their cost.
    #[command(after_help = "Example:\n  singlet design document snakes.json > snakes.md")]
    Document(Source),
    /// A CloudFormation template, as JSON, with a resource for each table. A design in which
    /// `singlet check` finds errors is refused.
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
    /// The requests that make the tables, as JSON, one after another.
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
    /// The design file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Args)]
struct Deployed {
    #[command(flatten)]
    source: Source,
    /// Where the tables are: what `{env}` in their names stands for.
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
    /// The UpdateTimeToLive requests instead, for the tables that have a TTL attribute.
    #[arg(long)]
    time_to_live: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match &arguments.product {
        Product::Document(source) => source.read()?.document(),
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
    /// A design to be deployed, in which the check finds no errors but those that are accepted.
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
            format_args!("the design has errors, and is not to be deployed: {first}{more}"),
            format!(
                "Run `singlet check {}`, and mend them; or accept in the design what is meant so.",
                self.file.display()
            ),
        ))
    }

    fn read(&self) -> Result<Design, Failure> {
        design_file::read(&self.file).map_err(|error| design_file::unusable(&error))
    }
}

impl Deployed {
    /// What was given, which has to be if a name needs it.
    fn environment(&self, tables: &[Table]) -> Result<String, Failure> {
        let needy = tables.iter().find(|table| table.environment_variable().is_some());
        match (&self.env, needy) {
            (Some(environment), _) => Ok(environment.clone()),
            (None, None) => Ok(String::new()),
            (None, Some(table)) => Err(Failure::new(
                format_args!(
                    "the table `{}` is called differently in every environment",
                    table.name
                ),
                "Name the environment with --env.",
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
                    "Give the name as it stands in the design file.",
                ));
            }
        }
        let environment = self.deployed.environment(&tables)?;
        let mut text = String::new();
        for table in &tables {
            // A request that the service would refuse is not worth printing.
            table.create_table(&environment).map_err(|error| {
                Failure::new(
                    format_args!(
                        "DynamoDB would refuse the table `{}`: {}",
                        table.name,
                        error.message()
                    ),
                    "`singlet check` may say more.",
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
