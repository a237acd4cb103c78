//! Compares a system's declarations with its server.

use crate::matrix::check_matrix;
use crate::server::{TestClient, TestServer};
use crate::store::Snapshot;
use serde_json::Value;
use singlet_web::Persona;
use singlet_web::api::unused_problems;

/// An operation of the OpenAPI document.
pub(crate) struct DescribedOperation {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) takes_key: bool,
    /// A response that does not end.
    pub(crate) is_stream: bool,
}

impl TestServer {
    /// Fails if a problem type of the system is not declared by any operation.
    pub async fn check_declarations(&self, system: &str) {
        let document = self.document(system).await;
        let unused = unused_problems(&document);
        assert!(unused.is_empty(), "no operation of {system} declares {unused:?}");
    }

    /// The callers of a matrix: `visitor` and all personas.
    pub fn callers(&self, personas: &[Persona]) -> Vec<(&'static str, TestClient)> {
        let signed_in = personas.iter().map(|one| (one.subject, self.as_persona(one)));
        [("visitor", self.visitor())].into_iter().chain(signed_in).collect()
    }

    /// Checks a system's authorization matrix: see [`check_matrix`]. `send` sends the request of a
    /// row and returns its status. Every request runs on the same data, and a refused one must not
    /// write.
    pub async fn check_matrix(
        &self,
        system: &str,
        callers: &[(&str, TestClient)],
        table: &str,
        send: impl AsyncFn(&TestClient, &str) -> u16,
    ) {
        let operations = self.operations(system).await;
        let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
        let names: Vec<&str> = callers.iter().map(|(name, _)| *name).collect();
        let before = self.store.snapshot().await;
        check_matrix(table, &operations, &names, async |row, caller| {
            let (_, client) = callers.iter().find(|(name, _)| *name == caller).unwrap();
            let status = send(client, row).await;
            if status >= 400 {
                self.check_refused(&before, status, row, caller).await;
            } else {
                self.store.restore(&before).await;
            }
            status
        })
        .await;
    }

    /// The operation ids of a system.
    pub async fn operations(&self, system: &str) -> Vec<String> {
        self.operations_that(system, |_| true).await
    }

    /// The ids of operations that take an Idempotency-Key.
    pub async fn idempotent_operations(&self, system: &str) -> Vec<String> {
        let takes_key = |operation: &Value| {
            let parameters = operation["parameters"].as_array();
            parameters.into_iter().flatten().any(|one| one["name"] == "Idempotency-Key")
        };
        self.operations_that(system, takes_key).await
    }

    /// The operations of a system in document order.
    pub(crate) async fn described_operations(&self, system: &str) -> Vec<DescribedOperation> {
        let document = self.document(system).await;
        let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let mut operations = Vec::new();
        for (path, methods) in members(&document["paths"]) {
            for operation in members(&methods).values() {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let has_media = |text: &str| operation["responses"].to_string().contains(text);
                operations.push(DescribedOperation {
                    id: operation["operationId"].as_str().unwrap_or_default().to_owned(),
                    path: path.clone(),
                    takes_key: parameters.into_iter().any(|one| one["name"] == "Idempotency-Key"),
                    is_stream: has_media("text/event-stream") || has_media("\"101\""),
                });
            }
        }
        operations.sort_by(|one, other| one.id.cmp(&other.id));
        operations
    }

    async fn operations_that(
        &self,
        system: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Vec<String> {
        let document = self.document(system).await;
        let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
        members(&document["paths"])
            .values()
            .flat_map(|path| members(path).into_iter())
            .filter(|(_, operation)| is_wanted(operation))
            .filter_map(|(_, operation)| Some(operation["operationId"].as_str()?.to_owned()))
            .collect()
    }

    /// Fails if a refused request has changed the tables of a system. `before` is the store before
    /// the request; `row` and `caller` are for the message.
    pub async fn check_refused(&self, before: &Snapshot, status: u16, row: &str, caller: &str) {
        let after = self.store.snapshot().await.without_web();
        let has_written = after != before.clone().without_web();
        assert!(!has_written, "{row} as {caller} is {status}, and has written");
    }

    async fn document(&self, system: &str) -> Value {
        self.visitor().get(&format!("/{system}/openapi.json")).await.expect(200)
    }
}
