//! Checks of table names.

use super::{OpenError, System};
use crate::Web;
use singlet::shape::TableShape;
use singlet::{Declaration, Settings};
use std::collections::{BTreeMap, BTreeSet};

/// Checks that every configured name belongs to a table, and that no two tables share a name, also
/// not with a table of the default environment.
pub(crate) fn check_table_names(systems: &[System], settings: &Settings) -> Result<(), OpenError> {
    let designs = systems.iter().flat_map(|system| &system.designs);
    let tables = designs.flat_map(|design| design.tables).chain(Web::TABLES);
    // Several systems may declare the same design.
    let tables: BTreeMap<String, &TableShape> =
        tables.map(|table| (Settings::default_name_of(table), *table)).collect();
    if let Some(name) = settings.table_names.keys().find(|name| !tables.contains_key(*name)) {
        return Err(OpenError::UnknownTable {
            name: name.clone(),
            known: tables.into_keys().collect(),
        });
    }
    let is_default = settings.environment == Settings::DEFAULT_ENVIRONMENT;
    let mut taken = BTreeSet::new();
    for (default_name, table) in &tables {
        let name = settings.name_of(table);
        let is_chosen = settings.table_names.contains_key(default_name);
        // A design without the environment in its name shares the table on purpose.
        let varies = table.elsewhere.unwrap_or(table.name).contains('{');
        let is_of_default = !is_default && !is_chosen && varies && tables.contains_key(&name);
        if is_of_default || !taken.insert(name.clone()) {
            return Err(OpenError::DuplicateTable(name));
        }
    }
    Ok(())
}
