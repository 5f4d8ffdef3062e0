//! What ranks need of their process: alone in this file, because tests of one file share a process.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use millpond_collective::{
    Communicator, Group, Hub, Invitation, Kind, MeetingError, Member, Reduction, Request, Settings,
    join,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const LONG: Duration = Duration::from_mins(4);

fn joined(
    hub: &Arc<Hub>,
    invitation: &Invitation,
    ranks: u32,
    rank: u32,
) -> Result<Arc<Communicator>, MeetingError> {
    let settings = Settings {
        name: "test".to_owned(),
        limit: None,
        shuffled: false,
        observer: None,
        device: None,
    };
    let member = Member {
        ranks,
        rank,
        patience: LONG,
        settings,
    };
    join(hub, *invitation, member)
}

/// Descriptors of boards that the process has open.
fn descriptors() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap();
    let names = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    names
        .filter(|name| name.to_string_lossy().contains("millpond-ranks"))
        .count()
}

/// The blocked signals of each thread of this name, as a set of bits.
fn blocked_signals(name: &str) -> Vec<u64> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let statuses =
        tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("status")).ok());
    let value = |status: &str, field: &str| {
        let mut lines = status.lines();
        let found = lines.find_map(|line| line.strip_prefix(field).map(str::trim));
        found.unwrap_or_default().to_owned()
    };
    statuses
        .filter(|status| value(status, "Name:") == name)
        .map(|status| u64::from_str_radix(&value(&status, "SigBlk:"), 16).unwrap())
        .collect()
}

fn comes_true(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// One test, because all of it concerns the whole process.
#[test]
fn a_process_gets_back_what_ranks_used() {
    let hub = Hub::new().unwrap();
    let invitation = Invitation::open(&hub).unwrap();
    // Signals are the program's: SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD.
    let signals = [1, 2, 15, 14, 17]
        .iter()
        .fold(0_u64, |set, signal| set | 1 << (signal - 1));
    for name in ["millpond-ranks", "millpond-meet"] {
        // A thread has its name soon after it has started.
        comes_true(name, || !blocked_signals(name).is_empty());
        let blocked = blocked_signals(name);
        assert!(blocked.iter().all(|set| set & signals == signals), "{name}");
    }

    // Each rank of a process gets a descriptor. All are closed with the last rank.
    let ranks: Vec<_> = thread::scope(|scope| {
        let hub = &hub;
        let threads: Vec<_> = (0..3)
            .map(|rank| scope.spawn(move || joined(hub, &invitation, 3, rank).unwrap()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(descriptors() > 0);
    let group = Group {
        kind: Kind::Barrier,
        count: 0,
        element: millpond_collective::Element::U8,
        reduction: Reduction::Sum,
        root: 0,
        parts: Vec::new(),
    };
    // A rank that waits is watched; that must not keep it.
    let request = Request::Group(group);
    let call = ranks[0].call(&request).unwrap();
    call.begin(
        request,
        String::new(),
        &[],
        Box::new(|| false),
        Box::new(drop),
    );
    drop(ranks);
    comes_true("all descriptors are closed", || descriptors() == 0);

    // No memory for the board: an error of the system, with its number and the size.
    let invitation = Invitation::open(&hub).unwrap();
    let before = getrlimit(Resource::As);
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let used = pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096;
    let limit = Rlimit {
        current: Some(used + (1 << 20)),
        ..before
    };
    setrlimit(Resource::As, limit).unwrap();
    let refused = joined(&hub, &invitation, 1, 0);
    setrlimit(Resource::As, before).unwrap();
    match refused {
        Err(MeetingError::System(text)) => {
            assert!(
                text.contains("bytes of shared memory") && text.contains("os error 12"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
}
