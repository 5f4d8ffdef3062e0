//! What several test programs share: small runtimes, gates, and a limit on everything that may hang.
#![allow(
    dead_code,
    reason = "each test program uses its own part of this module"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use millpond::{
    Config, Device, DeviceBlock, DeviceError, Error, Event, EventKind, Runtime, Schedule, Stream,
};

/// Every kind of schedule, and a few seeds.
pub(crate) const SCHEDULES: [Schedule; 6] = [
    Schedule::Eager,
    Schedule::Latest,
    Schedule::Seeded(0),
    Schedule::Seeded(1),
    Schedule::Seeded(7),
    Schedule::Seeded(0xfeed_5eed),
];

/// Those under which nothing runs on its own.
pub(crate) const DIRECTED: [Schedule; 3] = [
    Schedule::Latest,
    Schedule::Seeded(3),
    Schedule::Seeded(1234),
];

pub(crate) const MIB: u64 = 1 << 20;

/// After this a test counts as hanging. Nothing that works comes near it, however busy the machine is.
pub(crate) const LONG: Duration = Duration::from_mins(4);

/// What all tests start from: devices of the kind that `MILLPOND_DEVICE` names, the host's own memory by default.
pub(crate) fn base() -> Config {
    let device = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|_| name == "MILLPOND_DEVICE")
    };
    let chosen =
        Config::from_variables(device).expect("MILLPOND_DEVICE names devices that are there");
    Config {
        devices: 1,
        whole_gpus: false,
        ..chosen
    }
}

/// Whether tests run on GPUs, whose memory only the driver can touch.
pub(crate) fn on_gpu() -> bool {
    base().has_gpus()
}

/// True, and says so, if tests run on GPUs: what a test is about is of the machine's own memory.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn skipped_on_gpu(why: &str) -> bool {
    let skips = on_gpu();
    if skips {
        eprintln!("skipped on a GPU: {why}");
    }
    skips
}

/// A small device under `schedule`, with two workers whatever the machine has.
pub(crate) fn config(schedule: Schedule) -> Config {
    Config {
        schedule,
        capacity: 256 * MIB,
        workers: 2,
        ..base()
    }
}

/// A runtime under the latest schedule and its device.
pub(crate) fn open_latest() -> (Runtime, Device) {
    let patient = Config {
        patience: PATIENCE,
        ..config(Schedule::Latest)
    };
    let runtime = Runtime::new(patient).expect("a configuration that is in order");
    let device = runtime.device(0).expect("address space for a small device");
    (runtime, device)
}

/// More than a busy machine keeps a thread waiting, as a rule.
pub(crate) const PATIENCE: Duration = Duration::from_millis(60);

/// A runtime under `schedule` and its device.
pub(crate) fn open(schedule: Schedule) -> (Runtime, Device) {
    let runtime = Runtime::new(config(schedule)).expect("a configuration that is in order");
    let device = runtime.device(0).expect("address space for a small device");
    (runtime, device)
}

/// An event that streams can wait for before it is recorded: they are blocked until it is.
pub(crate) fn gate(runtime: &Runtime) -> Event {
    runtime
        .create_event(EventKind::Resettable)
        .expect("fewer events than the limit")
}

/// A flag, and a function for a stream that sets it.
pub(crate) fn flag() -> (Arc<AtomicBool>, impl FnOnce() + Send + 'static) {
    let flag = Arc::new(AtomicBool::new(false));
    let sets = Arc::clone(&flag);
    (flag, move || sets.store(true, Ordering::SeqCst))
}

pub(crate) fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

/// The bytes of a block, as they are now.
pub(crate) fn bytes_of(block: &DeviceBlock) -> Vec<u8> {
    let length = usize::try_from(block.len()).expect("a small block");
    let mut bytes = vec![0; length];
    block.read(&mut bytes).expect("a live block can be read");
    bytes
}

/// The one value that all bytes of a block have. Panics if they differ.
pub(crate) fn value_of(block: &DeviceBlock) -> u8 {
    let bytes = bytes_of(block);
    assert!(
        bytes.iter().all(|byte| *byte == bytes[0]),
        "the bytes of a block differ from each other"
    );
    bytes[0]
}

/// Waits for a condition without calling the runtime; false if it did not come.
pub(crate) fn comes_true(limit: Duration, condition: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !condition() {
        if Instant::now() > deadline {
            return condition();
        }
        thread::sleep(Duration::from_micros(200));
    }
    true
}

/// Runs `body` on a thread of its own and panics if it takes longer than `limit`, so that a hang
/// fails one test and does not stop the rest.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    body: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || drop(sender.send(body())));
    match receiver.recv_timeout(limit) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => {
            panic!("not finished after {limit:?}: something deadlocks")
        }
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("the value was sent before the thread ended"),
        },
    }
}

/// Runs `body` under every schedule, each time with a limit on how long it may take.
pub(crate) fn under_every_schedule(body: impl Fn(Schedule) + Copy + Send + 'static) {
    for schedule in SCHEDULES {
        within(LONG, move || body(schedule));
    }
}

/// The same with a runtime and its device.
pub(crate) fn open_under_every_schedule(
    body: impl Fn(Schedule, Runtime, Device) + Copy + Send + 'static,
) {
    under_every_schedule(move |schedule| {
        let (runtime, device) = open(schedule);
        body(schedule, runtime, device);
    });
}

/// Runs a scenario that fails at the device's first call, then at the second, and so on until nothing fails; `scenario` says
/// whether the call came. There are more than `least` of them.
pub(crate) fn fail_at_every_call(
    least: u64,
    scenario: impl Fn(Schedule, u64) -> bool + Copy + Send + 'static,
) {
    for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(4)] {
        let mut fail_at = 1;
        while within(LONG, move || scenario(schedule, fail_at)) {
            fail_at += 1;
            assert!(fail_at < 200, "{schedule:?}: the scenario has no end");
        }
        assert!(fail_at > least, "{schedule:?}: {fail_at} calls are too few");
        assert!(!scenario(schedule, 0), "zero plans no failure");
    }
}

/// What a call returned, or `None` if the plan refused it. Any other error is a bug.
pub(crate) fn unless_planned<T>(outcome: Result<T, Error>, when: &str) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(Error::Device(DeviceError::System { error, .. })) => {
            assert!(error.starts_with("planned failure"), "{when}: {error}");
            None
        }
        Err(other) => panic!("{when}: {other}"),
    }
}

/// Under the latest schedule a task runs on its own when no call came for the patience. Repeats
/// `attempt` on what `prepare` makes until one was quick enough for that not to have happened, and
/// returns its result.
pub(crate) fn promptly<P, T>(prepare: impl Fn() -> P, attempt: impl Fn(P) -> T) -> T {
    for _ in 0..100 {
        let prepared = prepare();
        let began = Instant::now();
        let result = attempt(prepared);
        if began.elapsed() < PATIENCE * 2 / 3 {
            return result;
        }
    }
    panic!("this machine is too busy to make a few calls within {PATIENCE:?}");
}

/// How many threads this process has, without those that the driver of a GPU starts: they end with the process.
pub(crate) fn threads() -> usize {
    let names = thread_names();
    names
        .iter()
        .filter(|name| !name.starts_with("cuda"))
        .count()
}

/// The names of the threads of this process, to see which are too many.
pub(crate) fn thread_names() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux lists the threads of a process");
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

/// Fills a block through the stream with one value.
pub(crate) fn fill(stream: &Stream, block: &DeviceBlock, value: u8) {
    stream
        .fill(block.all(), value)
        .expect("an open stream and a live block");
}
