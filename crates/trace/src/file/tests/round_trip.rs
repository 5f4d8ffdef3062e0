//! What is written is what is read.

use super::{Random, file, header, read};
use crate::file::{End, Reader};

#[test]
fn any_records_come_back() {
    for seed in 0..500 {
        let records = Random::new(seed).records();
        let bytes = file(&[&records]);
        let (found, losses) = read(&bytes);
        assert_eq!(losses, [], "seed {seed}");
        assert_eq!(found, records, "seed {seed}");
    }
}

#[test]
fn a_file_says_who_wrote_it_and_whether_it_was_closed() {
    let records = Random::new(1).records();
    let bytes = file(&[&records]);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.header(), Some(&header()));
    assert_eq!(reader.end(), None);
    assert_eq!(reader.by_ref().count(), records.len());
    let count = records.len() as u64;
    assert_eq!(reader.records(), count);
    assert_eq!(reader.bytes(), bytes.len() as u64);
    assert_eq!(
        reader.end(),
        Some(End {
            records: count,
            lost: 0
        })
    );
}
