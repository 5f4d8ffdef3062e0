//! How long it takes to judge jobs of many ranks: `cargo run --release -p millpond-check --example job`.
//!
//! With a folder, writes the record files of 1,024 ranks there, for `millpond check --from`; one rank has a mistake in its last step.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "figures for whoever runs this"
)]

#[path = "../tests/common/job.rs"]
mod job;

use std::path::Path;
use std::time::Instant;

use millpond_trace::Sink;
use millpond_trace::file::Writer;

fn main() {
    if let Some(folder) = std::env::args_os().nth(1) {
        write(Path::new(&folder));
        return;
    }
    println!("ranks  steps      calls  comparisons  most waiting  seconds  ns per call");
    for (ranks, steps) in [(64, 100), (256, 100), (1024, 25), (1024, 100), (1024, 400)] {
        let began = Instant::now();
        let (found, it) = job::judge(
            ranks as usize,
            |_| true,
            None,
            |file| job::training(ranks, steps, u32::try_from(file).unwrap(), |_, _, _| {}),
        );
        assert!(found.is_empty(), "a job without mistakes");
        let took = began.elapsed();
        let each = took.as_nanos() / u128::from(it.calls);
        println!(
            "{ranks:5}  {steps:5}  {:9}  {:11}  {:12}  {:7.2}  {each:11}",
            it.calls,
            it.comparisons,
            it.peak_pending,
            took.as_secs_f64()
        );
    }
}

fn write(folder: &Path) {
    const RANKS: u32 = 1024;
    const STEPS: u64 = 100;
    for rank in 0..RANKS {
        let writer = Writer::create(folder.join(format!("{rank:04}.records"))).unwrap();
        let acts = job::training(RANKS, STEPS, rank, |rank, step, call| {
            if rank == 700 && step == STEPS - 1 {
                call.count += 1;
            }
        });
        for record in job::Records::new(acts) {
            writer.record(&record);
        }
        writer.close();
    }
}
