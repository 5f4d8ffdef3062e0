//! Code of the program that touches pinned memory while queued work uses it.

mod common;

use common::{Block, Script};
use millpond_check::{Change, GateOptions, Open, Options};
use millpond_trace::{Bytes, Operation, Outcome, Target};

const PAGE: u64 = 4096;

fn script() -> Script {
    let mut script = Script::with(Options::default());
    let kept = script.checker.keep_gate(GateOptions {
        page: PAGE,
        most: 100,
    });
    assert!(kept);
    script
}

/// What puts the host behind a stream; it may record an event for that.
type Order = fn(&mut Script, u64, u64);

/// The program touches the first byte of some.
fn touch(script: &mut Script, bytes: Bytes, write: bool) {
    script.call("").say(Operation::HostAccessed {
        range: Bytes { bytes: 1, ..bytes },
        write,
        instruction: 7,
    });
}

/// How the page of a block's first byte is, by the changes so far.
fn opened(script: &mut Script, pages: &mut Vec<Change>, block: Block) -> Open {
    pages.extend(script.checker.changes());
    let at = block.range.start;
    let covers =
        |change: &&Change| change.pages.start <= at && at < change.pages.start + change.pages.bytes;
    pages
        .iter()
        .rfind(covers)
        .map_or(Open::Wide, |change| change.open)
}

#[test]
fn a_destination_that_is_read_before_a_wait_is_reported_once() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    script.copy(stream, host.range, device.range);
    // It is done, but nothing has waited for it.
    script.complete(stream);
    touch(&mut script, host.part(100, 8), false);
    script.expect(&["stream.host-buffer"]);
    let finding = &script.findings[0];
    assert!(finding.message.contains("the program reads pinned memory"));
    assert_eq!(finding.operations[1].site.call, "aclrtMemcpyAsync");
    assert!(
        finding
            .missing
            .as_ref()
            .unwrap()
            .contains("before the read")
    );
    touch(&mut script, host.part(200, 8), true);
    script.expect(&["stream.host-buffer"]);
}

#[test]
fn a_source_may_be_read_and_not_written() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let copy = script.copy(stream, device.range, host.range);
    touch(&mut script, host.range, false);
    script.expect(&[]);
    touch(&mut script, host.range, true);
    script.expect(&["stream.host-buffer"]);
    // The copy finds that its source is another: that is what was just reported.
    script.call("").say(Operation::SourceChanged {
        position: copy,
        range: host.range,
    });
    script.expect(&["stream.host-buffer"]);
}

#[test]
fn other_bytes_may_be_touched() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(2 * PAGE));
    let other = script.alloc_host(64);
    script.copy(stream, host.part(0, 64), device.part(0, 64));
    touch(&mut script, host.part(64, 1), true);
    touch(&mut script, host.part(PAGE, 1), true);
    touch(&mut script, other.range, true);
    script.expect(&[]);
}

#[test]
fn everything_that_orders_the_host_opens() {
    let orders: [(&str, Order); 5] = [
        ("a stream is synchronised", |script, stream, _| {
            script.synchronize(stream);
        }),
        ("a device is synchronised", |script, stream, _| {
            script.complete(stream);
            script
                .call("aclrtSynchronizeDevice")
                .say(Operation::Synchronized {
                    target: Target::Device(0),
                    outcome: Outcome::Done,
                });
        }),
        ("an event is waited for", |script, stream, event| {
            script.record(stream, event);
            script.complete(stream);
            script
                .call("aclrtSynchronizeEvent")
                .say(Operation::Synchronized {
                    target: Target::Event(event),
                    outcome: Outcome::Done,
                });
        }),
        ("a query says that it is done", |script, stream, event| {
            script.record(stream, event);
            script.complete(stream);
            script.call("aclrtQueryEvent").say(Operation::Queried {
                target: Target::Event(event),
                outcome: Outcome::Done,
            });
        }),
        (
            "a function of the program runs behind it",
            |script, stream, _| {
                let position = script.function(stream);
                script.call("").say(Operation::FunctionBegan { position });
            },
        ),
    ];
    for (what, order) in orders {
        let mut script = script();
        let (stream, event) = (script.stream(), script.event());
        let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
        let mut pages = Vec::new();
        script.copy(stream, host.range, device.range);
        assert_eq!(opened(&mut script, &mut pages, host), Open::NotAtAll);
        order(&mut script, stream, event);
        assert_eq!(opened(&mut script, &mut pages, host), Open::Wide, "{what}");
        touch(&mut script, host.range, true);
        assert!(script.findings.is_empty(), "{what}");
    }
}

#[test]
fn what_orders_nothing_opens_nothing() {
    let mut script = script();
    let (stream, other, event) = (script.stream(), script.stream(), script.event());
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    script.record(stream, event);
    script.copy(stream, host.range, device.range);
    script.complete(stream);
    script.synchronize(other);
    // Its recording is before the copy.
    script
        .call("aclrtSynchronizeEvent")
        .say(Operation::Synchronized {
            target: Target::Event(event),
            outcome: Outcome::Done,
        });
    script.call("aclrtQueryEvent").say(Operation::Queried {
        target: Target::Stream(stream),
        outcome: Outcome::NotReady,
    });
    assert_eq!(opened(&mut script, &mut pages, host), Open::NotAtAll);
    touch(&mut script, host.range, false);
    script.expect(&["stream.host-buffer"]);
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
}

#[test]
fn a_function_may_fill_what_a_copy_behind_it_reads() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    let function = script.function(stream);
    script.copy(stream, device.range, host.range);
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
    touch(&mut script, host.range, true);
    script.complete_to(function);
    assert_eq!(opened(&mut script, &mut pages, host), Open::ToReaders);
    script.expect(&[]);
}

#[test]
fn a_copy_behind_a_wait_for_a_recording_to_come_uses_nothing_yet() {
    let mut script = script();
    let (one, other, event) = (script.stream(), script.stream(), script.event());
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    script.wait(one, event, None);
    script.copy(one, device.range, host.range);
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
    script.record(other, event);
    assert_eq!(opened(&mut script, &mut pages, host), Open::ToReaders);
    script.expect(&[]);
}

#[test]
fn a_freed_block_is_open_for_the_next_that_lies_there() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    script.copy(stream, host.range, device.range);
    script.free_by("aclrtFreeHost", host);
    script.expect(&["stream.host-buffer"]);
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
    touch(&mut script, host.range, true);
    script.expect(&["stream.host-buffer"]);
}

#[test]
fn two_tasks_on_one_page_open_one_after_the_other() {
    let mut script = script();
    let (one, other) = (script.stream(), script.stream());
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    script.copy(one, host.part(0, 64), device.part(0, 64));
    script.copy(other, device.part(64, 64), host.part(64, 64));
    assert_eq!(opened(&mut script, &mut pages, host), Open::NotAtAll);
    script.synchronize(one);
    assert_eq!(opened(&mut script, &mut pages, host), Open::ToReaders);
    script.synchronize(other);
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
    script.expect(&[]);
}

#[test]
fn at_the_end_everything_is_open() {
    let mut script = script();
    let stream = script.stream();
    let (device, host) = (script.alloc(PAGE), script.alloc_host(PAGE));
    let mut pages = Vec::new();
    script.copy(stream, host.range, device.range);
    assert_eq!(opened(&mut script, &mut pages, host), Open::NotAtAll);
    script.checker.end();
    assert_eq!(opened(&mut script, &mut pages, host), Open::Wide);
}

#[test]
fn without_the_rule_nothing_is_closed() {
    let mut script = Script::about(&["memory.*"]);
    let kept = script.checker.keep_gate(GateOptions {
        page: PAGE,
        most: 100,
    });
    assert!(!kept);
}
