//! The syntax tree of an expression, before its names and values are resolved.
//!
//! The tree is flat: a node comes after its children, so a pass from first to last visits operands
//! before their operators, without recursion. The names, indexes and calls are also listed in text
//! order, since the service checks those first.

mod parser;
mod words;

use super::lexer::Span;
use super::{Clause, Comparator, Fault, SIZE_MAX};
use parser::Parser;

/// The index of a node in [`Tree::nodes`].
pub(super) type NodeId = usize;

#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node>,
    /// All names, indexes and calls, in text order.
    pub(super) words: Vec<Word>,
    /// The operands of calls and of IN, grouped.
    lists: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// This many words, starting at this one.
    Path {
        first: usize,
        len: usize,
    },
    Value(Span),
    Call(Span, List),
    Compare(Comparator, NodeId, NodeId),
    Between {
        operand: NodeId,
        lower: NodeId,
        upper: NodeId,
    },
    In(NodeId, List),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Not(NodeId),
    Sum(NodeId, NodeId),
    Difference(NodeId, NodeId),
}

/// A slice of [`Tree::lists`].
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: usize,
    pub(super) len: usize,
}

/// A name, index or call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    Name(Span),
    NamePlaceholder(Span),
    Index(Span),
    Call(Span, Role),
}

/// How a call is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Condition,
    Operand,
    /// The whole value of a SET action.
    WholeValue,
}

/// An action of an update, in text order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) clause: Clause,
    pub(super) path: NodeId,
    /// `None` for REMOVE.
    pub(super) value: Option<NodeId>,
}

impl Tree<'_> {
    /// The nodes of a list.
    pub(super) fn list(&self, list: List) -> &[NodeId] {
        self.lists.get(list.first..list.first + list.len).unwrap_or_default()
    }

    /// The number of operators and functions.
    pub(super) fn operator_count(&self) -> usize {
        self.nodes.iter().filter(|node| !matches!(node, Node::Path { .. } | Node::Value(_))).count()
    }
}

/// Parses a condition; the last node is its root.
pub(super) fn condition(text: &str) -> Result<Tree<'_>, Fault> {
    let mut parser = Parser::new(checked(text)?);
    parser.condition()?;
    let tree = parser.finish()?;
    words::check(&tree, words::Language::Condition)?;
    Ok(tree)
}

/// Parses a projection; each node is a path.
pub(super) fn projection(text: &str) -> Result<Tree<'_>, Fault> {
    let mut parser = Parser::new(checked(text)?);
    parser.paths()?;
    let tree = parser.finish()?;
    words::check(&tree, words::Language::Projection)?;
    Ok(tree)
}

/// Parses an update with its actions.
pub(super) fn update(text: &str) -> Result<(Tree<'_>, Vec<Action>), Fault> {
    let mut parser = Parser::new(checked(text)?);
    let clauses = parser.clauses()?;
    let tree = parser.finish()?;
    words::check(&tree, words::Language::Update)?;
    match clauses.repeated {
        Some(clause) => Err(Fault::RepeatedClause(clause)),
        None => Ok((tree, clauses.actions)),
    }
}

fn checked(text: &str) -> Result<&str, Fault> {
    if text.is_empty() {
        return Err(Fault::Empty);
    }
    // Only a text with too many bytes can have too many characters.
    let size = if text.len() > SIZE_MAX { text.encode_utf16().count() } else { text.len() };
    if size > SIZE_MAX { Err(Fault::TooLong(size)) } else { Ok(text) }
}
