//! Where the systems store their data: an embedded engine, or DynamoDB.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use singlet::Settings;
use singlet_engine::Engine;
use singlet_web::Store;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The storage backend.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// An embedded engine, in a folder or in memory.
    Embedded,
    /// DynamoDB or a compatible service. Region, credentials and endpoint come from the
    /// environment, as for the AWS CLI.
    Dynamodb,
}

/// Tables in an embedded engine.
pub(super) fn embedded(engine: &Engine, settings: Settings) -> Store {
    Store::embedded(engine.clone(), settings)
}

/// Tables in DynamoDB, as configured by the environment.
#[cfg(feature = "aws")]
pub(super) async fn dynamodb(settings: Settings) -> Result<Store, Failure> {
    Ok(Store::new(singlet::backend::Aws::from_env().await, settings))
}

#[cfg(not(feature = "aws"))]
pub(super) async fn dynamodb(_: Settings) -> Result<Store, Failure> {
    Err(Failure::new(
        "this build of singlet does not include the AWS backend",
        "Build it with the feature `aws`, which is on by default.",
    ))
}

/// Options for the names of the tables.
#[derive(Args)]
pub(super) struct TableNames {
    /// The environment, which is part of the table names: letters, digits, `_`, `.` and `-`. Two
    /// environments share no table.
    #[arg(
        long,
        value_name = "NAME",
        default_value = Settings::DEFAULT_ENVIRONMENT,
        value_parser = parse_environment
    )]
    environment: String,
    /// Renames a table, given by its name in the default environment: `--table fus-main=club` or
    /// `--table cricket-fixtures=matches`. May be repeated.
    #[arg(long = "table", value_name = "TABLE=NAME", value_parser = parse_table)]
    tables: Vec<(String, String)>,
}

impl TableNames {
    /// # Errors
    ///
    /// If a table is named twice.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        let mut table_names = BTreeMap::new();
        for (table, name) in &self.tables {
            if table_names.insert(table.clone(), name.clone()).is_some() {
                return Err(Failure::new(
                    format_args!("--table names {table} twice"),
                    "Remove one of them.",
                ));
            }
        }
        let environment = self.environment.clone();
        Ok(Settings { environment, table_names, ..Settings::default() })
    }
}

const TABLE_NAME_LEN: RangeInclusive<usize> = 3..=255;
/// The environment is only a part of a name.
const ENVIRONMENT_LEN_MAX: usize = 200;

fn parse_environment(text: &str) -> Result<String, String> {
    if (1..=ENVIRONMENT_LEN_MAX).contains(&text.len()) && text.bytes().all(is_allowed) {
        return Ok(text.to_owned());
    }
    Err("names of tables have letters from a to z, digits, '_', '.' and '-', and this may have up \
         to 200 of them"
        .to_owned())
}

fn parse_table(text: &str) -> Result<(String, String), String> {
    let (table, name) = text.split_once('=').ok_or("expected TABLE=NAME, such as fus-main=club")?;
    if !TABLE_NAME_LEN.contains(&name.len()) || !name.bytes().all(is_allowed) {
        return Err("the name of a table has 3 to 255 letters from a to z, digits, '_', '.' and \
                    '-'"
        .to_owned());
    }
    Ok((table.to_owned(), name.to_owned()))
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}
