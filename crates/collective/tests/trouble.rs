//! What goes wrong between ranks is reported once, by one of them, with what all of them do. Ranks that can still continue are not reported.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use millpond_collective::{
    Call, Caller, Communicator, Element, EventWaits, Group, Hub, Invitation, Kind, Member,
    Observer, Problem, Reduction, Request, Settings, Transfer, Trouble, join,
};

const LONG: Duration = Duration::from_mins(4);

type Problems = Arc<Mutex<Vec<Problem>>>;

fn settings(name: &str, problems: &Problems) -> Settings {
    let problems = Arc::clone(problems);
    Settings {
        name: name.to_owned(),
        limit: None,
        shuffled: false,
        observer: Some(Observer(Arc::new(move |problem| {
            problems.lock().unwrap().push(problem.clone());
        }))),
        device: None,
    }
}

/// Runs `body` on the ranks of so many communicators at once, and returns what they reported.
fn with_ranks(
    ranks: u32,
    communicators: usize,
    body: impl Fn(usize, &[Arc<Communicator>]) + Send + Sync + 'static,
) -> Vec<Problem> {
    let hub = Hub::new().unwrap();
    let problems = Problems::default();
    let opened: Vec<Invitation> = (0..communicators)
        .map(|_| Invitation::open(&hub).unwrap())
        .collect();
    let body = Arc::new(body);
    let threads: Vec<_> = (0..ranks)
        .map(|rank| {
            let (hub, body, opened) = (Arc::clone(&hub), Arc::clone(&body), opened.clone());
            let problems = Arc::clone(&problems);
            thread::spawn(move || {
                let joined = opened.iter().enumerate().map(|(index, invitation)| {
                    let member = Member {
                        ranks,
                        rank,
                        patience: LONG,
                        settings: settings(&format!("c{index}"), &problems),
                    };
                    join(&hub, *invitation, member).unwrap()
                });
                let joined: Vec<_> = joined.collect();
                body(rank as usize, &joined);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    problems.lock().unwrap().clone()
}

fn group(kind: Kind, count: u64) -> Request {
    Request::Group(Group {
        kind,
        count,
        element: Element::I32,
        reduction: Reduction::Sum,
        root: 0,
        parts: Vec::new(),
    })
}

fn message(peer: usize, sends: bool, bytes: u64) -> Transfer {
    Transfer {
        peer: u32::try_from(peer).unwrap(),
        sends,
        buffer: usize::from(!sends),
        offset: 0,
        bytes,
        element: Element::U8,
    }
}

fn one(peer: usize, sends: bool, bytes: u64) -> Request {
    Request::Transfers(vec![message(peer, sends, bytes)])
}

/// Calls all of these first, like a program does, and runs them one after the other, like a stream does. Stops at a failure.
fn run(lane: usize, calls: &[(&Arc<Communicator>, Request)]) -> Result<(), String> {
    let queued: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(index, (communicator, request))| {
            let caller = Caller {
                site: format!("step {index} of lane {lane}"),
                lane: lane as u64 + 1,
            };
            communicator.call_from(request, &caller).unwrap()
        })
        .collect();
    let mut buffers = [vec![1_u8; 4096], vec![0_u8; 4096]];
    let addresses = buffers
        .each_mut()
        .map(|buffer| buffer.as_mut_ptr().expose_provenance() as u64);
    let mut result = Ok(());
    for (call, (_, request)) in queued.into_iter().zip(calls) {
        if result.is_err() {
            drop(call);
            continue;
        }
        let (send, receive) = mpsc::channel();
        let ended = Box::new(move |result| drop(send.send(result)));
        call.begin(
            request.clone(),
            String::new(),
            &addresses,
            Box::new(|| false),
            ended,
        );
        result = receive.recv_timeout(LONG).expect("it ends");
    }
    result
}

fn only(problems: &[Problem], trouble: Trouble) -> &Problem {
    let [problem] = problems else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.trouble, trouble, "{problem:?}");
    problem
}

#[test]
fn a_difference_is_reported_with_all_ranks_and_what_matched_before() {
    let problems = with_ranks(3, 1, |rank, all| {
        let count = if rank == 1 { 5 } else { 4 };
        let calls = [
            (&all[0], group(Kind::Broadcast, 2)),
            (&all[0], group(Kind::AllReduce, count)),
        ];
        run(rank, &calls).unwrap_err();
    });
    let problem = only(&problems, Trouble::Mismatch);
    assert_eq!(problem.doings.len(), 2, "{problem:?}");
    assert!(problem.doings[0].what.contains("rank 2"), "{problem:?}");
    assert!(problem.reason.contains("count"), "{problem:?}");
    assert!(problem.before.starts_with("HcclBroadcast"), "{problem:?}");
}

#[test]
fn a_message_of_another_size_is_reported_with_both_calls() {
    let problems = with_ranks(2, 1, |rank, all| {
        let bytes = if rank == 0 { 100 } else { 50 };
        run(rank, &[(&all[0], one(1 - rank, rank == 0, bytes))]).unwrap_err();
    });
    let problem = only(&problems, Trouble::Message);
    let sites: Vec<&str> = problem.doings.iter().map(|it| it.site.as_str()).collect();
    assert_eq!(sites, ["step 0 of lane 0", "step 0 of lane 1"]);
}

#[test]
fn a_rank_that_leaves_is_reported_with_its_last_call() {
    let problems = with_ranks(2, 1, |rank, all| {
        run(rank, &[(&all[0], group(Kind::Barrier, 0))]).unwrap();
        if rank == 0 {
            run(rank, &[(&all[0], group(Kind::AllReduce, 1))]).unwrap_err();
        } else {
            all[0].close();
        }
    });
    let problem = only(&problems, Trouble::Gone);
    assert!(
        problem.doings[1].what.starts_with("HcclBarrier"),
        "{problem:?}"
    );
}

#[test]
fn a_communicator_that_is_closed_with_calls_is_reported() {
    let gone = Arc::new(Barrier::new(2));
    let problems = with_ranks(2, 1, move |rank, all| {
        if rank == 0 {
            let call = all[0].call(&group(Kind::Barrier, 0)).unwrap();
            all[0].close();
            drop(call);
        }
        gone.wait();
    });
    only(&problems, Trouble::Closed);
}

#[test]
fn ranks_that_wait_for_each_other_are_reported_once() {
    type Calls = fn(usize, &[Arc<Communicator>]) -> Vec<(&Arc<Communicator>, Request)>;
    let cases: [(u32, usize, Calls); 5] = [
        // Everyone sends first.
        (2, 1, |rank, all| {
            let peer = 1 - rank;
            vec![
                (&all[0], one(peer, true, 9)),
                (&all[0], one(peer, false, 9)),
            ]
        }),
        // Around a ring, everyone receives first.
        (3, 1, |rank, all| {
            let (next, before) = ((rank + 1) % 3, (rank + 2) % 3);
            vec![
                (&all[0], one(before, false, 9)),
                (&all[0], one(next, true, 9)),
            ]
        }),
        // One receives while the other waits for all.
        (2, 1, |rank, all| {
            let mut calls = vec![
                (&all[0], group(Kind::AllReduce, 4)),
                (&all[0], one(1 - rank, rank == 0, 9)),
            ];
            if rank == 1 {
                calls.reverse();
            }
            calls
        }),
        // Communicators in different order.
        (2, 2, |rank, all| {
            vec![
                (&all[rank], group(Kind::AllReduce, 4)),
                (&all[1 - rank], group(Kind::AllReduce, 4)),
            ]
        }),
        // A message that is too large for the buffer between the ranks, and to itself.
        (1, 1, |rank, all| {
            vec![
                (&all[0], one(rank, true, 9)),
                (&all[0], one(rank, false, 9)),
            ]
        }),
    ];
    for (ranks, communicators, calls) in cases {
        let problems = with_ranks(ranks, communicators, move |rank, all| {
            run(rank, &calls(rank, all)).unwrap_err();
        });
        let problem = only(&problems, Trouble::Cycle);
        assert_eq!(problem.doings.len(), ranks as usize, "{problem:?}");
        assert!(
            problem
                .doings
                .iter()
                .all(|it| it.site.starts_with("step 0"))
        );
    }
}

#[test]
fn many_ranks_that_all_send_first_are_reported_once() {
    const RANKS: u32 = 70;
    let ring = |is_batch: bool| {
        with_ranks(RANKS, 1, move |rank, all| {
            let ranks = RANKS as usize;
            let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            let messages = [message(next, true, 9), message(before, false, 9)];
            if is_batch {
                let batch = Request::Transfers(messages.to_vec());
                run(rank, &[(&all[0], batch)]).unwrap();
            } else {
                let calls = messages.map(|it| (&all[0], Request::Transfers(vec![it])));
                run(rank, &calls).unwrap_err();
            }
        })
    };
    assert_eq!(ring(true), []);
    let problems = ring(false);
    let problem = only(&problems, Trouble::Cycle);
    assert_eq!(problem.doings.len(), RANKS as usize);
}

#[test]
fn many_ranks_in_operations_of_all_of_them_are_reported_once() {
    const RANKS: u32 = 70;
    // One rank has them in another order.
    let problems = with_ranks(RANKS, 2, |rank, all| {
        let mut calls = vec![
            (&all[0], group(Kind::AllReduce, 4)),
            (&all[1], group(Kind::AllReduce, 4)),
        ];
        if rank == 69 {
            calls.reverse();
        }
        run(rank, &calls).unwrap_err();
    });
    let problem = only(&problems, Trouble::Cycle);
    assert_eq!(problem.doings.len(), 2, "the two that show it");
}

/// Ranks in processes of their own: each has a hub. Rank r shares communicator r with rank r + 1.
fn in_pairs(
    ranks: usize,
    body: impl Fn(usize, &Hub, &Arc<Communicator>, &Arc<Communicator>) + Send + Sync + 'static,
) -> Vec<Problem> {
    let problems = Problems::default();
    let hubs: Vec<Arc<Hub>> = (0..ranks).map(|_| Hub::new().unwrap()).collect();
    let opened: Vec<Invitation> = hubs
        .iter()
        .map(|hub| Invitation::open(hub).unwrap())
        .collect();
    let body = Arc::new(body);
    let threads: Vec<_> = (0..ranks)
        .map(|rank| {
            let (hubs, body, opened) = (hubs.clone(), Arc::clone(&body), opened.clone());
            let problems = Arc::clone(&problems);
            thread::spawn(move || {
                let before = (rank + ranks - 1) % ranks;
                let joined = |pair: usize, number: u32| {
                    let member = Member {
                        ranks: 2,
                        rank: number,
                        patience: LONG,
                        settings: settings(&format!("pair{pair}"), &problems),
                    };
                    join(&hubs[rank], opened[pair], member).unwrap()
                };
                // The lower one first, or all would wait for each other here.
                let (own, other) = if rank == 0 {
                    (joined(rank, 0), joined(before, 1))
                } else {
                    let other = joined(before, 1);
                    (joined(rank, 0), other)
                };
                body(rank, &hubs[rank], &own, &other);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let problems = problems.lock().unwrap();
    problems.clone()
}

#[test]
fn a_cycle_through_communicators_that_no_process_has_all_of_is_found() {
    let around = |last_swaps: bool| {
        in_pairs(5, move |rank, _, own, other| {
            let mut calls = [
                (own, group(Kind::AllReduce, 4)),
                (other, group(Kind::AllReduce, 4)),
            ];
            if last_swaps && rank == 4 {
                calls.reverse();
            }
            let ended = run(rank, &calls);
            assert_eq!(ended.is_ok(), last_swaps, "{ended:?}");
        })
    };
    assert_eq!(around(true), []);
    let problems = around(false);
    let cycles = problems.iter().filter(|it| it.trouble == Trouble::Cycle);
    let cycles: Vec<&Problem> = cycles.collect();
    assert_eq!(cycles.len(), 1, "{problems:?}");
    assert!(
        cycles[0]
            .reason
            .contains("through waits in other processes")
    );
}

#[test]
fn a_cycle_through_events_is_found() {
    // Each rank starts the operation with the next one in lane 10 r, and its lane 10 r + 1 waits for an event of that lane before it gets to
    // the operation with the rank before.
    let problems = in_pairs(3, |rank, hub, own, other| {
        let lane = 10 * rank as u64 + 10;
        hub.watch_events(EventWaits(Box::new(move || {
            vec![[(lane + 1, 1), (lane, 2)]]
        })));
        let request = group(Kind::AllReduce, 4);
        let caller = |lane| Caller {
            site: format!("lane {lane}"),
            lane,
        };
        let queued = other.call_from(&request, &caller(lane + 1)).unwrap();
        let call = own.call_from(&request, &caller(lane)).unwrap();
        let mut buffers = [vec![1_u8; 64], vec![0_u8; 64]];
        let addresses = buffers
            .each_mut()
            .map(|buffer| buffer.as_mut_ptr().expose_provenance() as u64);
        let (send, receive) = mpsc::channel();
        let ended = Box::new(move |result| drop(send.send(result)));
        let is_aborted = Box::new(|| false);
        call.begin(request, String::new(), &addresses, is_aborted, ended);
        receive.recv_timeout(LONG).expect("it ends").unwrap_err();
        drop(queued);
    });
    let cycles = problems.iter().filter(|it| it.trouble == Trouble::Cycle);
    let cycles: Vec<&Problem> = cycles.collect();
    assert_eq!(cycles.len(), 1, "{problems:?}");
    let texts: Vec<&str> = cycles[0].doings.iter().map(|it| &*it.what).collect();
    assert!(
        texts
            .iter()
            .any(|text| text.ends_with("is queued behind a wait for an event")),
        "{texts:?}"
    );
}

#[test]
fn ranks_that_can_continue_are_not_reported() {
    let problems = with_ranks(2, 2, |rank, all| {
        let peer = 1 - rank;
        let exchange =
            Request::Transfers(vec![message(peer, true, 4096), message(peer, false, 4096)]);
        // Many times: a look may come at any moment.
        for _ in 0..200 {
            let mut calls = vec![
                (&all[0], group(Kind::AllReduce, 64)),
                (&all[1], exchange.clone()),
                (&all[1], one(peer, rank == 0, 700)),
                (&all[1], one(peer, rank == 1, 700)),
                (&all[0], group(Kind::Barrier, 0)),
            ];
            calls.rotate_left(1);
            run(rank, &calls).unwrap();
        }
        // A call that has not been made may still be made, however long it takes.
        if rank == 1 {
            thread::sleep(Duration::from_millis(400));
        }
        run(rank, &[(&all[0], one(peer, rank == 0, 9))]).unwrap();
    });
    assert_eq!(problems, []);
}

/// The parts of a group begin one after the other. However long that takes, none waits for one that comes later.
#[test]
fn a_group_that_begins_slowly_is_not_reported() {
    let problems = with_ranks(1, 1, |_, all| {
        let requests = [one(0, true, 2048), one(0, false, 2048)];
        let caller = Caller {
            site: String::new(),
            lane: 1,
        };
        let calls = requests
            .each_ref()
            .map(|request| all[0].call_from(request, &caller).unwrap());
        calls.iter().for_each(Call::reach);
        let mut buffer = vec![1_u8; 4096];
        let start = buffer.as_mut_ptr().expose_provenance() as u64;
        let (send, ended) = mpsc::channel();
        for (call, request) in calls.into_iter().zip(requests) {
            let send = send.clone();
            let ended = Box::new(move |result| drop(send.send(result)));
            let buffers = [start, start + 2048];
            call.begin(request, String::new(), &buffers, Box::new(|| false), ended);
            // Enough for several looks.
            thread::sleep(Duration::from_millis(500));
        }
        for _ in 0..2 {
            assert_eq!(ended.recv_timeout(LONG), Ok(Ok(())));
        }
    });
    assert_eq!(problems, []);
}
