//! What the arguments of operations mean: buffers, types, reductions.

use millpond::Touch;
use millpond_abi as abi;
use millpond_collective::{Element, Reduction};

use super::communicators::Entry;
use super::status::unsupported;
use crate::boundary::{CallError, bad_value};
use crate::handles;

/// Memory that an operation uses, as the program names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer {
    pub(super) address: u64,
    pub(super) bytes: u64,
}

impl Buffer {
    /// Elements at an address. NULL is accepted for none.
    pub(super) fn new(
        address: *const std::ffi::c_void,
        argument: &'static str,
        count: u64,
        element: Element,
    ) -> Result<Self, CallError> {
        let Some(bytes) = count.checked_mul(element.bytes() as u64) else {
            return bad_value("count", count, "the size in bytes must fit into 64 bits");
        };
        if address.is_null() && bytes > 0 {
            return Err(CallError::null(argument));
        }
        Ok(Self {
            address: handles::word(address),
            bytes,
        })
    }

    pub(super) fn read(self) -> Touch {
        self.touch(true, false)
    }

    pub(super) fn written(self) -> Touch {
        self.touch(false, true)
    }

    /// Only passed, not used.
    pub(super) fn unused(self) -> Touch {
        Touch {
            bytes: 0,
            ..self.touch(false, false)
        }
    }

    fn touch(self, reads: bool, writes: bool) -> Touch {
        Touch {
            address: self.address,
            bytes: self.bytes,
            reads,
            writes,
        }
    }

    fn overlaps(self, other: Self) -> bool {
        self.bytes > 0
            && other.bytes > 0
            && self.address < other.address.saturating_add(other.bytes)
            && other.address < self.address.saturating_add(self.bytes)
    }
}

/// Refuses buffers that overlap, unless the first starts at `allowed` (in place).
pub(super) fn check_overlap(
    send: Buffer,
    receive: Buffer,
    allowed: Option<(u64, u64)>,
) -> Result<(), CallError> {
    let in_place = allowed.is_some_and(|(one, other)| one == other);
    if in_place || !send.overlaps(receive) {
        return Ok(());
    }
    bad_value(
        "recvBuf",
        format!(
            "{:#x}, {} bytes, and sendBuf is {:#x}, {} bytes",
            receive.address, receive.bytes, send.address, send.bytes
        ),
        "the buffers must not overlap unless the operation is in place",
    )
}

pub(super) fn element(data_type: abi::HcclDataType) -> Result<Element, CallError> {
    Ok(match data_type {
        abi::HCCL_DATA_TYPE_INT8 => Element::I8,
        abi::HCCL_DATA_TYPE_INT16 => Element::I16,
        abi::HCCL_DATA_TYPE_INT32 => Element::I32,
        abi::HCCL_DATA_TYPE_FP16 => Element::F16,
        abi::HCCL_DATA_TYPE_FP32 => Element::F32,
        abi::HCCL_DATA_TYPE_INT64 => Element::I64,
        abi::HCCL_DATA_TYPE_UINT64 => Element::U64,
        abi::HCCL_DATA_TYPE_UINT8 => Element::U8,
        abi::HCCL_DATA_TYPE_UINT16 => Element::U16,
        abi::HCCL_DATA_TYPE_UINT32 => Element::U32,
        abi::HCCL_DATA_TYPE_FP64 => Element::F64,
        abi::HCCL_DATA_TYPE_BFP16 => Element::Bf16,
        abi::HCCL_DATA_TYPE_INT128 => Element::I128,
        abi::HCCL_DATA_TYPE_HIF8
        | abi::HCCL_DATA_TYPE_FP8E4M3
        | abi::HCCL_DATA_TYPE_FP8E5M2
        | abi::HCCL_DATA_TYPE_FP8E8M0 => Element::Bits8,
        other => {
            return Err(unsupported(format!(
                "the argument 'dataType' is {other}, which is not an HcclDataType"
            )));
        }
    })
}

/// The reduction, if HCCL has it for elements of this type.
pub(super) fn reduction(op: abi::HcclReduceOp, element: Element) -> Result<Reduction, CallError> {
    let reduction = match op {
        abi::HCCL_REDUCE_SUM => Reduction::Sum,
        abi::HCCL_REDUCE_PROD => Reduction::Product,
        abi::HCCL_REDUCE_MAX => Reduction::Max,
        abi::HCCL_REDUCE_MIN => Reduction::Min,
        other => {
            return bad_value(
                "op",
                other,
                "it must be 0 (sum), 1 (product), 2 (max) or 3 (min)",
            );
        }
    };
    let known = matches!(
        element,
        Element::I8
            | Element::I16
            | Element::I32
            | Element::I64
            | Element::F16
            | Element::F32
            | Element::Bf16
    );
    if !known {
        return Err(unsupported(
            "reductions support only int8, int16, int32, int64, float16, float32 and bfloat16 on this device; convert first",
        ));
    }
    if reduction == Reduction::Product && matches!(element, Element::I16 | Element::Bf16) {
        return Err(unsupported(
            "products of int16 and bfloat16 are not supported on this device; convert to int32 or float32 first",
        ));
    }
    Ok(reduction)
}

pub(super) fn check_root(root: u32, entry: &Entry) -> Result<(), CallError> {
    if root as usize >= entry.communicator.ranks() {
        return bad_value("root", root, "it must be a rank of the communicator");
    }
    Ok(())
}
