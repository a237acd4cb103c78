//! Checks the words of an expression, from left to right.

use super::super::function::Function;
use super::super::reserved::is_reserved;
use super::super::{Fault, INDEX_MAX};
use super::{Role, Tree, Word};

/// Which functions are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Condition,
    Projection,
    Update,
}

/// Finds the first unknown or misplaced function, reserved name, or index that is too large.
pub(super) fn check(tree: &Tree<'_>, language: Language) -> Result<(), Fault> {
    for word in &tree.words {
        match *word {
            Word::NamePlaceholder(_) => {}
            Word::Name(span) => {
                let name = span.of(tree.text);
                if is_reserved(name) {
                    return Err(Fault::ReservedWord(name.to_owned()));
                }
            }
            Word::Index(span) => {
                let digits = span.of(tree.text);
                if !digits.parse().is_ok_and(|index: u32| index <= INDEX_MAX) {
                    return Err(Fault::IndexOutOfRange(digits.to_owned()));
                }
            }
            Word::Call(span, role) => check_call(span.of(tree.text), role, language)?,
        }
    }
    Ok(())
}

fn check_call(name: &str, role: Role, language: Language) -> Result<(), Fault> {
    let Some(function) = Function::from_name(name) else {
        return Err(Fault::UnknownFunction(name.to_owned()));
    };
    match (language, function.is_for_updates()) {
        (Language::Update, false) => return Err(Fault::NotForUpdates(function)),
        (Language::Condition, true) => return Err(Fault::NotForConditions(function)),
        _ => {}
    }
    let fits = match function {
        Function::Size => role == Role::Operand,
        Function::IfNotExists => true,
        Function::ListAppend => role == Role::WholeValue,
        _ => role == Role::Condition,
    };
    if fits { Ok(()) } else { Err(Fault::Misused(function)) }
}
