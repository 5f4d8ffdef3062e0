//! The records of many ranks, judged together: made-up jobs, without processes.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "common/job.rs"]
mod job;

use job::{Act, Called, judge, training};
use millpond_check::ranks::{MOST_LANES, RankFinding, RankState};
use millpond_trace::{Outcome, TaskKind};

/// Each rank's acts; the files are closed.
fn found(files: &[Vec<Act>]) -> Vec<RankFinding> {
    judge(
        files.len(),
        |_| true,
        None,
        |file| files[file].clone().into_iter(),
    )
    .0
}

fn rules(found: &[RankFinding]) -> Vec<&str> {
    found.iter().map(|it| it.finding.rule.id).collect()
}

fn join(group: &str, rank: u32, ranks: u32) -> Act {
    Act::Join {
        group: group.to_owned(),
        rank,
        ranks,
    }
}

fn on(group: &str, rank: u32, stream: u64, call: Called) -> Act {
    Act::Call {
        group: group.to_owned(),
        rank,
        stream,
        call,
    }
}

fn event(task: TaskKind, event: u64, stream: u64) -> Act {
    Act::Event {
        task,
        event,
        stream,
    }
}

/// Files of ranks on one communicator and one stream.
fn world(calls: &[&[Called]]) -> Vec<Vec<Act>> {
    let ranks = u32::try_from(calls.len()).unwrap();
    let file = |(rank, calls): (u32, &&[Called])| {
        let calls = calls.iter().map(|call| on("world", rank, 1, call.clone()));
        [join("world", rank, ranks)]
            .into_iter()
            .chain(calls)
            .chain([Act::Leave {
                group: "world".to_owned(),
                rank,
            }])
            .collect()
    };
    (0..).zip(calls).map(file).collect()
}

type Change = fn(&mut Called);

#[test]
fn each_argument_is_compared_and_both_call_sites_are_named() {
    let same = Called {
        root: Some(0),
        ..Called::all_reduce(4)
    };
    let changes: [(Change, &str); 6] = [
        (
            |it| it.function = "HcclBroadcast",
            "rank 0 calls HcclAllReduce as operation 2 of communicator world, and rank 1 calls HcclBroadcast",
        ),
        (
            |it| it.count = 5,
            "the count of operation 2 of communicator world is 4 on rank 0 and 5 on rank 1",
        ),
        (
            |it| it.element = "float16",
            "the data type of operation 2 of communicator world is float32 on rank 0 and float16 on rank 1",
        ),
        (
            |it| it.reduction = "max",
            "the reduction of operation 2 of communicator world is sum on rank 0 and max on rank 1",
        ),
        (
            |it| it.root = Some(1),
            "the root of operation 2 of communicator world is 0 on rank 0 and 1 on rank 1",
        ),
        (
            |it| it.parts = 9,
            "the counts and displacements of operation 2 of communicator world differ between rank 0 and rank 1",
        ),
    ];
    for (change, text) in changes {
        let mut other = same.clone().at(77);
        change(&mut other);
        let first = Called::all_reduce(1);
        let files = world(&[
            &[first.clone(), same.clone().at(66)],
            &[first.clone(), other],
            &[first, same.clone().at(66)],
        ]);
        let found = found(&files);
        assert_eq!(rules(&found), ["collective.mismatch"], "{text}");
        let RankFinding { finding, files } = &found[0];
        let before = "; the last operation that matched is HcclAllReduce(count 1, float32, sum)";
        assert_eq!(finding.message, format!("{text}{before}"));
        let sites: Vec<u64> = finding.operations.iter().map(|it| it.site.caller).collect();
        assert_eq!((sites, files.clone()), (vec![66, 77], vec![0, 1]));
        assert!(finding.operations[0].what.ends_with("also on rank 2"));
    }
    let calls = [Called::all_reduce(1), same];
    assert!(found(&world(&[&calls, &calls, &calls])).is_empty());
}

#[test]
fn a_rank_with_fewer_calls_is_missed_by_the_others() {
    let calls = [Called::all_reduce(1), Called::all_reduce(2).at(9)];
    let files = world(&[&calls, &calls[..1], &calls]);
    let wrong = found(&files);
    assert_eq!(rules(&wrong), ["collective.rank-gone"]);
    let message = &wrong[0].finding.message;
    assert!(
        message.starts_with("HcclAllReduce(count 2, float32, sum) of ranks 0 and 2 on communicator world waits for rank 1, which has destroyed"),
        "{message}"
    );
    let operations = &wrong[0].finding.operations;
    assert!(operations[0].what.ends_with("waits, also on rank 2"));
    assert_eq!(operations[1].what, "rank 1: HcclAllReduce is its last call");
    assert_eq!(
        (operations[0].site.caller, operations[1].site.caller),
        (9, 1)
    );
    // An extra operation in the middle is found where the order differs.
    let extra = Called {
        function: "HcclReduce",
        root: Some(0),
        ..Called::all_reduce(2)
    };
    let files = world(&[&[extra, calls[0].clone()], &calls[..1], &calls[..1]]);
    assert_eq!(rules(&found(&files)), ["collective.mismatch"]);
}

#[test]
fn what_the_records_do_not_prove_is_not_reported() {
    let calls = [Called::all_reduce(1), Called::all_reduce(2)];
    let mut files = world(&[&calls, &calls[..1]]);
    for file in &mut files {
        file.pop();
    }
    // The second file has no end: calls may be missing from it.
    let unclosed = judge(
        2,
        |file| file == 0,
        None,
        |file| files[file].clone().into_iter(),
    );
    assert!(unclosed.0.is_empty(), "{:?}", unclosed.0);
    // Its file is not there at all.
    assert!(found(&files[..1]).is_empty());
    // The operation failed when the program ran, for a reason of its own.
    for last in [
        Act::Ends {
            stream: 1,
            outcome: Outcome::Dropped,
        },
        Act::Failed {
            group: "world".to_owned(),
        },
    ] {
        let mut files = files.clone();
        files[0].push(last);
        assert!(found(&files).is_empty());
    }
}

#[test]
fn messages_are_compared_and_need_a_counterpart() {
    let send = |bytes| [Called::messages("HcclSend", &[(1, true, bytes)]).at(5)];
    let receive = |bytes| [Called::messages("HcclRecv", &[(0, false, bytes)]).at(6)];
    assert!(found(&world(&[&send(8), &receive(8)])).is_empty());
    let wrong = found(&world(&[&send(8), &receive(4)]));
    assert_eq!(rules(&wrong), ["collective.message-mismatch"]);
    let finding = &wrong[0].finding;
    assert!(
        finding.message.contains(
            "rank 0 sends 8 bytes of float32, and the receive expects 4 bytes of float32"
        )
    );
    let sites: Vec<u64> = finding.operations.iter().map(|it| it.site.caller).collect();
    assert_eq!(sites, [5, 6]);
    let wrong = found(&world(&[&send(8), &[]]));
    assert_eq!(rules(&wrong), ["collective.rank-gone"]);
}

#[test]
fn counts_of_an_all_to_all_that_do_not_agree_are_a_matrix() {
    let sends = |rank: u32| u64::from(rank + 1) * 40;
    let row = |rank: u32, receives: &dyn Fn(u32) -> u64| {
        let messages: Vec<(u32, bool, u64)> = (0..3)
            .map(|peer| (peer, true, sends(rank)))
            .chain((0..3).map(|peer| (peer, false, receives(peer))))
            .collect();
        [Called::messages("HcclAlltoAllV", &messages)]
    };
    let right: Vec<[Called; 1]> = (0..3).map(|rank| row(rank, &sends)).collect();
    let right: Vec<&[Called]> = right.iter().map(|calls| &calls[..]).collect();
    assert!(found(&world(&right)).is_empty());
    let wrong: Vec<[Called; 1]> = (0..3).map(|rank| row(rank, &|_| sends(rank))).collect();
    let wrong: Vec<&[Called]> = wrong.iter().map(|calls| &calls[..]).collect();
    let wrong = found(&world(&wrong));
    assert_eq!(rules(&wrong), ["collective.message-mismatch"]);
    let picture = wrong[0].finding.ranks.as_ref().unwrap();
    let matrix = picture.matrix.as_ref().unwrap();
    assert_eq!(matrix.ranks, [0, 1, 2]);
    assert_eq!(matrix.sent[1], [Some(20); 3]);
    assert_eq!(matrix.expected[1], [Some(10), Some(20), Some(30)]);
    assert_eq!(matrix.differences().len(), 6);
}

#[test]
fn communicators_in_another_order_on_one_stream_are_a_deadlock() {
    let file = |rank: u32, order: [&str; 2], streams: [u64; 2]| {
        let mut acts = vec![join("one", rank, 2), join("two", rank, 2)];
        for (group, stream) in order.iter().zip(streams) {
            acts.push(on(group, rank, stream, Called::all_reduce(4)));
        }
        acts
    };
    let (one, two) = (["one", "two"], ["two", "one"]);
    let wrong = found(&[file(0, one, [1, 1]), file(1, two, [1, 1])]);
    assert_eq!(rules(&wrong), ["collective.deadlock"]);
    assert_eq!(wrong[0].finding.operations.len(), 2);
    assert!(found(&[file(0, one, [1, 1]), file(1, one, [1, 1])]).is_empty());
    // On streams of their own both can go on.
    assert!(found(&[file(0, one, [1, 2]), file(1, two, [1, 2])]).is_empty());
    // One rank with both on one stream can go on, too.
    assert!(found(&[file(0, one, [1, 1]), file(1, two, [1, 2])]).is_empty());
}

#[test]
fn a_cycle_through_communicators_that_no_process_has_all_of_is_a_deadlock() {
    // Rank r and rank r + 1 share communicator r. Each waits in its own first, or one does not.
    let file = |rank: u32, groups: [u32; 2]| {
        let number = |group: u32| u32::from(group != rank);
        let mut acts = Vec::new();
        for group in [rank, (rank + 4) % 5] {
            acts.push(join(&format!("pair{group}"), number(group), 2));
        }
        for group in groups {
            let name = format!("pair{group}");
            acts.push(on(&name, number(group), 1, Called::all_reduce(4)));
        }
        acts
    };
    let files = |last: bool| -> Vec<Vec<Act>> {
        (0..5)
            .map(|rank| {
                let (own, other) = (rank, (rank + 4) % 5);
                let swapped = last && rank == 4;
                file(rank, if swapped { [other, own] } else { [own, other] })
            })
            .collect()
    };
    let wrong = found(&files(false));
    assert_eq!(rules(&wrong), ["collective.deadlock"]);
    assert_eq!(wrong[0].finding.operations.len(), 5);
    assert!(found(&files(true)).is_empty());
}

#[test]
fn a_cycle_through_events_is_a_deadlock() {
    // Rank 0 sums in stream 1, and stream 2 waits for that; rank 1 needs rank 0's stream 2 first.
    let files = |waits: bool| {
        let mut first = vec![join("one", 0, 2), join("two", 0, 2)];
        first.push(on("one", 0, 1, Called::all_reduce(4)));
        first.push(event(TaskKind::RecordEvent, 7, 1));
        if waits {
            first.push(event(TaskKind::WaitEvent, 7, 2));
        }
        first.push(on("two", 0, 2, Called::all_reduce(4)));
        let second = vec![
            join("one", 1, 2),
            join("two", 1, 2),
            on("two", 1, 1, Called::all_reduce(4)),
            on("one", 1, 1, Called::all_reduce(4)),
        ];
        [first, second]
    };
    let wrong = found(&files(true));
    assert_eq!(rules(&wrong), ["collective.deadlock"]);
    let texts: Vec<&str> = wrong[0]
        .finding
        .operations
        .iter()
        .map(|it| &*it.what)
        .collect();
    assert!(
        texts
            .iter()
            .any(|text| text.contains("stream 2 waits for an event of stream 1")),
        "{texts:?}"
    );
    assert!(found(&files(false)).is_empty());
}

#[test]
fn a_hundred_ranks_that_all_send_first_are_a_deadlock() {
    let file = |rank: u32, is_batch: bool| {
        let (next, before) = ((rank + 1) % 100, (rank + 99) % 100);
        let mut acts = vec![join("ring", rank, 100)];
        let messages = [(next, true, 8), (before, false, 8)];
        if is_batch {
            acts.push(on(
                "ring",
                rank,
                1,
                Called::messages("HcclBatchSendRecv", &messages),
            ));
        } else {
            for (message, name) in messages.iter().zip(["HcclSend", "HcclRecv"]) {
                acts.push(on("ring", rank, 1, Called::messages(name, &[*message])));
            }
        }
        acts
    };
    let files = |is_batch| {
        (0..100)
            .map(|rank| file(rank, is_batch))
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(&found(&files(false))), ["collective.deadlock"]);
    assert!(found(&files(true)).is_empty());
}

#[test]
fn calls_of_one_task_go_side_by_side() {
    // Two communicators in one group call: in another order on the other rank, and no deadlock.
    let file = |rank: u32, order: [&str; 2], is_group: bool| {
        let mut acts = vec![join("one", rank, 2), join("two", rank, 2)];
        for (at, group) in order.iter().enumerate() {
            if is_group && at == 1 {
                acts.push(Act::SameTask);
            }
            acts.push(on(group, rank, 1, Called::all_reduce(4)));
        }
        acts
    };
    let files = |is_group| {
        [
            file(0, ["one", "two"], is_group),
            file(1, ["two", "one"], is_group),
        ]
    };
    assert!(found(&files(true)).is_empty());
    assert_eq!(rules(&found(&files(false))), ["collective.deadlock"]);
}

#[test]
fn a_job_of_1024_ranks_is_judged_in_time_and_memory_that_its_ranks_determine() {
    let run = |ranks: u32, steps: u64| {
        let (found, statistics) = judge(
            ranks as usize,
            |_| true,
            None,
            |file| training(ranks, steps, u32::try_from(file).unwrap(), |_, _, _| {}),
        );
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(statistics.dropped, 0);
        assert_eq!(statistics.calls, u64::from(ranks) * steps * 5);
        statistics
    };
    let (short, long) = (run(1024, 3), run(1024, 12));
    assert_eq!(short.peak_pending, long.peak_pending, "not of the length");
    assert!(short.peak_pending <= 3 * 1024, "{short:?}");
    for statistics in [short, long, run(64, 6), run(256, 6)] {
        assert!(statistics.comparisons <= statistics.calls, "{statistics:?}");
    }
}

#[test]
fn one_rank_of_1024_that_differs_is_shown_with_a_few_of_the_others() {
    let (found, _) = judge(
        1024,
        |_| true,
        None,
        |file| {
            training(1024, 6, u32::try_from(file).unwrap(), |rank, step, call| {
                if rank == 700 && step == 4 {
                    call.count = 2;
                    call.line = 99;
                }
            })
        },
    );
    assert_eq!(rules(&found), ["collective.mismatch"]);
    let RankFinding { finding, files } = &found[0];
    assert_eq!(files, &[0, 700]);
    assert_eq!(
        finding.message,
        "the count of operation 5 of communicator world is 1 on rank 0 and 2 on rank 700; the last operation that matched is \
         HcclAllReduce(count 1, float32, sum)"
    );
    let picture = finding.ranks.as_ref().unwrap();
    assert_eq!(
        (picture.lanes.len(), picture.more, picture.like),
        (MOST_LANES, 1008, Some(0))
    );
    assert_eq!(picture.columns.last().unwrap().place, 5);
    let odd = picture.lanes.iter().find(|lane| lane.rank == 700).unwrap();
    let states: Vec<RankState> = odd.cells.iter().flatten().map(|cell| cell.state).collect();
    assert_eq!(states.last(), Some(&RankState::Differs));
    assert!(
        states[..states.len() - 1]
            .iter()
            .all(|state| *state == RankState::Matched)
    );
}

#[test]
fn too_many_waiting_calls_are_dropped_and_counted() {
    // Rank 1 makes its calls on the second communicator first: far apart, and legal on streams of their own.
    let file = |rank: u32, order: [&'static str; 2]| {
        let calls = order.into_iter().flat_map(move |group| {
            (0..200).map(move |_| on(group, rank, group.len() as u64, Called::all_reduce(1)))
        });
        [join("one", rank, 2), join("other", rank, 2)]
            .into_iter()
            .chain(calls)
    };
    let run = |limit| {
        judge(
            2,
            |_| true,
            limit,
            |rank| match rank {
                0 => file(0, ["one", "other"]),
                _ => file(1, ["other", "one"]),
            },
        )
    };
    let (found, statistics) = run(None);
    assert!(found.is_empty() && statistics.dropped == 0);
    assert!(statistics.peak_pending >= 400);
    let (found, statistics) = run(Some(64));
    assert!(found.is_empty());
    assert!(statistics.dropped > 0);
}
