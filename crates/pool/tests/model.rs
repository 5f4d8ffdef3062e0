//! Random programs against a model: see `common`.

mod common;

use common::Step;
use proptest::prelude::*;

/// A program that is printed in a few lines.
#[derive(Clone)]
struct Program(Vec<Step>);

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|step| write!(f, "{step:?}, "))
    }
}

fn programs() -> impl Strategy<Value = Program> {
    prop::collection::vec(any::<Step>(), 1..200).prop_map(Program)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn nobody_gets_bytes_that_somebody_may_still_use(program in programs()) {
        common::run(&program.0);
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn the_same_steps_give_the_same_blocks(program in programs()) {
        prop_assert_eq!(common::run(&program.0), common::run(&program.0));
    }
}

/// What the fuzzer does, with bytes of our own, so that it keeps working where there is no fuzzer.
#[test]
fn programs_out_of_any_bytes_run() {
    let mut number = 0x9e37_79b9_7f4a_7c15_u64;
    for length in 0..300 {
        let bytes = std::iter::repeat_with(|| {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            number.to_le_bytes()[3]
        });
        let bytes: Vec<u8> = bytes.take(length * 3).collect();
        common::run(&common::decode(&bytes));
    }
}
