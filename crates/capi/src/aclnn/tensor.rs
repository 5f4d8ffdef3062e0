//! `aclTensor`: a view of elements in memory. It owns nothing.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::Element;
use millpond_abi as abi;

use crate::boundary::{self, Fault, bad_value, entry, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{Held, Kind, Registry};

static TENSORS: Registry<Tensor> = Registry::new(Kind::Tensor);

/// A view that a program put together, known to lie inside its storage.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) element: Element,
    pub(super) dims: Vec<i64>,
    /// Between neighbours along each axis, in elements.
    pub(super) strides: Vec<i64>,
    pub(super) format: abi::aclFormat,
    /// Where its first element is.
    pub(super) address: u64,
    /// How many elements there are from the first one to the last one, both counted.
    pub(super) reach: i64,
}

impl Tensor {
    /// Whether its elements lie one behind the other, in order.
    pub(super) fn is_whole(&self) -> bool {
        // The other axes of a view without elements may have lengths that cannot be counted together.
        if self.dims.contains(&0) {
            return true;
        }
        let mut next = 1;
        for (dim, stride) in self.dims.iter().zip(&self.strides).rev() {
            if *dim != 1 && *stride != next {
                return false;
            }
            next *= *dim;
        }
        true
    }
}

/// The tensor in an argument.
pub(super) fn find(
    handle: *const abi::aclTensor,
    argument: &'static str,
) -> Result<Held<'static, Tensor>, Fault> {
    resolve(&TENSORS, Kind::Tensor, handle.cast(), argument)
}

/// The distances of a tensor whose elements lie one behind the other.
fn dense(dims: &[i64]) -> Option<Vec<i64>> {
    let mut next = 1_i64;
    let mut strides = Vec::with_capacity(dims.len());
    for dim in dims.iter().rev() {
        strides.push(next);
        next = next.checked_mul((*dim).max(1))?;
    }
    strides.reverse();
    Some(strides)
}

/// How many elements a view reaches over from its first one; 0 if it has none.
fn reach(dims: &[i64], strides: &[i64]) -> Option<i64> {
    if dims.contains(&0) {
        return Some(0);
    }
    let mut axes = dims.iter().zip(strides);
    let last = axes.try_fold(0_i64, |last, (dim, stride)| {
        last.checked_add((dim - 1).checked_mul(*stride)?)
    })?;
    last.checked_add(1)
}

/// Shapes that no memory holds are not counted on.
fn wrong(text: String) -> Fault {
    Fault::coded(abi::ACL_ERROR_INVALID_PARAM, text)
}

/// What C says of a view.
struct Said {
    dims: Vec<i64>,
    strides: Option<Vec<i64>>,
    offset: i64,
    storage: Vec<i64>,
    element: Element,
    format: abi::aclFormat,
    address: u64,
}

impl Said {
    fn tensor(self) -> Result<Tensor, Fault> {
        if let Some(dim) = self.dims.iter().chain(&self.storage).find(|dim| **dim < 0) {
            return bad_value(
                "viewDims",
                format!("{dim} long in one axis"),
                "shapes are known here",
            );
        }
        let uncountable = || wrong(format!("no memory holds a view of {:?}", self.dims));
        let strides = match self.strides {
            Some(strides) => strides,
            None => dense(&self.dims).ok_or_else(uncountable)?,
        };
        if self.offset < 0 || strides.iter().any(|stride| *stride < 0) {
            return Err(wrong(format!(
                "a view begins at {} and steps by {strides:?}, but views go forwards",
                self.offset
            )));
        }
        let reach = reach(&self.dims, &strides).ok_or_else(uncountable)?;
        let storage = self
            .storage
            .iter()
            .try_fold(1_i64, |all, dim| all.checked_mul(*dim));
        let storage = storage.ok_or_else(uncountable)?;
        let end = self.offset.checked_add(reach).ok_or_else(uncountable)?;
        if reach > 0 && end > storage {
            return Err(wrong(format!(
                "the view {:?} with steps {strides:?} from {} reaches {end} elements, but the storage has {storage}",
                self.dims, self.offset
            )));
        }
        if reach > 0 && self.address == 0 {
            return Err(Fault::null("tensorData"));
        }
        let size = self.element.bytes() as u64;
        let offset = self.offset.unsigned_abs().checked_mul(size);
        let address = offset.and_then(|offset| self.address.checked_add(offset));
        // Nobody reads as many bytes as have no number.
        reach
            .unsigned_abs()
            .checked_mul(size)
            .ok_or_else(uncountable)?;
        Ok(Tensor {
            element: self.element,
            address: address.ok_or_else(uncountable)?,
            dims: self.dims,
            strides,
            format: self.format,
            reach,
        })
    }
}

/// How long an array is.
fn length(count: u64, argument: &'static str) -> Result<usize, Fault> {
    // More axes than anybody has: a number that is not meant.
    match usize::try_from(count) {
        Ok(count) if count <= 64 => Ok(count),
        _ => bad_value(argument, count, "tensors have at most 64 axes"),
    }
}

/// Creates a tensor.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateTensor(
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: abi::aclDataType,
    stride: *const i64,
    offset: i64,
    format: abi::aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> *mut abi::aclTensor {
    value_entry("aclCreateTensor", std::ptr::null_mut(), || {
        let rank = length(viewDimsNum, "viewDimsNum")?;
        let storage = length(storageDimsNum, "storageDimsNum")?;
        let element = Element::from_acl(dataType).ok_or_else(|| {
            Fault::coded(
                abi::ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                format!("operators here do not know elements of type {dataType}"),
            )
        })?;
        let strides = if stride.is_null() {
            None
        } else {
            // SAFETY: the header's contract: one for each axis.
            Some(unsafe { boundary::array(stride, rank, "stride") }?)
        };
        let said = Said {
            // SAFETY: the header's contract for this argument.
            dims: unsafe { boundary::array(viewDims, rank, "viewDims") }?,
            strides,
            offset,
            // SAFETY: as above.
            storage: unsafe { boundary::array(storageDims, storage, "storageDims") }?,
            element,
            format,
            address: tensorData.addr() as u64,
        };
        Ok(pointer(mint(&TENSORS, Kind::Tensor, said.tensor()?)?).cast())
    })
}
const _: abi::aclCreateTensorFn = aclCreateTensor;

/// Ends a tensor; the memory it names is untouched.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyTensor(
    tensor: *const abi::aclTensor,
) -> abi::aclnnStatus {
    entry("aclDestroyTensor", || {
        withdraw(&TENSORS, Kind::Tensor, tensor.cast(), "tensor").map(drop)
    })
}
const _: abi::aclDestroyTensorFn = aclDestroyTensor;

#[cfg(test)]
mod tests {
    use super::*;

    fn said(
        dims: &[i64],
        strides: Option<&[i64]>,
        offset: i64,
        storage: i64,
    ) -> Result<Tensor, Fault> {
        Said {
            dims: dims.to_vec(),
            strides: strides.map(<[i64]>::to_vec),
            offset,
            storage: vec![storage],
            element: Element::F32,
            format: abi::ACL_FORMAT_ND,
            address: 0x1000,
        }
        .tensor()
    }

    #[test]
    fn a_view_lies_inside_its_storage() {
        let whole = said(&[2, 3], None, 1, 7).unwrap();
        assert_eq!(
            (whole.address, whole.reach, whole.is_whole()),
            (0x1004, 6, true)
        );
        assert!(said(&[2, 3], None, 2, 7).is_err());
        let turned = said(&[3, 2], Some(&[1, 3]), 0, 6).unwrap();
        assert_eq!((turned.reach, turned.is_whole()), (6, false));
        let repeated = said(&[4, 3], Some(&[0, 1]), 0, 3).unwrap();
        assert_eq!((repeated.reach, repeated.is_whole()), (3, false));
        assert!(said(&[1, 3], Some(&[77, 1]), 0, 3).unwrap().is_whole());
        assert!(said(&[], None, 0, 1).unwrap().is_whole());
    }

    #[test]
    fn nothing_needs_no_memory() {
        let none = said(&[0, 3], None, 0, 0).unwrap();
        assert_eq!((none.reach, none.is_whole()), (0, true));
        assert!(said(&[0, 3], Some(&[5, 5]), 0, 0).unwrap().is_whole());
        let long = 1 << 40;
        let none = said(&[0, long, long], Some(&[0, long, 1]), 0, 0).unwrap();
        assert!(none.is_whole());
    }

    #[test]
    fn numbers_that_no_view_has_are_refused() {
        assert!(said(&[-1], None, 0, 1).is_err());
        assert!(said(&[2], Some(&[-1]), 1, 2).is_err());
        assert!(said(&[1], None, -1, 1).is_err());
        assert!(said(&[i64::MAX, i64::MAX], None, 0, 1).is_err());
        assert!(said(&[2], Some(&[i64::MAX]), 0, 1).is_err());
        assert!(said(&[1], None, i64::MAX, i64::MAX).is_err());
    }
}
