//! Training with sharded weights: a communication stream gathers each layer's weights shortly
//! before the compute stream needs them, into buffers of which the order allows two at a time.
//!
//! In the backward pass gradients go the other way: made on the compute stream, reduced on the
//! communication stream, again two at a time.

use super::{Builder, KIB, MIB};
use crate::trace::Trace;

const COMPUTE: u32 = 0;
const COMMUNICATION: u32 = 1;

const LAYERS: usize = 24;
const STEPS: usize = 3;

/// The first and the last layer have the vocabulary.
fn weights(layer: usize) -> u64 {
    if layer == 0 || layer == LAYERS - 1 {
        160 * MIB
    } else {
        96 * MIB
    }
}

pub(super) fn trace(ahead: u64) -> Trace {
    let mut run = Run {
        builder: Builder::new(format!("fsdp-ahead-{ahead}"), 2, ahead),
        gathered: Vec::new(),
        computed: Vec::new(),
        reduced: Vec::new(),
        saved: Vec::new(),
    };
    let shards: Vec<u32> = (0..LAYERS)
        .map(|layer| run.builder.alloc(COMPUTE, weights(layer) / 8))
        .collect();
    // Forward and back again, as often as there are steps.
    let there = (0..LAYERS).map(|layer| (layer, true));
    let back = (0..LAYERS).rev().map(|layer| (layer, false));
    let step: Vec<(usize, bool)> = there.chain(back).collect();
    let passes = step.len() * STEPS;
    for number in 0..passes {
        run.builder.layer();
        if number == 0 {
            run.gather(step[0].0);
        }
        if number + 1 < passes {
            run.gather(step[(number + 1) % step.len()].0);
        }
        run.compute(number, step[number % step.len()]);
    }
    run.builder.synchronize();
    for shard in shards {
        run.builder.free(shard, COMPUTE);
    }
    run.builder.finish()
}

struct Run {
    builder: Builder,
    /// For each gathering so far: its buffer, and the event at its end.
    gathered: Vec<(u32, u32)>,
    /// The events at the end of each layer's computation, and of each reduction.
    computed: Vec<u32>,
    reduced: Vec<u32>,
    /// Activations that wait for the way back.
    saved: Vec<[u32; 2]>,
}

impl Run {
    fn gather(&mut self, layer: usize) {
        // The buffer of two gatherings ago is free when its computation has passed.
        if let Some(before) = self.gathered.len().checked_sub(2) {
            self.builder.wait(self.computed[before], COMMUNICATION);
        }
        let buffer = self.builder.alloc(COMMUNICATION, weights(layer));
        let event = self.builder.record(COMMUNICATION);
        self.gathered.push((buffer, event));
    }

    fn compute(&mut self, number: usize, (layer, forward): (usize, bool)) {
        let (buffer, gathered) = self.gathered[number];
        self.builder.wait(gathered, COMPUTE);
        self.builder.record_use(buffer, COMPUTE);
        self.builder.temporary(COMPUTE, 24 * MIB);
        self.builder.temporary(COMPUTE, 300 * KIB);
        if forward {
            let sizes = [8 * MIB, 2 * MIB + 512 * (layer as u64)];
            self.saved
                .push(sizes.map(|bytes| self.builder.alloc(COMPUTE, bytes)));
        } else {
            self.reduce(layer);
            for block in self.saved.pop().into_iter().flatten() {
                self.builder.free(block, COMPUTE);
            }
        }
        self.builder.free(buffer, COMMUNICATION);
        self.computed.push(self.builder.record(COMPUTE));
    }

    fn reduce(&mut self, layer: usize) {
        if let Some(before) = self.reduced.len().checked_sub(2) {
            self.builder.wait(self.reduced[before], COMPUTE);
        }
        let gradient = self.builder.alloc(COMPUTE, weights(layer) / 2);
        let made = self.builder.record(COMPUTE);
        self.builder.wait(made, COMMUNICATION);
        self.builder.record_use(gradient, COMMUNICATION);
        self.builder.free(gradient, COMPUTE);
        self.reduced.push(self.builder.record(COMMUNICATION));
    }
}
