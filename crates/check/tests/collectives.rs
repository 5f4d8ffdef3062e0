//! What ranks record for each other becomes one finding with all of them.

mod common;

use common::Script;
use millpond_trace::{HandleKind, Operation, RankPart, RankProblem};

fn failed(problem: RankProblem, parts: Vec<RankPart>, before: &str) -> Operation {
    Operation::RanksFailed {
        problem,
        communicator: "world".to_owned(),
        rank: 0,
        ranks: 2,
        reason: "the counts differ".to_owned(),
        parts,
        before: before.to_owned(),
        place: 0,
    }
}

fn part(rank: u32, what: &str, caller: u64) -> RankPart {
    RankPart {
        rank,
        what: what.to_owned(),
        caller,
        stack: 0,
        also: Vec::new(),
    }
}

#[test]
fn a_mismatch_names_both_call_sites_and_what_matched_before() {
    let mut script = Script::about(&["collective.*"]);
    let parts = vec![
        part(0, "HcclAllReduce(count 4)", 0x66),
        part(1, "HcclAllReduce(count 5)", 0x77),
    ];
    script.call("HcclAllReduce").say(failed(
        RankProblem::Mismatch,
        parts,
        "HcclBroadcast(count 1)",
    ));
    script.expect(&["collective.mismatch"]);
    let finding = &script.findings[0];
    assert!(finding.message.contains("HcclBroadcast(count 1)"));
    let [own, other] = &finding.operations[..] else {
        panic!("{:?}", finding.operations);
    };
    assert_eq!(own.site.call, "HcclAllReduce");
    assert_eq!(own.site.caller, 0x66);
    assert_eq!(
        (&*other.site.call, other.site.caller),
        ("HcclAllReduce", 0x77)
    );
    assert!(other.what.starts_with("rank 1: "));
}

#[test]
fn every_problem_has_its_rule() {
    let rules = [
        (RankProblem::Message, "collective.message-mismatch"),
        (RankProblem::Gone, "collective.rank-gone"),
        (RankProblem::Cycle, "collective.deadlock"),
        (RankProblem::TimedOut, "collective.timeout"),
        (RankProblem::Meeting, "collective.meeting"),
        (RankProblem::Closed, "collective.destroyed-in-use"),
        (RankProblem::OtherDevice, "collective.wrong-device"),
        (RankProblem::SharedDevice, "collective.shared-device"),
        (RankProblem::NotANumber, "collective.not-a-number"),
    ];
    for (problem, rule) in rules {
        let mut script = Script::about(&["collective.*"]);
        script
            .call("HcclAllReduce")
            .say(failed(problem, Vec::new(), ""));
        script.expect(&[rule]);
    }
}

#[test]
fn a_communicator_that_is_left_is_only_a_hint() {
    let mut script = Script::new();
    let (kind, handle) = (HandleKind::Communicator, 7);
    script
        .call("HcclCommInitRootInfo")
        .say(Operation::HandleCreated { kind, handle });
    script.call("aclFinalize").say(Operation::Finalized);
    script.end();
    script.expect(&["handle.leak"]);
    assert_eq!(script.findings[0].severity, millpond_check::Severity::Hint);
}
