//! Restores equal data after only one endpoint accepted a write.

use crate::connection::Connection;
use crate::outcome::{Outcome, canonical, sort_key};
use crate::stage::Stage;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// An item that differs between both.
#[derive(Debug)]
pub(crate) struct Apart {
    pub(crate) table: String,
    pub(crate) ours: Option<Value>,
    pub(crate) local: Option<Value>,
}

impl Apart {
    pub(crate) fn key(&self) -> Value {
        self.local.as_ref().or(self.ours.as_ref()).map(key).unwrap_or_default()
    }
}

impl Stage {
    /// Copies our items to Local, and returns the tables and items that differed.
    pub(crate) fn reconcile(&mut self) -> Result<Vec<Apart>, String> {
        let listed = self.ours.ask("ListTables", "{}")?;
        let listed: Value = serde_json::from_str(&listed.body).unwrap_or_default();
        let mut apart = Vec::new();
        for table in listed["TableNames"].as_array().into_iter().flatten() {
            let table = table.as_str().unwrap_or_default();
            let mut ours = items(&mut self.ours, table)?;
            for (key, local) in items(&mut self.local, table)? {
                let own = ours.remove(&key);
                let same = |item: &Value| {
                    sort_key(&canonical(item.clone())) == sort_key(&canonical(local.clone()))
                };
                if !own.as_ref().is_some_and(same) {
                    apart.push(Apart { table: table.to_owned(), ours: own, local: Some(local) });
                }
            }
            apart.extend(ours.into_values().map(|item| Apart {
                table: table.to_owned(),
                ours: Some(item),
                local: None,
            }));
        }
        for apart in &apart {
            self.put_right(apart)?;
        }
        Ok(apart)
    }

    fn put_right(&mut self, apart: &Apart) -> Result<(), String> {
        let (operation, body) = match (&apart.ours, &apart.local) {
            (Some(item), _) => ("PutItem", json!({"TableName": apart.table, "Item": item})),
            (None, Some(item)) => {
                ("DeleteItem", json!({"TableName": apart.table, "Key": key(item)}))
            }
            (None, None) => return Ok(()),
        };
        let response = self.local.ask(operation, &body.to_string())?;
        match Outcome::of(operation, &response) {
            Outcome::Accepted(_) => Ok(()),
            refused => Err(format!("Local does not take {body}: {refused}")),
        }
    }
}

fn key(item: &Value) -> Value {
    let parts = ["pk", "sk"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
    Value::Object(parts.collect::<Map<_, _>>())
}

/// All items of a table by normalized key.
fn items(endpoint: &mut Connection, table: &str) -> Result<BTreeMap<String, Value>, String> {
    let mut items = BTreeMap::new();
    let mut request = json!({"TableName": table, "ConsistentRead": true});
    loop {
        let response = endpoint.ask("Scan", &request.to_string())?;
        let page: Value = serde_json::from_str(&response.body).unwrap_or_default();
        for item in page["Items"].as_array().into_iter().flatten() {
            items.insert(sort_key(&key(item)), item.clone());
        }
        match page.get("LastEvaluatedKey") {
            Some(next) => request["ExclusiveStartKey"] = next.clone(),
            None => return Ok(items),
        }
    }
}
