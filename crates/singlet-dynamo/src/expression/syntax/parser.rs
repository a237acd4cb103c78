//! Parses tokens into a tree.
//!
//! The parser keeps its own stack, so a text of nothing but parentheses uses memory but no call
//! depth. Like the service's parser, it reports a syntax error at the first token that no
//! continuation could make valid.

use super::super::lexer::{Kind, Lexer, Token};
use super::super::{Clause, Comparator, Fault};
use super::{Action, List, Node, NodeId, Role, Tree, Word};

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The start of the previous token.
    previous_start: usize,
    current: Token,
    tree: Tree<'t>,
    /// Open constructs, innermost last.
    open: Vec<Open>,
    /// The kind of the next term.
    wanted: Wanted,
    /// The operands collected for open calls and INs.
    operands: Vec<NodeId>,
    /// How many of the open constructs are certain: a parenthesis at the start of a condition may
    /// enclose an operand or a condition.
    settled: usize,
    /// Whether redundant parentheses were seen inside an uncertain construct.
    redundant: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Condition,
    Operand,
    /// The value of a SET action: an operand, a sum or a difference.
    SetValue,
}

#[derive(Clone, Copy)]
enum Open {
    Parenthesis,
    /// A call: its word, the start of its operands, and its use.
    Call {
        word: usize,
        first: usize,
        wanted: Wanted,
    },
    In {
        operand: NodeId,
        first: usize,
    },
    Compare(Comparator, NodeId),
    /// BETWEEN without its lower bound.
    Lower(NodeId),
    /// BETWEEN without its upper bound.
    Upper(NodeId, NodeId),
    And(NodeId),
    Or(NodeId),
    Not,
    Sum(NodeId),
    Difference(NodeId),
}

/// A complete term, which may become part of another.
#[derive(Clone, Copy)]
struct Term {
    node: NodeId,
    sort: Sort,
    /// Whether it ends with its own closing parenthesis.
    parenthesized: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Operand,
    /// A call, which can be an operand or a condition, depending on its word.
    Call(usize),
    Condition,
    /// A sum or a difference.
    Sum,
}

enum Step {
    /// The term became another one.
    Became(Term),
    /// Another term must follow.
    More,
    /// The term is complete.
    Done,
}

/// The clauses of an update.
pub(super) struct Clauses {
    pub(super) actions: Vec<Action>,
    /// The first repeated clause.
    pub(super) repeated: Option<Clause>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next();
        Self {
            lexer,
            previous_start: 0,
            current,
            // Typical capacity for a text of this length.
            tree: Tree {
                text,
                nodes: Vec::with_capacity(text.len() / 6 + 2),
                words: Vec::with_capacity(text.len() / 8 + 2),
                lists: Vec::new(),
            },
            open: Vec::with_capacity(8),
            wanted: Wanted::Condition,
            operands: Vec::new(),
            settled: 0,
            redundant: false,
        }
    }

    /// The tree, if the whole text was parsed.
    pub(super) fn finish(self) -> Result<Tree<'t>, Fault> {
        if self.current.kind == Kind::End { Ok(self.tree) } else { Err(self.unexpected()) }
    }

    pub(super) fn condition(&mut self) -> Result<(), Fault> {
        self.term(Wanted::Condition).map(drop)
    }

    /// One or more paths, separated by commas.
    pub(super) fn paths(&mut self) -> Result<(), Fault> {
        loop {
            self.path()?;
            if !self.take(Kind::Comma) {
                return Ok(());
            }
        }
    }

    /// The clauses of an update, at least one.
    pub(super) fn clauses(&mut self) -> Result<Clauses, Fault> {
        let mut clauses = Clauses { actions: Vec::new(), repeated: None };
        let mut seen: Vec<Clause> = Vec::new();
        while let Some(clause) = clause(self.current.kind) {
            self.advance();
            if seen.contains(&clause) {
                clauses.repeated = clauses.repeated.or(Some(clause));
            } else {
                seen.push(clause);
            }
            loop {
                let action = self.action(clause)?;
                clauses.actions.push(action);
                if !self.take(Kind::Comma) {
                    break;
                }
            }
        }
        if seen.is_empty() { Err(self.unexpected()) } else { Ok(clauses) }
    }

    fn action(&mut self, clause: Clause) -> Result<Action, Fault> {
        let path = self.path()?;
        let value = match clause {
            Clause::Remove => None,
            Clause::Set => {
                self.expect(Kind::Comparator(Comparator::Equal))?;
                Some(self.term(Wanted::SetValue)?)
            }
            Clause::Add | Clause::Delete => {
                let span = self.expect(Kind::ValuePlaceholder)?.span;
                Some(self.push(Node::Value(span)))
            }
        };
        Ok(Action { clause, path, value })
    }

    /// The longest term of this kind.
    fn term(&mut self, wanted: Wanted) -> Result<NodeId, Fault> {
        self.wanted = wanted;
        self.settled = 0;
        loop {
            let Some(mut term) = self.begin()? else { continue };
            loop {
                let step = match self.wanted {
                    Wanted::Operand => self.after_operand(term),
                    Wanted::Condition => self.after_condition(term),
                    Wanted::SetValue => self.after_set_value(term),
                }?;
                match step {
                    Step::Became(next) => term = next,
                    Step::More => break,
                    Step::Done => return Ok(term.node),
                }
            }
        }
    }

    /// Begins a term: either parses it completely, or opens a construct.
    fn begin(&mut self) -> Result<Option<Term>, Fault> {
        match self.current.kind {
            Kind::LeftParenthesis => {
                self.advance();
                self.open(Open::Parenthesis);
                Ok(None)
            }
            Kind::Not if self.wanted == Wanted::Condition => {
                self.advance();
                self.open.push(Open::Not);
                self.settle()?;
                Ok(None)
            }
            Kind::ValuePlaceholder => {
                let span = self.advance().span;
                let node = self.push(Node::Value(span));
                Ok(Some(Term { node, sort: Sort::Operand, parenthesized: false }))
            }
            Kind::Name => {
                let name = self.advance().span;
                if !self.take(Kind::LeftParenthesis) {
                    let node = self.path_from(Word::Name(name))?;
                    return Ok(Some(Term { node, sort: Sort::Operand, parenthesized: false }));
                }
                let role = match self.wanted {
                    Wanted::Condition => Role::Condition,
                    Wanted::Operand => Role::Operand,
                    Wanted::SetValue => Role::WholeValue,
                };
                let word = self.tree.words.len();
                self.tree.words.push(Word::Call(name, role));
                let first = self.operands.len();
                self.open(Open::Call { word, first, wanted: self.wanted });
                self.wanted = Wanted::Operand;
                Ok(None)
            }
            Kind::NamePlaceholder => {
                let name = self.advance().span;
                let node = self.path_from(Word::NamePlaceholder(name))?;
                Ok(Some(Term { node, sort: Sort::Operand, parenthesized: false }))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Continues after an operand where only operands are allowed.
    fn after_operand(&mut self, term: Term) -> Result<Step, Fault> {
        let Some(open) = self.open.last().copied() else { return Ok(Step::Done) };
        let condition = |node| Term { node, sort: Sort::Condition, parenthesized: false };
        match open {
            Open::Parenthesis => self.close_parenthesis(term),
            Open::Call { word, first, wanted } => {
                if !self.next_operand(term)? {
                    return Ok(Step::More);
                }
                self.close();
                self.wanted = wanted;
                let list = self.list_from(first);
                let Some(Word::Call(name, _)) = self.tree.words.get(word).copied() else {
                    return Err(self.unexpected());
                };
                let node = self.push(Node::Call(name, list));
                if self.open.len() <= self.settled && self.redundant {
                    return Err(Fault::RedundantParentheses);
                }
                Ok(Step::Became(Term { node, sort: Sort::Call(word), parenthesized: false }))
            }
            Open::In { operand, first } => {
                if !self.next_operand(term)? {
                    return Ok(Step::More);
                }
                self.close();
                self.wanted = Wanted::Condition;
                let list = self.list_from(first);
                Ok(Step::Became(condition(self.push(Node::In(operand, list)))))
            }
            Open::Lower(operand) => {
                self.expect(Kind::And)?;
                self.open.pop();
                self.open.push(Open::Upper(operand, term.node));
                Ok(Step::More)
            }
            Open::Upper(operand, lower) => {
                self.close();
                self.wanted = Wanted::Condition;
                let between = Node::Between { operand, lower, upper: term.node };
                Ok(Step::Became(condition(self.push(between))))
            }
            Open::Compare(comparator, left) => {
                self.close();
                self.wanted = Wanted::Condition;
                let compare = Node::Compare(comparator, left, term.node);
                Ok(Step::Became(condition(self.push(compare))))
            }
            Open::Sum(left) | Open::Difference(left) => {
                self.close();
                self.wanted = Wanted::SetValue;
                let node = match open {
                    Open::Sum(_) => Node::Sum(left, term.node),
                    _ => Node::Difference(left, term.node),
                };
                let node = self.push(node);
                Ok(Step::Became(Term { node, sort: Sort::Sum, parenthesized: false }))
            }
            // None of these contains an operand.
            Open::And(_) | Open::Or(_) | Open::Not => Err(self.unexpected()),
        }
    }

    /// Continues after an operand or a condition where a condition is expected.
    fn after_condition(&mut self, term: Term) -> Result<Step, Fault> {
        if term.sort != Sort::Condition {
            match self.current.kind {
                Kind::Comparator(comparator) => {
                    self.operator_after(term, Open::Compare(comparator, term.node))?;
                    return Ok(Step::More);
                }
                Kind::Between => {
                    self.operator_after(term, Open::Lower(term.node))?;
                    return Ok(Step::More);
                }
                Kind::In => {
                    let first = self.operands.len();
                    self.operator_after(term, Open::In { operand: term.node, first })?;
                    self.expect(Kind::LeftParenthesis)?;
                    return Ok(Step::More);
                }
                Kind::RightParenthesis if matches!(self.open.last(), Some(Open::Parenthesis)) => {
                    return self.close_parenthesis(term);
                }
                _ if term.sort == Sort::Operand => return Err(self.unexpected()),
                // A bare call is a condition.
                _ => return Ok(Step::Became(Term { sort: Sort::Condition, ..term })),
            }
        }
        let made = |node| Step::Became(Term { node, sort: Sort::Condition, parenthesized: false });
        match (self.open.last().copied(), self.current.kind) {
            (Some(Open::Not), _) => {
                self.close();
                Ok(made(self.push(Node::Not(term.node))))
            }
            (Some(Open::And(left)), _) => {
                self.close();
                Ok(made(self.push(Node::And(left, term.node))))
            }
            (_, Kind::And) => {
                self.advance();
                self.open.push(Open::And(term.node));
                self.settle()?;
                Ok(Step::More)
            }
            (Some(Open::Or(left)), _) => {
                self.close();
                Ok(made(self.push(Node::Or(left, term.node))))
            }
            (_, Kind::Or) => {
                self.advance();
                self.open.push(Open::Or(term.node));
                self.settle()?;
                Ok(Step::More)
            }
            (Some(_), _) => self.close_parenthesis(term),
            (None, _) => Ok(Step::Done),
        }
    }

    /// Continues after an operand, a sum or a difference in a SET action.
    fn after_set_value(&mut self, term: Term) -> Result<Step, Fault> {
        match self.current.kind {
            Kind::Plus if term.sort != Sort::Sum => {
                self.operator_after(term, Open::Sum(term.node))?;
                Ok(Step::More)
            }
            Kind::Minus if term.sort != Sort::Sum => {
                self.operator_after(term, Open::Difference(term.node))?;
                Ok(Step::More)
            }
            _ if self.open.is_empty() => Ok(Step::Done),
            _ => self.close_parenthesis(term),
        }
    }

    /// Parses an operator that takes the term as its left operand, and expects the right one.
    fn operator_after(&mut self, term: Term, open: Open) -> Result<(), Fault> {
        self.advance();
        if let Sort::Call(word) = term.sort
            && let Some(Word::Call(_, role)) = self.tree.words.get_mut(word)
        {
            *role = Role::Operand;
        }
        self.open.push(open);
        self.wanted = Wanted::Operand;
        self.settle()
    }

    /// Closes the innermost parenthesis around a term.
    fn close_parenthesis(&mut self, term: Term) -> Result<Step, Fault> {
        self.expect(Kind::RightParenthesis)?;
        self.close();
        self.redundant |= term.parenthesized;
        // An operand where a condition is expected still needs a comparator. Until then there may
        // be a syntax error, which would be reported first.
        let certain = self.wanted != Wanted::Condition || term.sort != Sort::Operand;
        if self.redundant && certain && self.open.len() <= self.settled {
            return Err(Fault::RedundantParentheses);
        }
        Ok(Step::Became(Term { parenthesized: true, ..term }))
    }

    /// Adds an operand to a call or an IN. Returns whether it was the last one.
    fn next_operand(&mut self, term: Term) -> Result<bool, Fault> {
        self.operands.push(term.node);
        if self.take(Kind::Comma) {
            return Ok(false);
        }
        self.expect(Kind::RightParenthesis)?;
        Ok(true)
    }

    fn list_from(&mut self, first: usize) -> List {
        let start = self.tree.lists.len();
        self.tree.lists.extend(self.operands.drain(first..));
        List { first: start, len: self.tree.lists.len() - start }
    }

    /// Opens a parenthesis or a call.
    fn open(&mut self, open: Open) {
        let settled = self.wanted == Wanted::Operand && self.open.len() <= self.settled;
        self.open.push(open);
        if settled {
            self.settled = self.open.len();
        }
    }

    fn close(&mut self) {
        self.open.pop();
        self.settled = self.settled.min(self.open.len());
    }

    /// Marks all open constructs as certain.
    fn settle(&mut self) -> Result<(), Fault> {
        self.settled = self.open.len();
        if self.redundant { Err(Fault::RedundantParentheses) } else { Ok(()) }
    }

    fn path(&mut self) -> Result<NodeId, Fault> {
        let token = self.current;
        match token.kind {
            Kind::Name => {
                self.advance();
                self.path_from(Word::Name(token.span))
            }
            Kind::NamePlaceholder => {
                self.advance();
                self.path_from(Word::NamePlaceholder(token.span))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A path whose first word was just parsed.
    fn path_from(&mut self, word: Word) -> Result<NodeId, Fault> {
        let first = self.tree.words.len();
        self.tree.words.push(word);
        loop {
            if self.take(Kind::Dot) {
                let token = self.current;
                self.tree.words.push(match token.kind {
                    Kind::Name => Word::Name(token.span),
                    // The service's grammar also allows values here, and rejects them later as
                    // undefined names.
                    Kind::NamePlaceholder | Kind::ValuePlaceholder => {
                        Word::NamePlaceholder(token.span)
                    }
                    _ => return Err(self.unexpected()),
                });
                self.advance();
            } else if self.take(Kind::LeftBracket) {
                let index = self.expect(Kind::Integer)?.span;
                self.tree.words.push(Word::Index(index));
                self.expect(Kind::RightBracket)?;
            } else {
                let len = self.tree.words.len() - first;
                return Ok(self.push(Node::Path { first, len }));
            }
        }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.tree.nodes.push(node);
        self.tree.nodes.len() - 1
    }

    fn advance(&mut self) -> Token {
        let passed = self.current;
        self.previous_start = passed.span.start;
        self.current = self.lexer.next();
        passed
    }

    fn take(&mut self, kind: Kind) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: Kind) -> Result<Token, Fault> {
        if self.current.kind == kind { Ok(self.advance()) } else { Err(self.unexpected()) }
    }

    /// The current token is not allowed here. The quoted text goes from the previous token to the
    /// next one.
    fn unexpected(&self) -> Fault {
        let text = self.lexer.text();
        let next = self.lexer.clone().next();
        let end = if next.kind == Kind::End { text.len() } else { next.span.end };
        let token = match self.current.kind {
            Kind::End => "<EOF>",
            _ => self.current.span.of(text),
        };
        let near = text.get(self.previous_start..end).unwrap_or_default();
        Fault::Syntax { token: token.to_owned(), near: near.to_owned() }
    }
}

fn clause(kind: Kind) -> Option<Clause> {
    match kind {
        Kind::Set => Some(Clause::Set),
        Kind::Remove => Some(Clause::Remove),
        Kind::Add => Some(Clause::Add),
        Kind::Delete => Some(Clause::Delete),
        _ => None,
    }
}
