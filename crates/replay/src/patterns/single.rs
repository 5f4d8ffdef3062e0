//! Small traces on one stream, kept as files in `bench/traces`: enough to see a policy at work
//! where no recorded ones are at hand. A test compares the files with what is made here.

use super::{Builder, KIB, MIB, Numbers};
use crate::trace::Trace;

const STREAM: u32 = 0;

/// The traces of `bench/traces`.
const TRACES: [fn() -> Trace; 3] = [steps, lengths, decode];

/// Training steps that are all alike, with an optimiser whose state comes with the first.
fn steps() -> Trace {
    let mut run = Builder::new("made_train_steps", 1, 1);
    let mut state = weights(&mut run);
    for step in 0..6 {
        pass(&mut run, 4096);
        if step == 0 {
            state.extend(weights(&mut run));
            state.extend(weights(&mut run));
        }
    }
    run.finish()
}

/// Training on sequences of all lengths: no step is like the one before.
fn lengths() -> Trace {
    let mut numbers = Numbers::new(5);
    let mut run = Builder::new("made_train_lengths", 1, 1);
    weights(&mut run);
    for _ in 0..12 {
        let tokens = numbers.between(16, 128) * 64 + numbers.between(0, 63);
        pass(&mut run, tokens);
    }
    run.finish()
}

const LAYERS: u64 = 8;
const WIDTH: u64 = 1024;

fn weights(run: &mut Builder) -> Vec<u32> {
    let mut blocks = vec![run.alloc(STREAM, 32_000 * WIDTH * 4)];
    for _ in 0..LAYERS {
        for bytes in [
            12 * WIDTH * WIDTH,
            4 * WIDTH * WIDTH,
            16 * WIDTH * WIDTH,
            WIDTH * 4,
        ] {
            blocks.push(run.alloc(STREAM, bytes));
        }
    }
    blocks
}

/// Forward, keeping what the way back needs, and backward, freeing it.
fn pass(run: &mut Builder, tokens: u64) {
    let row = tokens * WIDTH * 2;
    let mut saved = Vec::new();
    for _ in 0..LAYERS {
        run.temporary(STREAM, tokens * 4);
        for bytes in [row, 3 * row, row, tokens * 64, 4 * row] {
            saved.push(run.alloc(STREAM, bytes));
        }
        run.temporary(STREAM, 4 * row);
    }
    run.temporary(STREAM, tokens * 32_000 * 2);
    let mut gradients = Vec::new();
    while let Some(block) = saved.pop() {
        run.temporary(STREAM, 2 * row);
        run.free(block, STREAM);
        if saved.len() % 5 == 0 {
            gradients.push(run.alloc(STREAM, 12 * WIDTH * WIDTH));
            gradients.push(run.alloc(STREAM, WIDTH * 4));
        }
    }
    for block in gradients {
        run.free(block, STREAM);
    }
}

/// Serving: requests come and go, and the memory of each grows by copying while it runs.
fn decode() -> Trace {
    let mut numbers = Numbers::new(9);
    let mut run = Builder::new("made_decode", 1, 1);
    weights(&mut run);
    let mut requests: Vec<(u32, u64)> = Vec::new();
    for step in 0..400 {
        if step % 8 == 0 && requests.len() < 24 {
            let tokens = numbers.between(100, 2000);
            requests.push((run.alloc(STREAM, tokens * 8 * KIB), tokens));
        }
        run.temporary(STREAM, (1 + requests.len() as u64) * 64 * KIB);
        if step % 4 == 0 {
            for (block, tokens) in &mut requests {
                *tokens += 64;
                let grown = run.alloc(STREAM, *tokens * 8 * KIB);
                run.free(*block, STREAM);
                *block = grown;
            }
        }
        if numbers.between(0, 15) == 0 && !requests.is_empty() {
            let gone = numbers.between(0, requests.len() as u64 - 1);
            let index = usize::try_from(gone).unwrap_or(0);
            run.free(requests.swap_remove(index).0, STREAM);
        }
        run.temporary(STREAM, MIB + numbers.between(0, 2000) * 512);
    }
    run.finish()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs::{self, File};
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::recorded::Recording;
    use crate::trace::Op;

    fn own_traces() -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/traces")
    }

    /// The trace as text. Blocks never share an address: what is kept is the program, not a policy.
    fn text(trace: &Trace) -> String {
        let mut text = "t_us,op,addr,size,stream\n".to_owned();
        let mut sizes = Vec::new();
        for (time, op) in trace.ops.iter().enumerate() {
            let (name, block, stream) = match *op {
                Op::Alloc {
                    block,
                    bytes,
                    stream,
                } => {
                    sizes.push(bytes);
                    ("a", block, stream)
                }
                Op::Free { block, stream, .. } => ("f", block, stream),
                _ => continue,
            };
            let bytes = sizes[block as usize];
            writeln!(text, "{time},{name},{block:x}00000000,{bytes},{stream}").unwrap();
        }
        text
    }

    /// With `MILLPOND_WRITE_TRACES` set the files are written, otherwise they are compared.
    #[test]
    fn the_files_are_what_is_made_here() {
        let made: Vec<Trace> = TRACES.iter().map(|make| make()).collect();
        if std::env::var_os("MILLPOND_WRITE_TRACES").is_some() {
            fs::create_dir_all(own_traces()).unwrap();
            for trace in &made {
                let file = own_traces().join(format!("{}.csv.gz", trace.name));
                let mut file = GzEncoder::new(File::create(file).unwrap(), Compression::best());
                file.write_all(text(trace).as_bytes()).unwrap();
                file.finish().unwrap();
            }
        }
        for made in made {
            let file = own_traces().join(format!("{}.csv.gz", made.name));
            let mut kept = Recording::open(&file, |_part| ()).unwrap().traces();
            let kept = kept.remove(0);
            assert_eq!(
                (kept.name, kept.ops, kept.blocks),
                (made.name, made.ops, made.blocks)
            );
        }
    }
}
