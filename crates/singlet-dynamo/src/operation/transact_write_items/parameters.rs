//! The canonical parameters of a transaction, for comparing requests with the same token.

use super::{TransactWriteItem, TransactWriteItems};
use crate::binary::encode;
use crate::expression::{Condition, Printer, Update};
use crate::weight::{rest_after, rest_after_map};
use crate::{Map, Value};

impl TransactWriteItems {
    /// The parameters as bytes. A request whose token was used before is a repetition if these are
    /// equal, and an `IdempotentParameterMismatchException` if not.
    ///
    /// The placeholder names in expressions make no difference, nor do options that only affect the
    /// response. The bytes are at most slightly longer than the request, so store a digest.
    ///
    /// ```
    /// use singlet_dynamo::operation::TransactWriteItems;
    ///
    /// let request = |name: &str| {
    ///     let json = format!(
    ///         r##"{{"TransactItems": [{{"ConditionCheck": {{
    ///             "TableName": "games",
    ///             "Key": {{"PK": {{"S": "GAME#1"}}}},
    ///             "ConditionExpression": "attribute_exists(#n)",
    ///             "ExpressionAttributeNames": {{"#n": "{name}"}}
    ///         }}}}]}}"##
    ///     );
    ///     TransactWriteItems::from_json(json.as_bytes())
    /// };
    /// assert_eq!(request("winner")?.parameters(), request("winner")?.parameters());
    /// assert_ne!(request("winner")?.parameters(), request("loser")?.parameters());
    /// # Ok::<(), singlet_dynamo::Error>(())
    /// ```
    #[must_use]
    pub fn parameters(&self) -> Vec<u8> {
        self.parameters_within(usize::MAX).unwrap_or_default()
    }

    /// Like [`TransactWriteItems::parameters`]; `None` if it takes more than this much
    /// [fuel](crate::fuel).
    #[must_use]
    pub fn parameters_within(&self, units: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        self.actions.iter().try_fold(units, |units, action| push(action, units, &mut out))?;
        Some(out)
    }
}

/// Appends an action. Every part has a length prefix, so no two actions look the same. Returns the
/// units left, if they suffice.
fn push(action: &TransactWriteItem, units: usize, out: &mut Vec<u8>) -> Option<usize> {
    let (kind, update, condition, return_old_on_failure) = parts(action);
    let mut printer = Printer::new();
    let update = update.map(|update| printer.update(update)).unwrap_or_default();
    let condition = condition.map(|condition| printer.condition(condition)).unwrap_or_default();
    let units = rest_after_map(action.attributes(), units)?;
    let units = printer.values().try_fold(units, |units, (_, value)| rest_after(value, units))?;
    let names = printer.names().map(|(placeholder, name)| (placeholder, Value::from(name)));
    let values = printer.values().map(|(placeholder, value)| (placeholder, value.clone()));
    let placeholders: Map = names.chain(values).collect();
    out.extend([kind, u8::from(return_old_on_failure)]);
    for part in [
        action.table_name().as_bytes(),
        update.as_bytes(),
        condition.as_bytes(),
        &encode(&placeholders),
        &encode(action.attributes()),
    ] {
        out.extend((part.len() as u64).to_le_bytes());
        out.extend(part);
    }
    Some(units)
}

/// A tag for the kind of action, and the parts that only some kinds have.
fn parts(action: &TransactWriteItem) -> (u8, Option<&Update>, Option<&Condition>, bool) {
    match action {
        TransactWriteItem::ConditionCheck(check) => {
            (b'C', None, Some(&check.condition), check.return_old_on_failure)
        }
        TransactWriteItem::Put(put) => {
            (b'P', None, put.condition.as_ref(), put.return_old_on_failure)
        }
        TransactWriteItem::Delete(delete) => {
            (b'D', None, delete.condition.as_ref(), delete.return_old_on_failure)
        }
        TransactWriteItem::Update(update) => {
            (b'U', update.update.as_ref(), update.condition.as_ref(), update.return_old_on_failure)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::operation::{DeleteItem, PutItem, TransactWriteItem, TransactWriteItems};
    use crate::{Item, Value};

    #[test]
    fn operations_and_keys_distinguish_requests() {
        let item = |id: &str| Item::from([("id", Value::from(id))]);
        let put = |table: &str, id: &str| TransactWriteItem::from(PutItem::new(table, item(id)));
        let parameters =
            |actions: &[TransactWriteItem]| TransactWriteItems::new(actions.to_vec()).parameters();
        let same = parameters(&[put("games", "a")]);
        assert_eq!(parameters(&[put("games", "a")]), same);
        for other in [
            vec![],
            vec![put("games", "b")],
            vec![put("game", "a")],
            vec![DeleteItem::new("games", item("a")).into()],
            vec![put("games", "a"), put("games", "a")],
        ] {
            assert_ne!(parameters(&other), same, "{other:?}");
        }
        let mut asking = TransactWriteItems::new(vec![put("games", "a")]);
        asking.return_item_collection_metrics = true;
        assert_eq!(asking.parameters(), same);
    }
}
