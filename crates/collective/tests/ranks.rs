//! Ranks as threads: every operation against a model, and what happens when ranks disagree or leave.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use millpond_collective::{
    Communicator, Element, Group, Hub, Invitation, Kind, MeetingError, Member, Part, Reduction,
    Request, Settings, Transfer, join, join_named,
};

const LONG: Duration = Duration::from_mins(4);

fn settings() -> Settings {
    Settings {
        name: "test".to_owned(),
        limit: None,
        shuffled: false,
        observer: None,
        device: None,
    }
}

fn member(ranks: u32, rank: u32) -> Member {
    Member {
        ranks,
        rank,
        patience: LONG,
        settings: settings(),
    }
}

/// Runs `body` on every rank of a new communicator, each on a thread, and returns what they return.
fn with_ranks<T: Send + 'static>(
    ranks: u32,
    settings: &Settings,
    body: impl Fn(&Arc<Communicator>) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let hub = Hub::new().unwrap();
    let invitation = Invitation::open(&hub).unwrap();
    let body = Arc::new(body);
    let threads: Vec<_> = (0..ranks)
        .map(|rank| {
            let (hub, body) = (Arc::clone(&hub), Arc::clone(&body));
            let mut member = member(ranks, rank);
            member.settings = settings.clone();
            thread::spawn(move || body(&join(&hub, invitation, member).unwrap()))
        })
        .collect();
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect()
}

/// Begins an operation; the result arrives at the receiver.
fn begin(
    communicator: &Arc<Communicator>,
    request: Request,
    buffers: &[u64],
) -> Result<mpsc::Receiver<Result<(), String>>, String> {
    let (send, receive) = mpsc::channel();
    let call = communicator.call(&request)?;
    let ended = Box::new(move |result| drop(send.send(result)));
    call.begin(
        request,
        "here".to_owned(),
        buffers,
        Box::new(|| false),
        ended,
    );
    Ok(receive)
}

fn run(communicator: &Arc<Communicator>, request: Request, buffers: &[u64]) -> Result<(), String> {
    let ended = begin(communicator, request, buffers)?;
    ended.recv_timeout(LONG).expect("it ends")
}

fn group(kind: Kind, count: usize) -> Group {
    Group {
        kind,
        count: count as u64,
        element: Element::I32,
        reduction: Reduction::Sum,
        root: 0,
        parts: Vec::new(),
    }
}

fn address<T>(values: &mut [T]) -> u64 {
    values.as_mut_ptr().expose_provenance() as u64
}

/// A number that differs by rank, place and operation.
fn value(rank: usize, index: usize, salt: usize) -> i32 {
    let mixed = (rank + 1) * 7919 + index * 31 + salt * 104_729;
    i32::try_from(mixed % 1_000_003).unwrap()
}

fn filled(rank: usize, count: usize, salt: usize) -> Vec<i32> {
    (0..count).map(|index| value(rank, index, salt)).collect()
}

/// Zero, one, odd, more than one chunk, and a size at which the direct way ends.
const SIZES: [usize; 6] = [0, 1, 1023, 16_385, 262_145, 700_001];

#[test]
fn every_operation_gives_what_the_model_says() {
    for ranks in [1usize, 2, 3, 8] {
        let sizes: &[usize] = if ranks == 8 { &SIZES[..5] } else { &SIZES };
        for (salt, &count) in sizes.iter().enumerate() {
            with_ranks(u32::try_from(ranks).unwrap(), &settings(), move |all| {
                check_all(all, ranks, count, salt);
            });
        }
    }
}

fn check_all(all: &Arc<Communicator>, ranks: usize, count: usize, salt: usize) {
    let rank = all.rank();
    let sum = |index: usize| {
        (0..ranks)
            .map(|other| value(other, index, salt))
            .sum::<i32>()
    };
    let mut inputs = filled(rank, count, salt);
    let mut result = vec![-1; count];

    let request = Request::Group(group(Kind::AllReduce, count));
    run(
        all,
        request.clone(),
        &[address(&mut inputs), address(&mut result)],
    )
    .unwrap();
    assert!(
        (0..count).all(|index| result[index] == sum(index)),
        "AllReduce of {count}"
    );
    let mut in_place = filled(rank, count, salt);
    let here = address(&mut in_place);
    run(all, request, &[here, here]).unwrap();
    assert_eq!(in_place, result, "in place");

    for root in 0..ranks {
        let mut rooted = group(Kind::Broadcast, count);
        rooted.root = u32::try_from(root).unwrap();
        let mut buffer = filled(rank, count, salt);
        let here = address(&mut buffer);
        run(all, Request::Group(rooted.clone()), &[here, here]).unwrap();
        assert_eq!(buffer, filled(root, count, salt), "Broadcast from {root}");

        rooted.kind = Kind::Reduce;
        let mut result = vec![-1; count];
        run(
            all,
            Request::Group(rooted.clone()),
            &[address(&mut inputs), address(&mut result)],
        )
        .unwrap();
        let expected = |index: usize| if rank == root { sum(index) } else { -1 };
        assert!(
            (0..count).all(|index| result[index] == expected(index)),
            "Reduce to {root}"
        );

        rooted.kind = Kind::Scatter;
        let mut parts = filled(rank, count * ranks, salt);
        run(
            all,
            Request::Group(rooted),
            &[address(&mut parts), address(&mut result)],
        )
        .unwrap();
        let part = |index: usize| value(root, rank * count + index, salt);
        assert!(
            (0..count).all(|index| result[index] == part(index)),
            "Scatter from {root}"
        );
    }

    let mut gathered = vec![-1; count * ranks];
    let request = Request::Group(group(Kind::AllGather, count));
    run(
        all,
        request.clone(),
        &[address(&mut inputs), address(&mut gathered)],
    )
    .unwrap();
    let expected: Vec<i32> = (0..ranks)
        .flat_map(|other| filled(other, count, salt))
        .collect();
    assert_eq!(gathered, expected, "AllGather of {count}");
    let mut in_place = vec![-1; count * ranks];
    in_place[rank * count..(rank + 1) * count].copy_from_slice(&inputs);
    let here = address(&mut in_place);
    let own = here + (rank * count * 4) as u64;
    run(all, request, &[own, here]).unwrap();
    assert_eq!(in_place, expected, "AllGather in place");

    let mut parts = filled(rank, count * ranks, salt);
    let mut result = vec![-1; count];
    let request = Request::Group(group(Kind::ReduceScatter, count));
    run(
        all,
        request.clone(),
        &[address(&mut parts), address(&mut result)],
    )
    .unwrap();
    assert!(
        (0..count).all(|index| result[index] == sum(rank * count + index)),
        "ReduceScatter of {count}"
    );
    let here = address(&mut parts);
    let own = here + (rank * count * 4) as u64;
    run(all, request, &[here, own]).unwrap();
    assert_eq!(
        parts[rank * count..(rank + 1) * count],
        result,
        "ReduceScatter in place"
    );

    check_uneven(all, ranks, count, salt);
    check_pairs(all, ranks, count, salt);
    run(all, Request::Group(group(Kind::Barrier, 0)), &[]).unwrap();
}

/// The V forms: rank r has `count / (r + 1)` elements, with a gap before each part.
fn check_uneven(all: &Arc<Communicator>, ranks: usize, count: usize, salt: usize) {
    let rank = all.rank();
    let length = |rank: usize| count / (rank + 1);
    let start = |rank: usize| (0..rank).map(|before| length(before) + 1).sum::<usize>();
    let total = start(ranks) + 1;
    let parts: Vec<Part> = (0..ranks)
        .map(|rank| Part {
            count: length(rank) as u64,
            start: start(rank) as u64,
        })
        .collect();
    let mut uneven = group(Kind::AllGatherV, 0);
    uneven.parts = parts;
    let mut inputs = filled(rank, length(rank), salt);
    let mut gathered = vec![-1; total];
    run(
        all,
        Request::Group(uneven.clone()),
        &[address(&mut inputs), address(&mut gathered)],
    )
    .unwrap();
    for other in 0..ranks {
        let part = &gathered[start(other)..start(other) + length(other)];
        assert_eq!(part, filled(other, length(other), salt), "AllGatherV");
        assert_eq!(
            gathered[start(other) + length(other)],
            -1,
            "the gap is left alone"
        );
    }
    uneven.kind = Kind::ReduceScatterV;
    let mut all_parts = filled(rank, total, salt);
    let mut result = vec![-1; length(rank) + 1];
    run(
        all,
        Request::Group(uneven),
        &[address(&mut all_parts), address(&mut result)],
    )
    .unwrap();
    let sum = |index: usize| {
        let place = start(rank) + index;
        (0..ranks)
            .map(|other| value(other, place, salt))
            .sum::<i32>()
    };
    assert!(
        (0..length(rank)).all(|index| result[index] == sum(index)),
        "ReduceScatterV"
    );
    assert_eq!(result[length(rank)], -1);
}

/// Everyone sends `count / (receiver + 1)` elements to everyone, itself included.
fn check_pairs(all: &Arc<Communicator>, ranks: usize, count: usize, salt: usize) {
    let rank = all.rank();
    let length = |to: usize| count / (to + 1);
    let mut outgoing: Vec<Vec<i32>> = (0..ranks)
        .map(|to| filled(rank, length(to), salt + to))
        .collect();
    let mut incoming: Vec<Vec<i32>> = (0..ranks).map(|_| vec![-1; length(rank)]).collect();
    let mut buffers: Vec<u64> = outgoing.iter_mut().map(|it| address(it)).collect();
    buffers.extend(incoming.iter_mut().map(|it| address(it)));
    let transfers = (0..2 * ranks)
        .map(|buffer| {
            let (sends, peer) = (buffer < ranks, buffer % ranks);
            Transfer {
                peer: u32::try_from(peer).unwrap(),
                sends,
                buffer,
                offset: 0,
                bytes: 4 * length(if sends { peer } else { rank }) as u64,
                element: Element::I32,
            }
        })
        .collect();
    run(all, Request::Transfers(transfers), &buffers).unwrap();
    for (from, values) in incoming.iter().enumerate() {
        assert_eq!(
            *values,
            filled(from, length(rank), salt + rank),
            "from {from} to {rank}"
        );
    }
}

#[test]
fn operations_run_in_the_order_of_the_calls_although_streams_reach_them_in_another() {
    with_ranks(2, &settings(), |all| {
        let (mut one, mut two) = (vec![1; 10], vec![10; 10]);
        let request = Request::Group(group(Kind::AllReduce, 10));
        let first = all.call(&request).unwrap();
        let second = all.call(&request).unwrap();
        let (send, receive) = mpsc::channel();
        let ended = |name: &'static str| {
            let send = send.clone();
            Box::new(move |result: Result<(), String>| send.send((name, result)).unwrap())
        };
        let buffers = [address(&mut two), address(&mut one)];
        second.begin(
            request.clone(),
            String::new(),
            &[buffers[0]; 2],
            Box::new(|| false),
            ended("second"),
        );
        first.begin(
            request,
            String::new(),
            &[buffers[1]; 2],
            Box::new(|| false),
            ended("first"),
        );
        assert_eq!(receive.recv_timeout(LONG).unwrap(), ("first", Ok(())));
        assert_eq!(receive.recv_timeout(LONG).unwrap(), ("second", Ok(())));
        assert_eq!((one, two), (vec![2; 10], vec![20; 10]));
    });
}

#[test]
fn ranks_that_do_different_things_are_told_which() {
    type Change = fn(&mut Group);
    let changes: [(Change, &str); 5] = [
        (|it| it.count = 5, "parameter[count]"),
        (|it| it.kind = Kind::AllGather, "parameter[operation]"),
        (|it| it.element = Element::F32, "parameter[data type]"),
        (|it| it.reduction = Reduction::Max, "parameter[reduction]"),
        (|it| it.kind = Kind::Barrier, "HcclBarrier"),
    ];
    for (change, text) in changes {
        let failures = with_ranks(3, &settings(), move |all| {
            let mut mine = group(Kind::AllReduce, 4);
            if all.rank() == 1 {
                change(&mut mine);
            }
            let mut buffer = vec![0; 64];
            let here = address(&mut buffer);
            let failure = run(all, Request::Group(mine.clone()), &[here, here]).unwrap_err();
            assert!(all.failure().is_some());
            assert!(all.call(&Request::Group(mine)).is_err(), "it stays so");
            failure
        });
        for failure in failures {
            assert!(failure.contains(text), "{text}: {failure}");
            assert!(failure.contains("rank 1"), "{failure}");
        }
    }
}

#[test]
fn roots_that_differ_are_found_although_neither_reads_from_the_other() {
    let failures = with_ranks(2, &settings(), |all| {
        let mut mine = group(Kind::Broadcast, 4);
        mine.root = u32::try_from(all.rank()).unwrap();
        let mut buffer = vec![0; 4];
        let here = address(&mut buffer);
        run(all, Request::Group(mine), &[here, here]).unwrap_err()
    });
    assert!(
        failures.iter().all(|it| it.contains("parameter[root]")),
        "{failures:?}"
    );
}

#[test]
fn a_message_that_does_not_fit_is_refused() {
    let failures = with_ranks(2, &settings(), |all| {
        let sends = all.rank() == 0;
        let mut buffer = vec![0; 8];
        let transfer = Transfer {
            peer: u32::from(sends),
            sends,
            buffer: 0,
            offset: 0,
            bytes: if sends { 32 } else { 16 },
            element: Element::I32,
        };
        run(
            all,
            Request::Transfers(vec![transfer]),
            &[address(&mut buffer)],
        )
        .unwrap_err()
    });
    assert!(
        failures.iter().all(|it| it.contains("sends 32 bytes")),
        "{failures:?}"
    );
}

#[test]
fn what_waits_for_a_rank_that_leaves_fails_and_what_it_did_before_counts() {
    let last = Arc::new(Barrier::new(2));
    let results = with_ranks(2, &settings(), move |all| {
        let mut buffer = vec![1; 4];
        let here = address(&mut buffer);
        let request = || Request::Group(group(Kind::AllReduce, 4));
        let first = run(all, request(), &[here, here]);
        if all.rank() == 0 {
            all.close();
            last.wait();
            (first, run(all, request(), &[here, here]))
        } else {
            last.wait();
            (first, run(all, request(), &[here, here]))
        }
    });
    let [(one, closed), (two, alone)] = <[_; 2]>::try_from(results).unwrap();
    assert_eq!((one, two), (Ok(()), Ok(())));
    assert_eq!(
        closed,
        Err("the communicator has been destroyed".to_owned())
    );
    assert!(alone.unwrap_err().contains("rank 0"));
}

#[test]
fn destroying_ends_what_is_in_flight_on_all_ranks() {
    let begun = Arc::new(Barrier::new(2));
    let results = with_ranks(3, &settings(), move |all| {
        let mut buffer = vec![1; 4];
        let here = address(&mut buffer);
        if all.rank() == 2 {
            // Never calls; stays until the others have failed.
            return String::new();
        }
        let ended = begin(
            all,
            Request::Group(group(Kind::AllReduce, 4)),
            &[here, here],
        )
        .unwrap();
        begun.wait();
        if all.rank() == 0 {
            all.close();
        }
        ended.recv_timeout(LONG).unwrap().unwrap_err()
    });
    assert!(results[..2].iter().all(|it| !it.is_empty()), "{results:?}");
}

#[test]
fn a_rank_that_never_comes_ends_the_wait_at_the_limit() {
    let limited = Settings {
        limit: Some(Duration::from_millis(50)),
        ..settings()
    };
    let stay = Arc::new(Barrier::new(2));
    let failures = with_ranks(2, &limited, move |all| {
        let mut buffer = vec![1; 4];
        let here = address(&mut buffer);
        let failure = (all.rank() == 0).then(|| {
            run(
                all,
                Request::Group(group(Kind::AllReduce, 4)),
                &[here, here],
            )
            .unwrap_err()
        });
        stay.wait();
        failure
    });
    let failure = failures[0].as_deref().unwrap();
    assert!(failure.contains("from remote rank [1]"), "{failure}");
}

#[test]
fn a_call_that_is_dropped_before_it_begins_ends_the_communicator_and_a_withdrawn_one_does_not() {
    with_ranks(2, &settings(), |all| {
        let request = Request::Group(group(Kind::Barrier, 0));
        if all.rank() == 0 {
            all.call(&request).unwrap().withdraw();
        }
        run(all, request.clone(), &[]).unwrap();
        if all.rank() == 0 {
            drop(all.call(&request).unwrap());
        }
        let failure = run(all, request, &[]).unwrap_err();
        assert!(failure.contains("dropped before it began"), "{failure}");
    });
}

#[test]
fn ranks_that_contradict_each_other_do_not_meet() {
    let cases: [(u32, u32, &str, &str); 3] = [
        (3, 1, "test", "expects 3"),
        (2, 0, "test", "came twice"),
        (2, 1, "other", "calls it"),
    ];
    for (ranks, rank, name, text) in cases {
        let hub = Hub::new().unwrap();
        let invitation = Invitation::open(&hub).unwrap();
        let mut second = member(ranks, rank);
        second.settings.name = name.to_owned();
        let other = {
            let hub = Arc::clone(&hub);
            thread::spawn(move || join(&hub, invitation, second).unwrap_err())
        };
        let one = join(&hub, invitation, member(2, 0)).unwrap_err();
        let other = other.join().unwrap();
        assert!(matches!(one, MeetingError::Inconsistent(_)), "{one}");
        // Whoever came first, both are told the same.
        assert_eq!(one.to_string(), other.to_string());
        assert!(one.to_string().contains(text), "{one}");
    }
}

#[test]
fn a_rank_that_does_not_come_is_named_and_an_old_invitation_is_refused() {
    let hub = Hub::new().unwrap();
    let invitation = Invitation::open(&hub).unwrap();
    let mut alone = member(3, 1);
    alone.patience = Duration::from_millis(30);
    let failed = join(&hub, invitation, alone).unwrap_err();
    assert!(matches!(failed, MeetingError::TimedOut(_)), "{failed}");
    assert!(failed.to_string().contains("rank 0, 2 of 3"), "{failed}");

    let used = Invitation::open(&hub).unwrap();
    join(&hub, used, member(1, 0)).unwrap();
    loop {
        // The host's thread lets go of the name a moment after the last rank has gone on.
        let mut again = member(1, 0);
        again.patience = Duration::from_millis(1);
        match join(&hub, used, again) {
            Err(MeetingError::Ended(_)) => break,
            Err(_) => thread::yield_now(),
            Ok(_) => panic!("an invitation that was used up"),
        }
    }
}

#[test]
fn a_shuffled_order_changes_sums_of_floats_and_every_rank_gets_the_same() {
    let shuffled = Settings {
        shuffled: true,
        ..settings()
    };
    let sums = with_ranks(4, &shuffled, |all| {
        let inputs = [1e8f32, 1.0, -1e8, 1.0];
        let mut sums = Vec::new();
        for _ in 0..64 {
            let mut buffer = vec![inputs[all.rank()]];
            let here = address(&mut buffer);
            let mut floats = group(Kind::AllReduce, 1);
            floats.element = Element::F32;
            run(all, Request::Group(floats), &[here, here]).unwrap();
            sums.push(buffer[0].to_bits());
        }
        sums
    });
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(
        sums[0].iter().any(|sum| *sum != sums[0][0]),
        "orders differ"
    );
}

#[test]
fn a_named_meeting_that_failed_can_be_called_again() {
    let hub = Hub::new().unwrap();
    let name = format!("test-{}", std::process::id());
    let mut alone = member(2, 0);
    alone.patience = Duration::from_millis(20);
    let failed = join_named(&hub, &name, alone).unwrap_err();
    assert!(matches!(failed, MeetingError::TimedOut(_)), "{failed}");
    // And again and again, also right after one that succeeded.
    for _ in 0..20 {
        let other = {
            let (hub, name) = (Arc::clone(&hub), name.clone());
            thread::spawn(move || join_named(&hub, &name, member(2, 1)).unwrap())
        };
        let one = loop {
            match join_named(&hub, &name, member(2, 0)) {
                Ok(one) => break one,
                // The thread of the meeting before may still hold the name for a moment.
                Err(MeetingError::Inconsistent(_)) => thread::yield_now(),
                Err(other) => panic!("{other}"),
            }
        };
        drop((one, other.join().unwrap()));
    }
}

#[test]
fn an_operation_whose_stream_was_aborted_leaves_the_buffers_alone() {
    let aborted = Arc::new(Barrier::new(2));
    with_ranks(2, &settings(), move |all| {
        let mut buffer = vec![1; 4];
        let here = address(&mut buffer);
        let request = Request::Group(group(Kind::AllReduce, 4));
        if all.rank() == 1 {
            aborted.wait();
            // Rank 1 may finish with what rank 0 had already sent, or fail with the reason.
            if let Err(failure) = run(all, request, &[here, here]) {
                assert!(failure.contains("was aborted"), "{failure}");
            }
            return;
        }
        let given_up = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&given_up);
        let (send, receive) = mpsc::channel();
        let call = all.call(&request).unwrap();
        call.begin(
            request,
            String::new(),
            &[here, here],
            Box::new(move || asked.load(Ordering::SeqCst)),
            Box::new(move |result| drop(send.send(result))),
        );
        given_up.store(true, Ordering::SeqCst);
        aborted.wait();
        let failure = receive.recv_timeout(LONG).unwrap().unwrap_err();
        assert!(failure.contains("was aborted"), "{failure}");
        assert_eq!(buffer, [1; 4]);
    });
}

/// A message of this rank to itself, by two calls. Nobody else can bring news, so the second call has to finish both.
#[test]
fn a_message_to_itself_ends_with_the_call_that_completes_it() {
    const BYTES: usize = 40 << 20;
    with_ranks(1, &settings(), |all| {
        let (mut from, mut to) = (vec![7_u8; BYTES], vec![0_u8; BYTES]);
        let message = |sends| {
            Request::Transfers(vec![Transfer {
                peer: 0,
                sends,
                buffer: 0,
                offset: 0,
                bytes: BYTES as u64,
                element: Element::U8,
            }])
        };
        let sent = begin(all, message(true), &[address(&mut from)]).unwrap();
        assert!(sent.try_recv().is_err(), "nobody receives yet");
        let received = begin(all, message(false), &[address(&mut to)]).unwrap();
        assert_eq!(received.try_recv(), Ok(Ok(())));
        assert_eq!(sent.try_recv(), Ok(Ok(())));
        assert!(to == from);
    });
}

#[test]
fn an_empty_part_may_start_anywhere() {
    with_ranks(2, &settings(), |all| {
        let parts = [(0, u64::MAX), (3, 1)];
        let parts = parts.map(|(count, start)| Part { count, start });
        let request = |kind| {
            Request::Group(Group {
                parts: parts.to_vec(),
                ..group(kind, 0)
            })
        };
        let mut whole = vec![-1; 4];
        let mut own = vec![5, 6, 7];
        let (own, whole_at) = (address(&mut own), address(&mut whole));
        run(all, request(Kind::AllGatherV), &[own, whole_at]).unwrap();
        assert_eq!(whole, [-1, 5, 6, 7]);
        run(all, request(Kind::ReduceScatterV), &[whole_at, own]).unwrap();
        let other = u32::try_from(1 - all.rank()).unwrap();
        let message = |sends| Transfer {
            peer: other,
            sends,
            buffer: 0,
            offset: u64::MAX,
            bytes: 0,
            element: Element::U8,
        };
        let request = Request::Transfers(vec![message(true), message(false)]);
        run(all, request, &[whole_at]).unwrap();
    });
}

#[test]
fn a_panic_in_the_work_of_a_rank_ends_it_on_all_ranks() {
    let failures = with_ranks(2, &settings(), |all| {
        if all.rank() == 1 {
            // The other one waits for this one, in vain.
            loop {
                match all.failure() {
                    Some(failure) => return failure,
                    None => thread::sleep(Duration::from_millis(1)),
                }
            }
        }
        let request = Request::Group(group(Kind::Barrier, 0));
        let (send, ended) = mpsc::channel();
        let call = all.call(&request).unwrap();
        let asked = AtomicUsize::new(0);
        // Fine when the operation begins, and then not: on the thread that watches all operations.
        let is_abandoned = move || {
            assert!(asked.fetch_add(1, Ordering::SeqCst) < 1, "on purpose");
            false
        };
        let ended_with = Box::new(move |result| drop(send.send(result)));
        call.begin(
            request.clone(),
            String::new(),
            &[],
            Box::new(is_abandoned),
            ended_with,
        );
        let failure = ended.recv_timeout(LONG).expect("it ends").unwrap_err();
        assert!(all.call(&request).is_err(), "it has failed");
        failure
    });
    for failure in failures {
        assert!(
            failure.contains("rank 0") && failure.contains("on purpose"),
            "{failure}"
        );
    }
}
