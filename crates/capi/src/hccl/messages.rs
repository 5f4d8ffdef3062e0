//! Messages between pairs of ranks, alone and in batches.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]
#![allow(clippy::too_many_arguments, reason = "signatures are the C signatures")]

use std::ffi::c_void;
use std::sync::Arc;

use millpond::Touch;
use millpond_abi as abi;
use millpond_collective::{Element, Request, Transfer};

use super::arguments::{Buffer, check_overlap, element};
use super::communicators::{Entry, find};
use super::launch::launch;
use super::status;
use crate::boundary::{CallError, array, bad_value};

fn check_peer(rank: u32, argument: &'static str, entry: &Entry) -> Result<(), CallError> {
    if rank as usize >= entry.communicator.ranks() {
        return bad_value(argument, rank, "it must be a rank of the communicator");
    }
    Ok(())
}

fn transfer(buffer: Buffer, peer: u32, sends: bool, element: Element) -> (Touch, Transfer) {
    let touch = if sends {
        buffer.read()
    } else {
        buffer.written()
    };
    let transfer = Transfer {
        peer,
        sends,
        buffer: 0,
        offset: 0,
        bytes: buffer.bytes,
        element,
    };
    (touch, transfer)
}

/// Sends elements to a rank.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclSend(
    sendBuf: *mut c_void,
    count: u64,
    dataType: abi::HcclDataType,
    destRank: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclSend", || {
        let entry = find(comm)?;
        check_peer(destRank, "destRank", &entry)?;
        let element = element(dataType)?;
        let buffer = Buffer::new(sendBuf, "sendBuf", count, element)?;
        let (touch, transfer) = transfer(buffer, destRank, true, element);
        let request = Request::Transfers(vec![transfer]);
        launch("HcclSend", &entry, stream, &[touch], request)
    })
}
const _: abi::HcclSendFn = HcclSend;

/// Receives elements from a rank.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclRecv(
    recvBuf: *mut c_void,
    count: u64,
    dataType: abi::HcclDataType,
    srcRank: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclRecv", || {
        let entry = find(comm)?;
        check_peer(srcRank, "srcRank", &entry)?;
        let element = element(dataType)?;
        let buffer = Buffer::new(recvBuf, "recvBuf", count, element)?;
        let (touch, transfer) = transfer(buffer, srcRank, false, element);
        let request = Request::Transfers(vec![transfer]);
        launch("HcclRecv", &entry, stream, &[touch], request)
    })
}
const _: abi::HcclRecvFn = HcclRecv;

/// Several messages that do not block each other.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclBatchSendRecv(
    sendRecvInfo: *mut abi::HcclSendRecvItem,
    itemNum: u32,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclBatchSendRecv", || {
        let entry = find(comm)?;
        if itemNum == 0 {
            return bad_value("itemNum", 0, "it must be at least 1");
        }
        let count = itemNum as usize;
        // SAFETY: the contract of the function.
        let items: Vec<abi::HcclSendRecvItem> =
            unsafe { array(sendRecvInfo.cast_const(), count, "sendRecvInfo") }?;
        let mut touches = Vec::with_capacity(count);
        let mut transfers: Vec<Transfer> = Vec::with_capacity(count);
        for item in items {
            let sends = match item.sendRecvType {
                abi::HCCL_SEND => true,
                abi::HCCL_RECV => false,
                other => {
                    let expected = "it must be HCCL_SEND (0) or HCCL_RECV (1)";
                    return bad_value("sendRecvType", other, expected);
                }
            };
            check_peer(item.remoteRank, "remoteRank", &entry)?;
            let element = element(item.dataType)?;
            let buffer = Buffer::new(item.buf, "buf", item.count, element)?;
            let (touch, transfer) = transfer(buffer, item.remoteRank, sends, element);
            let same = |other: &Transfer| other.peer == transfer.peer && other.sends == sends;
            if transfers.iter().any(same) {
                return bad_value(
                    "remoteRank",
                    item.remoteRank,
                    "a batch has at most one message for each direction and rank",
                );
            }
            transfers.push(Transfer {
                buffer: touches.len(),
                ..transfer
            });
            touches.push(touch);
        }
        check_messages(&touches)?;
        let request = Request::Transfers(transfers);
        launch("HcclBatchSendRecv", &entry, stream, &touches, request)
    })
}
const _: abi::HcclBatchSendRecvFn = HcclBatchSendRecv;

/// Refuses messages of one batch that receive into memory which another one uses: they advance side by side.
fn check_messages(touches: &[Touch]) -> Result<(), CallError> {
    let mut ranges: Vec<&Touch> = touches.iter().filter(|touch| touch.bytes > 0).collect();
    ranges.sort_unstable_by_key(|touch| touch.address);
    let mut received_until = 0;
    let mut until = 0;
    for touch in ranges {
        if touch.address < received_until || (touch.writes && touch.address < until) {
            return bad_value(
                "buf",
                format!("{:#x}, {} bytes", touch.address, touch.bytes),
                "a message may not receive into memory that another message of the batch uses",
            );
        }
        let end = touch.address.saturating_add(touch.bytes);
        until = until.max(end);
        if touch.writes {
            received_until = received_until.max(end);
        }
    }
    Ok(())
}

/// Elements that go from or to each rank.
struct Portions {
    counts: Vec<u64>,
    starts: Vec<u64>,
    element: Element,
}

impl Portions {
    /// The buffer that they lie in.
    fn buffer(&self, address: *const c_void, argument: &'static str) -> Result<Buffer, CallError> {
        let mut end = 0u64;
        for (count, start) in self.counts.iter().zip(&self.starts) {
            let Some(last) = start.checked_add(*count) else {
                let expected = "displacement plus count must fit into 64 bits";
                return bad_value(argument, start, expected);
            };
            if *count > 0 {
                end = end.max(last);
            }
        }
        Buffer::new(address, argument, end, self.element)
    }

    fn transfers(&self, sends: bool) -> impl Iterator<Item = Transfer> {
        let size = self.element.bytes() as u64;
        let each = self.counts.iter().zip(&self.starts);
        (0..).zip(each).map(move |(peer, (count, start))| Transfer {
            peer,
            sends,
            buffer: usize::from(!sends),
            // Only an empty message has a start that does not fit.
            offset: start.wrapping_mul(size),
            bytes: count * size,
            element: self.element,
        })
    }
}

fn all_to_all(
    function: &'static str,
    entry: &Arc<Entry>,
    stream: abi::aclrtStream,
    send: &(*const c_void, Portions),
    receive: &(*const c_void, Portions),
) -> Result<(), CallError> {
    let out = send.1.buffer(send.0, "sendBuf")?;
    let back = receive.1.buffer(receive.0, "recvBuf")?;
    check_overlap(out, back, None)?;
    let transfers = send.1.transfers(true).chain(receive.1.transfers(false));
    let request = Request::Transfers(transfers.collect());
    let touches = [out.read(), back.written()];
    launch(function, entry, stream, &touches, request)
}

/// Every rank sends as many elements to every rank.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAlltoAll(
    sendBuf: *const c_void,
    sendCount: u64,
    sendType: abi::HcclDataType,
    recvBuf: *const c_void,
    recvCount: u64,
    recvType: abi::HcclDataType,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAlltoAll", || {
        let entry = find(comm)?;
        if sendCount != recvCount {
            return bad_value("recvCount", recvCount, "it must be equal to sendCount");
        }
        let even = |count: u64, element: Element| -> Result<Portions, CallError> {
            let ranks = entry.communicator.ranks();
            if count.checked_mul(ranks as u64).is_none() {
                let expected = "the count of all ranks must fit into 64 bits";
                return bad_value("sendCount", count, expected);
            }
            Ok(Portions {
                counts: vec![count; ranks],
                starts: (0..ranks as u64).map(|rank| rank * count).collect(),
                element,
            })
        };
        let send = even(sendCount, element(sendType)?)?;
        let receive = even(recvCount, element(recvType)?)?;
        all_to_all(
            "HcclAlltoAll",
            &entry,
            stream,
            &(sendBuf, send),
            &(recvBuf, receive),
        )
    })
}
const _: abi::HcclAlltoAllFn = HcclAlltoAll;

/// The same with another number of elements for each pair.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAlltoAllV(
    sendBuf: *const c_void,
    sendCounts: *const c_void,
    sdispls: *const c_void,
    sendType: abi::HcclDataType,
    recvBuf: *const c_void,
    recvCounts: *const c_void,
    rdispls: *const c_void,
    recvType: abi::HcclDataType,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAlltoAllV", || {
        let entry = find(comm)?;
        let ranks = entry.communicator.ranks();
        // SAFETY: the contract of the function: a number for each rank.
        let numbers = |from: *const c_void, name| unsafe { array(from.cast(), ranks, name) };
        let send = Portions {
            counts: numbers(sendCounts, "sendCounts")?,
            starts: numbers(sdispls, "sdispls")?,
            element: element(sendType)?,
        };
        let receive = Portions {
            counts: numbers(recvCounts, "recvCounts")?,
            starts: numbers(rdispls, "rdispls")?,
            element: element(recvType)?,
        };
        all_to_all(
            "HcclAlltoAllV",
            &entry,
            stream,
            &(sendBuf, send),
            &(recvBuf, receive),
        )
    })
}
const _: abi::HcclAlltoAllVFn = HcclAlltoAllV;

/// The same with the counts of all ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclAlltoAllVC(
    sendBuf: *const c_void,
    sendCountMatrix: *const c_void,
    sendType: abi::HcclDataType,
    recvBuf: *const c_void,
    recvType: abi::HcclDataType,
    comm: abi::HcclComm,
    stream: abi::aclrtStream,
) -> abi::HcclResult {
    status::entry("HcclAlltoAllVC", || {
        let entry = find(comm)?;
        let (ranks, rank) = (entry.communicator.ranks(), entry.communicator.rank());
        // SAFETY: the contract of the function: a number for each pair of ranks.
        let matrix: Vec<u64> =
            unsafe { array(sendCountMatrix.cast(), ranks * ranks, "sendCountMatrix") }?;
        let packed = |counts: Vec<u64>, element| {
            let mut end = 0u64;
            let starts = counts.iter().map(|count| {
                let start = end;
                end = end.saturating_add(*count);
                start
            });
            Portions {
                starts: starts.collect(),
                counts,
                element,
            }
        };
        let send = packed(
            matrix[rank * ranks..(rank + 1) * ranks].to_vec(),
            element(sendType)?,
        );
        let receive = packed(
            (0..ranks)
                .map(|other| matrix[other * ranks + rank])
                .collect(),
            element(recvType)?,
        );
        all_to_all(
            "HcclAlltoAllVC",
            &entry,
            stream,
            &(sendBuf, send),
            &(recvBuf, receive),
        )
    })
}
const _: abi::HcclAlltoAllVCFn = HcclAlltoAllVC;
