//! Operations of all ranks.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]
#![allow(clippy::too_many_arguments, reason = "signatures are the C signatures")]

use std::ffi::c_void;
use std::sync::Arc;

use millpond_abi as abi;
use millpond_collective::{Element, Group, Kind, Part, Reduction, Request};

use super::arguments::{Buffer, check_overlap, check_root, element, reduction};
use super::communicators::{Entry, find};
use super::launch::launch;
use super::status;
use crate::boundary::{CallError, array, bad_value};

fn group(kind: Kind, count: u64, element: Element) -> Group {
    Group {
        kind,
        count,
        element,
        reduction: Reduction::Sum,
        root: 0,
        parts: Vec::new(),
    }
}

/// As many elements for each rank.
fn times(count: u64, entry: &Entry) -> Result<u64, CallError> {
    match count.checked_mul(entry.communicator.ranks() as u64) {
        Some(all) => Ok(all),
        None => bad_value(
            "count",
            count,
            "the count of all ranks must fit into 64 bits",
        ),
    }
}

/// Where this rank's part of a buffer starts.
fn own_part(buffer: Buffer, count: u64, element: Element, entry: &Entry) -> u64 {
    let part = count.wrapping_mul(element.bytes() as u64);
    let skipped = part.wrapping_mul(entry.communicator.rank() as u64);
    buffer.address.wrapping_add(skipped)
}

/// Every rank gets the combined elements of all.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAllReduce(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    count: u64,
    dataType: abi::HcclDataType,
    op: abi::HcclReduceOp,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAllReduce", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let reduction = reduction(op, element)?;
        let send = Buffer::new(sendBuf, "sendBuf", count, element)?;
        let receive = Buffer::new(recvBuf, "recvBuf", count, element)?;
        check_overlap(send, receive, Some((send.address, receive.address)))?;
        let request = Request::Group(Group {
            reduction,
            ..group(Kind::AllReduce, count, element)
        });
        let touches = [send.read(), receive.written()];
        launch("HcclAllReduce", &entry, stream, &touches, request)
    })
}
const _: abi::HcclAllReduceFn = HcclAllReduce;

/// Every rank gets the elements of the root.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclBroadcast(
    buf: *mut c_void,
    count: u64,
    dataType: abi::HcclDataType,
    root: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclBroadcast", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        check_root(root, &entry)?;
        let buffer = Buffer::new(buf, "buf", count, element)?;
        let touches = if entry.communicator.rank() == root as usize {
            [buffer.read(), buffer.unused()]
        } else {
            [buffer.unused(), buffer.written()]
        };
        let request = Request::Group(Group {
            root,
            ..group(Kind::Broadcast, count, element)
        });
        launch("HcclBroadcast", &entry, stream, &touches, request)
    })
}
const _: abi::HcclBroadcastFn = HcclBroadcast;

/// Every rank gets the elements of all, in the order of the ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAllGather(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    sendCount: u64,
    dataType: abi::HcclDataType,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAllGather", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let send = Buffer::new(sendBuf, "sendBuf", sendCount, element)?;
        let receive = Buffer::new(recvBuf, "recvBuf", times(sendCount, &entry)?, element)?;
        let own = own_part(receive, sendCount, element, &entry);
        check_overlap(send, receive, Some((send.address, own)))?;
        let request = Request::Group(group(Kind::AllGather, sendCount, element));
        let touches = [send.read(), receive.written()];
        launch("HcclAllGather", &entry, stream, &touches, request)
    })
}
const _: abi::HcclAllGatherFn = HcclAllGather;

/// The arguments of a V form, each with its name: the buffer of this rank's elements and their count, the buffer of all elements, and
/// the arrays that divide it.
struct Uneven {
    own: (*const c_void, &'static str),
    count: (u64, &'static str),
    whole: (*const c_void, &'static str),
    counts: (*const c_void, &'static str),
    starts: (*const c_void, &'static str),
}

impl Uneven {
    /// Each rank's part, and how many elements they span.
    ///
    /// # Safety
    /// As the C functions require: an array of a number for each rank.
    unsafe fn parts(&self, entry: &Entry) -> Result<(Vec<Part>, u64), CallError> {
        let ranks = entry.communicator.ranks();
        // SAFETY: passed on.
        let counts: Vec<u64> = unsafe { array(self.counts.0.cast(), ranks, self.counts.1) }?;
        // SAFETY: passed on.
        let starts: Vec<u64> = unsafe { array(self.starts.0.cast(), ranks, self.starts.1) }?;
        let mut end = 0;
        let mut parts = Vec::with_capacity(ranks);
        for (count, start) in counts.into_iter().zip(starts) {
            let Some(last) = start.checked_add(count) else {
                let expected = "displacement plus count must fit into 64 bits";
                return bad_value(self.starts.1, start, expected);
            };
            if count > 0 {
                end = end.max(last);
            }
            parts.push(Part { count, start });
        }
        let (own, name) = self.count;
        if parts[entry.communicator.rank()].count != own {
            let expected = "it must be this rank's element of the counts";
            return bad_value(name, own, expected);
        }
        Ok((parts, end))
    }

    /// Queues the operation.
    ///
    /// # Safety
    /// As for `parts`.
    unsafe fn launch(
        &self,
        (kind, reduction): (Kind, Reduction),
        element: Element,
        entry: &Arc<Entry>,
        stream: abi::aclrtStream,
    ) -> Result<(), CallError> {
        // SAFETY: passed on.
        let (parts, end) = unsafe { self.parts(entry) }?;
        let own = Buffer::new(self.own.0, self.own.1, self.count.0, element)?;
        let whole = Buffer::new(self.whole.0, self.whole.1, end, element)?;
        let (send, receive) = match kind {
            Kind::AllGatherV => (own, whole),
            _ => (whole, own),
        };
        check_overlap(send, receive, None)?;
        let request = Request::Group(Group {
            parts,
            reduction,
            ..group(kind, 0, element)
        });
        let touches = [send.read(), receive.written()];
        launch(kind.name(), entry, stream, &touches, request)
    }
}

/// Every rank gets the elements of all; each has another number of them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAllGatherV(
    sendBuf: *const c_void,
    sendCount: u64,
    recvBuf: *const c_void,
    recvCounts: *const c_void,
    recvDispls: *const c_void,
    dataType: abi::HcclDataType,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAllGatherV", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let form = Uneven {
            own: (sendBuf, "sendBuf"),
            count: (sendCount, "sendCount"),
            whole: (recvBuf, "recvBuf"),
            counts: (recvCounts, "recvCounts"),
            starts: (recvDispls, "recvDispls"),
        };
        let what = (Kind::AllGatherV, Reduction::Sum);
        // SAFETY: the contract of the function.
        unsafe { form.launch(what, element, &entry, stream) }
    })
}
const _: abi::HcclAllGatherVFn = HcclAllGatherV;

/// Rank r gets the combined elements of all ranks' part r.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclReduceScatter(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    recvCount: u64,
    dataType: abi::HcclDataType,
    op: abi::HcclReduceOp,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclReduceScatter", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let reduction = reduction(op, element)?;
        let send = Buffer::new(sendBuf, "sendBuf", times(recvCount, &entry)?, element)?;
        let receive = Buffer::new(recvBuf, "recvBuf", recvCount, element)?;
        let own = own_part(send, recvCount, element, &entry);
        check_overlap(send, receive, Some((receive.address, own)))?;
        let request = Request::Group(Group {
            reduction,
            ..group(Kind::ReduceScatter, recvCount, element)
        });
        let touches = [send.read(), receive.written()];
        launch("HcclReduceScatter", &entry, stream, &touches, request)
    })
}
const _: abi::HcclReduceScatterFn = HcclReduceScatter;

/// The same; each rank gets another number of elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclReduceScatterV(
    sendBuf: *const c_void,
    sendCounts: *const c_void,
    sendDispls: *const c_void,
    recvBuf: *const c_void,
    recvCount: u64,
    dataType: abi::HcclDataType,
    op: abi::HcclReduceOp,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclReduceScatterV", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let form = Uneven {
            own: (recvBuf, "recvBuf"),
            count: (recvCount, "recvCount"),
            whole: (sendBuf, "sendBuf"),
            counts: (sendCounts, "sendCounts"),
            starts: (sendDispls, "sendDispls"),
        };
        let what = (Kind::ReduceScatterV, reduction(op, element)?);
        // SAFETY: the contract of the function.
        unsafe { form.launch(what, element, &entry, stream) }
    })
}
const _: abi::HcclReduceScatterVFn = HcclReduceScatterV;

/// The root gets the combined elements of all ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclReduce(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    count: u64,
    dataType: abi::HcclDataType,
    op: abi::HcclReduceOp,
    root: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclReduce", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        let reduction = reduction(op, element)?;
        check_root(root, &entry)?;
        let send = Buffer::new(sendBuf, "sendBuf", count, element)?;
        let touches = if entry.communicator.rank() == root as usize {
            let receive = Buffer::new(recvBuf, "recvBuf", count, element)?;
            check_overlap(send, receive, Some((send.address, receive.address)))?;
            [send.read(), receive.written()]
        } else {
            // Only the root's is written.
            [send.read(), send.unused()]
        };
        let request = Request::Group(Group {
            reduction,
            root,
            ..group(Kind::Reduce, count, element)
        });
        launch("HcclReduce", &entry, stream, &touches, request)
    })
}
const _: abi::HcclReduceFn = HcclReduce;

/// Rank r gets part r of the root's elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclScatter(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    recvCount: u64,
    dataType: abi::HcclDataType,
    root: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclScatter", || {
        let (entry, element) = (find(comm)?, element(dataType)?);
        check_root(root, &entry)?;
        let receive = Buffer::new(recvBuf, "recvBuf", recvCount, element)?;
        let touches = if entry.communicator.rank() == root as usize {
            let send = Buffer::new(sendBuf, "sendBuf", times(recvCount, &entry)?, element)?;
            let own = own_part(send, recvCount, element, &entry);
            check_overlap(send, receive, Some((receive.address, own)))?;
            [send.read(), receive.written()]
        } else {
            // Only the root's is read.
            [receive.unused(), receive.written()]
        };
        let request = Request::Group(Group {
            root,
            ..group(Kind::Scatter, recvCount, element)
        });
        launch("HcclScatter", &entry, stream, &touches, request)
    })
}
const _: abi::HcclScatterFn = HcclScatter;

/// Done on the stream when every rank has reached it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclBarrier(
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclBarrier", || {
        let entry = find(comm)?;
        let request = Request::Group(group(Kind::Barrier, 0, Element::U8));
        launch("HcclBarrier", &entry, stream, &[], request)
    })
}
const _: abi::HcclBarrierFn = HcclBarrier;
