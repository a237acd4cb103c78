//! Tokens to a tree.
//!
//! The parser keeps its own stack of what is open, so a text of nothing but parentheses costs
//! memory for its length and no depth of calls. A syntax error is always told at the first
//! token that no continuation could make right, which is what the service's parser does.

use super::super::lexer::{Kind, Lexer, Token};
use super::super::{Clause, Comparator, Fault};
use super::{Action, List, Node, NodeId, Role, Tree, Word};

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// Where the token before the current one begins.
    previous_start: usize,
    current: Token,
    tree: Tree<'t>,
    /// What is open, the innermost last.
    open: Vec<Open>,
    /// What the next term must be.
    wanted: Wanted,
    /// The operands that open calls and INs have so far.
    operands: Vec<NodeId>,
    /// How many of the open ones are certain to be what they are taken for: a parenthesis at the
    /// beginning of a condition may turn out to be around an operand or around a condition.
    settled: usize,
    /// Redundant parentheses were seen inside something that is not settled yet.
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
    /// A call: its word, where its operands begin, and what it was wanted for.
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

/// Something complete, which may still become part of something else.
#[derive(Clone, Copy)]
struct Term {
    node: NodeId,
    sort: Sort,
    /// Whether it ended with the closing of its own parentheses.
    parenthesized: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Operand,
    /// A call, which can be an operand or a condition; its word says which.
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
    /// The term is what was asked for.
    Done,
}

/// The clauses of an update.
pub(super) struct Clauses {
    pub(super) actions: Vec<Action>,
    /// The first clause that stood before.
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
            // Room for as much as a text of this length usually has.
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

    /// The tree, if nothing is left of the text.
    pub(super) fn finish(self) -> Result<Tree<'t>, Fault> {
        if self.current.kind == Kind::End { Ok(self.tree) } else { Err(self.unexpected()) }
    }

    pub(super) fn condition(&mut self) -> Result<(), Fault> {
        self.term(Wanted::Condition).map(drop)
    }

    /// One or more paths with commas between them.
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

    /// A term of the wanted kind, as long as it can be made.
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

    /// What a term begins with: either all of it, or something that is now open.
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

    /// Goes on after an operand that stands where only operands can stand.
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
            // Nothing wants an operand inside these.
            Open::And(_) | Open::Or(_) | Open::Not => Err(self.unexpected()),
        }
    }

    /// Goes on after an operand or a condition that stands where a condition is wanted.
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
                // A call that nothing is done with is a condition.
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

    /// Goes on after an operand, a sum or a difference in a SET action.
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

    /// Takes an operator that makes an operand of the term, and wants another operand.
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
        // An operand where a condition is wanted needs a comparator yet; until then it is open
        // whether there is a syntax error, which would come first.
        let certain = self.wanted != Wanted::Condition || term.sort != Sort::Operand;
        if self.redundant && certain && self.open.len() <= self.settled {
            return Err(Fault::RedundantParentheses);
        }
        Ok(Step::Became(Term { parenthesized: true, ..term }))
    }

    /// Notes the operand of a call or an IN, and gives whether it was the last.
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

    /// Everything that is open is what it was taken for.
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

    /// A path whose first word was just passed.
    fn path_from(&mut self, word: Word) -> Result<NodeId, Fault> {
        let first = self.tree.words.len();
        self.tree.words.push(word);
        loop {
            if self.take(Kind::Dot) {
                let token = self.current;
                self.tree.words.push(match token.kind {
                    Kind::Name => Word::Name(token.span),
                    // The service's grammar has values here too, and finds out later that they
                    // are the names of nothing.
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

    /// The current token cannot stand here. The text around it goes from the token before,
    /// or the very beginning, to the token after, or the very end.
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
