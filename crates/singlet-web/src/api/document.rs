//! The OpenAPI document.

use super::description;
use super::operation::Operation;
use super::route::Route;
use crate::problem::{self, ProblemType};
use crate::validate::openapi_settings;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The schema generator of a document; references point into it.
pub(super) fn generator() -> SchemaGenerator {
    SchemaGenerator::new(openapi_settings())
}

/// A document under construction.
#[derive(Default)]
pub(super) struct Document {
    name: &'static str,
    description: String,
    paths: Map<String, Value>,
    names: BTreeSet<&'static str>,
    schemes: BTreeMap<&'static str, Value>,
    problems: Vec<&'static ProblemType>,
    /// In route order.
    tags: Vec<&'static str>,
}

impl Document {
    pub(super) fn set_name(&mut self, name: &'static str, description: &str) {
        self.name = name;
        description.clone_into(&mut self.description);
    }

    pub(super) fn add<S>(&mut self, route: &Route<S>, operation: &Operation<'_>) {
        let Route { method, path, name, description, .. } = route;
        self.add_operation(method, path, name, description, operation);
    }

    #[inline(never)]
    fn add_operation(
        &mut self,
        method: &axum::http::Method,
        path: &'static str,
        name: &'static str,
        description: &'static str,
        operation: &Operation<'_>,
    ) {
        assert!(
            !name.is_empty() && !description.is_empty(),
            "{method} {path} needs a name and a text"
        );
        assert!(self.names.insert(name), "two routes have the name {name}");
        let declared: BTreeSet<&str> = path_parameters(path).collect();
        let taken = operation.parameters.iter();
        let taken = taken.filter(|one| one.get("in").and_then(Value::as_str) == Some("path"));
        let taken: BTreeSet<&str> = taken.filter_map(|one| one.get("name")?.as_str()).collect();
        assert!(
            declared == taken,
            "{method} {path} has the parameters {declared:?}, not {taken:?}"
        );
        for code in &operation.problems {
            self.add_problem(code);
        }
        for scheme in &operation.security {
            self.schemes.entry(scheme.name).or_insert_with(|| scheme.definition());
        }
        let tag = tag_of(path);
        if !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
        let mut written = json!({
            "operationId": name,
            "tags": [tag],
            "summary": description.split_inclusive(". ").next().unwrap_or_default().trim(),
            "description": description,
            "responses": responses(operation),
        });
        if let Some(members) = written.as_object_mut() {
            let mut insert = |name: &str, value| members.insert(name.to_owned(), value);
            if !operation.parameters.is_empty() {
                insert("parameters", json!(operation.parameters));
            }
            if let Some(body) = &operation.body {
                insert("requestBody", body.clone());
            }
            if !operation.security.is_empty() {
                let all =
                    operation.security.iter().map(|scheme| (scheme.name.to_owned(), json!([])));
                insert("security", json!([Value::Object(all.collect())]));
            }
        }
        let methods = self.paths.entry(path).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(method.as_str().to_ascii_lowercase(), written);
        }
    }

    pub(super) fn add_problem(&mut self, code: &'static ProblemType) {
        if !self.problems.contains(&code) {
            self.problems.push(code);
        }
    }

    /// The finished document.
    pub(super) fn finish(&self, schemas: &SchemaGenerator) -> Value {
        let mut schemas = schemas.definitions().clone();
        schemas.insert("Problem".to_owned(), problem_schema());
        let problems = self.problems.iter().map(|code| {
            json!({
                "code": code.name,
                "type": problem::address((!problem::SHARED.contains(code)).then_some(self.name), code),
                "status": code.status,
                "title": code.title,
                "description": code.description.trim(),
            })
        });
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": self.name,
                "version": env!("CARGO_PKG_VERSION"),
                "description": self.description,
            },
            "servers": [{"url": format!("/{}", self.name)}],
            "tags": self.tags.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(),
            "paths": self.paths,
            "components": {"schemas": schemas, "securitySchemes": self.schemes},
            "x-problems": problems.collect::<Vec<_>>(),
        });
        description::finish(&mut document);
        document
    }
}

/// Problem types listed in an OpenAPI document that no operation declares: for tests of systems.
#[must_use]
pub fn unused_problems(document: &Value) -> Vec<&str> {
    fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
        value.get(name).and_then(Value::as_object).into_iter().flat_map(Map::values)
    }
    // JSON pointers escape `/` as `~1`.
    let names =
        format!("/content/{}/schema/properties/code/enum", problem::MEDIA_TYPE.replace('/', "~1"));
    let mut declared = BTreeSet::new();
    let paths = members(document, "paths").filter_map(Value::as_object);
    for response in paths.flat_map(Map::values).flat_map(|one| members(one, "responses")) {
        let names = response.pointer(&names).and_then(Value::as_array);
        declared.extend(names.into_iter().flatten().filter_map(Value::as_str));
    }
    let explained = document.get("x-problems").and_then(Value::as_array).into_iter().flatten();
    let names = explained.filter_map(|one| one.get("code")?.as_str());
    names.filter(|name| !declared.contains(name)).collect()
}

/// The first path segment that is neither a version nor a parameter: `games` of `/v1/games/{game}`.
fn tag_of(path: &'static str) -> &'static str {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{'));
    parts.find(|part| !is_version(part)).unwrap_or("other")
}

/// The parameter names in a path.
pub(super) fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// Responses by status. Several problem types can share one.
fn responses(operation: &Operation<'_>) -> Value {
    let mut responses: BTreeMap<u16, Value> = operation.replies.iter().cloned().collect();
    let mut by_status: BTreeMap<u16, Vec<&ProblemType>> = BTreeMap::new();
    for code in &operation.problems {
        by_status.entry(code.status).or_default().push(code);
    }
    for (status, codes) in by_status {
        let titles: Vec<&str> = codes.iter().map(|code| code.title).collect();
        let names: Vec<&str> = codes.iter().map(|code| code.name).collect();
        let schema = json!({
            "$ref": "#/components/schemas/Problem",
            "properties": {"code": {"enum": names}},
        });
        let content = json!({problem::MEDIA_TYPE: {"schema": schema}});
        let response = json!({"description": titles.join(", or: "), "content": content});
        responses.insert(status, response);
    }
    let responses = responses.into_iter().map(|(status, one)| (status.to_string(), one));
    Value::Object(responses.collect())
}

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was refused (RFC 9457).",
        "required": ["type", "title", "status", "code"],
        "properties": {
            "type": {
                "type": "string",
                "description": "Where the reason is explained, such as `/problems#not-found`.",
            },
            "title": {"type": "string", "description": "The reason, for people."},
            "status": {"type": "integer", "description": "The status of the answer."},
            "code": {"type": "string", "description": "The reason, for programs. Never changes."},
            "detail": {"type": "string", "description": "More about this occurrence."},
            "errors": {
                "type": "array",
                "description": "Each field that breaks a rule.",
                "items": {
                    "type": "object",
                    "required": ["in", "field", "detail"],
                    "properties": {
                        "in": {"enum": ["body", "query", "path", "header", "message"]},
                        "field": {
                            "type": "string",
                            "description": "A JSON pointer into the body, or a parameter's name.",
                        },
                        "detail": {"type": "string", "description": "What it must be."},
                    },
                },
            },
        },
    })
}
