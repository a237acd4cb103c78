//! Order and fairness of the commit queue.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Commands are numbers; each answer is the running total.
#[derive(Default)]
struct Sums {
    /// Maximum number of commands per commit.
    most: Option<usize>,
    total: Mutex<u64>,
    groups: AtomicUsize,
    is_leading: Mutex<()>,
}

impl Sums {
    fn lead(&self, group: &mut IntoIter<u64>) -> Vec<Done<u64>> {
        let _only_one = self.is_leading.try_lock().expect("two lead at once");
        self.groups.fetch_add(1, Ordering::Relaxed);
        let mut total = self.total.lock();
        group
            .take(self.most.unwrap_or(usize::MAX))
            .map(|number| {
                *total += number;
                Done { answer: *total, cost: 1 }
            })
            .collect()
    }
}

#[test]
fn every_command_is_carried_out_once_and_answered() {
    let queue = Queue::new();
    let sums = Sums::default();
    let mut answers: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..5_000)
                        .map(|_| queue.submit(1, None, |group| sums.lead(group)).unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    answers.sort_unstable();
    assert_eq!(answers, (1..=40_000).collect::<Vec<_>>());
}

#[test]
fn those_who_wait_share_a_group() {
    let queue = Queue::new();
    let sums = Sums::default();
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let (queue, sums, gate) = (&queue, &sums, &gate);
        let closed = gate.lock();
        let first = scope.spawn(move || {
            queue.submit(1, None, |group| {
                drop(gate.lock());
                sums.lead(group)
            })
        });
        while !queue.state.lock().is_led {
            thread::yield_now();
        }
        let rest: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| queue.submit(1, None, |group| sums.lead(group))))
            .collect();
        while queue.state.lock().waiting.len() < 100 {
            thread::yield_now();
        }
        drop(closed);
        assert_eq!(first.join().unwrap(), Ok(1));
        for thread in rest {
            assert!(thread.join().unwrap().is_ok());
        }
    });
    assert_eq!(sums.groups.load(Ordering::Relaxed), 2);
}

#[test]
fn tasks_and_threads_share_the_queue() {
    share_the_queue(Sums::default());
}

#[test]
fn tasks_and_threads_share_a_queue_that_is_crowded() {
    share_the_queue(Sums { most: Some(2), ..Sums::default() });
}

fn share_the_queue(sums: Sums) {
    struct Unpark(thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return output,
                Poll::Pending => thread::park(),
            }
        }
    }
    let queue = Queue::new();
    let clients = [ClientAccount::default(), ClientAccount::default()];
    thread::scope(|scope| {
        let (queue, sums, clients) = (&queue, &sums, &clients);
        let leader = scope.spawn(|| queue.lead_when_wanted(|group| sums.lead(group)));
        let workers: Vec<_> = (0..6)
            .map(|worker| {
                scope.spawn(move || {
                    let client = clients.get(worker % 4);
                    for _ in 0..3_000 {
                        match worker % 3 {
                            0 => _ = queue.submit(1, client, |group| sums.lead(group)).unwrap(),
                            1 => _ = block_on(queue.submit_async(1, client).unwrap()),
                            _ => {
                                let prompt =
                                    queue.submit_prompt(1, client, |group| sums.lead(group));
                                block_on(prompt.unwrap());
                            }
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
        queue.close();
        leader.join().unwrap();
    });
    assert_eq!(*sums.total.lock(), 18_000);
}

/// Runs commands (name and cost) until they reach a commit's cost. Records the names.
fn lead_some(order: &Mutex<Vec<char>>, group: &mut IntoIter<(char, u64)>) -> Vec<Done<()>> {
    let mut done = Vec::new();
    for (name, cost) in group {
        order.lock().push(name);
        done.push(Done { answer: (), cost });
        if done.iter().map(|done| done.cost).sum::<u64>() >= 10 {
            break;
        }
    }
    done
}

/// Regression: a thousand large writes of one client delayed all other clients.
#[test]
fn clients_take_turns_when_more_waits_than_one_commit_takes() {
    let queue = Queue::new();
    let order = Mutex::default();
    let (greedy, large, small) =
        (ClientAccount::default(), ClientAccount::default(), ClientAccount::default());
    let mut waiting = Vec::new();
    let mut push = |name, cost, client: &ClientAccount| {
        waiting.push(queue.submit_async((name, cost), Some(client)).unwrap());
    };
    (0..6).for_each(|_| push('g', 10, &greedy));
    (0..2).for_each(|_| push('l', 10, &large));
    (0..3).for_each(|_| push('s', 1, &small));
    queue.state.lock().is_led = true;
    queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
    // The first commit marks the queue as crowded. From then on clients charged less go first;
    // their costs are not known yet.
    let order = order.lock().iter().collect::<String>();
    assert_eq!(order, "glsssglgggg");
    assert!(!queue.state.lock().is_crowded);
}

/// Regression: a thousand new connections with a large write each overtook a small write of a known
/// client.
#[test]
fn whoever_is_known_for_small_writes_comes_before_new_clients_with_large_ones() {
    let queue = Queue::new();
    let order = Mutex::default();
    let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
    let known = ClientAccount::default();
    assert!(matches!(queue.submit_prompt(('k', 1), Some(&known), lead), Ok(Answer::Ready(_))));
    let strangers: Vec<_> = (0..20).map(|_| ClientAccount::default()).collect();
    let mut waiting: Vec<_> = strangers
        .iter()
        .map(|stranger| queue.submit_async(('n', 10), Some(stranger)).unwrap())
        .collect();
    waiting.push(queue.submit_async(('k', 1), Some(&known)).unwrap());
    while !queue.state.lock().waiting.is_empty() {
        queue.state.lock().is_led = true;
        queue.lead(&lead, true);
    }
    // The first commit marks the queue as crowded.
    let order: String = order.lock().iter().collect();
    assert!(order.starts_with("knk"), "{order}");
    assert_eq!(order.len(), 22);
}

/// Known small writers go first only until they have been charged as much as the large write.
#[test]
fn large_writes_of_new_clients_have_their_turn_beside_small_ones() {
    let queue = Queue::new();
    let order: Mutex<Vec<char>> = Mutex::default();
    let small: Vec<_> = (0..12).map(|_| ClientAccount::default()).collect();
    small.iter().for_each(|client| _ = client.note_cost(1));
    let large = ClientAccount::default();
    let waiting = Mutex::new(Vec::new());
    let push = |name, cost, client: &ClientAccount| {
        waiting.lock().push(queue.submit_async((name, cost), Some(client)).unwrap());
    };
    queue.state.lock().first_cost = 10;
    queue.state.lock().is_crowded = true;
    push('l', 10, &large);
    // More small writes arrive with each commit than it takes.
    let lead = |group: &mut IntoIter<_>| {
        small.iter().filter(|_| order.lock().len() < 200).for_each(|own| push('s', 1, own));
        lead_some(&order, group)
    };
    small.iter().for_each(|own| push('s', 1, own));
    while !queue.state.lock().waiting.is_empty() {
        queue.state.lock().is_led = true;
        queue.lead(&lead, true);
    }
    let order: String = order.lock().iter().collect();
    let fair = 10 * small.len();
    assert!(order.find('l').is_some_and(|place| place < fair + 2 * small.len()), "{order}");
}

#[test]
fn who_was_away_has_nothing_saved_up() {
    let queue = Queue::new();
    let order = Mutex::default();
    let (early, late) = (ClientAccount::default(), ClientAccount::default());
    let mut waiting = Vec::new();
    let mut push = |name, client: &ClientAccount| {
        waiting.push(queue.submit_async((name, 10), Some(client)).unwrap());
    };
    let lead = || {
        queue.state.lock().is_led = true;
        queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
        std::mem::take(&mut *order.lock()).into_iter().collect::<String>()
    };
    (0..5).for_each(|_| push('e', &early));
    assert_eq!(lead(), "eeeee");
    (0..3).for_each(|_| push('e', &early));
    (0..3).for_each(|_| push('l', &late));
    assert_eq!(lead(), "elelel");
}

#[test]
fn commands_of_clients_that_are_gone_are_not_carried_out() {
    let queue = Queue::new();
    let order = Mutex::default();
    let client = ClientAccount::default();
    let first = queue.submit_async(('a', 10), Some(&client)).unwrap();
    drop(queue.submit_async(('b', 10), Some(&client)).unwrap());
    // The process itself may drop the answer of a write that must still run.
    drop(queue.submit_async(('c', 10), None).unwrap());
    let last = queue.submit_async(('d', 10), Some(&client)).unwrap();
    queue.state.lock().is_led = true;
    queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
    assert_eq!(order.lock().iter().collect::<String>(), "acd");
    drop((first, last));
}

/// Regression: a steady stream of new clients starved all others.
#[test]
fn nobody_waits_for_ever() {
    let queue = Queue::new();
    let order: Mutex<Vec<char>> = Mutex::default();
    let (old, mut waiting) = (ClientAccount::default(), Vec::new());
    let fresh = ClientAccount::default();
    waiting.push(queue.submit_async(('o', 10), Some(&old)).unwrap());
    waiting.push(queue.submit_async(('o', 10), Some(&old)).unwrap());
    waiting.push(queue.submit_async(('f', 10), Some(&fresh)).unwrap());
    let waiting = Mutex::new(waiting);
    // Each commit brings one command of the process itself and one of a new client.
    let lead = |group: &mut IntoIter<_>| {
        let both = [('p', None), ('n', Some(ClientAccount::default()))];
        for (name, client) in both.iter().filter(|_| order.lock().len() < 30) {
            waiting.lock().push(queue.submit_async((*name, 10), client.as_ref()).unwrap());
        }
        lead_some(&order, group)
    };
    while !queue.state.lock().waiting.is_empty() {
        queue.state.lock().is_led = true;
        queue.lead(&lead, true);
    }
    let order: String = order.lock().iter().collect();
    let last = order.rfind('o').unwrap();
    assert!(last < 20, "{order}");
}

proptest! {
    /// Regardless of cost, all commands run, and each client's commands run in order.
    #[test]
    fn the_order_of_one_client_stays(
        commands in vec((prop::option::of(0..4_usize), 0..30_u64), 0..100),
        more in vec((prop::option::of(0..4_usize), 0..30_u64), 0..100),
    ) {
        let queue = Queue::new();
        let clients: Vec<ClientAccount> = (0..4).map(|_| ClientAccount::default()).collect();
        let (carried_out, more) = (Mutex::new(Vec::new()), Mutex::new(Some(more)));
        let waiting = Mutex::new(Vec::new());
        let count = Mutex::new(0);
        let push = |commands: Vec<(Option<usize>, u64)>| {
            for (client, cost) in commands {
                *count.lock() += 1;
                let command = (*count.lock(), client, cost);
                let client = client.and_then(|client| clients.get(client));
                waiting.lock().push(queue.submit_async(command, client).unwrap());
            }
        };
        push(commands);
        queue.state.lock().is_led = true;
        let lead = |group: &mut IntoIter<(usize, Option<usize>, u64)>| {
            // More commands arrive during a commit.
            if let Some(more) = more.lock().take() {
                push(more);
            }
            let mut total = 0;
            let mut done = Vec::new();
            for (number, client, cost) in group {
                carried_out.lock().push((client, number));
                done.push(Done { answer: (), cost });
                total += cost;
                if total >= 20 {
                    break;
                }
            }
            done
        };
        queue.lead(&lead, true);
        // The leader hands over after some groups.
        while !queue.state.lock().waiting.is_empty() {
            queue.state.lock().is_led = true;
            queue.lead(&lead, true);
        }
        let carried_out = std::mem::take(&mut *carried_out.lock());
        prop_assert_eq!(carried_out.len(), *count.lock());
        for client in [None, Some(0), Some(1), Some(2), Some(3)] {
            let own: Vec<usize> =
                carried_out.iter().filter(|(of, _)| *of == client).map(|(_, n)| *n).collect();
            prop_assert!(own.is_sorted(), "{:?}", own);
        }
    }
}

/// Regression: a socket thread led groups of large writes for as long as there were any.
#[test]
fn a_task_leads_no_crowded_queue() {
    let queue = Queue::new();
    let order = Mutex::default();
    let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
    let waiting: Vec<_> = (0..3).map(|_| queue.submit_async(('w', 10), None).unwrap()).collect();
    drop(queue.submit_prompt(('p', 10), None, lead).unwrap());
    assert_eq!(*order.lock(), ['w']);
    assert!(!queue.state.lock().is_led, "the thread that leads for tasks is told");
    drop(waiting);
}

/// Regression: a socket thread could lead a heavy write while that write's own thread waited.
#[test]
fn a_task_leaves_the_lead_to_a_thread_that_waits() {
    let queue = Queue::new();
    let order = Mutex::default();
    let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
    let mut state = queue.state.lock();
    let thread = state.push(('t', 10), None, true).unwrap();
    drop(state);
    let task = queue.submit_prompt(('p', 1), None, lead).unwrap();
    assert!(order.lock().is_empty(), "the task led");
    assert!(matches!(*thread.progress.lock(), Progress::Lead));
    assert!(thread.wait().is_none());
    queue.lead(&lead, true);
    assert_eq!(*order.lock(), ['t', 'p']);
    drop(task);
}

#[test]
fn a_full_queue_refuses() {
    let queue: Queue<u64, u64> = Queue::new();
    for _ in 0..WAITING_MAX {
        assert!(queue.submit_async(1, None).is_ok());
    }
    assert!(matches!(queue.submit_async(1, None), Err(Refused::Overloaded)));
    assert_eq!(queue.submit(1, None, |_| Vec::new()), Err(Refused::Overloaded));
}

#[test]
fn a_closed_queue_leaves_no_command_without_an_answer() {
    // Regression: a task that arrived between the check and the close was never answered.
    let queue: Queue<u64, u64> = Queue::new();
    queue.close();
    assert!(matches!(queue.submit_async(1, None), Err(Refused::Closed)));
}
