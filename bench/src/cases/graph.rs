//! What a graph saves: a hundred small operators, launched with one call or one by one, from the first call to the end of the
//! synchronisation.

use crate::acl::Acl;
use crate::acl::graph::Operators;
use crate::measure::compare_calls;
use crate::report::{Bound, Row};

const BOUND: Bound = Bound::AtMost(0.3);
const COUNT: usize = 100;
const ELEMENTS: i64 = 256;

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let stream = acl.stream()?;
    let operators = Operators::new(acl, ELEMENTS)?;
    let graph = operators.capture(&stream, COUNT)?;
    let found = compare_calls(
        || graph.launch_and_wait(),
        || operators.run_and_wait(&stream, COUNT),
    )?;
    Ok(vec![Row::times(
        "100 operators as a graph",
        "one by one",
        found,
        BOUND,
    )])
}
