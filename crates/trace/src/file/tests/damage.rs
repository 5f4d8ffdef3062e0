//! What is damaged is never read as something else, and costs only itself.

use std::io::{self, Read};

use super::{Random, file, read};
use crate::Record;
use crate::file::frame::{BLOCK_HEADER, BLOCK_MAGIC};
use crate::file::{Reader, Why};

/// Three small blocks, and where each begins; the last place is that of the end mark.
fn small() -> (Vec<Record>, Vec<u8>, Vec<usize>) {
    let mut records = Random::new(7).records();
    records.truncate(9);
    for (index, record) in records.iter_mut().enumerate() {
        record.order = 1 + index as u64;
        record.nanoseconds = 1000 * index as u64;
    }
    let bytes = file(&[&records[..3], &records[3..6], &records[6..]]);
    let blocks = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, window)| *window == BLOCK_MAGIC)
        .map(|(at, _)| at)
        .collect();
    (records, bytes, blocks)
}

#[test]
fn a_file_that_is_cut_anywhere_gives_what_comes_before_and_says_so() {
    let (records, bytes, blocks) = small();
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        let Ok(mut reader) = Reader::new(cut) else {
            assert!(length < 8, "cut at {length}");
            continue;
        };
        let found: Vec<Record> = reader.by_ref().filter_map(Result::ok).collect();
        assert!(records.starts_with(&found), "cut at {length}");
        let whole = blocks[1..].iter().filter(|&&end| end <= length).count();
        assert_eq!(found.len(), 3 * whole, "cut at {length}");
        assert_eq!(reader.end(), None, "cut at {length}");
        let between = blocks.contains(&length);
        assert_eq!(reader.losses().times == 0, between, "cut at {length}");
        assert_eq!(reader.bytes(), length as u64);
    }
}

#[test]
fn a_flipped_bit_anywhere_loses_one_block_at_most_and_is_said() {
    let (records, bytes, _) = small();
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let Ok(mut reader) = Reader::new(&changed[..]) else {
            assert!(bit < 64, "bit {bit}");
            continue;
        };
        let found: Vec<Record> = reader.by_ref().filter_map(Result::ok).collect();
        assert!(reader.losses().times > 0, "bit {bit}");
        assert!(found.len() >= 6, "bit {bit}");
        assert!(
            found.iter().all(|record| records.contains(record)),
            "bit {bit}"
        );
        // Nothing says how many were in the first block if its header is gone.
        let losses = reader.losses();
        let all = found.len() as u64 + losses.records;
        assert!(all == 9 || losses.uncounted > 0, "bit {bit}");
    }
}

#[test]
fn a_damaged_block_leaves_the_others_and_its_count() {
    let (records, mut bytes, blocks) = small();
    bytes[blocks[1] + BLOCK_HEADER + 5] ^= 0x40;
    let (found, losses) = read(&bytes);
    assert_eq!(found, [&records[..3], &records[6..]].concat());
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].why, Why::Checksum);
    assert_eq!(losses[0].records, Some(3));
    assert_eq!(losses[0].at, blocks[1] as u64);
    assert_eq!(losses[0].bytes, (blocks[2] - blocks[1]) as u64);
    let said = losses[0].to_string();
    assert!(said.starts_with("3 records lost, "), "{said}");
}

#[test]
fn missing_and_additional_bytes_cost_one_block() {
    let (records, bytes, blocks) = small();
    let mut fewer = bytes.clone();
    fewer.drain(blocks[1] + BLOCK_HEADER + 3..blocks[1] + BLOCK_HEADER + 8);
    let mut headless = bytes.clone();
    headless.drain(blocks[1]..blocks[1] + BLOCK_HEADER);
    for bytes in [fewer, headless] {
        let (found, losses) = read(&bytes);
        assert_eq!(found, [&records[..3], &records[6..]].concat());
        assert_eq!(losses.len(), 1);
        assert_eq!(losses[0].records, Some(3));
    }
    let mut more = bytes.clone();
    more.splice(blocks[1]..blocks[1], vec![0xF5; 100_000]);
    let (found, losses) = read(&more);
    assert_eq!(found, records);
    assert_eq!((losses[0].bytes, losses[0].records), (100_000, Some(0)));
}

#[test]
fn a_block_that_is_not_there_is_missed() {
    let (records, mut bytes, blocks) = small();
    bytes.drain(blocks[1]..blocks[2]);
    let (found, losses) = read(&bytes);
    assert_eq!(found, [&records[..3], &records[6..]].concat());
    assert_eq!(losses.len(), 1);
    assert_eq!((losses[0].why, losses[0].records), (Why::LeftOut, Some(3)));
}

#[test]
fn a_block_inside_a_text_of_a_damaged_block_is_no_block() {
    let (records, bytes, blocks) = small();
    // The whole file once more, as what the damaged block holds.
    let mut payload = vec![1_u8; 3];
    payload.extend(&bytes[blocks[0]..blocks[1]]);
    let head = crate::file::frame::BlockHeader {
        payload: payload.len(),
        records: 5,
        flags: 0,
        order: 1,
        nanoseconds: 0,
        checksum: 1,
    };
    let mut outer = bytes[..blocks[0]].to_vec();
    outer.extend(head.encode());
    outer.extend(&payload);
    outer.extend(&bytes[blocks[1]..]);
    let (found, losses) = read(&outer);
    assert_eq!(found, records[3..]);
    assert_eq!(losses.len(), 1);
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let (_, bytes, blocks) = small();
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut changed = bytes.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(changed.len());
            let other = random.below(changed.len());
            match random.below(4) {
                0 => changed[at] = u8::try_from(random.below(256)).unwrap(),
                1 => drop(changed.drain(at.min(other)..at.max(other))),
                2 => changed.extend_from_within(at.min(other)..at.max(other)),
                _ => {
                    // A payload with a right checksum, whatever it holds.
                    let start = blocks[random.below(3)] + BLOCK_HEADER;
                    if let Some(payload) = changed.get_mut(start..start + 40) {
                        payload[random.below(40)] ^= 1 << random.below(8);
                    }
                    repair(&mut changed);
                }
            }
            if changed.is_empty() {
                changed.push(0);
            }
        }
        read(&changed);
    }
}

/// Makes all checksums of blocks right.
fn repair(bytes: &mut [u8]) {
    for at in 0..bytes.len() {
        let Some(mut header) = crate::file::frame::BlockHeader::decode(&bytes[at..]) else {
            continue;
        };
        let start = at + BLOCK_HEADER;
        if let Some(payload) = bytes.get(start..start + header.payload) {
            header.checksum = crc32fast::hash(payload);
            bytes[at..start].copy_from_slice(&header.encode());
        }
    }
}

/// Gives a byte at a time, and then fails.
#[derive(Debug)]
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some((&first, rest)) = self.0.split_first() else {
            return Err(io::Error::other("the disk is gone"));
        };
        into[0] = first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn a_disk_that_fails_ends_the_records_and_says_so() {
    let (records, bytes, blocks) = small();
    let reader = Reader::new(Failing(&bytes[..blocks[2] + 9])).unwrap();
    let (found, lost): (Vec<_>, Vec<_>) = reader.partition(Result::is_ok);
    let found: Vec<Record> = found.into_iter().map(Result::unwrap).collect();
    assert_eq!(found, records[..found.len()]);
    assert_eq!(found.len(), 6);
    let why: Vec<Why> = lost.into_iter().map(|one| one.unwrap_err().why).collect();
    assert_eq!(why, [Why::Cut, Why::Unreadable(io::ErrorKind::Other)]);
}
