//! A design with its names resolved and its expressions read, for whoever works with it.

use super::check::{Finding, Place};
use super::reach::{Reached, reaches};
use super::{
    AccessPattern, Action, Design, Entity, KeyTest, Operation, Table, Template, expression, shapes,
};
use crate::key::{Form, Segment};
use singlet_dynamo::expression::{Condition, Parameter, Update};
use singlet_dynamo::schema::KeySchema;

pub(super) struct Subject<'d> {
    pub(super) design: &'d Design,
    /// All operations of all patterns.
    pub(super) steps: Vec<Step<'d>>,
    /// What the rules find that the compiler applies to Rust types as well.
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

    /// The design with this pattern alone, which need not be one of its own.
    pub(super) fn of_pattern(design: &'d Design, pattern: &'d AccessPattern) -> Self {
        Self { design, steps: steps(design, pattern).collect(), faults: Vec::new() }
    }

    /// All entities, with their tables.
    pub(super) fn entities(&self) -> impl Iterator<Item = (&'d Table, &'d Entity)> {
        let of_table = |table: &'d Table| table.entities.iter().map(move |entity| (table, entity));
        self.design.tables.iter().flat_map(of_table)
    }

    /// The entity of this name, with its table.
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

/// What a field looks like in a key. One of which nothing is said is taken for an identifier,
/// which is what people mean.
pub(super) fn form_of(delimiter: char, entity: &Entity, field: &str) -> Form {
    let closed = u8::try_from(delimiter).map_or(Form::Open, Form::Without);
    entity.attribute(field).map_or(closed, |attribute| attribute.form(delimiter))
}

/// One operation of a pattern.
pub(super) struct Step<'d> {
    design: &'d Design,
    pub(super) pattern: &'d AccessPattern,
    /// Which of the pattern's operations it is, counted from 1.
    number: usize,
    pub(super) operation: &'d Operation,
    /// Its table, if the design has it.
    pub(super) table: Option<&'d Table>,
    /// Its expressions, as far as they can be read.
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

    /// The key that it is asked by: the table's, or that of the index.
    pub(super) fn key(&self) -> Option<&'d KeySchema> {
        self.table?.key_of(self.operation.index.as_deref())
    }

    /// The key attributes that it names and that are none.
    pub(super) fn foreign_attributes(&self) -> Vec<&'d str> {
        let Some(key) = self.key() else {
            return Vec::new();
        };
        let names = self.operation.key.iter().map(|condition| condition.attribute.as_str());
        names.filter(|name| !key.contains(name)).collect()
    }

    /// The entities that it is about: those that it names, or else those that it can reach.
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

    /// Whether items of this entity can be among what it reads, or be what it writes.
    pub(super) fn can_reach(&self, entity: &Entity) -> bool {
        self.reached(entity).is_some_and(|reached| reached.partition && reached.sort)
    }

    /// Which parts of an entity's key pass the operation's key condition, if the entity has a key
    /// there at all.
    pub(super) fn reached(&self, entity: &Entity) -> Option<Reached> {
        let key = self.key()?;
        let keys: Vec<(&Template, Option<&Template>)> = match &self.operation.index {
            None => vec![(&entity.key.partition, entity.key.sort.as_ref())],
            Some(index) => {
                entity.index_keys(index).map(|key| (&key.partition, key.sort.as_ref())).collect()
            }
        };
        let reached = keys.into_iter().map(|(partition, sort)| {
            // A scan has no key condition.
            if self.operation.action == Action::Scan {
                return Reached { partition: true, sort: true };
            }
            let passes = |test: Option<&KeyTest>, template: Option<&Template>| {
                let (Some(test), Some(template)) = (test, template) else {
                    return true;
                };
                let theirs = self.segments_for(entity, template);
                reaches(test, |template| self.segments_for(entity, template), &theirs)
            };
            let sort_test =
                key.sort.as_ref().and_then(|attribute| self.operation.key_test(&attribute.name));
            Reached {
                partition: passes(self.operation.key_test(&key.partition.name), Some(partition)),
                sort: passes(sort_test, sort),
            }
        });
        // Of several keys in one index, the one that comes closest.
        reached.max_by_key(|one| (one.partition && one.sort, one.partition))
    }

    /// A template of the operation in the language of keys. Its fields are parameters, which look
    /// like the entity's field of the same name.
    fn segments_for<'t>(&self, entity: &Entity, template: &'t Template) -> Vec<Segment<'t>> {
        template.segments(|field| form_of(self.delimiter(), entity, field))
    }

    /// The character between the parts of the keys that it is about.
    pub(super) fn delimiter(&self) -> char {
        self.table.map_or(self.design.delimiter, |table| self.design.delimiter_of(table))
    }

    /// The names of the attributes that its update changes.
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

    /// Whether it takes the whole key of an item.
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

    /// Whether a query gives at most one item, because it says all of a key that is unique.
    pub(super) fn is_of_one_item(&self) -> bool {
        let is_primary = self.operation.index.is_none();
        let mut attributes = self.key().into_iter().flat_map(KeySchema::attributes);
        is_primary
            && attributes.all(|attribute| {
                matches!(self.operation.key_test(&attribute.name), Some(KeyTest::Equals(_)))
            })
    }
}
