//! A thousand streams with a thousand small tasks each: streams are not threads.
//!
//! One thread puts in a task for every stream in turn, the order that gives the scheduler the most to
//! do. Judged is the largest number of threads that the process had meanwhile; the time is shown.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::acl::{Acl, DeviceMemory, Stream};
use crate::machine::{cores, threads};
use crate::report::{Bound, Row};

const STREAMS: u16 = 1_000;
/// Each sets bytes and copies them, so this is half the number of tasks.
const ROUNDS: u16 = 500;
/// Bytes of a task.
const PIECE: usize = 64;
/// Threads beside the workers: the caller, the one that counts, and those that the runtime keeps.
const MORE_THREADS: u16 = 8;

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let bytes = 2 * PIECE * usize::from(STREAMS);
    let memory = acl.device_memory(bytes)?;
    let streams = (0..STREAMS)
        .map(|_| acl.stream())
        .collect::<Result<Vec<_>, _>>()?;
    let (time, most) = counting_threads(|| run(&streams, &memory))?;
    let time = time?;
    check(acl, &memory, bytes)?;

    let tasks = 2.0 * f64::from(STREAMS) * f64::from(ROUNDS);
    let seconds = time.as_secs_f64();
    let measured = format!("{seconds:.2} s, {:.2} M tasks/s", tasks / seconds / 1e6);
    let cores = u16::try_from(cores()).unwrap_or(u16::MAX);
    Ok(vec![Row::number(
        "1000 streams x 1000 tasks",
        format!("threads, {cores} cores + {MORE_THREADS}"),
        measured,
        f64::from(most),
        Bound::AtMost(f64::from(cores) + f64::from(MORE_THREADS)),
    )])
}

/// From the first task put in to the last one done.
fn run(streams: &[Stream<'_>], memory: &DeviceMemory<'_>) -> Result<Duration, String> {
    let start = Instant::now();
    let mut failed = 0;
    for round in 0..ROUNDS {
        for (number, stream) in streams.iter().enumerate() {
            let place = 2 * PIECE * number;
            failed |= stream.fill(memory, place, value(round, number), PIECE);
            failed |= stream.copy_within(memory, place + PIECE, place, PIECE);
        }
    }
    for stream in streams {
        stream.synchronize()?;
    }
    let time = start.elapsed();
    if failed == 0 {
        Ok(time)
    } else {
        Err(format!("a task was refused (code {failed})"))
    }
}

/// What stream `number` sets its bytes to.
fn value(round: u16, number: usize) -> u8 {
    u8::try_from((usize::from(round) + number) % 256).unwrap_or(0)
}

/// That every stream did its last copy after its last set.
fn check(acl: &Acl, memory: &DeviceMemory<'_>, bytes: usize) -> Result<(), String> {
    let mut host = acl.host_memory(bytes)?;
    acl.check("aclrtMemcpy", acl.to_host(&host, memory))?;
    let mut pieces = host.bytes().chunks(2 * PIECE).enumerate();
    let expected = |number| value(ROUNDS - 1, number);
    if pieces.all(|(number, piece)| piece.iter().all(|byte| *byte == expected(number))) {
        Ok(())
    } else {
        Err("a stream left the wrong bytes behind".to_owned())
    }
}

/// Runs `work` while another thread counts; answers the most threads that were seen.
fn counting_threads<T>(work: impl FnOnce() -> T) -> Result<(T, u16), String> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let counting = scope.spawn(|| {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(threads().unwrap_or(0));
                thread::sleep(Duration::from_millis(2));
            }
            most
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        match counting
            .join()
            .ok()
            .and_then(|most| u16::try_from(most).ok())
        {
            Some(0) | None => Err("threads cannot be counted".to_owned()),
            Some(most) => Ok((done, most)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_sees_the_thread_that_it_adds_itself() {
        let ((), most) = counting_threads(|| thread::sleep(Duration::from_millis(20))).unwrap();
        assert!(most >= 2);
    }
}
