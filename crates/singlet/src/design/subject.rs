//! A design with names resolved and expressions parsed, as input for the rules.

use super::check::{Finding, Place};
use super::reach::{Reached, reaches};
use super::{
    AccessPattern, Action, Design, Entity, KeyAttribute, KeyAttributes, KeyTest, Operation, Table,
    Template, expression, shapes,
};
use crate::key::{Form, Segment};
use singlet_dynamo::expression::{Condition, Parameter, Update};

pub(super) struct Subject<'d> {
    pub(super) design: &'d Design,
    /// All operations of all patterns.
    pub(super) steps: Vec<Step<'d>>,
    /// Findings of the rules shared with the compiler.
    pub(super) faults: Vec<Finding>,
}

impl<'d> Subject<'d> {
    pub(super) fn of(design: &'d Design) -> Self {
        let patterns = design.patterns.iter();
        Self {
            design,
            steps: patterns.flat_map(|pattern| steps(design, pattern)).collect(),
            faults: design.tables.iter().flat_map(|table| shapes::faults(design, table)).collect(),
        }
    }

    /// The design with only this pattern, which need not be part of the design.
    pub(super) fn of_pattern(design: &'d Design, pattern: &'d AccessPattern) -> Self {
        Self { design, steps: steps(design, pattern).collect(), faults: Vec::new() }
    }

    /// All entities, with their tables.
    pub(super) fn entities(&self) -> impl Iterator<Item = (&'d Table, &'d Entity)> {
        let of_table = |table: &'d Table| table.entities.iter().map(move |entity| (table, entity));
        self.design.tables.iter().flat_map(of_table)
    }

    /// The entity with this name, and its table.
    pub(super) fn entity(&self, name: &str) -> Option<(&'d Table, &'d Entity)> {
        self.entities().find(|(_, entity)| entity.name == name)
    }

    /// The steps of a pattern.
    pub(super) fn steps_of(&self, pattern: &AccessPattern) -> impl Iterator<Item = &Step<'d>> {
        self.steps.iter().filter(move |step| step.pattern.name == pattern.name)
    }
}

fn steps<'d>(design: &'d Design, pattern: &'d AccessPattern) -> impl Iterator<Item = Step<'d>> {
    let operations = pattern.operations.iter().enumerate();
    operations.map(move |(place, operation)| Step::new(design, pattern, place + 1, operation))
}

/// Form of a field in a key. An undeclared field is assumed to be an identifier.
pub(super) fn form_of(delimiter: char, entity: &Entity, field: &str) -> Form {
    let closed = u8::try_from(delimiter).map_or(Form::Open, Form::Without);
    entity.attribute(field).map_or(closed, |attribute| attribute.form(delimiter))
}

/// One operation of a pattern.
pub(super) struct Step<'d> {
    design: &'d Design,
    pub(super) pattern: &'d AccessPattern,
    /// Position in the pattern, starting at 1.
    number: usize,
    pub(super) operation: &'d Operation,
    /// Its table, if the design declares it.
    pub(super) table: Option<&'d Table>,
    /// Its parsed expressions, or the parse errors.
    pub(super) filter: Option<Result<Condition, String>>,
    pub(super) condition: Option<Result<Condition, String>>,
    pub(super) update: Option<Result<Update, String>>,
}

impl<'d> Step<'d> {
    fn new(
        design: &'d Design,
        pattern: &'d AccessPattern,
        number: usize,
        operation: &'d Operation,
    ) -> Self {
        let table = match (&operation.table, design.tables.as_slice()) {
            (Some(name), _) => design.table(name),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let condition = |text: &Option<String>, parameter| {
            text.as_ref().map(|text| expression::condition(text, parameter))
        };
        Self {
            design,
            pattern,
            number,
            operation,
            table,
            filter: condition(&operation.filter, Parameter::FilterExpression),
            condition: condition(&operation.condition, Parameter::ConditionExpression),
            update: operation.update.as_ref().map(|text| expression::update(text)),
        }
    }

    pub(super) fn place(&self) -> Place {
        Place {
            pattern: Some(self.pattern.name.clone()),
            operation: Some(self.number),
            ..Place::default()
        }
    }

    /// The key it uses: the table's or the index's.
    pub(super) fn key(&self) -> Option<&'d KeyAttributes> {
        self.table?.key_of(self.operation.index.as_deref())
    }

    /// Names in the key condition that are not key attributes.
    pub(super) fn foreign_attributes(&self) -> Vec<&'d str> {
        let Some(key) = self.key() else {
            return Vec::new();
        };
        let names = self.operation.key.iter().map(|condition| condition.attribute.as_str());
        names.filter(|name| !key.contains(name)).collect()
    }

    /// The entities it names; if none, all it can reach.
    pub(super) fn entities(&self) -> Vec<&'d Entity> {
        let Some(table) = self.table else {
            return Vec::new();
        };
        if !self.operation.entities.is_empty() {
            let names = self.operation.entities.iter();
            return names.filter_map(|name| table.entity(name)).collect();
        }
        table.entities.iter().filter(|entity| self.can_reach(entity)).collect()
    }

    /// Whether it can read or write items of this entity.
    pub(super) fn can_reach(&self, entity: &Entity) -> bool {
        self.reached(entity).is_some_and(|reached| reached.partition && reached.sort)
    }

    /// Which parts of an entity's key satisfy the key condition; `None` if the entity has no key
    /// there.
    pub(super) fn reached(&self, entity: &Entity) -> Option<Reached> {
        let key = self.key()?;
        let keys: Vec<(&[Template], &[Template])> = match &self.operation.index {
            None => vec![(&entity.key.partition, &entity.key.sort)],
            Some(index) => {
                let keys = entity.index_keys(index);
                keys.map(|key| (key.partition.as_slice(), key.sort.as_slice())).collect()
            }
        };
        let reached = keys.into_iter().map(|(partition, sort)| {
            // A scan has no key condition.
            if self.operation.action == Action::Scan {
                return Reached { partition: true, sort: true };
            }
            let passes = |(attribute, template): (&KeyAttribute, &Template)| {
                let Some(test) = self.operation.key_test(&attribute.name) else { return true };
                let theirs = self.segments_for(entity, template);
                reaches(test, |template| self.segments_for(entity, template), &theirs)
            };
            Reached {
                partition: key.partition.iter().zip(partition).all(passes),
                sort: key.sort.iter().zip(sort).all(passes),
            }
        });
        // Of several keys in one index, the best match.
        reached.max_by_key(|one| (one.partition && one.sort, one.partition))
    }

    /// A template of the operation as segments. Its fields are parameters with the form of the
    /// entity's field of the same name.
    fn segments_for<'t>(&self, entity: &Entity, template: &'t Template) -> Vec<Segment<'t>> {
        template.segments(|field| form_of(self.delimiter(), entity, field))
    }

    /// The delimiter of its table.
    pub(super) fn delimiter(&self) -> char {
        self.table.map_or(self.design.delimiter, |table| self.design.delimiter_of(table))
    }

    /// Attributes changed by its update.
    pub(super) fn changed_attributes(&self) -> Vec<&str> {
        match &self.update {
            Some(Ok(update)) => {
                update.actions().iter().map(|action| action.path().name()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it puts items of this entity.
    pub(super) fn puts(&self, entity: &Entity) -> bool {
        let is_put = match self.operation.action {
            Action::PutItem => true,
            Action::BatchWriteItem => !self.operation.deletes,
            _ => false,
        };
        is_put && self.is_about(entity)
    }

    /// Whether it deletes items of this entity.
    pub(super) fn deletes(&self, entity: &Entity) -> bool {
        let is_delete = match self.operation.action {
            Action::DeleteItem => true,
            Action::BatchWriteItem => self.operation.deletes,
            _ => false,
        };
        is_delete && self.is_about(entity)
    }

    /// Whether it updates items of this entity.
    pub(super) fn updates(&self, entity: &Entity) -> bool {
        self.operation.action == Action::UpdateItem && self.is_about(entity)
    }

    fn is_about(&self, entity: &Entity) -> bool {
        self.entities().iter().any(|own| own.name == entity.name)
    }

    /// Whether it requires a full item key.
    pub(super) fn is_by_key(&self) -> bool {
        match self.operation.action {
            Action::GetItem
            | Action::BatchGetItem
            | Action::PutItem
            | Action::UpdateItem
            | Action::DeleteItem
            | Action::BatchWriteItem
            | Action::ConditionCheck => true,
            Action::Query | Action::Scan | Action::Other(_) => false,
        }
    }

    /// Whether a query returns at most one item, because it gives the full primary key.
    pub(super) fn is_of_one_item(&self) -> bool {
        let is_primary = self.operation.index.is_none();
        let mut attributes = self.key().into_iter().flat_map(KeyAttributes::iter);
        is_primary
            && attributes.all(|attribute| {
                matches!(self.operation.key_test(&attribute.name), Some(KeyTest::Equals(_)))
            })
    }
}
