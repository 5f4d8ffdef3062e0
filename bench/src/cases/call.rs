//! The least that a call costs: the way into the library, one handle looked up, a number written.

use crate::acl::Acl;
use crate::measure::compare_calls;
use crate::peers::Empty;
use crate::report::{Bound, Row};

const BOUND: Bound = Bound::AtMost(4.0);

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let empty = Empty::load()?;
    let stream = acl.stream()?;
    let (mut ours, mut peer) = (0, 0);
    let found = compare_calls(|| stream.id(&mut ours), || empty.call(&mut peer))?;
    Ok(vec![Row::times(
        "aclrtStreamGetId",
        "empty function",
        found,
        BOUND,
    )])
}
