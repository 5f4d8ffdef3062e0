//! `acl/ops/acl_cblas.h`: products of matrices and vectors.
//!
//! Each is an operator like any other: `product.rs` makes it ready, and it runs in the order of a stream.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(
    non_snake_case,
    clippy::many_single_char_names,
    reason = "names are the C names"
)]

use std::ffi::{c_int, c_void};

use millpond_abi as abi;

use super::product::Product;
use crate::acl::data_buffer::Extent;
use crate::acl::op::tensors::{Described, OperandBuffer};
use crate::boundary::{CallError, bad_value, entry, not_null, out};

fn matrix(
    turns: [abi::aclTransType; 3],
    sides: [c_int; 3],
    types: [abi::aclDataType; 3],
    precision: abi::aclComputeType,
) -> Product {
    Product {
        turn_a: turns[0],
        turn_b: turns[1],
        turn_c: turns[2],
        m: sides[0],
        n: sides[1],
        k: sides[2],
        is_vector: false,
        a: types[0],
        b: types[1],
        c: types[2],
        precision,
    }
}

/// `m` and `n` are the rows and columns of the matrix as it is read, after a transposition.
fn vector(
    turn: abi::aclTransType,
    m: c_int,
    n: c_int,
    types: [abi::aclDataType; 3],
    precision: abi::aclComputeType,
) -> Product {
    Product {
        turn_a: turn,
        turn_b: abi::ACL_TRANS_N,
        turn_c: abi::ACL_TRANS_N,
        m,
        n: 1,
        k: n,
        is_vector: true,
        a: types[0],
        b: types[1],
        c: types[2],
        precision,
    }
}

/// Addresses of the operands of a product, with the names of the arguments.
type Part = (u64, c_int, &'static str);

/// A part of a product: an address, the distance between its rows, and the name of that distance.
fn part<T>(
    place: *const T,
    name: &'static str,
    stride: c_int,
    strideName: &'static str,
) -> Result<Part, CallError> {
    Ok((not_null(place, name)?, stride, strideName))
}

/// Runs a product of parts A, B and C; the result goes where C is.
fn run(
    product: Product,
    parts: [Part; 3],
    alpha: u64,
    beta: u64,
    stream: abi::aclrtStream,
) -> Result<(), CallError> {
    let ready = product.ready()?;
    for ((_, stride, name), desc) in parts.iter().zip(&ready.inputs) {
        let row = if product.is_vector && desc.dims.len() == 1 {
            1
        } else {
            desc.dims.last().copied().unwrap_or(1)
        };
        if *stride != -1 && i64::from(*stride) != row {
            return bad_value(
                name,
                stride,
                "it must be -1: matrices and vectors with gaps are not supported",
            );
        }
    }
    let [a, b, c] = parts.map(|(address, _, _)| address);
    let given = |(desc, address): (&Described, u64)| OperandBuffer {
        extent: Extent {
            address,
            bytes: desc.bytes().unwrap_or(0),
        },
        host: None,
    };
    let inputs = ready.inputs.iter().zip([a, b, c, alpha, beta]).map(given);
    let outputs = ready.outputs.iter().zip([c]).map(given);
    ready.run_on(inputs.collect(), outputs.collect(), stream)
}

/// A matrix by a vector, of any of the types.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasGemvEx(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const c_void,
    a: *const c_void,
    lda: c_int,
    dataTypeA: abi::aclDataType,
    x: *const c_void,
    incx: c_int,
    dataTypeX: abi::aclDataType,
    beta: *const c_void,
    y: *mut c_void,
    incy: c_int,
    dataTypeY: abi::aclDataType,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasGemvEx", || {
        let product = vector(transA, m, n, [dataTypeA, dataTypeX, dataTypeY], r#type);
        let parts = [
            part(a, "a", lda, "lda")?,
            part(x, "x", incx, "incx")?,
            part(y, "y", incy, "incy")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasGemvExFn = aclblasGemvEx;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForGemvEx(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    dataTypeA: abi::aclDataType,
    dataTypeX: abi::aclDataType,
    dataTypeY: abi::aclDataType,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForGemvEx", || {
        let out = out!(handle);
        let product = vector(transA, m, n, [dataTypeA, dataTypeX, dataTypeY], r#type);
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForGemvExFn = aclblasCreateHandleForGemvEx;

/// A matrix by a vector, of 16-bit floats.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasHgemv(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const abi::aclFloat16,
    a: *const abi::aclFloat16,
    lda: c_int,
    x: *const abi::aclFloat16,
    incx: c_int,
    beta: *const abi::aclFloat16,
    y: *mut abi::aclFloat16,
    incy: c_int,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasHgemv", || {
        let product = vector(
            transA,
            m,
            n,
            [abi::ACL_FLOAT16, abi::ACL_FLOAT16, abi::ACL_FLOAT16],
            r#type,
        );
        let parts = [
            part(a, "a", lda, "lda")?,
            part(x, "x", incx, "incx")?,
            part(y, "y", incy, "incy")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasHgemvFn = aclblasHgemv;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForHgemv(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForHgemv", || {
        let out = out!(handle);
        let product = vector(
            transA,
            m,
            n,
            [abi::ACL_FLOAT16, abi::ACL_FLOAT16, abi::ACL_FLOAT16],
            r#type,
        );
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForHgemvFn = aclblasCreateHandleForHgemv;

/// A matrix by a vector, of bytes; the result has 32 bits.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasS8gemv(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const i32,
    a: *const i8,
    lda: c_int,
    x: *const i8,
    incx: c_int,
    beta: *const i32,
    y: *mut i32,
    incy: c_int,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasS8gemv", || {
        let product = vector(
            transA,
            m,
            n,
            [abi::ACL_INT8, abi::ACL_INT8, abi::ACL_INT32],
            r#type,
        );
        let parts = [
            part(a, "a", lda, "lda")?,
            part(x, "x", incx, "incx")?,
            part(y, "y", incy, "incy")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasS8gemvFn = aclblasS8gemv;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForS8gemv(
    transA: abi::aclTransType,
    m: c_int,
    n: c_int,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForS8gemv", || {
        let out = out!(handle);
        let product = vector(
            transA,
            m,
            n,
            [abi::ACL_INT8, abi::ACL_INT8, abi::ACL_INT32],
            r#type,
        );
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForS8gemvFn = aclblasCreateHandleForS8gemv;

/// A matrix by a matrix, of any of the types.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasGemmEx(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    matrixA: *const c_void,
    lda: c_int,
    dataTypeA: abi::aclDataType,
    matrixB: *const c_void,
    ldb: c_int,
    dataTypeB: abi::aclDataType,
    beta: *const c_void,
    matrixC: *mut c_void,
    ldc: c_int,
    dataTypeC: abi::aclDataType,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasGemmEx", || {
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [dataTypeA, dataTypeB, dataTypeC],
            r#type,
        );
        let parts = [
            part(matrixA, "matrixA", lda, "lda")?,
            part(matrixB, "matrixB", ldb, "ldb")?,
            part(matrixC, "matrixC", ldc, "ldc")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasGemmExFn = aclblasGemmEx;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForGemmEx(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    dataTypeA: abi::aclDataType,
    dataTypeB: abi::aclDataType,
    dataTypeC: abi::aclDataType,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForGemmEx", || {
        let out = out!(handle);
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [dataTypeA, dataTypeB, dataTypeC],
            r#type,
        );
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForGemmExFn = aclblasCreateHandleForGemmEx;

/// A matrix by a matrix, of 16-bit floats.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasHgemm(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const abi::aclFloat16,
    matrixA: *const abi::aclFloat16,
    lda: c_int,
    matrixB: *const abi::aclFloat16,
    ldb: c_int,
    beta: *const abi::aclFloat16,
    matrixC: *mut abi::aclFloat16,
    ldc: c_int,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasHgemm", || {
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [abi::ACL_FLOAT16, abi::ACL_FLOAT16, abi::ACL_FLOAT16],
            r#type,
        );
        let parts = [
            part(matrixA, "matrixA", lda, "lda")?,
            part(matrixB, "matrixB", ldb, "ldb")?,
            part(matrixC, "matrixC", ldc, "ldc")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasHgemmFn = aclblasHgemm;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForHgemm(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForHgemm", || {
        let out = out!(handle);
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [abi::ACL_FLOAT16, abi::ACL_FLOAT16, abi::ACL_FLOAT16],
            r#type,
        );
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForHgemmFn = aclblasCreateHandleForHgemm;

/// A matrix by a matrix, of bytes; the result has 32 bits.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasS8gemm(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const i32,
    matrixA: *const i8,
    lda: c_int,
    matrixB: *const i8,
    ldb: c_int,
    beta: *const i32,
    matrixC: *mut i32,
    ldc: c_int,
    r#type: abi::aclComputeType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclblasS8gemm", || {
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [abi::ACL_INT8, abi::ACL_INT8, abi::ACL_INT32],
            r#type,
        );
        let parts = [
            part(matrixA, "matrixA", lda, "lda")?,
            part(matrixB, "matrixB", ldb, "ldb")?,
            part(matrixC, "matrixC", ldc, "ldc")?,
        ];
        let (alpha, beta) = (not_null(alpha, "alpha")?, not_null(beta, "beta")?);
        run(product, parts, alpha, beta, stream)
    })
}
const _: abi::aclblasS8gemmFn = aclblasS8gemm;

/// The same for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclblasCreateHandleForS8gemm(
    transA: abi::aclTransType,
    transB: abi::aclTransType,
    transC: abi::aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    r#type: abi::aclComputeType,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclblasCreateHandleForS8gemm", || {
        let out = out!(handle);
        let product = matrix(
            [transA, transB, transC],
            [m, n, k],
            [abi::ACL_INT8, abi::ACL_INT8, abi::ACL_INT32],
            r#type,
        );
        out.write(product.ready()?.adopt()?);
        Ok(())
    })
}
const _: abi::aclblasCreateHandleForS8gemmFn = aclblasCreateHandleForS8gemm;
