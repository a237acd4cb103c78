//! What a route takes and returns, collected from its function's signature.

use super::path::{PathId, PathParameters};
use crate::problem::{INVALID, MALFORMED, ProblemType, TOO_LARGE, UNSUPPORTED_TYPE};
use crate::validate::{self, FieldError, FieldLocation, Validator};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// Describes what a route takes and returns. Arguments and replies add themselves.
pub struct Operation<'a> {
    schemas: &'a mut SchemaGenerator,
    path: &'static str,
    path_ids: &'a [PathId],
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) replies: Vec<(u16, Value)>,
    pub(super) problems: Vec<&'static ProblemType>,
    pub(super) security: Vec<&'static Scheme>,
    /// Whether sign-in is optional.
    pub(super) may_sign_in: bool,
    pub(super) validators: Validators,
    /// Validators of the replay check.
    pub(super) check_validators: Validators,
    /// Maximum size of a body; `None` is the server's default.
    pub(super) body_bytes_max: Option<usize>,
}

/// The parts of an operation that requests need.
pub(super) struct Described {
    pub(super) problems: Vec<&'static ProblemType>,
    pub(super) security: Vec<&'static Scheme>,
    pub(super) may_sign_in: bool,
    pub(super) validators: Validators,
    pub(super) check_validators: Validators,
    pub(super) body_bytes_max: Option<usize>,
    /// Headers the route reads, in lower case.
    pub(super) headers: Vec<String>,
}

/// Validators for requests to a route.
#[derive(Default)]
pub(super) struct Validators {
    pub(super) body: Option<Validator>,
    pub(super) path: Option<PathParameters>,
    /// One per argument that reads the query.
    pub(super) query: Vec<QueryArgument>,
}

/// An argument that reads the query.
pub(super) struct QueryArgument {
    pub(super) id: TypeId,
    pub(super) validator: Validator,
    /// Adds the refusals of the argument's types to the errors of its schema.
    pub(super) refusals: fn(&Value, Vec<FieldError>) -> Vec<FieldError>,
}

impl Validators {
    /// The validator of this argument type.
    pub(super) fn query_of(&self, id: TypeId) -> Option<&Validator> {
        self.query.iter().find(|one| one.id == id).map(|one| &one.validator)
    }

    /// Whether any argument reads the query.
    pub(super) fn read_query(&self) -> bool {
        !self.query.is_empty()
    }

    /// Whether any argument reads this parameter.
    pub(super) fn knows_query(&self, name: &str) -> bool {
        let mut members = self.query.iter().flat_map(|one| one.validator.members());
        members.any(|(known, _)| known == name)
    }
}

/// A security scheme.
#[derive(Debug)]
pub struct Scheme {
    /// Its name in the document.
    pub name: &'static str,
    /// What the client sends.
    pub kind: Credential,
    /// Where a caller gets it.
    pub description: &'static str,
}

/// Credentials sent by a client.
#[derive(Debug)]
#[non_exhaustive]
pub enum Credential {
    /// A JWT in `Authorization`.
    Bearer,
    /// A secret in this header.
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
    pub(super) fn new(
        schemas: &'a mut SchemaGenerator,
        path: &'static str,
        path_ids: &'a [PathId],
    ) -> Self {
        Self {
            schemas,
            path,
            path_ids,
            parameters: Vec::new(),
            body: None,
            replies: Vec::new(),
            problems: Vec::new(),
            security: Vec::new(),
            may_sign_in: false,
            validators: Validators::default(),
            check_validators: Validators::default(),
            body_bytes_max: None,
        }
    }

    pub(super) fn into_described(self) -> Described {
        let Self { problems, security, may_sign_in, body_bytes_max, .. } = self;
        let Self { validators, check_validators, .. } = self;
        let is_in_header =
            |parameter: &&Value| parameter.get("in").is_some_and(|place| place == "header");
        let read = self.parameters.iter().filter(is_in_header);
        let read = read.filter_map(|parameter| parameter.get("name")?.as_str());
        let secrets = security.iter().filter_map(|scheme| match scheme.kind {
            Credential::Bearer => None,
            Credential::Header(name) => Some(name),
        });
        let headers = read.chain(secrets).map(str::to_ascii_lowercase).collect();
        Described {
            problems,
            security,
            may_sign_in,
            validators,
            check_validators,
            body_bytes_max,
            headers,
        }
    }

    /// The schema of a type, by reference if it is named.
    pub fn schema<T: JsonSchema>(&mut self) -> Schema {
        self.schemas.subschema_for::<T>()
    }

    /// Adds an argument that reads the fields of `T` from the query, as a value of `V`.
    pub(super) fn query<T, V>(&mut self)
    where
        T: JsonSchema + 'static,
        V: DeserializeOwned,
    {
        // Not `subschema_for`: nothing refers to the schema of a parameter struct.
        let schema = T::json_schema(self.schemas).to_value();
        self.query_of_schema(TypeId::of::<T>(), &schema, |json, errors| {
            validate::read_checked::<V>(json, errors, FieldLocation::Query)
                .err()
                .unwrap_or_default()
        });
    }

    fn query_of_schema(
        &mut self,
        id: TypeId,
        schema: &Value,
        refusals: fn(&Value, Vec<FieldError>) -> Vec<FieldError>,
    ) {
        let validator = self.validator(schema);
        self.validators.query.push(QueryArgument { id, validator, refusals });
        self.query_parameters(schema);
        self.add_problem(&INVALID);
    }

    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    pub(super) fn path_id(&self, name: &str) -> Option<&'a PathId> {
        self.path_ids.iter().find(|id| id.name == name)
    }

    pub(super) fn generator(&mut self) -> &mut SchemaGenerator {
        self.schemas
    }

    /// A validator for a schema of this document.
    pub(super) fn validator(&self, schema: &Value) -> Validator {
        Validator::compiled(schema, self.schemas.definitions(), self.path)
    }

    /// The members of a schema, each as a parameter in the query.
    fn query_parameters(&mut self, schema: &Value) {
        let required = schema.get("required").and_then(Value::as_array);
        let members = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in members.into_iter().flatten() {
            let is_required = required.into_iter().flatten().any(|one| one == name.as_str());
            let mut schema = schema.clone();
            let description =
                schema.as_object_mut().and_then(|schema| schema.remove("description"));
            self.parameters.push(json!({
                "name": name,
                "in": "query",
                "required": is_required,
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

    /// The route requires authentication with this scheme.
    pub fn requires(&mut self, scheme: &'static Scheme) {
        self.security.push(scheme);
    }
}
