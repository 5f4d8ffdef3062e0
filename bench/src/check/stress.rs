//! A correct program that does little but use memory: four streams in a ring, each handing its result
//! to the next by an event.

use std::path::Path;
use std::time::Instant;

use crate::acl::Acl;

const STREAMS: usize = 4;
const BYTES: usize = 64 << 10;
/// What happens to a block in a round: it is allocated, filled, copied from and freed.
const OPERATIONS_OF_A_BLOCK: u64 = 4;

/// Nanoseconds for each operation, with so many blocks at a time.
pub(super) fn run(library: Option<&Path>, operations: u64, live: usize) -> Result<f64, String> {
    let operations_of_a_round = live as u64 * OPERATIONS_OF_A_BLOCK;
    let acl = Acl::load(library)?;
    let streams = (0..STREAMS)
        .map(|_| acl.stream())
        .collect::<Result<Vec<_>, _>>()?;
    let events = (0..STREAMS)
        .map(|_| acl.event())
        .collect::<Result<Vec<_>, _>>()?;
    let results = (0..STREAMS)
        .map(|_| acl.device_memory(BYTES))
        .collect::<Result<Vec<_>, _>>()?;
    let rounds = operations.div_ceil(operations_of_a_round);
    let began = Instant::now();
    for round in 0..rounds {
        let own = usize::try_from(round).unwrap_or(0) % STREAMS;
        let next = (own + 1) % STREAMS;
        let (stream, follower) = (&streams[own], &streams[next]);
        let mut blocks = Vec::with_capacity(live);
        for value in 0..live {
            let block = acl.device_memory(BYTES)?;
            let value = u8::try_from(value % 256).unwrap_or(0);
            acl.check("aclrtMemsetAsync", stream.fill(&block, 0, value, BYTES))?;
            let copied = stream.copy(&results[own], &block, BYTES);
            acl.check("aclrtMemcpyAsync", copied)?;
            blocks.push(block);
        }
        stream.record(&events[own])?;
        follower.wait(&events[own])?;
        let passed_on = follower.copy(&results[next], &results[own], BYTES);
        acl.check("aclrtMemcpyAsync", passed_on)?;
        follower.synchronize()?;
        drop(blocks);
    }
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
    let each = began.elapsed().as_nanos() as f64 / (rounds * operations_of_a_round) as f64;
    Ok(each)
}

/// Nanoseconds for a copy of so many bytes to pinned memory, a wait for it and a look at what came.
pub(super) fn fetch(library: Option<&Path>, copies: u64, bytes: usize) -> Result<f64, String> {
    let acl = Acl::load(library)?;
    let stream = acl.stream()?;
    let device = acl.device_memory(bytes)?;
    acl.check("aclrtMemsetAsync", stream.fill(&device, 0, 7, bytes))?;
    let mut host = acl.host_memory(bytes)?;
    let began = Instant::now();
    for _ in 0..copies {
        stream.fetch(&mut host, &device)?;
        if host.bytes().last() != Some(&7) {
            return Err("a copy did not come".to_owned());
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
    let each = began.elapsed().as_nanos() as f64 / copies as f64;
    Ok(each)
}
