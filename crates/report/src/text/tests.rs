//! Tests of the text of a finding.

use std::fs;

use super::Style;
use crate::sample;

#[test]
fn a_finding_fits_on_a_screen() {
    let text = sample::race().text(&Style {
        folder: Some("/home/a".into()),
        ..Style::plain()
    });
    assert_eq!(
        text,
        "\
error[stream.race]: two accesses to the same bytes have no order (3 times)
  stream 3 reads 512 bytes that stream 2 writes, and nothing orders them
  ┌─ stream 3: reads 512 bytes at 0x7f0000000200 (aclrtMemcpyAsync, thread 1, record 24)
  │    consume  race.c:42
  │    main     race.c:60
  ╳  missing: stream 3 waits for no event that stream 2 records after the write
  └─ stream 2: writes 1,024 bytes at 0x7f0000000000 (aclrtMemsetAsync, thread 1, record 21)
       produce(std::vector<int>&)  race.c:39
       main                        race.c:59
    bytes  512 bytes at 0x7f0000000200, offset 512 of block 12
    block  block 12: 1,024 bytes at 0x7f0000000000, device 0
           allocated by aclrtMalloc in Buffer::Buffer(unsigned long)  race.c:12
             called from main  race.c:51
     rule  Work in different streams is ordered only by events and synchronisation.
           aclrtStreamWaitEvent, aclrtSynchronizeStream
     help  record an event on stream 2 and wait for it on stream 3

"
    );
}

#[test]
fn the_source_line_is_shown_below_the_first_frame_that_has_one() {
    let folder = std::env::temp_dir().join(format!("millpond-{}-source", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("race.c");
    fs::write(&file, "one\n\tcopy(\u{1b}[2J);  \nthree\n").unwrap();
    let mut finding = sample::race();
    finding.operations.truncate(1);
    let stack = &mut finding.operations[0].stack;
    file.to_str().unwrap().clone_into(&mut stack[1].file);
    stack[1].line = 2;
    let text = finding.text(&Style::plain());
    fs::remove_dir_all(folder).unwrap();
    assert!(text.contains("        2 │ copy(\\u{1b}[2J);\n"), "{text}");
    assert!(text.contains("  └╳  missing"), "{text}");
}

#[test]
fn a_large_finding_fits_on_a_screen() {
    let mut finding = sample::race();
    let operation = &mut finding.operations[0];
    operation.stack = vec![operation.stack[0].clone(); 500];
    finding.operations = vec![finding.operations[0].clone(); 50];
    if let Some(block) = &mut finding.block {
        block.freed = Some(finding.operations[0].clone());
    }
    let text = finding.text(&Style::plain());
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.contains("47 more operations"), "{text}");
}

#[test]
fn text_of_a_program_cannot_control_the_terminal() {
    for colour in [false, true] {
        let text = sample::hostile().text(&Style {
            colour,
            ..Style::plain()
        });
        // Only our own colours: digits, semicolons, an m.
        for part in text.split('\u{1b}').skip(1) {
            let code = part.split('m').next().unwrap();
            assert!(code[1..].chars().all(|c| c.is_ascii_digit() || c == ';'));
        }
        assert!(
            text.chars()
                .all(|c| c == '\n' || c == '\u{1b}' || !c.is_control())
        );
        assert_eq!(text.contains('\u{1b}'), colour);
    }
}

#[test]
fn long_sentences_are_broken_between_words_and_stay_in_their_column() {
    let mut finding = sample::race();
    finding.advice = Some("word ".repeat(40).trim().to_owned());
    finding.missing = Some("other ".repeat(30).trim().to_owned());
    let text = finding.text(&Style::plain());
    assert!(
        text.lines().all(|line| line.chars().count() < 120),
        "{text}"
    );
    assert!(text.contains("\n  │  other"), "{text}");
    assert!(text.contains("\n           word"), "{text}");
    finding.advice = Some("x".repeat(5000));
    finding.missing = Some("y ".repeat(5000));
    assert!(finding.text(&Style::plain()).lines().count() < 40);
}

#[test]
fn a_terminal_without_utf_8_gets_plain_characters() {
    let text = sample::race().text(&Style::default());
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("  ,- stream 3"), "{text}");
}

#[test]
fn the_position_of_bytes_beside_a_block_is_described() {
    use super::finding::bytes_text;
    use millpond_trace::Bytes;
    let block = sample::race().block.unwrap();
    for (start, bytes, part) in [
        (0x7f00_0000_0400, 4, "just past the end of block 12"),
        (0x7f00_0000_0401, 1, "1 byte past the end"),
        (0x7eff_ffff_fff0, 4, "16 bytes before block 12"),
        (
            0x7f00_0000_0300,
            512,
            "offset 768 of block 12; the last 256 lie past it",
        ),
        (u64::MAX, u64::MAX, "past the end"),
    ] {
        let text = bytes_text(Bytes { start, bytes }, Some(&block));
        assert!(text.contains(part), "{text}");
    }
}
