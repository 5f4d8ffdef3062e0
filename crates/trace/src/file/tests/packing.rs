//! Recordings of memory: packed, and only what is about memory.

use super::{Memory, Random, file, header, read};
use crate::Sink;
use crate::file::frame::{BLOCK_HEADER, BlockHeader, Header};
use crate::file::{PAYLOAD_LIMIT, Reader, Why, Writer, packing};

fn of_memory(seed: u64) -> (Vec<crate::Record>, Vec<u8>) {
    let memory = Memory::default();
    let writer = Writer::of_memory(memory.clone(), &header()).unwrap();
    let records = Random::new(seed).records();
    for record in &records {
        writer.record(record);
    }
    drop(writer);
    let bytes = memory.0.lock().unwrap().clone();
    (records, bytes)
}

#[test]
fn what_is_about_memory_comes_back() {
    let mut chosen_in_all = 0;
    for seed in 0..200 {
        let (records, bytes) = of_memory(seed);
        let (found, losses) = read(&bytes);
        assert_eq!(losses, [], "seed {seed}");
        let chosen: Vec<_> = records
            .into_iter()
            .filter(|record| record.operation.is_about_memory())
            .zip(1..)
            .map(|(record, order)| crate::Record { order, ..record })
            .collect();
        chosen_in_all += chosen.len();
        assert_eq!(found, chosen, "seed {seed}");
        let reader = Reader::new(&bytes[..]).unwrap();
        assert!(reader.header().is_some_and(|header| header.memory_only));
    }
    assert!(chosen_in_all > 0);
    let bytes = file(&[&[]]);
    let reader = Reader::new(&bytes[..]).unwrap();
    assert!(reader.header().is_some_and(|header| !header.memory_only));
}

#[test]
fn a_damaged_packed_block_is_lost_and_nothing_else() {
    let (_, bytes) = of_memory(5);
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x40;
        let (found, losses) = read(&changed);
        assert!(
            place < 8 || !losses.is_empty() || found.is_empty(),
            "byte {place}"
        );
    }
}

/// A payload that unpacks to more than a payload may have is refused before it takes memory.
#[test]
fn a_bomb_is_malformed() {
    let mut payload = Vec::new();
    assert!(packing::pack(&vec![0; PAYLOAD_LIMIT * 64], &mut payload));
    let mut unpacked = Vec::new();
    assert!(!packing::Unpacker::default().unpack(&payload, &mut unpacked));
    assert!(unpacked.capacity() < 4 << 20, "{}", unpacked.capacity());
    let block = BlockHeader {
        payload: payload.len(),
        records: 1,
        flags: packing::PACKED,
        order: 1,
        nanoseconds: 0,
        checksum: crc32fast::hash(&payload),
    };
    let header = Header {
        memory_only: true,
        ..header()
    };
    let file = [&header.encode()[..], &block.encode(), &payload].concat();
    let (found, losses) = read(&file);
    assert_eq!(found, []);
    assert_eq!(losses[0].why, Why::Malformed);
    assert_eq!(losses[0].bytes, (BLOCK_HEADER + payload.len()) as u64);
}
