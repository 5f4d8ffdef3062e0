//! Ranks on several machines: each machine is a hub of its own in this process, and the bytes go through Gloo over the loopback.
//! Skipped, with a message, where Gloo is not installed. `crates/capi/tests/machines.rs` has processes in network namespaces.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use millpond_collective::{
    Communicator, Element, Group, Hub, Invitation, Kind, Member, Network, Observer, Part, Ports,
    Reduction, Request, Settings, Transfer, join, join_named_at,
};

const LONG: Duration = Duration::from_mins(4);

fn hub(machine: usize) -> Arc<Hub> {
    Hub::with_network(Network {
        machine: format!("test {} {machine}", std::process::id()),
        host: format!("machine {machine}"),
        address: Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ports: Ports::Any,
        heartbeat: Duration::from_secs(10),
        allowed: None,
        closed: None,
    })
    .unwrap()
}

fn member(ranks: usize, rank: usize, shuffled: bool) -> Member {
    Member {
        ranks: u32::try_from(ranks).unwrap(),
        rank: u32::try_from(rank).unwrap(),
        patience: LONG,
        settings: Settings {
            name: "test".to_owned(),
            limit: None,
            shuffled,
            observer: None,
            device: None,
        },
    }
}

/// Runs `body` on every rank of a new communicator whose ranks are on these machines.
fn with_ranks<T: Send + 'static>(
    machines: &[usize],
    body: impl Fn(&Arc<Communicator>, &Arc<Hub>) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let count = machines.iter().max().unwrap() + 1;
    let hubs: Vec<Arc<Hub>> = (0..count).map(hub).collect();
    let invitation = Invitation::open(&hubs[machines[0]]).unwrap();
    let invitation = Invitation::from_bytes(&invitation.to_bytes());
    let body = Arc::new(body);
    let ranks = machines.len();
    let threads: Vec<_> = machines
        .iter()
        .enumerate()
        .map(|(rank, &machine)| {
            let (hub, body) = (Arc::clone(&hubs[machine]), Arc::clone(&body));
            thread::spawn(move || {
                let joined = join(&hub, invitation, member(ranks, rank, false)).unwrap();
                body(&joined, &hub)
            })
        })
        .collect();
    let ended = threads.into_iter().map(|thread| thread.join().unwrap());
    ended.collect()
}

fn begin(
    communicator: &Arc<Communicator>,
    request: Request,
    buffers: &[u64],
) -> mpsc::Receiver<Result<(), String>> {
    let (send, receive) = mpsc::channel();
    let call = communicator.call(&request).unwrap();
    let ended = Box::new(move |result| drop(send.send(result)));
    let never = Box::new(|| false);
    call.begin(request, "here".to_owned(), buffers, never, ended);
    receive
}

fn run(communicator: &Arc<Communicator>, request: Request, buffers: &[u64]) -> Result<(), String> {
    let ended = begin(communicator, request, buffers);
    ended.recv_timeout(LONG).expect("it ends")
}

fn address<T>(values: &mut [T]) -> u64 {
    values.as_mut_ptr().expose_provenance() as u64
}

fn group(kind: Kind, count: usize, element: Element) -> Group {
    Group {
        kind,
        count: count as u64,
        element,
        reduction: Reduction::Sum,
        root: 0,
        parts: Vec::new(),
    }
}

/// Values whose sum depends on the order in which they are added.
fn float(rank: usize, index: usize) -> f32 {
    let mixed = (rank * 7919 + index * 31 + 17) % 9973;
    let magnitude = [1e-3f32, 1.0, 1e4, 3e7][(rank + index) % 4];
    (f32::from(u16::try_from(mixed).unwrap()) - 5000.0) * magnitude
}

fn floats(rank: usize, count: usize) -> Vec<f32> {
    (0..count).map(|index| float(rank, index)).collect()
}

/// Ranks of a machine first, in rank order; then machines, in the order of their lowest rank.
fn two_level(machines: &[usize], value: impl Fn(usize) -> f32) -> f32 {
    let mut order: Vec<usize> = Vec::new();
    for &machine in machines {
        if !order.contains(&machine) {
            order.push(machine);
        }
    }
    let partial = |machine: usize| {
        let ranks = (0..machines.len()).filter(|&rank| machines[rank] == machine);
        ranks.map(&value).reduce(|sum, next| sum + next).unwrap()
    };
    order
        .into_iter()
        .map(partial)
        .reduce(|sum, next| sum + next)
        .unwrap()
}

const SPREADS: [&[usize]; 5] = [
    &[0, 1],
    &[0, 0, 1, 1],
    &[0, 1, 0, 1],
    &[0, 0, 0, 1, 2],
    &[0, 0, 1, 1, 2, 2, 3, 3],
];
const SIZES: [usize; 4] = [0, 1, 1023, 300_001];

#[test]
fn every_operation_gives_the_documented_result() {
    if common::companion().is_none() {
        return;
    }
    for machines in SPREADS {
        let spread: Vec<usize> = machines.to_vec();
        with_ranks(machines, move |all, _| {
            for count in SIZES {
                check_sums(all, &spread, count);
                check_moves(all, &spread, count);
            }
            check_halves(all, &spread);
            run(
                all,
                Request::Group(group(Kind::Barrier, 0, Element::I32)),
                &[0, 0],
            )
            .unwrap();
        });
    }
}

fn check_sums(all: &Arc<Communicator>, machines: &[usize], count: usize) {
    let (rank, ranks) = (all.rank(), all.ranks());
    let expected = |index: usize| two_level(machines, |rank| float(rank, index)).to_bits();
    let mut own = floats(rank, count);
    let mut sum = vec![0f32; count];
    let buffers = [address(&mut own), address(&mut sum)];
    let sums = |kind, root| {
        Request::Group(Group {
            root,
            ..group(kind, count, Element::F32)
        })
    };
    run(all, sums(Kind::AllReduce, 0), &buffers).unwrap();
    for (index, sum) in sum.iter().enumerate() {
        assert_eq!(sum.to_bits(), expected(index), "element {index} of {count}");
    }
    // In place.
    let mut same = floats(rank, count);
    let buffers = [address(&mut same), address(&mut same)];
    run(all, sums(Kind::AllReduce, 0), &buffers).unwrap();
    assert_eq!(same, sum);
    for root in 0..ranks {
        let mut to = vec![-1f32; count];
        let buffers = [address(&mut own), address(&mut to)];
        run(
            all,
            sums(Kind::Reduce, u32::try_from(root).unwrap()),
            &buffers,
        )
        .unwrap();
        if rank == root {
            assert_eq!(to, sum);
        } else {
            assert!(to.iter().all(|value| value.to_bits() == (-1f32).to_bits()));
        }
    }
    let mut many = floats(rank, count * ranks);
    let mut part = vec![0f32; count];
    let buffers = [address(&mut many), address(&mut part)];
    run(all, sums(Kind::ReduceScatter, 0), &buffers).unwrap();
    for (index, sum) in part.iter().enumerate() {
        assert_eq!(sum.to_bits(), expected(rank * count + index));
    }
    // Parts of different lengths, one of them empty, in another order than the ranks.
    let mut start = 0;
    let mut parts = vec![Part { count: 0, start: 0 }; ranks];
    for other in (0..ranks).rev() {
        let length = count * other / ranks;
        parts[other] = Part {
            count: length as u64,
            start: start as u64,
        };
        start += length;
    }
    let mut many = floats(rank, start);
    let mut part = vec![0f32; count * rank / ranks];
    let buffers = [address(&mut many), address(&mut part)];
    let first = usize::try_from(parts[rank].start).unwrap();
    let request = Group {
        count: 0,
        parts,
        ..group(Kind::ReduceScatterV, 0, Element::F32)
    };
    run(all, Request::Group(request), &buffers).unwrap();
    for (index, sum) in part.iter().enumerate() {
        assert_eq!(sum.to_bits(), expected(first + index));
    }
}

/// 16-bit floats: partial sums are in 32 bits, and the result is rounded once.
fn check_halves(all: &Arc<Communicator>, machines: &[usize]) {
    const COUNT: usize = 70_000;
    let half = |rank: usize, index: usize| half::bf16::from_f32(float(rank, index));
    let mut own: Vec<half::bf16> = (0..COUNT).map(|index| half(all.rank(), index)).collect();
    let mut sum = vec![half::bf16::ZERO; COUNT];
    let buffers = [address(&mut own), address(&mut sum)];
    let request = Request::Group(group(Kind::AllReduce, COUNT, Element::Bf16));
    run(all, request, &buffers).unwrap();
    for (index, sum) in sum.iter().enumerate() {
        let wide = two_level(machines, |rank| half(rank, index).to_f32());
        assert_eq!(sum.to_bits(), half::bf16::from_f32(wide).to_bits());
    }
}

fn check_moves(all: &Arc<Communicator>, machines: &[usize], count: usize) {
    let (rank, ranks) = (all.rank(), all.ranks());
    assert_eq!(machines.len(), ranks);
    let value = |from: usize, index: usize| i32::try_from(from * 1_000_003 + index).unwrap();
    let values =
        |from: usize, count: usize| -> Vec<i32> { (0..count).map(|it| value(from, it)).collect() };
    let root = ranks - 1;
    let moves = |kind| {
        Request::Group(Group {
            root: u32::try_from(root).unwrap(),
            ..group(kind, count, Element::I32)
        })
    };
    let mut buffer = if rank == root {
        values(root, count)
    } else {
        vec![0; count]
    };
    let buffers = [address(&mut buffer), address(&mut buffer)];
    run(all, moves(Kind::Broadcast), &buffers).unwrap();
    assert_eq!(buffer, values(root, count));

    let mut own = values(rank, count);
    let mut gathered = vec![0; count * ranks];
    let buffers = [address(&mut own), address(&mut gathered)];
    run(all, moves(Kind::AllGather), &buffers).unwrap();
    let everyone: Vec<i32> = (0..ranks).flat_map(|from| values(from, count)).collect();
    assert_eq!(gathered, everyone);

    let mut whole = values(root, count * ranks);
    let mut part = vec![0; count];
    let buffers = [address(&mut whole), address(&mut part)];
    run(all, moves(Kind::Scatter), &buffers).unwrap();
    assert_eq!(part, whole[rank * count..(rank + 1) * count]);

    // Everyone to everyone, as HcclAlltoAllV does: what goes from one to another has a length of its own.
    let length = |from: usize, to: usize| (count * ((from * 3 + to) % 4)) / 4;
    let mut out: Vec<Vec<i32>> = (0..ranks)
        .map(|to| values(rank, length(rank, to)))
        .collect();
    let mut into: Vec<Vec<i32>> = (0..ranks).map(|from| vec![0; length(from, rank)]).collect();
    let mut transfers = Vec::new();
    let mut buffers = Vec::new();
    for (peer, values) in out.iter_mut().enumerate() {
        transfers.push(transfer(peer, true, buffers.len(), values.len()));
        buffers.push(address(values));
    }
    for (peer, values) in into.iter_mut().enumerate() {
        transfers.push(transfer(peer, false, buffers.len(), values.len()));
        buffers.push(address(values));
    }
    run(all, Request::Transfers(transfers), &buffers).unwrap();
    for (from, received) in into.iter().enumerate() {
        assert_eq!(*received, values(from, length(from, rank)));
    }
}

fn transfer(peer: usize, sends: bool, buffer: usize, elements: usize) -> Transfer {
    Transfer {
        peer: u32::try_from(peer).unwrap(),
        sends,
        buffer,
        offset: 0,
        bytes: elements as u64 * 4,
        element: Element::I32,
    }
}

#[test]
fn sub_communicators_use_the_connections_that_are_there() {
    if common::companion().is_none() {
        return;
    }
    let machines: &[usize] = &[0, 0, 1, 1];
    with_ranks(machines, |all, hub| {
        // Ranks 0 and 2 lead their machines already; ranks 1 and 3 do not.
        for (round, ids) in [[0usize, 2], [1, 3], [3, 0], [2, 3]]
            .into_iter()
            .enumerate()
        {
            let Some(own) = ids.iter().position(|id| *id == all.rank()) else {
                continue;
            };
            let name = format!("{:?}-{round}", all.id());
            let sub = join_named_at(hub, &name, all.host(ids[0]), member(2, own, false)).unwrap();
            let mut value = vec![i32::try_from(all.rank()).unwrap() + 1];
            let mut sum = vec![0];
            let buffers = [address(&mut value), address(&mut sum)];
            let request = Request::Group(group(Kind::AllReduce, 1, Element::I32));
            run(&sub, request, &buffers).unwrap();
            assert_eq!(sum[0], i32::try_from(ids[0] + ids[1] + 2).unwrap());
        }
    });
}

#[test]
fn what_was_flushed_has_arrived_and_the_connection_lives_on() {
    if common::companion().is_none() {
        return;
    }
    with_ranks(&[0, 0, 1, 1], |all, hub| {
        for round in 0..20 {
            let mut values = [round + 1, 0];
            let [own, sum] = [0, 1].map(|index| address(&mut values[index..]));
            let request = Request::Group(group(Kind::AllReduce, 1, Element::I32));
            run(all, request, &[own, sum]).unwrap();
            assert_eq!(values[1], 4 * (round + 1));
            let start = std::time::Instant::now();
            hub.flush(LONG);
            assert!(start.elapsed() < LONG, "it was answered");
        }
        assert_eq!(all.failure(), None);
    });
}

#[test]
fn ranks_that_disagree_or_leave_end_the_others_on_all_machines() {
    if common::companion().is_none() {
        return;
    }
    let ended = with_ranks(&[0, 0, 1, 1], |all, _| {
        let count = if all.rank() == 3 { 5 } else { 4 };
        let mut values = vec![0f32; 5];
        let buffers = [address(&mut values), address(&mut values)];
        let request = Request::Group(group(Kind::AllReduce, count, Element::F32));
        run(all, request, &buffers).unwrap_err()
    });
    for text in ended {
        assert!(text.contains("EI0005") && text.contains("rank 3"), "{text}");
    }
    let ended = with_ranks(&[0, 0, 1, 1], |all, _| {
        if all.rank() == 2 {
            all.close();
            return String::new();
        }
        let mut values = vec![0f32; 4];
        let buffers = [address(&mut values), address(&mut values)];
        let request = Request::Group(group(Kind::AllReduce, 4, Element::F32));
        run(all, request, &buffers).unwrap_err()
    });
    for (rank, text) in ended.iter().enumerate().filter(|(rank, _)| *rank != 2) {
        assert!(
            text.contains("EI0002") && text.contains("rank 2"),
            "{rank}: {text}"
        );
    }
}

/// A machine does not see which ranks of the others had a NaN, so it must not say that one of its own was the first.
#[test]
fn a_nan_from_another_machine_is_blamed_on_nobody() {
    if common::companion().is_none() {
        return;
    }
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let hubs = [hub(0), hub(1)];
    let invitation = Invitation::open(&hubs[0]).unwrap();
    let invitation = Invitation::from_bytes(&invitation.to_bytes());
    let threads: Vec<_> = hubs
        .into_iter()
        .enumerate()
        .map(|(rank, hub)| {
            let reported = Arc::clone(&reported);
            thread::spawn(move || {
                let mut member = member(2, rank, false);
                member.settings.observer = Some(Observer(Arc::new(move |problem| {
                    reported.lock().unwrap().push(problem.reason.clone());
                })));
                let joined = join(&hub, invitation, member).unwrap();
                let mut values = [if rank == 0 { f32::NAN } else { 1.0 }];
                for _ in 0..2 {
                    let mut result = [0.0f32];
                    let buffers = [address(&mut values), address(&mut result)];
                    let request = Request::Group(group(Kind::AllReduce, 1, Element::F32));
                    run(&joined, request, &buffers).unwrap();
                    assert!(result[0].is_nan());
                    values = result;
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*reported.lock().unwrap(), Vec::<String>::new());
}
