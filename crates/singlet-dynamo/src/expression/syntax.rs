//! The shape of an expression, before its names and values mean anything.
//!
//! The tree lies flat: a node stands after the nodes under it, so that a walk from the first to
//! the last meets operands before their operators, without recursion. Beside it lie the names,
//! indexes and calls in the order of the text, since the service looks at those first.

mod parser;
mod words;

use super::lexer::Span;
use super::{Clause, Comparator, Fault, SIZE_MAX};
use parser::Parser;

/// The place of a node in [`Tree::nodes`].
pub(super) type NodeId = usize;

#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node>,
    /// All names, indexes and calls, in the order of the text.
    pub(super) words: Vec<Word>,
    /// The operands of calls and of IN, each one's together.
    lists: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// These many words from this one on.
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

/// A piece of [`Tree::lists`].
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: usize,
    pub(super) len: usize,
}

/// A word with a meaning of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    Name(Span),
    NamePlaceholder(Span),
    Index(Span),
    Call(Span, Role),
}

/// What a call is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Condition,
    Operand,
    /// The whole value of a SET action.
    WholeValue,
}

/// An action of an update, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) clause: Clause,
    pub(super) path: NodeId,
    /// REMOVE has none.
    pub(super) value: Option<NodeId>,
}

impl Tree<'_> {
    /// The nodes of a list.
    pub(super) fn list(&self, list: List) -> &[NodeId] {
        self.lists.get(list.first..list.first + list.len).unwrap_or_default()
    }

    /// How many operators and functions there are.
    pub(super) fn operator_count(&self) -> usize {
        self.nodes.iter().filter(|node| !matches!(node, Node::Path { .. } | Node::Value(_))).count()
    }
}

/// A condition: the last node is the whole of it.
pub(super) fn condition(text: &str) -> Result<Tree<'_>, Fault> {
    let mut parser = Parser::new(checked(text)?);
    parser.condition()?;
    let tree = parser.finish()?;
    words::check(&tree, words::Language::Condition)?;
    Ok(tree)
}

/// A projection: each node is one path.
pub(super) fn projection(text: &str) -> Result<Tree<'_>, Fault> {
    let mut parser = Parser::new(checked(text)?);
    parser.paths()?;
    let tree = parser.finish()?;
    words::check(&tree, words::Language::Projection)?;
    Ok(tree)
}

/// An update with its actions.
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
    // Only a text that has too many bytes can have too many characters.
    let size = if text.len() > SIZE_MAX { text.encode_utf16().count() } else { text.len() };
    if size > SIZE_MAX { Err(Fault::TooLong(size)) } else { Ok(text) }
}
