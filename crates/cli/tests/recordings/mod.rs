//! Recordings of every format, for tests that compare what several tools make of one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use millpond_recording::{Kind, open, read_all};

use crate::common::{Real, Stage, all as whole, output, path};

/// A recording of each format, some of them with several devices, segments that are older, and many events in one microsecond.
pub(crate) fn all(name: &str) -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files: Vec<PathBuf> = [
        "recording/tests/data/snapshot4.pickle",
        "recording/tests/data/torch_npu.pickle",
        "replay/tests/old_blocks.pickle",
        "../bench/traces/made_decode.csv.gz",
    ]
    .map(|file| crates.join(file))
    .to_vec();
    let real = Real::new(&format!("{name}-recorded"));
    let file = real.stage.folder.join("run.mpt");
    let mut record = real.stage.millpond(&["record", "-o", path(&file), "--"]);
    let result = output(record.arg(real.program()).args(["open", "right", "tidy"]));
    assert!(result.status.success(), "{}", whole(&result));
    files.push(file);
    let written = |file: &str, text: String| {
        let path = real.stage.folder.join(file);
        fs::write(&path, text).expect("a file for the test");
        path
    };
    files.push(written("crowded.csv", crowded()));
    files.push(written(
        "rmm.csv",
        "Thread,Time,Action,Pointer,Size,Stream\n1,10:00:00.000001,allocate,0x100,4096,0\n\
         1,10:00:00.000002,allocate,0x2000,512,0\n1,10:00:00.000002,free,0x100,4096,0\n\
         1,10:00:00.000002,allocate,0x100,4096,0\n1,10:00:00.000003,free,0x2000,512,0\n"
            .to_owned(),
    ));
    files.extend(ranks(&format!("{name}-ranks")));
    files
}

/// Forty events in each microsecond, at addresses that are used again in the same one; segments of which some are older than the
/// recording, and pages that are mapped twice.
fn crowded() -> String {
    const SLOTS: usize = 64;
    let mut text =
        "t_us,op,addr,size,stream\n0,S,100000000,4194304,0\n0,M,100200000,4194304,0\n".to_owned();
    let mut live = [0_u64; SLOTS];
    let mut random = 1_u64;
    for number in 0..4000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let slot = usize::try_from(random >> 40).expect("few bits") % SLOTS;
        let (address, time) = (0x1_0000_0000_u64 + (slot as u64) * 0x2_0000, number / 40);
        let bytes = live[slot];
        if bytes > 0 {
            writeln!(
                text,
                "{time},f,{address:x},{bytes},0\n{time},c,{address:x},{bytes},0"
            )
            .expect("memory");
        }
        live[slot] = if random.is_multiple_of(3) {
            0
        } else {
            512 * (1 + slot as u64 % 30)
        };
        if live[slot] > 0 {
            writeln!(text, "{time},a,{address:x},{},0", live[slot]).expect("memory");
        }
    }
    text.push_str("200,s,100200000,4194304,0\n");
    text
}

/// Snapshots of two ranks that run the same steps with different memory, with call stacks.
pub(crate) fn ranks(name: &str) -> [PathBuf; 2] {
    let stage = Stage::bare(&format!("{name}-snapshots"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots.py");
    [0, 1].map(|rank| {
        let file = stage.folder.join(format!("rank{rank}.pickle"));
        let mut make = Command::new("python3");
        let result = output(make.arg(&script).arg(rank.to_string()).arg(&file));
        assert!(result.status.success(), "{}", whole(&result));
        file
    })
}

/// The peak of each step, what was live when it began included, and what was live at its end: a walk through the events.
pub(crate) fn steps(file: &Path) -> Vec<(u64, u64)> {
    let mut source = open(file).expect("a recording");
    let mut events = source.before().to_vec();
    events.extend(read_all(&mut *source).expect("a recording"));
    let (mut live, mut steps) = (0, vec![(0, 0)]);
    for event in &events {
        match event.kind {
            Kind::RangeBegin => steps.push((live, live)),
            Kind::Alloc => live += event.bytes,
            Kind::FreeRequested => live -= event.bytes,
            _ => {}
        }
        let step = steps.last_mut().expect("the first one");
        *step = (step.0.max(live), live);
    }
    steps
}
