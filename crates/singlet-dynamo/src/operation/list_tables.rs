//! ListTables: the names of the tables, page by page.

use super::table_name::constrain_name;
use crate::constraint::Constraints;
use crate::error::Result;
use crate::json::{Reader, Writer};

/// Maximum and default page size.
pub(super) const PAGE_LEN_MAX: usize = 100;

/// Lists the names of the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListTables {
    /// The name after which the page begins; the table need not exist.
    pub exclusive_start_table_name: Option<String>,
    /// Page size: 100 by default, which is also the maximum.
    pub limit: Option<usize>,
}

impl ListTables {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut exclusive_start_table_name = None;
        let mut limit = None;
        let mut reader = Reader::new(json)?;
        reader.structure("ListTablesInput", |reader, member| {
            match member {
                "ExclusiveStartTableName" => exclusive_start_table_name = reader.owned_string()?,
                "Limit" => limit = reader.integer("Integer")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let mut constraints = Constraints::default();
        if let Some(name) = &exclusive_start_table_name {
            constrain_name(&mut constraints, "exclusiveStartTableName", name);
        }
        constraints.at_least("limit", limit, 1);
        constraints.at_most("limit", limit, PAGE_LEN_MAX as i64);
        constraints.finish()?;
        Ok(Self { exclusive_start_table_name, limit: super::limit_of(limit) })
    }

    /// The page, from the names of all tables in byte order.
    ///
    /// ```
    /// use singlet_dynamo::operation::ListTables;
    ///
    /// let request = ListTables { limit: Some(1), ..ListTables::default() };
    /// let answer = request.page(["games", "players"]);
    /// assert_eq!(answer.table_names, ["games"]);
    /// assert_eq!(answer.last_evaluated_table_name(), Some("games"));
    /// ```
    pub fn page<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> ListTablesAnswer {
        let start = self.exclusive_start_table_name.as_deref();
        let mut rest =
            names.into_iter().filter(|name| start.is_none_or(|start| *name > start)).peekable();
        let limit = self.limit.unwrap_or(PAGE_LEN_MAX);
        let table_names = rest.by_ref().take(limit).map(str::to_owned).collect();
        ListTablesAnswer { table_names, is_last: rest.peek().is_none() }
    }
}

/// A page of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListTablesAnswer {
    /// The names, in byte order.
    pub table_names: Vec<String>,
    /// Whether this is the last page.
    pub is_last: bool,
}

impl ListTablesAnswer {
    /// Where the next page begins, if there is one.
    #[must_use]
    pub fn last_evaluated_table_name(&self) -> Option<&str> {
        self.table_names.last().filter(|_| !self.is_last).map(String::as_str)
    }

    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TableNames", |writer| {
                writer.array(&self.table_names, |writer, name| writer.string(name));
            });
            if let Some(name) = self.last_evaluated_table_name() {
                object.string("LastEvaluatedTableName", name);
            }
        });
    }
}
