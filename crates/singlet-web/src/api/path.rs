//! Path parameters.

use super::argument::{Argument, contract, to_json, undescribed};
use super::document::path_parameters;
use super::operation::Operation;
use crate::problem::{MALFORMED, NOT_FOUND, Problem, ProblemType};
use crate::validate::{self, FieldError, FieldLocation, Validator};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use singlet::backend::BoxFuture;

/// Maximum size of a path parameter. DynamoDB keys have up to 1,024 bytes, and key templates add to
/// the parameter.
const PATH_PARAMETER_BYTES_MAX: usize = 256;

/// The path parameters: a single value, a tuple in path order, or a struct with a field for each.
///
/// A malformed value gets the problem declared by [`Api::path_ids`](super::Api::path_ids), or
/// [`NOT_FOUND`].
///
/// ```
/// use singlet_web::prelude::*;
///
/// singlet::id!(GameId, PlayerId);
///
/// async fn show_player(
///     Path((game, player)): Path<(GameId, PlayerId)>,
/// ) -> Result<Json<String>, Problem> {
///     Ok(Json(format!("{player} plays in {game}")))
/// }
///
/// let route = Route::<()>::get("/games/{game}/players/{player}", show_player);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path<T>(pub T);

/// A path parameter shared by all routes of a system.
pub(super) struct PathId {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// The response to a malformed value.
    pub(super) problem: &'static ProblemType,
    /// Further problems of routes with the parameter.
    pub(super) others: Vec<&'static ProblemType>,
}

/// Validators of the path parameters.
pub(super) struct PathParameters {
    shape: PathShape,
    /// In path order.
    parameters: Vec<PathParameter>,
}

struct PathParameter {
    name: &'static str,
    validator: Validator,
    /// The response to a malformed value.
    problem: &'static ProblemType,
}

/// How an argument is deserialized.
#[derive(Clone, Copy)]
enum PathShape {
    Value,
    Tuple,
    Struct,
}

impl PathShape {
    fn of(schema: &Value) -> Self {
        if schema.get("properties").is_some() {
            Self::Struct
        } else if schema.get("prefixItems").is_some() {
            Self::Tuple
        } else {
            Self::Value
        }
    }
}

impl<T: JsonSchema> Argument for Path<T> {
    fn describe(operation: &mut Operation<'_>) {
        let schema = T::json_schema(operation.generator()).to_value();
        describe_path(operation, schema);
    }
}

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + JsonSchema,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let json = read_path(parts).await?;
        let value = validate::read_checked(&json, Vec::new(), FieldLocation::Path);
        value.map(Self).map_err(|errors| refusal(parts, &errors))
    }
}

/// Adds the path parameters to an operation. `schema` is the argument's schema.
#[inline(never)]
fn describe_path(operation: &mut Operation<'_>, mut schema: Value) {
    let path = operation.path();
    let shape = PathShape::of(&schema);
    // The document refuses parameters without a counterpart.
    let mut members: Vec<(Option<&'static str>, String, Value)> = Vec::new();
    let mut names = path_parameters(path);
    match shape {
        PathShape::Value => {
            let name = names.next();
            members.push((name, name.unwrap_or_default().to_owned(), schema));
        }
        PathShape::Tuple => {
            let items = schema.get_mut("prefixItems").map(Value::take);
            for item in items.as_ref().and_then(Value::as_array).into_iter().flatten() {
                let name = names.next();
                members.push((name, name.unwrap_or_default().to_owned(), item.clone()));
            }
        }
        PathShape::Struct => {
            let properties = schema.get_mut("properties").map(Value::take).unwrap_or_default();
            for (name, schema) in properties.as_object().into_iter().flatten() {
                let known = path_parameters(path).find(|known| known == name);
                members.push((known, name.clone(), schema.clone()));
            }
            let place =
                |known: &Option<&str>| path_parameters(path).position(|name| Some(name) == *known);
            members.sort_by_key(|(known, ..)| place(known));
        }
    }
    let mut parameters = Vec::new();
    for (known, name, mut schema) in members {
        add_path_bound(&mut schema);
        let validator = operation.validator(&schema);
        let of_type = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let id = operation.path_id(&name);
        let problem = id.map_or(&NOT_FOUND, |id| id.problem);
        let description = id.map(|id| json!(id.description)).or(of_type);
        let mut parameter = json!({"name": name, "in": "path", "required": true, "schema": schema});
        if let (Some(parameter), Some(description)) = (parameter.as_object_mut(), description) {
            parameter.insert("description".to_owned(), description);
        }
        operation.parameters.push(parameter);
        for problem in [problem].into_iter().chain(id.into_iter().flat_map(|id| id.others.clone()))
        {
            operation.add_problem(problem);
        }
        parameters.extend(known.map(|name| PathParameter { name, validator, problem }));
    }
    operation.add_problem(&MALFORMED);
    operation.validators.path = Some(PathParameters { shape, parameters });
}

/// Reads the path parameters as JSON that matches the schema. Boxed, so that it is compiled once.
#[inline(never)]
fn read_path(parts: &mut Parts) -> BoxFuture<'_, Result<Value, Problem>> {
    Box::pin(async move {
        let given = RawPathParams::from_request_parts(parts, &())
            .await
            .map_err(|_| Problem::new(&MALFORMED).detail("the path is not UTF-8"))?;
        let contract = contract(&parts.extensions)?;
        let PathParameters { shape, parameters } =
            contract.validators.path.as_ref().ok_or_else(undescribed)?;
        let mut values = Vec::with_capacity(parameters.len());
        for PathParameter { name, validator, problem } in parameters {
            let refused = || Problem::new(problem);
            let (_, text) = given.iter().find(|(given, _)| given == name).ok_or_else(refused)?;
            if text.len() > PATH_PARAMETER_BYTES_MAX {
                return Err(refused());
            }
            // JSON allows whitespace around a number; a path has one canonical spelling.
            let is_text = validator.is_text() || text.trim() != text;
            let value = to_json(text.to_owned(), is_text);
            validator.check(&value, FieldLocation::Path).map_err(|_| refused())?;
            values.push(value);
        }
        Ok(match shape {
            PathShape::Value => values.pop().unwrap_or_default(),
            PathShape::Tuple => Value::Array(values),
            PathShape::Struct => {
                let names = parameters.iter().map(|parameter| parameter.name.to_owned());
                Value::Object(names.zip(values).collect())
            }
        })
    })
}

/// The response to a value that matches its schema but is rejected by its type.
#[inline(never)]
fn refusal(parts: &Parts, errors: &[FieldError]) -> Problem {
    let problem = contract(&parts.extensions).ok().and_then(|contract| {
        let PathParameters { shape, parameters } = contract.validators.path.as_ref()?;
        // `/1` in a tuple, `/game` in a struct, empty for a single value.
        let field = errors.first().map(|error| error.field.trim_start_matches('/'));
        let step = field.and_then(|field| field.split('/').next()).unwrap_or_default();
        let parameter = match shape {
            PathShape::Value => parameters.first(),
            PathShape::Tuple => parameters.get(step.parse::<usize>().ok()?),
            PathShape::Struct => parameters.iter().find(|parameter| parameter.name == step),
        };
        parameter.map(|parameter| parameter.problem)
    });
    Problem::new(problem.unwrap_or(&NOT_FOUND))
}

/// Adds the length limit of path parameters to a schema.
fn add_path_bound(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut()
        && schema.get("type").is_some_and(|kind| kind == "string")
        && !schema.contains_key("enum")
    {
        schema.entry("maxLength").or_insert_with(|| json!(PATH_PARAMETER_BYTES_MAX));
    }
}
