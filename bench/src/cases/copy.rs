//! A large copy between pinned host memory and the device, against `memcpy` between ordinary buffers.
//!
//! Every page was touched before: first touches are the system's work, not the copy's.

use crate::acl::Acl;
use crate::measure::{Comparison, compare, per_call};
use crate::peers;
use crate::report::{Bound, Row};

const BOUND: Bound = Bound::AtLeast(0.9);

const BYTES: u32 = 64 << 20;
const PAIRS: usize = 15;

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let bytes = BYTES as usize;
    let device = acl.device_memory(bytes)?;
    let mut host = acl.host_memory(bytes)?;
    host.bytes().fill(7);
    acl.check("aclrtMemcpy", acl.to_device(&device, &host))?;

    let (mut to, from) = (vec![1_u8; bytes], vec![2_u8; bytes]);
    let mut against_memcpy = |ours: &dyn Fn() -> i32| -> Result<Comparison, String> {
        compare(
            PAIRS,
            || per_call(1, ours),
            || per_call(1, || peers::copy(&mut to, &from)),
        )
    };
    let up = against_memcpy(&|| acl.to_device(&device, &host))?;
    let down = against_memcpy(&|| acl.to_host(&host, &device))?;
    if host.bytes().iter().any(|byte| *byte != 7) {
        return Err("bytes came back changed".to_owned());
    }
    let row = |what, found| Row::bandwidths(what, "memcpy", BYTES, found, BOUND);
    Ok(vec![
        row("aclrtMemcpy, 64 MiB to the device", up),
        row("aclrtMemcpy, 64 MiB to the host", down),
    ])
}
