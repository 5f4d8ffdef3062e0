//! A pipeline of batches: one stream copies them in, one computes, one copies results out.
//!
//! Three batches may be on the device at once, and two results on their way out. Batches differ in
//! size, so a buffer seldom fits the next one exactly.

use super::{Builder, KIB, MIB, Numbers};
use crate::trace::Trace;

const COMPUTE: u32 = 0;
const COPY_IN: u32 = 1;
const COPY_OUT: u32 = 2;

const BATCHES: usize = 120;
const LAYERS: u64 = 4;
const STAGED: usize = 3;
const LEAVING: usize = 2;

pub(super) fn trace(ahead: u64) -> Trace {
    let mut sizes = Numbers::new(11);
    let mut run = Builder::new(format!("prefetch-ahead-{ahead}"), 3, ahead);
    let weights = run.alloc(COMPUTE, 64 * MIB);
    let (mut computed, mut left): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for batch in 0..BATCHES {
        run.layer();
        let rows = sizes.between(40, 80);
        if let Some(before) = batch.checked_sub(STAGED) {
            run.wait(computed[before], COPY_IN);
        }
        let input = run.alloc(COPY_IN, rows * 512 * KIB);
        let copied = run.record(COPY_IN);

        run.wait(copied, COMPUTE);
        run.record_use(input, COMPUTE);
        let mut activation = run.alloc(COMPUTE, rows * 256 * KIB);
        for layer in 1..LAYERS {
            run.temporary(COMPUTE, rows * 96 * KIB);
            let next = run.alloc(COMPUTE, rows * (256 - 32 * layer) * KIB);
            run.free(activation, COMPUTE);
            activation = next;
        }
        if let Some(before) = batch.checked_sub(LEAVING) {
            run.wait(left[before], COMPUTE);
        }
        let output = run.alloc(COMPUTE, rows * 128 * KIB);
        run.free(activation, COMPUTE);
        run.free(input, COPY_IN);
        computed.push(run.record(COMPUTE));

        run.wait(computed[batch], COPY_OUT);
        run.record_use(output, COPY_OUT);
        run.free(output, COMPUTE);
        left.push(run.record(COPY_OUT));
    }
    run.synchronize();
    run.free(weights, COMPUTE);
    run.finish()
}
