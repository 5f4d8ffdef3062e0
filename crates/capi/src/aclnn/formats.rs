//! How tensors lie in the device's own formats: functions that answer at once.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_int;

use millpond::Element;
use millpond_abi as abi;
use millpond_functions::kernels::Dims;
use millpond_functions::{Blocks, FRACTAL_NZ};

use super::tensor::{find, hand_out};
use super::{arguments, status};
use crate::boundary::{CallError, bad_value, out};

/// How many bytes a row of a block has.
const ROW: i64 = 32;

/// How many columns a block has for elements of a type.
fn width(element: Element) -> i64 {
    ROW / i64::try_from(element.bytes()).unwrap_or(ROW)
}

fn element(number: i32, argument: &'static str) -> Result<Element, CallError> {
    match Element::from_acl(number) {
        Some(element) if element.bytes() <= 8 => Ok(element),
        _ => bad_value(
            argument,
            number,
            "it must be a type of at most 8 bytes that Millpond has",
        ),
    }
}

/// How a tensor lies in another format.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnNpuFormatCastCalculateSizeAndFormat(
    srcTensor: *const abi::aclTensor,
    dstFormat: c_int,
    additionalDtype: c_int,
    dstShape: *mut *mut i64,
    dstShapeSize: *mut u64,
    actualFormat: *mut c_int,
) -> abi::aclnnStatus {
    status::entry("aclnnNpuFormatCastCalculateSizeAndFormat", || {
        let tensor = find(srcTensor, "srcTensor")?;
        let (shape, size, format) = (out!(dstShape), out!(dstShapeSize), out!(actualFormat));
        let dims: Dims = match dstFormat {
            abi::ACL_FORMAT_ND => tensor.dims.clone(),
            FRACTAL_NZ => {
                let by = match additionalDtype {
                    -1 => tensor.element(),
                    number => element(number, "additionalDtype")?,
                };
                let Some(dims) = Blocks::storage(&tensor.dims, width(by)) else {
                    return bad_value(
                        "srcTensor",
                        format!("a tensor of shape {:?}", tensor.dims),
                        "FRACTAL_NZ has the matrices of the last two dimensions",
                    );
                };
                dims
            }
            other => {
                return bad_value(
                    "dstFormat",
                    other,
                    "Millpond has ND, which is 2, and FRACTAL_NZ, which is 29",
                );
            }
        };
        shape.write(hand_out(&dims)?);
        size.write(dims.len() as u64);
        format.write(dstFormat);
        Ok(())
    })
}
const _: abi::aclnnNpuFormatCastCalculateSizeAndFormatFn = aclnnNpuFormatCastCalculateSizeAndFormat;

/// How many bytes a matrix of weights needs in blocks. That is never less than it needs as it is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnCalculateMatmulWeightSizeV2(
    tensorShape: *const abi::aclIntArray,
    dataType: abi::aclDataType,
    weightTensorSize: *mut u64,
) -> abi::aclnnStatus {
    status::entry("aclnnCalculateMatmulWeightSizeV2", || {
        let dims = arguments::ints(tensorShape, "tensorShape")?;
        let result = out!(weightTensorSize);
        let element = element(dataType, "dataType")?;
        let bytes = Blocks::storage(&dims, width(element))
            .filter(|_| dims.iter().all(|dim| *dim >= 0))
            .and_then(|storage| {
                let size = u64::try_from(element.bytes()).ok()?;
                storage
                    .iter()
                    .try_fold(size, |bytes, dim| bytes.checked_mul(dim.unsigned_abs()))
            });
        let Some(bytes) = bytes else {
            return bad_value(
                "tensorShape",
                format!("{:?}", &*dims),
                "it must be the shape of a matrix that fits into memory",
            );
        };
        result.write(bytes);
        Ok(())
    })
}
const _: abi::aclnnCalculateMatmulWeightSizeV2Fn = aclnnCalculateMatmulWeightSizeV2;
