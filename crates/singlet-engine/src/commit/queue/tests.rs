//! Who is served when, by whom, and in which order.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Commands are numbers; the answer to each is the sum of all before it and itself.
#[derive(Default)]
struct Sums {
    /// How many one commit takes, if that has a bound.
    most: Option<usize>,
    total: Mutex<u64>,
    groups: AtomicUsize,
    is_leading: Mutex<()>,
}

impl Sums {
    fn lead(&self, group: &mut IntoIter<u64>) -> Vec<Done<u64>> {
        let _only_one = self.is_leading.try_lock().expect("two lead at once");
        self.groups.fetch_add(1, Ordering::Relaxed);
        let mut total = lock(&self.total);
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
        let closed = lock(gate);
        let first = scope.spawn(move || {
            queue.submit(1, None, |group| {
                drop(lock(gate));
                sums.lead(group)
            })
        });
        while !lock(&queue.state).is_led {
            thread::yield_now();
        }
        let rest: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| queue.submit(1, None, |group| sums.lead(group))))
            .collect();
        while lock(&queue.state).waiting.len() < 100 {
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
    assert_eq!(*lock(&sums.total), 18_000);
}

/// Carries out commands, which are names and costs, until they cost enough; notes the names.
fn lead_some(order: &Mutex<Vec<char>>, group: &mut IntoIter<(char, u64)>) -> Vec<Done<()>> {
    let mut done = Vec::new();
    for (name, cost) in group {
        lock(order).push(name);
        done.push(Done { answer: (), cost });
        if done.iter().map(|done| done.cost).sum::<u64>() >= 10 {
            break;
        }
    }
    done
}

/// Before: a thousand large writes of one client delayed everybody's.
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
    lock(&queue.state).is_led = true;
    queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
    // The first commit shows that it is crowded. From then on those who have cost less come
    // first, and nobody knows yet what they cost.
    let order = lock(&order).iter().collect::<String>();
    assert_eq!(order, "glsssglgggg");
    assert!(!lock(&queue.state).is_crowded);
}

/// Before: a thousand connections that were new had a large write each carried out before a small
/// one of a client that was there already.
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
    while !lock(&queue.state).waiting.is_empty() {
        lock(&queue.state).is_led = true;
        queue.lead(&lead, true);
    }
    // The first commit shows that it is crowded.
    let order: String = lock(&order).iter().collect();
    assert!(order.starts_with("knk"), "{order}");
    assert_eq!(order.len(), 22);
}

/// Whoever is known for small writes comes first until it had as much as the large one costs, and
/// not for ever.
#[test]
fn large_writes_of_new_clients_have_their_turn_beside_small_ones() {
    let queue = Queue::new();
    let order: Mutex<Vec<char>> = Mutex::default();
    let small: Vec<_> = (0..12).map(|_| ClientAccount::default()).collect();
    small.iter().for_each(|client| _ = client.note_cost(1));
    let large = ClientAccount::default();
    let waiting = Mutex::new(Vec::new());
    let push = |name, cost, client: &ClientAccount| {
        lock(&waiting).push(queue.submit_async((name, cost), Some(client)).unwrap());
    };
    lock(&queue.state).first_cost = 10;
    lock(&queue.state).is_crowded = true;
    push('l', 10, &large);
    // With each commit come more small writes than it takes.
    let lead = |group: &mut IntoIter<_>| {
        small.iter().filter(|_| lock(&order).len() < 200).for_each(|own| push('s', 1, own));
        lead_some(&order, group)
    };
    small.iter().for_each(|own| push('s', 1, own));
    while !lock(&queue.state).waiting.is_empty() {
        lock(&queue.state).is_led = true;
        queue.lead(&lead, true);
    }
    let order: String = lock(&order).iter().collect();
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
        lock(&queue.state).is_led = true;
        queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
        std::mem::take(&mut *lock(&order)).into_iter().collect::<String>()
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
    // The process itself may leave a write to itself.
    drop(queue.submit_async(('c', 10), None).unwrap());
    let last = queue.submit_async(('d', 10), Some(&client)).unwrap();
    lock(&queue.state).is_led = true;
    queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
    assert_eq!(lock(&order).iter().collect::<String>(), "acd");
    drop((first, last));
}

/// Before: as long as new clients came, nobody else was served.
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
    // With each commit come one of the process itself, and one of somebody who is new.
    let lead = |group: &mut IntoIter<_>| {
        let both = [('p', None), ('n', Some(ClientAccount::default()))];
        for (name, client) in both.iter().filter(|_| lock(&order).len() < 30) {
            lock(&waiting).push(queue.submit_async((*name, 10), client.as_ref()).unwrap());
        }
        lead_some(&order, group)
    };
    while !lock(&queue.state).waiting.is_empty() {
        lock(&queue.state).is_led = true;
        queue.lead(&lead, true);
    }
    let order: String = lock(&order).iter().collect();
    let last = order.rfind('o').unwrap();
    assert!(last < 20, "{order}");
}

proptest! {
    /// Whatever they cost, all commands are carried out, and those of one client in their order.
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
                *lock(&count) += 1;
                let command = (*lock(&count), client, cost);
                let client = client.and_then(|client| clients.get(client));
                lock(&waiting).push(queue.submit_async(command, client).unwrap());
            }
        };
        push(commands);
        lock(&queue.state).is_led = true;
        let lead = |group: &mut IntoIter<(usize, Option<usize>, u64)>| {
            // Others come while a commit is under way.
            if let Some(more) = lock(&more).take() {
                push(more);
            }
            let mut total = 0;
            let mut done = Vec::new();
            for (number, client, cost) in group {
                lock(&carried_out).push((client, number));
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
        while !lock(&queue.state).waiting.is_empty() {
            lock(&queue.state).is_led = true;
            queue.lead(&lead, true);
        }
        let carried_out = carried_out.into_inner().unwrap();
        prop_assert_eq!(carried_out.len(), *lock(&count));
        for client in [None, Some(0), Some(1), Some(2), Some(3)] {
            let own: Vec<usize> =
                carried_out.iter().filter(|(of, _)| *of == client).map(|(_, n)| *n).collect();
            prop_assert!(own.is_sorted(), "{:?}", own);
        }
    }
}

/// A thread that serves sockets led groups of large writes for as long as there were any.
#[test]
fn a_task_leads_no_crowded_queue() {
    let queue = Queue::new();
    let order = Mutex::default();
    let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
    let waiting: Vec<_> = (0..3).map(|_| queue.submit_async(('w', 10), None).unwrap()).collect();
    drop(queue.submit_prompt(('p', 10), None, lead).unwrap());
    assert_eq!(*lock(&order), ['w']);
    assert!(!lock(&queue.state).is_led, "the thread that leads for tasks is told");
    drop(waiting);
}

/// Before: a thread that serves sockets could lead a heavy write, whose thread waited beside it.
#[test]
fn a_task_leaves_the_lead_to_a_thread_that_waits() {
    let queue = Queue::new();
    let order = Mutex::default();
    let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
    let mut state = lock(&queue.state);
    let thread = state.push(('t', 10), None, true).unwrap();
    drop(state);
    let task = queue.submit_prompt(('p', 1), None, lead).unwrap();
    assert!(lock(&order).is_empty(), "the task led");
    assert!(matches!(*lock(&thread.progress), Progress::Lead));
    assert!(thread.wait().is_none());
    queue.lead(&lead, true);
    assert_eq!(*lock(&order), ['t', 'p']);
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
    // A task that came between the check and the close used to wait for ever.
    let queue: Queue<u64, u64> = Queue::new();
    queue.close();
    assert!(matches!(queue.submit_async(1, None), Err(Refused::Closed)));
}
