//! What the fuzzer's programs do, with seeds and with seeds that were changed: so they keep working where there is no fuzzer.

#[expect(unreachable_pub, reason = "they are public in the fuzzer's own crate")]
#[path = "../../../fuzz/src/lib.rs"]
mod programs;

use std::fs;
use std::path::Path;

/// A program of the fuzzer, and seeds that it gets.
struct Program {
    name: &'static str,
    run: fn(&[u8]) -> u64,
    seeds: Vec<Vec<u8>>,
}

/// Calls of a program that allocates, divides a block, maps, waits, uses, frees and resets: six bytes each (`programs::calls`).
const CALLS: &[u8] = &[
    0, 1, 10, 0, 0, 16, 128, 2, 20, 1, 0, 16, 13, 1, 0, 1, 0, 0, 14, 1, 0, 2, 2, 1, 15, 0, 20, 2,
    0, 0, 16, 1, 0, 0, 0, 0, 6, 1, 10, 0, 64, 0, 7, 1, 0, 0, 0, 0, 130, 2, 20, 1, 0, 16, 11, 0, 0,
    0, 0, 0, 8, 3, 0, 0, 0, 32, 9, 3, 90, 0, 0, 32, 6, 2, 90, 0, 0, 1, 10, 3, 90, 0, 0, 16, 4, 1,
    200, 64, 0, 64, 6, 3, 201, 64, 0, 1, 5, 1, 0, 0, 0, 0, 17, 1, 0, 0, 0, 0, 0, 4, 30, 64, 0, 8,
    12, 0, 0, 64, 0, 0, 2, 1, 10, 0, 0, 16,
];

fn programs() -> Vec<Program> {
    let csv = b"0,S,7f00,4096,0\n1,a,7f00,100,0\n2,f,7f00,100,0\n3,c,7f00,100,0\n4,a,7f80,8,4\n5,M,9000,512,1\n6,m,9000,512,1\n";
    let rmm = b"1,10:00:00.000001,allocate,0x10,8,0x0\n1,10:00:01:5,free,0x10,8,0x0\n2,10:00:02.0,allocate failure,(nil),99,0x0\n";
    let pickles: [&[u8]; 3] = [
        include_bytes!("data/snapshot4.pickle"),
        include_bytes!("data/snapshot5.pickle"),
        include_bytes!("data/torch_npu.pickle"),
    ];
    let file = programs::write(&programs::calls(CALLS));
    // The last block's payload, behind its header of 40 bytes: it is the only one of so short a file.
    let begin = file
        .windows(4)
        .rposition(|bytes| bytes == [0xF5, b'M', b'B', 1])
        .expect("a block");
    let payload = &file[begin + 40..];
    let behind = |form: u8, bytes: &[u8]| [&[form], bytes].concat();
    vec![
        Program {
            name: "csv",
            run: programs::csv,
            seeds: vec![csv.to_vec()],
        },
        Program {
            name: "rmm",
            run: programs::rmm,
            seeds: vec![rmm.to_vec()],
        },
        Program {
            name: "snapshot",
            run: programs::snapshot,
            seeds: pickles.map(|pickle| pickle[2..].to_vec()).to_vec(),
        },
        Program {
            name: "records",
            run: programs::records,
            seeds: vec![behind(0, &file), behind(1, payload)],
        },
        Program {
            name: "recording",
            run: programs::recording,
            seeds: vec![behind(0, &file), behind(1, payload), behind(2, CALLS)],
        },
    ]
}

/// So that the fuzzer begins behind what it would not find by itself: headers, checksums, keys.
#[test]
fn every_seed_becomes_events() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-seeds");
    for program in programs() {
        let folder = folder.join(program.name);
        fs::create_dir_all(&folder).expect("a folder for the seeds");
        for (number, seed) in program.seeds.iter().enumerate() {
            let events = (program.run)(seed);
            assert!(events > 1, "{}, seed {number}: {events}", program.name);
            fs::write(folder.join(number.to_string()), seed).expect("a seed");
        }
    }
}

#[test]
fn no_changed_seed_breaks_a_promise() {
    const CHANGES: usize = 2000;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for program in programs() {
        let mut read = 0;
        for _ in 0..CHANGES {
            let mut bytes = program.seeds[random.below(program.seeds.len())].clone();
            for _ in 0..=random.below(3) {
                change(&mut bytes, &mut random);
            }
            read += usize::from((program.run)(&bytes) > 0);
        }
        // Changes that only make headers wrong would try nothing behind them.
        assert!(read > CHANGES / 100, "{}: {read}", program.name);
    }
}

/// Overwrites a byte, removes or repeats a part, or cuts the rest off.
fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let place = random.below(bytes.len());
    let end = (place + 1 + random.below(24)).min(bytes.len());
    match random.below(8) {
        0 => drop(bytes.drain(place..end)),
        1 => {
            let part = bytes[place..end].to_vec();
            let other = random.below(bytes.len());
            bytes.splice(other..other, part);
        }
        2 => bytes.truncate(place),
        _ => bytes[place] = random.byte(),
    }
}

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.to_le_bytes()[3]
    }

    fn below(&mut self, end: usize) -> usize {
        let number = u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]);
        usize::try_from(number).unwrap_or(0) % end
    }
}
