//! docs/record-format.md says what this module does.

use super::{file, header, read};
use crate::file::{choices, field, kinds};
use crate::{Bytes, Operation, Record, Site, Space, Text};

const DOCUMENT: &str = include_str!("../../../../../docs/record-format.md");

/// The part of the document under this heading.
fn section(heading: &str) -> &'static str {
    let start = format!("\n## {heading}\n");
    let (_, after) = DOCUMENT.split_once(&start).expect("the heading is there");
    after.split("\n## ").next().unwrap_or(after)
}

/// The section has these rows and no others.
fn compare(heading: &str, expected: &[String]) {
    let rows: Vec<&str> = section(heading)
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .skip(1)
        .collect();
    let missing: Vec<&String> = expected
        .iter()
        .filter(|row| !rows.contains(&row.as_str()))
        .collect();
    assert!(missing.is_empty(), "add to {heading}:\n{missing:#?}");
    assert_eq!(rows, expected, "rows of {heading}, in this order");
}

#[test]
fn the_document_has_every_kind_with_its_fields() {
    let rows: Vec<String> = kinds::rows()
        .into_iter()
        .map(|(number, name, fields)| row(&[&number.to_string(), name, &fields]))
        .collect();
    compare("Kinds of records", &rows);
}

#[test]
fn the_document_has_every_choice() {
    let rows: Vec<String> = choices::rows()
        .into_iter()
        .map(|(form, number, name, fields)| row(&[form, &number.to_string(), name, &fields]))
        .collect();
    compare("Choices", &rows);
}

#[test]
fn the_document_has_every_structure() {
    let rows: Vec<String> = field::rows()
        .into_iter()
        .map(|(form, how, fields)| row(&[form, how, &fields]))
        .collect();
    compare("Structures", &rows);
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| {
            if cell.is_empty() {
                " |".to_owned()
            } else {
                format!(" {cell} |")
            }
        })
        .collect();
    format!("|{}", cells.concat())
}

#[test]
fn numbers_are_given_once_and_in_order() {
    let numbers: Vec<u64> = kinds::rows().iter().map(|row| row.0).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

/// The records of the example.
fn example() -> [Record; 3] {
    let range = Bytes {
        start: 0x1000,
        bytes: 512,
    };
    let record = |order, nanoseconds, call: &'static str, operation| Record {
        order,
        nanoseconds,
        thread: 1,
        site: Site {
            call: Text::Borrowed(call),
            caller: if call.is_empty() { 0 } else { 0x400 },
            stack: 0,
        },
        operation,
    };
    [
        record(
            1,
            5000,
            "aclrtMalloc",
            Operation::Allocated {
                block: 7,
                space: Space::Device(0),
                range,
                requested: 100,
                charged: 4096,
                pool: None,
                ordered: None,
            },
        ),
        record(2, 5300, "", Operation::DeviceReset { device: 2 }),
        record(
            3,
            6000,
            "aclrtMalloc",
            Operation::AllocationFailed {
                space: Space::Pinned,
                requested: 1 << 40,
                reason: "no room".to_owned(),
            },
        ),
    ]
}

#[test]
fn the_example_of_the_document_is_what_it_says() {
    let section = section("An example");
    let mut bytes = Vec::new();
    for line in section.lines() {
        let Some((at, rest)) = line.split_once("  ") else {
            continue;
        };
        if at.len() != 4 || usize::from_str_radix(at, 16) != Ok(bytes.len()) {
            continue;
        }
        let hex = rest.split("  ").next().unwrap_or(rest);
        bytes.extend(
            hex.split(' ')
                .map(|pair| u8::from_str_radix(pair, 16).expect("a byte")),
        );
    }
    let written = file(&[&example()]);
    assert_eq!(bytes, written, "written now: {written:02x?}");
    let (records, losses) = read(&bytes);
    assert_eq!((&records[..], &losses[..]), (&example()[..], &[][..]));
    for record in records {
        let line = record.to_string();
        assert!(section.contains(&line), "add to the example: {line}");
    }
    assert!(section.contains(&header().started.to_string()));
}
