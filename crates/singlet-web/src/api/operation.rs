//! What a route takes and returns, gathered from the signature of its function.

use super::argument::PATH_PARAMETER_BYTES_MAX;
use super::document::path_parameters;
use crate::problem::{INVALID, MALFORMED, NOT_FOUND, ProblemType, TOO_LARGE, UNSUPPORTED_TYPE};
use crate::validate::Validator;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// What a route takes and returns. Arguments and replies write themselves down here.
pub struct Operation<'a> {
    schemas: &'a mut SchemaGenerator,
    path: &'static str,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) replies: Vec<(u16, Value)>,
    pub(super) problems: Vec<&'static ProblemType>,
    pub(super) security: Vec<&'static Scheme>,
    /// Whether visitors may call the route, and people who have signed in as themselves.
    pub(super) may_sign_in: bool,
    pub(super) validators: Validators,
    /// How many bytes a body may have; `None` is what the server takes of any route.
    pub(super) body_bytes_max: Option<usize>,
}

/// What is left of an operation when its part of the document is written: what requests meet.
pub(super) struct Described {
    pub(super) problems: Vec<&'static ProblemType>,
    pub(super) security: Vec<&'static Scheme>,
    pub(super) may_sign_in: bool,
    pub(super) validators: Validators,
    pub(super) body_bytes_max: Option<usize>,
    /// The headers that the route reads, in small letters.
    pub(super) headers: Vec<String>,
}

/// What requests to a route are checked against.
#[derive(Default)]
pub(super) struct Validators {
    pub(super) body: Option<Validator>,
    pub(super) path: Option<Validator>,
    /// One for each argument that reads from the query.
    query: Vec<(TypeId, Validator)>,
}

impl Validators {
    /// The validator of the argument of this type.
    pub(super) fn query_of(&self, id: TypeId) -> Option<&Validator> {
        self.query.iter().find(|(of, _)| *of == id).map(|(_, validator)| validator)
    }

    /// Whether any argument of the route reads this parameter.
    pub(super) fn knows_query(&self, name: &str) -> bool {
        let mut members = self.query.iter().flat_map(|(_, validator)| validator.members());
        members.any(|(known, _)| known == name)
    }
}

/// A way to say who is calling.
#[derive(Debug)]
pub struct Scheme {
    /// What the document calls it.
    pub name: &'static str,
    /// What a client sends.
    pub kind: Credential,
    /// Where a caller gets it.
    pub description: &'static str,
}

/// What a client sends to say who is calling.
#[derive(Debug)]
#[non_exhaustive]
pub enum Credential {
    /// A JWT in the header `Authorization`.
    Bearer,
    /// A secret in a header of its own.
    Header(&'static str),
}

impl Scheme {
    pub(super) fn definition(&self) -> Value {
        match self.kind {
            Credential::Bearer => json!({
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": self.description,
            }),
            Credential::Header(name) => json!({
                "type": "apiKey", "in": "header", "name": name, "description": self.description,
            }),
        }
    }
}

impl<'a> Operation<'a> {
    pub(super) fn new(schemas: &'a mut SchemaGenerator, path: &'static str) -> Self {
        Self {
            schemas,
            path,
            parameters: Vec::new(),
            body: None,
            replies: Vec::new(),
            problems: Vec::new(),
            security: Vec::new(),
            may_sign_in: false,
            validators: Validators::default(),
            body_bytes_max: None,
        }
    }

    pub(super) fn into_described(self) -> Described {
        let Self { problems, security, may_sign_in, validators, body_bytes_max, .. } = self;
        let is_in_header =
            |parameter: &&Value| parameter.get("in").is_some_and(|place| place == "header");
        let read = self.parameters.iter().filter(is_in_header);
        let read = read.filter_map(|parameter| parameter.get("name")?.as_str());
        let secrets = security.iter().filter_map(|scheme| match scheme.kind {
            Credential::Bearer => None,
            Credential::Header(name) => Some(name),
        });
        let headers = read.chain(secrets).map(str::to_ascii_lowercase).collect();
        Described { problems, security, may_sign_in, validators, body_bytes_max, headers }
    }

    /// The schema of a type, by reference if it has a name.
    pub fn schema<T: JsonSchema>(&mut self) -> Schema {
        self.schemas.subschema_for::<T>()
    }

    /// An argument that reads the members of a type from the query.
    pub(super) fn query<T: JsonSchema + 'static>(&mut self) {
        // Not `subschema_for`: a struct of parameters is no schema that anybody refers to.
        let schema = T::json_schema(self.schemas).to_value();
        self.query_of_schema(TypeId::of::<T>(), schema);
    }

    fn query_of_schema(&mut self, id: TypeId, schema: Value) {
        let validator = self.validator(&schema);
        self.validators.query.push((id, validator));
        self.parameters_of(schema, "query");
        self.add_problem(&INVALID);
    }

    /// An argument that reads the members of a type from the path, or the only parameter there.
    pub(super) fn path<T: JsonSchema>(&mut self) {
        let schema = T::json_schema(self.schemas).to_value();
        self.path_of_schema(schema);
    }

    fn path_of_schema(&mut self, schema: Value) {
        self.validators.path = Some(self.validator(&schema));
        self.parameters_of(schema, "path");
        self.add_problem(&MALFORMED);
        self.add_problem(&NOT_FOUND);
    }

    /// What checks values against a schema of this document.
    fn validator(&self, schema: &Value) -> Validator {
        Validator::compiled(schema, self.schemas.definitions(), self.path)
    }

    /// The members of a schema, each as a parameter in this place. A type without members is the
    /// only parameter of the path.
    fn parameters_of(&mut self, mut schema: Value, place: &'static str) {
        if place == "path" && schema.get("properties").is_none() {
            let name = path_parameters(self.path).next().unwrap_or_default();
            add_path_bound(&mut schema);
            self.parameters.push(json!({
                "name": name, "in": place, "required": true, "schema": schema,
            }));
            return;
        }
        let required = schema.get("required").and_then(Value::as_array).cloned();
        let members = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in members.into_iter().flatten() {
            let is_required = required.iter().flatten().any(|one| one == name.as_str());
            let mut schema = schema.clone();
            if place == "path" {
                add_path_bound(&mut schema);
            }
            let description =
                schema.as_object_mut().and_then(|schema| schema.remove("description"));
            self.parameters.push(json!({
                "name": name,
                "in": place,
                "required": place == "path" || is_required,
                "description": description.unwrap_or_default(),
                "schema": schema,
            }));
        }
    }

    /// A header that the route reads.
    pub fn header(&mut self, name: &str, is_required: bool, description: &str) {
        self.header_of(name, is_required, description, &json!({"type": "string"}));
    }

    /// A header that the route reads, with a schema.
    pub(super) fn header_of(
        &mut self,
        name: &str,
        is_required: bool,
        description: &str,
        schema: &Value,
    ) {
        self.parameters.push(json!({
            "name": name,
            "in": "header",
            "required": is_required,
            "description": description,
            "schema": schema,
        }));
    }

    /// The route answers with this status and a body of this type.
    pub fn replies<T: JsonSchema>(&mut self, status: u16, description: &str) {
        let schema = self.schema::<T>();
        self.replies_with(status, description, schema);
    }

    #[inline(never)]
    fn replies_with(&mut self, status: u16, description: &str, schema: Schema) {
        let content = json!({"application/json": {"schema": schema}});
        self.replies.push((status, json!({"description": description, "content": content})));
    }

    /// The route takes a body with this schema.
    #[inline(never)]
    pub(super) fn takes(&mut self, schema: &Schema) {
        self.validators.body = Some(self.validator(schema.as_value()));
        self.body =
            Some(json!({"required": true, "content": {"application/json": {"schema": schema}}}));
        for code in [&MALFORMED, &UNSUPPORTED_TYPE, &TOO_LARGE, &INVALID] {
            self.add_problem(code);
        }
    }

    /// The route answers with this status and a body of this media type, which is not JSON.
    pub fn replies_as(&mut self, status: u16, media_type: &str, description: &str) {
        let content = json!({media_type: {"schema": {"type": "string"}}});
        self.replies.push((status, json!({"description": description, "content": content})));
    }

    /// The route answers with this status and bytes of one of these media types.
    pub fn replies_binary(&mut self, status: u16, media_types: &[&str], description: &str) {
        let schema = json!({"type": "string", "format": "binary"});
        let content = media_types.iter().map(|one| ((*one).to_owned(), json!({"schema": schema})));
        let content: Map<String, Value> = content.collect();
        self.replies.push((status, json!({"description": description, "content": content})));
    }

    /// The route answers with this status and no body.
    pub fn replies_without_body(&mut self, status: u16, description: &str) {
        self.replies.push((status, json!({"description": description})));
    }

    /// The route may refuse for this reason.
    pub fn add_problem(&mut self, code: &'static ProblemType) {
        if !self.problems.contains(&code) {
            self.problems.push(code);
        }
    }

    /// The route knows people who have signed in, and lets in visitors as well.
    pub(crate) fn knows_callers(&mut self) {
        self.may_sign_in = true;
    }

    /// The route asks who is calling, in one of the ways that the document declares.
    pub fn requires(&mut self, scheme: &'static Scheme) {
        self.security.push(scheme);
    }
}

/// Says how long a text in a path may be, which is the same for all of them.
fn add_path_bound(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut()
        && schema.get("type").is_some_and(|kind| kind == "string")
        && !schema.contains_key("enum")
    {
        schema.entry("maxLength").or_insert_with(|| json!(PATH_PARAMETER_BYTES_MAX));
    }
}
