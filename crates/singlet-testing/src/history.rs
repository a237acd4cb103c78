//! A linearizability checker.
//!
//! A store is linearizable if every operation appears to take effect at one moment between its call
//! and its return. [`explain`] searches for such an order by backtracking: it applies any operation
//! that may come next to a sequential model, and takes the step back if the model answers
//! differently. Visited states are remembered, so histories of hundreds of operations by a few
//! threads are fast.
//!
//! With transactions as the operations and the whole store as the model, the same search
//! checks strict serializability.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};

/// The sequential specification of a store.
pub trait Model: Clone + Eq + Hash {
    /// An operation's input.
    type Command: Debug;
    /// An operation's result.
    type Answer: PartialEq + Debug;

    /// Executes a command.
    fn apply(&mut self, command: &Self::Command) -> Self::Answer;
}

/// An operation as its caller observed it.
#[derive(Clone, Debug)]
pub struct Operation<C, A> {
    /// Time before the call.
    pub called: u64,
    /// Time after the return.
    pub returned: u64,
    /// The input.
    pub command: C,
    /// The observed result.
    pub answer: A,
}

/// A logical clock shared by all threads.
#[derive(Default)]
pub struct Moments(AtomicU64);

impl Moments {
    /// Executes a call and records its start and end.
    pub fn watch<C, A>(&self, command: C, call: impl FnOnce(&C) -> A) -> Operation<C, A> {
        let called = self.0.fetch_add(1, Ordering::SeqCst);
        let answer = call(&command);
        let returned = self.0.fetch_add(1, Ordering::SeqCst);
        Operation { called, returned, command, answer }
    }
}

/// Returns an order of the operations, as indexes into `history`, in which `model` gives every
/// observed answer; `None` if the history is not linearizable.
pub fn explain<M: Model>(
    model: M,
    history: &[Operation<M::Command, M::Answer>],
) -> Option<Vec<usize>> {
    // Visited states: the set of executed operations as bits, and the model after them.
    let mut tried: HashSet<(Vec<u64>, M)> = HashSet::new();
    let mut done = vec![0_u64; history.len().div_ceil(64)];
    let mut order: Vec<(usize, M)> = Vec::new();
    let mut state = model;
    let mut from = 0;
    loop {
        if order.len() == history.len() {
            return Some(order.into_iter().map(|(place, _)| place).collect());
        }
        // An operation may come next if no pending one returned before its call.
        let is_done = |done: &[u64], place: usize| done[place / 64] >> (place % 64) & 1 == 1;
        let horizon = history
            .iter()
            .enumerate()
            .filter(|(place, _)| !is_done(&done, *place))
            .map(|(_, operation)| operation.returned)
            .min()?;
        let step = (from..history.len()).find_map(|place| {
            let operation = &history[place];
            if is_done(&done, place) || operation.called > horizon {
                return None;
            }
            let mut next = state.clone();
            if next.apply(&operation.command) != operation.answer {
                return None;
            }
            done[place / 64] |= 1 << (place % 64);
            if tried.insert((done.clone(), next.clone())) {
                return Some((place, next));
            }
            done[place / 64] &= !(1 << (place % 64));
            None
        });
        match step {
            Some((place, next)) => {
                order.push((place, std::mem::replace(&mut state, next)));
                from = 0;
            }
            None => {
                let (place, before) = order.pop()?;
                done[place / 64] &= !(1 << (place % 64));
                state = before;
                from = place + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::thread;

    /// A register with read, write and compare-and-swap.
    #[derive(Clone, Default, PartialEq, Eq, Hash)]
    struct Register(u32);

    #[derive(Clone, Copy, Debug)]
    enum Command {
        Read,
        Write(u32),
        Swap(u32, u32),
    }

    impl Model for Register {
        type Command = Command;
        type Answer = u32;

        fn apply(&mut self, command: &Command) -> u32 {
            match *command {
                Command::Read => {}
                Command::Write(to) => self.0 = to,
                Command::Swap(from, to) => {
                    let before = self.0;
                    if before == from {
                        self.0 = to;
                    }
                    return before;
                }
            }
            self.0
        }
    }

    fn operation(
        called: u64,
        returned: u64,
        command: Command,
        answer: u32,
    ) -> Operation<Command, u32> {
        Operation { called, returned, command, answer }
    }

    #[test]
    fn overlapping_operations_may_take_either_order() {
        let history = [
            operation(0, 10, Command::Write(1), 1),
            operation(1, 2, Command::Read, 0),
            operation(3, 4, Command::Read, 1),
        ];
        assert_eq!(explain(Register::default(), &history), Some(vec![1, 0, 2]));
    }

    #[test]
    fn a_stale_read_has_no_explanation() {
        let history = [operation(0, 1, Command::Write(1), 1), operation(2, 3, Command::Read, 0)];
        assert_eq!(explain(Register::default(), &history), None);
    }

    #[test]
    fn a_value_that_comes_back_has_no_explanation() {
        let history = [
            operation(0, 100, Command::Write(1), 1),
            operation(1, 2, Command::Read, 1),
            operation(3, 4, Command::Read, 0),
        ];
        assert_eq!(explain(Register::default(), &history), None);
    }

    /// Four threads on one register. With `is_broken`, a swap reads and writes in two steps.
    fn run(is_broken: bool) -> Vec<Operation<Command, u32>> {
        let register = Mutex::new(Register::default());
        let moments = Moments::default();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u32)
                .map(|thread| {
                    let (register, moments) = (&register, &moments);
                    scope.spawn(move || {
                        let step = |place: u32| {
                            let command = match place % 3 {
                                0 => Command::Swap(place % 5, (place + thread) % 5),
                                1 => Command::Read,
                                _ => Command::Write(place % 5),
                            };
                            moments.watch(command, |command| match *command {
                                Command::Swap(from, to) if is_broken => {
                                    let before = register.lock().unwrap().0;
                                    thread::yield_now();
                                    if before == from {
                                        register.lock().unwrap().0 = to;
                                    }
                                    before
                                }
                                _ => register.lock().unwrap().apply(command),
                            })
                        };
                        (0..60).map(step).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn a_register_behind_a_lock_is_explained_and_a_broken_one_is_caught() {
        for _ in 0..20 {
            assert!(explain(Register::default(), &run(false)).is_some());
        }
        let caught = (0..200).any(|_| explain(Register::default(), &run(true)).is_none());
        assert!(caught, "a swap in two steps was never caught");
    }
}
