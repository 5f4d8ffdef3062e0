//! Figures of small recordings that were worked out by hand: findings, ranks, fragmentation, leaks and comparisons.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;

use millpond_view::findings::{Finding, Operation, place};
use millpond_view::ranks::ranks;
use millpond_view::summary::{Difference, Leak, diff, summary};
use millpond_view::{Index, read};

fn index(lines: &str) -> Index {
    let csv = format!("t_us,op,addr,size,stream\n{lines}");
    let mut source = millpond_recording::from_bytes(csv.as_bytes(), "made up").unwrap();
    read(&mut *source, "made up", &mut |_| ())
        .unwrap()
        .pop()
        .unwrap()
}

/// A finding about an address, whose first operation has this record; 0 stands for none.
fn finding(rule: &str, address: Option<&str>, record: u64) -> Finding {
    Finding {
        rule: rule.to_owned(),
        operations: vec![Operation {
            record,
            ..Operation::default()
        }],
        address: address.map(str::to_owned),
        ..Finding::default()
    }
}

/// Rule, time and block of a recording's findings.
fn places(run: &Index) -> Vec<(&str, Option<u64>, Option<usize>)> {
    run.findings
        .iter()
        .map(|it| (it.rule.as_str(), it.time, it.block))
        .collect()
}

/// Three blocks at one address, one after the other, and one beside them.
const REUSED: &str = "1,a,1000,100,0\n2,f,1000,100,0\n2,c,1000,100,0\n5,a,1000,50,0\n6,f,1000,50,0\n6,c,1000,50,0\n\
                      8,a,1000,200,0\n9,a,5000,100,0\n";

#[test]
fn a_finding_is_at_the_last_block_that_had_its_address_by_then() {
    let mut runs = [index(REUSED)];
    // A recording's time begins with its first event.
    let time_of = |record: u64| {
        [(7, 3_500), (8, 4_000), (9, 6_000)]
            .iter()
            .find_map(|&(known, time)| (known == record).then_some(time))
    };
    place(
        &mut runs,
        vec![
            finding("without a record", Some("0x1000"), 0),
            finding("after the first was freed", Some("0x1000"), 7),
            finding("when the second began", Some("0x1000"), 8),
            finding("a record that is not known", Some("0x1001"), 99),
            finding("the last byte of the third", Some("0x10c7"), 0),
            finding("the byte behind it", Some("0x10c8"), 0),
            finding(
                "what only the third has, before it began",
                Some("0x10c7"),
                9,
            ),
            finding("beside", Some("0x5000"), 0),
        ],
        &time_of,
    );
    assert_eq!(
        places(&runs[0]),
        [
            ("the byte behind it", None, None),
            ("after the first was freed", Some(3_500), Some(0)),
            ("when the second began", Some(4_000), Some(1)),
            (
                "what only the third has, before it began",
                Some(6_000),
                None
            ),
            // Without a record, the time is when the block began.
            ("without a record", Some(7_000), Some(2)),
            ("a record that is not known", Some(7_000), Some(2)),
            ("the last byte of the third", Some(7_000), Some(2)),
            ("beside", Some(8_000), Some(3)),
        ]
    );
}

#[test]
fn a_finding_is_in_the_recording_that_has_its_bytes_else_in_the_first() {
    let mut runs = [
        index("1,a,1000,100,0\n2,a,2000,100,0\n"),
        index("1,a,2000,100,0\n2,a,3000,100,0\n"),
    ];
    place(
        &mut runs,
        vec![
            finding("second", Some("0x3000"), 0),
            finding("both", Some("0x2000"), 0),
            finding("nowhere", Some("0x9000"), 0),
            finding("no address", None, 0),
            finding("not a number", Some("0xzz"), 0),
        ],
        &|_| None,
    );
    assert_eq!(
        places(&runs[0]),
        [
            ("nowhere", None, None),
            ("no address", None, None),
            ("not a number", None, None),
            ("both", Some(1_000), Some(1)),
        ]
    );
    assert_eq!(places(&runs[1]), [("second", Some(1_000), Some(1))]);
    // Without a recording there is no place for any.
    place(&mut [], vec![finding("lost", None, 0)], &|_| None);
}

#[test]
fn ranks_lie_beside_each_other_if_they_ran_at_the_same_time() {
    // 10 microseconds each.
    let run = |bytes: u64, began: Option<u64>| {
        let mut run = index(&format!(
            "0,a,1000,{bytes},0\n5,a,9000,{bytes},0\n10,f,1000,{bytes},0\n"
        ));
        run.began_unix_ns = began;
        run
    };
    let at = |began: [Option<u64>; 2]| ranks(&[run(100, began[0]), run(10, began[1])]);
    let length = run(1, None).span.1;

    let together = at([Some(1_000_000), Some(1_004_000)]);
    assert_eq!(together.offsets, [0, 4_000]);
    assert_eq!(together.length, length + 4_000);
    // The second has nothing before it began, and one block after that, then two.
    let bucket = |time: u64| usize::try_from(time * 512 / together.length).unwrap();
    let second = &together.live[1];
    assert_eq!(second.len(), 512);
    assert_eq!(second[bucket(3_900)], 0);
    assert_eq!((second[bucket(4_100)], second[bucket(8_900)]), (10, 10));
    assert_eq!(second[bucket(9_100)], 20);
    assert_eq!(together.live[0][bucket(100)], 100);
    assert_eq!(together.live[0][bucket(5_100)], 200);

    // The order of the files does not matter.
    assert_eq!(at([Some(1_004_000), Some(1_000_000)]).offsets, [4_000, 0]);
    // Not at the same time, or not known: all begin together.
    for began in [
        [Some(1_000_000), Some(1_000_000 + length)],
        [Some(1_000_000), None],
        [None, None],
    ] {
        let apart = at(began);
        assert_eq!(
            (apart.offsets, apart.length),
            (vec![0, 0], length),
            "{began:?}"
        );
    }
    // As long as they touch.
    let touching = at([Some(1_000_000), Some(1_000_000 + length - 1)]);
    assert_eq!(touching.offsets, [0, length - 1]);
}

#[test]
fn fragmentation_is_taken_when_most_is_reserved_and_then_when_most_is_live() {
    let of = |lines: &str| summary(&[index(lines)]).runs[0].fragmentation;
    assert_eq!(of("0,a,1000,100,0\n"), None);
    // 3000 of 4000 are live when 4000 are reserved; that 3500 were live before, with 3500 reserved, does not count.
    let lines = "0,S,0,3500,0\n1,a,0,3500,0\n2,f,0,3500,0\n2,c,0,3500,0\n3,S,10000,500,0\n4,a,0,1000,0\n5,a,400,2000,0\n6,f,0,1000,0\n";
    assert_eq!(of(lines), Some(0.25));
    // Most is reserved twice: the second time more of it is live.
    let lines = "0,S,0,1000,0\n1,a,0,100,0\n2,s,0,1000,0\n3,S,0,1000,0\n4,a,100,500,0\n";
    assert_eq!(of(lines), Some(0.4));
    // Nothing is live while most is reserved.
    assert_eq!(
        of("0,S,0,1000,0\n1,a,0,100,0\n2,f,0,100,0\n2,c,0,100,0\n3,S,10000,1000,0\n"),
        Some(1.0)
    );
}

/// Sixteen steps that leave a block of 300 bytes each, and weights of 5000 bytes that are there from the beginning.
fn leaking() -> String {
    let mut lines = "0,a,100000,5000,0\n0,a,200000,5000,0\n".to_owned();
    for step in 0..16_u64 {
        let time = 1 + step;
        writeln!(lines, "{time},a,{:x},300,0", 0x1000 + step * 0x1000).unwrap();
        writeln!(
            lines,
            "{time},a,900000,800,0\n{time},f,900000,800,0\n{time},c,900000,800,0"
        )
        .unwrap();
    }
    lines
}

#[test]
fn what_becomes_more_until_the_end_is_a_leak_and_the_rest_is_left() {
    let run = &summary(&[index(&leaking())]).runs[0];
    // 66 events: the first quarter's blocks do not count as grown.
    let [leak] = run.leaks.as_slice() else {
        panic!("{:?}", run.leaks);
    };
    let grown = leak.grown / 300;
    assert!((11..=12).contains(&grown), "{leak:?}");
    assert_eq!(
        *leak,
        Leak {
            place: "blocks of 300 bytes".to_owned(),
            grown: leak.grown,
            bytes: 4_800,
            blocks: 16,
        }
    );
    let left: Vec<_> = run
        .left
        .iter()
        .map(|line| (line.place.as_str(), line.bytes, line.blocks))
        .collect();
    assert_eq!(left, [("blocks of 5000 bytes", 10_000, 2)]);
    assert_eq!(
        (run.more_left, run.left_bytes, run.left_blocks),
        (0, 14_800, 18)
    );
    // A program that frees everything has neither.
    let run = &summary(&[index("0,a,0,100,0\n1,f,0,100,0\n1,c,0,100,0\n")]).runs[0];
    assert_eq!(
        (run.leaks.len(), run.left.len(), run.left_blocks),
        (0, 0, 0)
    );
}

#[test]
fn a_comparison_has_every_line_of_both_peaks_the_largest_change_first() {
    // The peaks are in the middle: what is live at the end does not count.
    let first = index("0,a,0,100,0\n1,a,1000,70,0\n2,a,2000,70,0\n3,f,2000,70,0\n");
    let second = index("0,a,0,100,0\n1,a,1000,900,0\n2,a,3000,70,0\n3,f,1000,900,0\n");
    let line = |bytes: u64, before, after| Difference {
        place: format!("blocks of {bytes} bytes"),
        before,
        after,
    };
    let there = diff(&first, &second);
    assert_eq!((there.before, there.after), (240, 1_070));
    assert_eq!(
        there.lines,
        [line(900, 0, 900), line(70, 140, 70), line(100, 100, 100)]
    );
    let back = diff(&second, &first);
    assert_eq!((back.before, back.after), (1_070, 240));
    assert_eq!(
        back.lines,
        [line(900, 900, 0), line(70, 70, 140), line(100, 100, 100)]
    );
    assert!(
        diff(&first, &first)
            .lines
            .iter()
            .all(|line| line.before == line.after)
    );
}
