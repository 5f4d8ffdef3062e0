//! Words in memory that streams write and wait for, and notifications.

mod common;

use common::{Block, Script};
use millpond_trace::{Accesses, Operation, Position, TaskKind, Text};

const RACE: &[&str] = &["stream.race"];

fn word(script: &mut Script, stream: u64, name: &'static str, at: Block) -> Position {
    let range = at.part(0, 8).into();
    let mut accesses = Accesses {
        name: Text::Borrowed(name),
        ..Accesses::none(TaskKind::Compute)
    };
    match name {
        "aclrtValueWait" => accesses.reads.push(range),
        _ => accesses.writes.push(range),
    }
    script.call(name);
    script.enqueue(stream, accesses, None, None)
}

fn write(script: &mut Script, stream: u64, at: Block) -> Position {
    word(script, stream, "aclrtValueWrite", at)
}

fn wait(script: &mut Script, stream: u64, at: Block) -> Position {
    word(script, stream, "aclrtValueWait", at)
}

fn met(script: &mut Script, position: Position, writer: Option<Position>) {
    script.call("").say(Operation::WordMet { position, writer });
    script.complete_to(position);
}

/// A script, two streams, data and a word that is 0.
fn begin() -> (Script, u64, u64, Block, Block) {
    let mut script = Script::about(&["stream.*", "memory.freed-in-use"]);
    let (a, b) = (script.stream(), script.stream());
    let (data, at) = (script.alloc(64), script.alloc(32));
    script.fill_now(at.part(0, 32));
    (script, a, b, data, at)
}

#[test]
fn a_wait_is_after_the_write_that_it_saw() {
    let (mut script, a, b, data, at) = begin();
    script.fill(a, data.part(0, 64));
    let writer = write(&mut script, a, at);
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    script.complete_to(writer);
    met(&mut script, position, Some(writer));
    script.complete(b);
    script.end();
    script.expect(&[]);
}

#[test]
fn it_does_not_matter_which_is_queued_first() {
    let (mut script, a, b, data, at) = begin();
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    script.fill(a, data.part(0, 64));
    let writer = write(&mut script, a, at);
    // The write is seen before the record of its end.
    met(&mut script, position, Some(writer));
    script.complete(a);
    script.complete(b);
    script.end();
    script.expect(&[]);
}

#[test]
fn what_comes_after_the_write_is_not_ordered() {
    let (mut script, a, b, data, at) = begin();
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    let writer = write(&mut script, a, at);
    script.fill(a, data.part(0, 64));
    script.expect(&[]);
    met(&mut script, position, Some(writer));
    script.expect(RACE);
}

#[test]
fn only_the_write_that_was_seen_counts() {
    let (mut script, a, b, data, at) = begin();
    let c = script.stream();
    script.fill(c, data.part(0, 64));
    write(&mut script, c, at);
    let writer = write(&mut script, a, at);
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    script.complete(c);
    met(&mut script, position, Some(writer));
    script.expect(RACE);
}

#[test]
fn the_order_of_a_third_stream_comes_along() {
    let (mut script, a, b, data, at) = begin();
    let (c, event) = (script.stream(), script.event());
    script.fill(c, data.part(0, 64));
    let recording = script.record(c, event);
    script.wait(a, event, Some(recording));
    let writer = write(&mut script, a, at);
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    met(&mut script, position, Some(writer));
    script.end();
    script.expect(&[]);
}

/// The writer is queued after the host synchronised a third stream: whoever waits for the word knows that too.
#[test]
fn what_the_host_knew_at_the_write_counts() {
    let (mut script, a, b, data, at) = begin();
    let c = script.stream();
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    script.fill(c, data.part(0, 64));
    script.complete(c);
    script.synchronize(c);
    let writer = write(&mut script, a, at);
    met(&mut script, position, Some(writer));
    script.end();
    script.expect(&[]);
}

#[test]
fn a_word_that_something_else_wrote_is_no_reason_for_an_alarm() {
    let (mut script, a, b, data, at) = begin();
    let position = wait(&mut script, b, at);
    script.fill(b, data.part(0, 64));
    script.fill(a, data.part(0, 64));
    let copy = script.fill(a, at.part(8, 8));
    script.complete_to(copy);
    met(&mut script, position, None);
    script.end();
    script.expect(&[]);
}

/// And the checker goes on: only this wait is given the benefit of the doubt.
#[test]
fn later_races_are_still_found() {
    let (mut script, a, b, data, at) = begin();
    let position = wait(&mut script, b, at);
    met(&mut script, position, None);
    script.fill(a, data.part(0, 64));
    script.fill(b, data.part(0, 64));
    script.expect(RACE);
}

#[test]
fn words_do_not_race_with_each_other_but_with_copies() {
    let (mut script, a, b, _, at) = begin();
    write(&mut script, a, at);
    write(&mut script, b, at);
    script.expect(&[]);
    script.fill(a, at.part(0, 8));
    script.expect(RACE);
}

#[test]
fn a_word_that_is_freed_in_use_is_reported() {
    let (mut script, _, b, _, at) = begin();
    wait(&mut script, b, at);
    script.free(at);
    script.expect(&["memory.freed-in-use"]);
}

fn notice(script: &mut Script, stream: u64, name: &'static str) -> Position {
    let accesses = Accesses {
        name: Text::Borrowed(name),
        ..Accesses::none(TaskKind::Compute)
    };
    script.call(name);
    script.enqueue(stream, accesses, None, None)
}

/// A counted notification may be from several records; a wait is over when the last of them has run.
#[test]
fn a_wait_for_a_notification_is_after_what_had_begun() {
    for (record, wait) in [
        ("aclrtRecordNotify", "aclrtWaitAndResetNotify"),
        ("aclrtCntNotifyRecord", "aclrtCntNotifyWaitWithTimeout"),
    ] {
        let (mut script, a, b, data, _) = begin();
        let waiting = notice(&mut script, b, wait);
        script.fill(b, data.part(0, 64));
        script.fill(a, data.part(0, 64));
        let recorded = notice(&mut script, a, record);
        script.complete_to(recorded);
        script.call("").complete_to(waiting);
        script.complete(b);
        script.end();
        script.expect(&[]);
    }
}

/// The checker knew nothing about order any more after the first wait for a notification.
#[test]
fn races_beside_a_notification_are_found() {
    let (mut script, a, b, data, _) = begin();
    let c = script.stream();
    let waiting = notice(&mut script, b, "aclrtWaitAndResetNotify");
    let recorded = notice(&mut script, a, "aclrtRecordNotify");
    script.complete_to(recorded);
    script.complete_to(waiting);
    script.expect(&[]);
    script.fill(b, data.part(0, 64));
    script.fill(c, data.part(0, 64));
    script.expect(RACE);
}

#[test]
fn what_is_queued_before_a_wait_for_a_notification_is_not_ordered_by_it() {
    let (mut script, _, b, data, _) = begin();
    let c = script.stream();
    script.fill(b, data.part(0, 64));
    notice(&mut script, b, "aclrtCntNotifyWaitWithTimeout");
    script.fill(c, data.part(0, 64));
    script.expect(RACE);
}

/// Another process waits for the notification and records an event of its own: the rest is not seen here.
#[test]
fn a_notification_may_come_back_as_an_event_of_another_process() {
    let (mut script, a, b, data, _) = begin();
    script.fill(a, data.part(0, 64));
    notice(&mut script, a, "aclrtRecordNotify");
    notice(&mut script, b, "aclrtStreamWaitEvent");
    script.fill(b, data.part(0, 64));
    script.end();
    script.expect(&[]);
}
