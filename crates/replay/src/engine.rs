//! Replays a trace with a policy, and takes the figures.

use std::cmp::Ordering;

use crate::cpu_time;
use crate::policy::Policy;
use crate::trace::{Op, Trace};

/// What a policy made of a trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The most bytes that the program had asked for and not given back: the same for every policy.
    pub peak_live: u64,
    /// The most bytes of the device that the policy held.
    pub peak_reserved: u64,
    /// The most that was live while the policy held that much.
    pub live_at_peak: u64,
    /// How often the policy called the device.
    pub device_calls: u64,
    /// How many pages it moved.
    pub pages_moved: u64,
    /// The first request that did not fit, if one did not.
    pub refused: Option<Refused>,
    /// CPU time of an allocation or free, in nanoseconds; 0 if it was not measured.
    pub ns_per_op: f64,
}

impl Figures {
    /// Peak reserved over peak live.
    pub fn expansion(&self) -> f64 {
        ratio(self.peak_reserved, self.peak_live)
    }

    /// The share of the held bytes that no live block needed, when most was held; of several such moments the one with most
    /// live.
    pub fn fragmentation(&self) -> f64 {
        1.0 - ratio(
            self.live_at_peak.min(self.peak_reserved),
            self.peak_reserved,
        )
    }
}

/// A request that did not fit into the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Which operation of the trace it was, from 1.
    pub operation: usize,
    /// How many bytes were asked for.
    pub bytes: u64,
    /// What was live then.
    pub live: u64,
    /// When it was, in nanoseconds since the recording began; 0 if the trace has no times.
    pub time_ns: u64,
}

#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
fn ratio(one: u64, other: u64) -> f64 {
    if other == 0 {
        1.0
    } else {
        one as f64 / other as f64
    }
}

/// Where a block is that was refused twice.
const NOWHERE: u64 = u64::MAX;

/// Replays once for memory and, if `rounds` is not 0, so many times for time, after a warm-up; the shortest counts.
pub fn measure(trace: &Trace, new: impl Fn() -> Box<dyn Policy>, rounds: usize) -> Figures {
    let mut figures = memory(trace, new().as_mut());
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let mut policy = new();
        // The time of a policy that has to go on does not count what a full device costs.
        if figures.refused.is_some() {
            policy.lift_limit();
        }
        warm_up(trace, policy.as_mut());
        let start = cpu_time::nanoseconds();
        replay(trace, policy.as_mut(), |_policy, _number| ());
        best = best.min(cpu_time::nanoseconds() - start);
    }
    if rounds > 0 {
        figures.ns_per_op = best / calls(trace);
    }
    figures
}

#[expect(clippy::cast_precision_loss, reason = "no trace has 2^53 calls")]
fn calls(trace: &Trace) -> f64 {
    trace.calls().max(1) as f64
}

/// Lets the policy make its tables and touch them, which is no part of what a call costs: it replays the trace once and frees
/// what is left. A trace whose streams have to do with each other is not replayed on top of itself.
fn warm_up(trace: &Trace, policy: &mut dyn Policy) {
    let apart = |op: &Op| matches!(op, Op::Alloc { .. } | Op::Free { held: false, .. });
    if !trace.ops.iter().all(apart) {
        for stream in trace.streams() {
            if let Some(offset) = policy.alloc(stream, 512) {
                policy.free(offset, stream);
            }
        }
        return;
    }
    let mut left = vec![None; trace.blocks];
    let (offsets, _) = replay(trace, policy, |_policy, _number| ());
    for op in &trace.ops {
        match *op {
            Op::Alloc { block, stream, .. } => left[block as usize] = Some(stream),
            Op::Free { block, .. } => left[block as usize] = None,
            _ => {}
        }
    }
    for (stream, offset) in left.into_iter().zip(offsets) {
        if let Some(stream) = stream
            && offset != NOWHERE
        {
            policy.free(offset, stream);
        }
    }
}

/// The figures of memory. A request that does not fit is noted; then the device is taken as large enough, to see how much is
/// needed.
pub fn memory(trace: &Trace, policy: &mut dyn Policy) -> Figures {
    let mut sizes = vec![0_u64; trace.blocks];
    let (mut live, mut peak_live) = (0, 0);
    let (mut peak_reserved, mut live_at_peak) = (0, 0);
    let (_, refused) = replay(trace, policy, |policy, number| {
        match trace.ops[number] {
            Op::Alloc { block, bytes, .. } => {
                sizes[block as usize] = bytes;
                live += bytes;
                peak_live = live.max(peak_live);
            }
            Op::Free { block, .. } => live -= sizes[block as usize],
            _ => {}
        }
        let reserved = policy.reserved();
        match reserved.cmp(&peak_reserved) {
            Ordering::Greater => (peak_reserved, live_at_peak) = (reserved, live),
            Ordering::Equal => live_at_peak = live.max(live_at_peak),
            Ordering::Less => {}
        }
    });
    let refused = refused.map(|number| {
        let bytes = match trace.ops[number] {
            Op::Alloc { bytes, .. } => bytes,
            _ => 0,
        };
        (number, bytes)
    });
    Figures {
        peak_live,
        peak_reserved,
        live_at_peak,
        device_calls: policy.device_calls(),
        pages_moved: policy.pages_moved(),
        refused: refused.map(|(number, bytes)| refusal(trace, number, bytes)),
        ns_per_op: 0.0,
    }
}

/// What there is to say about the operation that was refused.
fn refusal(trace: &Trace, number: usize, bytes: u64) -> Refused {
    let until = Trace {
        ops: trace.ops[..number].to_vec(),
        blocks: trace.blocks,
        ..Trace::default()
    };
    Refused {
        operation: number + 1,
        bytes,
        live: until.live_at_end(),
        time_ns: trace.times.get(number).copied().unwrap_or(0),
    }
}

/// Calls the policy as the trace says, and `after` behind each call. Returns where the blocks were, and the first operation
/// that did not fit.
fn replay(
    trace: &Trace,
    policy: &mut dyn Policy,
    mut after: impl FnMut(&dyn Policy, usize),
) -> (Vec<u64>, Option<usize>) {
    let mut offsets = vec![NOWHERE; trace.blocks];
    let mut refused = None;
    for (number, op) in trace.ops.iter().enumerate() {
        match *op {
            Op::Alloc {
                block,
                bytes,
                stream,
            } => {
                let start = policy.alloc(stream, bytes).or_else(|| {
                    refused.get_or_insert(number);
                    policy.lift_limit();
                    policy.alloc(stream, bytes)
                });
                offsets[block as usize] = start.unwrap_or(NOWHERE);
            }
            Op::Free {
                block,
                stream,
                held,
            } => match offsets[block as usize] {
                NOWHERE => {}
                start if held => policy.free_held(start, stream),
                start => policy.free(start, stream),
            },
            Op::Settled { block } => policy.settled(offsets[block as usize]),
            Op::Use { block, stream } => policy.record_use(offsets[block as usize], stream),
            Op::Record { event, stream } => policy.record_event(event, stream),
            Op::Wait { event, stream } => policy.wait_event(event, stream),
            Op::Synchronize { stream } => policy.synchronize(stream),
            Op::Begin { mark } => policy.begin(mark),
            Op::Completed { stream, mark } => policy.completed(stream, mark),
        }
        after(policy, number);
    }
    (offsets, refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::stream_ordered::{ACL, StreamOrdered};

    const MIB: u64 = 1 << 20;

    fn alloc(block: u32, bytes: u64) -> Op {
        Op::Alloc {
            block,
            bytes,
            stream: 0,
        }
    }

    fn free(block: u32) -> Op {
        Op::Free {
            block,
            stream: 0,
            held: false,
        }
    }

    #[test]
    fn the_first_request_that_does_not_fit_is_named_and_the_replay_goes_on() {
        let trace = Trace {
            ops: vec![
                alloc(0, 6 * MIB),
                alloc(1, 100),
                free(0),
                alloc(2, 3 * MIB),
                alloc(3, 8 * MIB),
                free(3),
            ],
            blocks: 4,
            times: vec![0, 10, 20, 30, 40, 50],
            ..Trace::default()
        };
        let fits = memory(&trace, &mut StreamOrdered::new(ACL, u64::MAX));
        assert_eq!(fits.refused, None);
        assert_eq!(
            (fits.peak_live, fits.peak_reserved),
            (11 * MIB + 100, 16 * MIB)
        );
        assert_eq!(fits.live_at_peak, 11 * MIB + 100);
        let figures = memory(&trace, &mut StreamOrdered::new(ACL, 8 * MIB));
        let refused = figures.refused.unwrap();
        assert_eq!(
            (refused.operation, refused.bytes, refused.time_ns),
            (5, 8 * MIB, 40)
        );
        assert_eq!(refused.live, 3 * MIB + 100);
        // The pool gave back what it could before it was refused.
        assert_eq!(
            (figures.peak_live, figures.peak_reserved),
            (11 * MIB + 100, 14 * MIB)
        );
    }

    #[test]
    fn fragmentation_is_taken_when_most_is_held() {
        let trace = Trace {
            ops: vec![alloc(0, 512), alloc(1, MIB), free(1), alloc(2, 3 * MIB)],
            blocks: 3,
            ..Trace::default()
        };
        let figures = memory(&trace, &mut StreamOrdered::new(ACL, u64::MAX));
        // 2 + 2 MiB, then 2 more for the last, which lies on what was freed.
        assert_eq!(
            (figures.peak_reserved, figures.live_at_peak),
            (6 * MIB, 3 * MIB + 512)
        );
        assert!(
            (figures.fragmentation() - (1.0 - (3.0 * 1_048_576.0 + 512.0) / (6.0 * 1_048_576.0)))
                .abs()
                < 1e-9
        );
    }
}
