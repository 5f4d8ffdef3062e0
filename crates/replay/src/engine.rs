//! Replays a trace with a policy.

use crate::policy::Policy;
use crate::trace::{Op, Trace};
use crate::cpu_time;

/// How often a trace is replayed for time. The shortest counts.
const TIMED: usize = 5;

/// What a policy made of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    pub peak_live: u64,
    pub peak_reserved: u64,
    pub pages_moved: u64,
    pub ns_per_op: f64,
}

/// Replays once for memory and a few times for time.
pub fn measure(trace: &Trace, new: impl Fn() -> Box<dyn Policy>) -> Result<Figures, String> {
    let (peak_reserved, pages_moved) = memory(trace, new().as_mut())?;
    let mut best = f64::INFINITY;
    for _ in 0..TIMED {
        let mut policy = new();
        warm_up(trace, policy.as_mut())?;
        let start = cpu_time::nanoseconds();
        replay(trace, policy.as_mut(), |_policy| ())?;
        best = best.min(cpu_time::nanoseconds() - start);
    }
    Ok(Figures {
        peak_live: trace.peak_live(),
        peak_reserved,
        pages_moved,
        ns_per_op: best / calls(trace),
    })
}

#[expect(clippy::cast_precision_loss, reason = "no trace has 2^53 calls")]
fn calls(trace: &Trace) -> f64 {
    trace.calls().max(1) as f64
}

/// Lets the policy make its tables and touch them, which is no part of what a call costs: it replays the trace once and frees
/// what is left. A trace whose streams have to do with each other is not replayed on top of itself.
fn warm_up(trace: &Trace, policy: &mut dyn Policy) -> Result<(), String> {
    let apart = |op: &Op| matches!(op, Op::Alloc { .. } | Op::Free { held: false, .. });
    if !trace.ops.iter().all(apart) {
        for stream in trace.streams() {
            if let Some(offset) = policy.alloc(stream, 512) {
                policy.free(offset, stream);
            }
        }
        return Ok(());
    }
    let mut left = vec![None; trace.blocks];
    let offsets = replay(trace, policy, |_policy| ())?;
    for op in &trace.ops {
        match *op {
            Op::Alloc { block, stream, .. } => left[block as usize] = Some(stream),
            Op::Free { block, .. } => left[block as usize] = None,
            _ => {}
        }
    }
    for (stream, offset) in left.into_iter().zip(offsets) {
        if let Some(stream) = stream {
            policy.free(offset, stream);
        }
    }
    Ok(())
}

/// The most that the policy held, and how many pages it moved.
pub fn memory(trace: &Trace, policy: &mut dyn Policy) -> Result<(u64, u64), String> {
    let mut peak = 0;
    replay(trace, policy, |policy| peak = policy.reserved().max(peak))?;
    Ok((peak, policy.pages_moved()))
}

/// Calls the policy as the trace says, and `after` behind each call. Returns where the blocks were.
fn replay(
    trace: &Trace,
    policy: &mut dyn Policy,
    mut after: impl FnMut(&dyn Policy),
) -> Result<Vec<u64>, String> {
    let mut offsets = vec![0_u64; trace.blocks];
    for (number, op) in trace.ops.iter().enumerate() {
        match *op {
            Op::Alloc {
                block,
                bytes,
                stream,
            } => {
                offsets[block as usize] = policy
                    .alloc(stream, bytes)
                    .ok_or_else(|| format!("call {number}: {bytes} bytes were refused"))?;
            }
            Op::Free {
                block,
                stream,
                held: false,
            } => policy.free(offsets[block as usize], stream),
            Op::Free { block, stream, .. } => policy.free_held(offsets[block as usize], stream),
            Op::Settled { block } => policy.settled(offsets[block as usize]),
            Op::Use { block, stream } => policy.record_use(offsets[block as usize], stream),
            Op::Record { event, stream } => policy.record_event(event, stream),
            Op::Wait { event, stream } => policy.wait_event(event, stream),
            Op::Synchronize { stream } => policy.synchronize(stream),
            Op::Begin { mark } => policy.begin(mark),
            Op::Completed { stream, mark } => policy.completed(stream, mark),
        }
        after(policy);
    }
    Ok(offsets)
}
