//! The projection of a read: `ProjectionExpression`, or the legacy `AttributesToGet`.

use super::parameter::check_styles;
use crate::constraint::Constraints;
use crate::error::Result;
use crate::expression::{Parameter, Placeholders, Projection};
use crate::json::Reader;
use crate::legacy::AttributesToGet;

/// The members of the body, unchecked, for reads without other expressions.
#[derive(Default)]
pub(super) struct ProjectionBody {
    attributes_to_get: Option<AttributesToGet>,
    projection_expression: Option<String>,
    placeholders: Placeholders,
}

impl ProjectionBody {
    /// Reads the member if it is one of these, else skips it.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, member: &str) -> Result<()> {
        match member {
            "AttributesToGet" => self.attributes_to_get = AttributesToGet::read(reader)?,
            "ProjectionExpression" => self.projection_expression = reader.owned_string()?,
            "ExpressionAttributeNames" => self.placeholders.read_names(reader)?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// Adds the violations of the members' constraints. `path` is the position of
    /// `attributesToGet`.
    pub(super) fn constrain(&self, constraints: &mut Constraints, path: &str) {
        if let Some(names) = &self.attributes_to_get {
            names.constrain(constraints, path);
        }
    }

    /// Refuses combined legacy and new parameters, and names without an expression.
    pub(super) fn check_styles(&self) -> Result<()> {
        let expressions = [(Parameter::ProjectionExpression, self.projection_expression.is_some())];
        check_styles(&[("AttributesToGet", self.attributes_to_get.is_some())], &expressions)?;
        self.placeholders.check_needed(&expressions)
    }

    /// Refuses combined legacy and new parameters among the parts of one request.
    pub(super) fn check_styles_among<'b>(bodies: impl Iterator<Item = &'b Self>) -> Result<()> {
        let (mut is_legacy, mut is_expression) = (false, false);
        for body in bodies {
            is_legacy |= body.attributes_to_get.is_some();
            is_expression |= body.projection_expression.is_some();
        }
        check_styles(
            &[("AttributesToGet", is_legacy)],
            &[(Parameter::ProjectionExpression, is_expression)],
        )
    }

    /// The projection; `None` for whole items.
    pub(super) fn into_projection(mut self) -> Result<Option<Projection>> {
        if let Some(names) = &self.attributes_to_get {
            names.check()?;
        }
        self.placeholders.check()?;
        let projection = match (self.projection_expression, self.attributes_to_get) {
            (Some(text), _) => {
                let parameter = Parameter::ProjectionExpression;
                Some(Projection::parse(&text, parameter, &mut self.placeholders)?)
            }
            (None, Some(names)) => Some(names.into_projection()?),
            (None, None) => None,
        };
        self.placeholders.check_all_used()?;
        Ok(projection)
    }
}
