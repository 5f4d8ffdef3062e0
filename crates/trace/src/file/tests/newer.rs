//! Files of newer and older writers: what is not known is skipped, what is missing is empty.

use super::{header, read};
use crate::file::frame::BlockHeader;
use crate::file::{OpenError, Reader, Why};
use crate::{Operation, Site};

/// A file with one block of these entries.
fn file(entries: &[&[u8]], flags: u32) -> Vec<u8> {
    let mut payload = Vec::new();
    for entry in entries {
        payload.push(u8::try_from(entry.len()).unwrap());
        payload.extend(*entry);
    }
    let block = BlockHeader {
        payload: payload.len(),
        records: 2,
        flags,
        order: 1,
        nanoseconds: 100,
        checksum: crc32fast::hash(&payload),
    };
    let mut bytes = header().encode();
    bytes.extend(block.encode());
    bytes.extend(payload);
    bytes
}

/// A reset of device 3: kind, order, time, thread, site, device.
const RESET: &[u8] = &[17, 0, 5, 1, 0, 3];

#[test]
fn entries_that_are_not_known_are_skipped_and_counted() {
    let kind_200 = [200, 1, 0, 7, 1, 0, 99, 99];
    let bytes = file(&[&[9, 1, 2, 3], &[], &kind_200, RESET], 0);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let record = reader.next().unwrap().unwrap();
    // What is skipped still counts for order and time.
    assert_eq!((record.order, record.nanoseconds), (2, 112));
    assert_eq!(record.operation, Operation::DeviceReset { device: 3 });
    assert!(reader.next().is_none());
    assert_eq!((reader.losses().unknown, reader.losses().times), (1, 0));
}

#[test]
fn a_choice_that_is_not_known_skips_its_record() {
    // Idle pages returned, of space 9.
    let bytes = file(&[&[27, 0, 0, 1, 0, 9, 1], RESET], 0);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.by_ref().flatten().count(), 1);
    assert_eq!(reader.losses().unknown, 1);
}

#[test]
fn fields_behind_those_that_are_known_are_left() {
    let more = [17, 0, 5, 1, 1, 3, 77, 88];
    let site = [2, 1, 16, 4, 55, 55];
    let text = *b"\x01aclrtResetDevice";
    let bytes = file(&[&text, &site, &more], 0);
    let (records, losses) = read(&bytes);
    assert_eq!(losses, []);
    assert_eq!(records[0].operation, Operation::DeviceReset { device: 3 });
    let site = Site {
        call: "aclrtResetDevice".into(),
        caller: 16,
        stack: 4,
    };
    assert_eq!(records[0].site, site);
}

#[test]
fn fields_that_the_writer_did_not_know_are_empty() {
    // A block freed, up to its number.
    let (records, losses) = read(&file(&[&[24, 0, 5, 1, 0, 8]], 0));
    assert_eq!(losses, []);
    let Operation::Freed {
        block,
        range,
        retired,
        ordered,
    } = records[0].operation
    else {
        panic!("{:?}", records[0]);
    };
    assert_eq!((block, range.start, range.bytes), (8, 0, 0));
    assert_eq!((retired, ordered), (false, None));
}

#[test]
fn a_record_that_breaks_the_rules_costs_itself_only() {
    let broken: [&[u8]; 6] = [
        // A site, a text and a list that are not there.
        &[17, 0, 5, 1, 9, 3],
        &[26, 0, 5, 1, 0, 0, 9],
        &[76, 0, 5, 1, 0, 1, 100, 0, 0],
        // A number that does not end, one too large, and neither yes nor no.
        &[17, 0, 5, 1, 0, 0x83],
        &[17, 0, 5, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x10],
        &[33, 0, 5, 1, 0, 0, 0, 2],
    ];
    for entry in broken {
        let (records, losses) = read(&file(&[entry, RESET], 0));
        assert_eq!(losses.len(), 1, "{entry:?}");
        assert_eq!(
            (losses[0].why, losses[0].records),
            (Why::Malformed, Some(1))
        );
        assert_eq!(losses[0].bytes, 1 + entry.len() as u64);
        assert_eq!(records.len(), 1, "{entry:?}");
        assert_eq!(records[0].order, 2, "{entry:?}");
    }
}

#[test]
fn a_block_that_is_packed_otherwise_is_skipped() {
    let (records, losses) = read(&file(&[RESET], 2));
    assert_eq!(records, []);
    assert_eq!((losses[0].why, losses[0].records), (Why::Packing, Some(2)));
}

#[test]
fn a_file_of_another_major_version_is_refused_with_its_version() {
    let mut newer = header();
    newer.major = 2;
    newer.minor = 3;
    let refused = Reader::new(&newer.encode()[..]).unwrap_err();
    let OpenError::Version { major: 2, minor: 3 } = refused else {
        panic!("{refused:?}");
    };
    assert!(refused.to_string().contains("version 2.3"));
    let refused = Reader::new(&b"records of something else"[..]).unwrap_err();
    assert!(matches!(refused, OpenError::NotRecords));
}

#[test]
fn few_bytes_do_not_become_much_memory() {
    // One long text, named by every frame of a stack: more than all texts of a record may have.
    let text = [vec![1_u8], vec![b'x'; 60_000]].concat();
    let frames = [1_u8, 1, 1, 0].repeat(200);
    let record = [&[76, 0, 0, 1, 0, 1, 0xC8, 0x01][..], &frames].concat();
    let mut payload = Vec::new();
    for entry in [text, record] {
        payload.extend([
            u8::try_from(entry.len() & 0x7F).unwrap() | 0x80,
            u8::try_from(entry.len() >> 7 & 0x7F).unwrap() | 0x80,
            u8::try_from(entry.len() >> 14).unwrap(),
        ]);
        payload.extend(entry);
    }
    let block = BlockHeader {
        payload: payload.len(),
        records: 1,
        flags: 0,
        order: 1,
        nanoseconds: 0,
        checksum: crc32fast::hash(&payload),
    };
    let bytes = [&header().encode()[..], &block.encode(), &payload].concat();
    let (records, losses) = read(&bytes);
    assert_eq!(records, []);
    assert_eq!(losses[0].why, Why::Malformed);
}
