//! Expressions that fit the generator's items more often than not.

use super::Generator;
use super::design::Design;
use crate::naive::{Change, Claim, Given, NewValue, Side, build_update};
use singlet_dynamo::expression::{Comparator, Condition, Element, Path, Projection, Update};
use singlet_dynamo::{Type, Value};

const COMPARATORS: [Comparator; 6] = [
    Comparator::Equal,
    Comparator::NotEqual,
    Comparator::Less,
    Comparator::LessOrEqual,
    Comparator::Greater,
    Comparator::GreaterOrEqual,
];

impl Generator {
    /// A path: to an attribute, or into the map `b` or the list `c`.
    pub(super) fn path(&mut self, design: &Design) -> Path {
        let field = |name: &str| Element::Field(name.to_owned());
        let (name, rest) = match self.random.below(20) {
            0..5 => ("a", vec![]),
            5 | 6 => ("b", vec![]),
            7..10 => ("b", vec![field(self.pick(&["x", "y"]))]),
            10 => ("b", vec![field("l"), self.place()]),
            11 => ("c", vec![]),
            12..14 => ("c", vec![self.place()]),
            14 | 15 => ("d", vec![]),
            16 => ("a", vec![field("x")]),
            _ => {
                let all: Vec<String> = design
                    .index_attributes
                    .iter()
                    .chain(design.schema.key.attributes())
                    .map(|attribute| attribute.name.clone())
                    .collect();
                return Path::attribute(self.pick(&all)).expect("a name");
            }
        };
        Path::new(name, rest).expect("a short path")
    }

    fn place(&mut self) -> Element {
        Element::Index(self.random.below(5) as u32)
    }

    fn side(&mut self, design: &Design) -> Side {
        match self.random.below(10) {
            0..5 => Side::Path(self.path(design)),
            5..9 => Side::Value(self.scalar()),
            _ => Side::SizeOf(Box::new(Side::Path(self.path(design)))),
        }
    }

    fn claim(&mut self, design: &Design, depth: usize) -> Claim {
        let path = Side::Path(self.path(design));
        match self.random.below(if depth == 0 { 16 } else { 22 }) {
            0..3 => Claim::Exists(self.path(design)),
            3..6 => Claim::NotExists(self.path(design)),
            6..10 => {
                let comparator = self.pick(&COMPARATORS);
                Claim::Compare(path, comparator, self.side(design))
            }
            10 => Claim::Between(path, self.side(design), self.side(design)),
            11 => Claim::In(path, (0..3).map(|_| self.side(design)).collect()),
            12 => Claim::HasType(path, self.pick(&Type::ALL)),
            13 => Claim::BeginsWith(path, self.side(design)),
            14 | 15 => Claim::Contains(path, self.side(design)),
            16 | 17 => {
                Claim::And(vec![self.claim(design, depth - 1), self.claim(design, depth - 1)])
            }
            18 | 19 => {
                Claim::Or(vec![self.claim(design, depth - 1), self.claim(design, depth - 1)])
            }
            _ => Claim::Not(Box::new(self.claim(design, depth - 1))),
        }
    }

    pub(super) fn condition(&mut self, design: &Design) -> Condition {
        loop {
            // What the language would not have is no part of these sequences.
            if let Some(condition) = self.claim(design, 2).build() {
                return condition;
            }
        }
    }

    pub(super) fn maybe_condition(&mut self, design: &Design, percent: usize) -> Option<Condition> {
        self.random.percent(percent).then(|| self.condition(design))
    }

    fn given(&mut self, design: &Design) -> Given {
        match self.random.below(8) {
            0..5 => Given::Value(self.value()),
            5 | 6 => Given::Path(self.path(design)),
            _ => Given::Default(self.path(design), Box::new(Given::Value(self.scalar()))),
        }
    }

    /// A path to change something at: seldom a key's, and not too often into what is not there.
    fn changed_path(&mut self, design: &Design) -> Path {
        let path = self.path(design);
        let is_rare = !path.is_attribute() || design.schema.key.contains(path.name());
        match is_rare && self.random.percent(70) {
            true => Path::attribute(self.pick(&["a", "b", "c", "d"])).expect("a name"),
            false => path,
        }
    }

    fn change(&mut self, design: &Design) -> Change {
        let path = self.changed_path(design);
        let number =
            |generator: &mut Self| Given::Value(Value::from(generator.random.below(5) as i64));
        match self.random.below(20) {
            0..6 => Change::Set(path, NewValue::Operand(self.given(design))),
            6 => Change::Set(path.clone(), NewValue::Sum(Given::Path(path), number(self))),
            7 => {
                let zero = Given::Default(path.clone(), Box::new(number(self)));
                Change::Set(path, NewValue::Difference(zero, number(self)))
            }
            8 => {
                let list = Given::Default(path.clone(), Box::new(Given::Value(self.list())));
                Change::Set(path, NewValue::Append(list, Given::Value(self.list())))
            }
            9..12 => self.key_change(design),
            12..16 => Change::Remove(path),
            16 | 17 => Change::Add(path, Value::from(self.random.below(5) as i64)),
            18 => Change::Add(path, self.set()),
            _ => Change::Delete(path, self.set()),
        }
    }

    /// Moves the item in its indexes, or lets it live longer.
    fn key_change(&mut self, design: &Design) -> Change {
        let attribute = self.pick(&design.index_attributes);
        let path = Path::attribute(attribute.name.as_str()).expect("a name");
        if self.random.percent(25) {
            return Change::Remove(path);
        }
        let value = match attribute.name == super::design::EXPIRY {
            true => self.expiry(),
            false => self.doubtful_key_value(attribute.kind),
        };
        Change::Set(path, NewValue::Operand(Given::Value(value)))
    }

    pub(super) fn update(&mut self, design: &Design) -> Update {
        loop {
            let count = 1 + self.random.below(3);
            let changes: Vec<Change> = (0..count).map(|_| self.change(design)).collect();
            if let Some(update) = build_update(&changes) {
                return update;
            }
        }
    }

    pub(super) fn projection_expression(&mut self, design: &Design) -> Projection {
        loop {
            let count = 1 + self.random.below(3);
            let paths = (0..count).map(|_| self.path(design)).collect();
            if let Ok(projection) = Projection::new(paths) {
                return projection;
            }
        }
    }

    pub(super) fn maybe_projection(&mut self, design: &Design) -> Option<Projection> {
        self.random.percent(25).then(|| self.projection_expression(design))
    }
}
