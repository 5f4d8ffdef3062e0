//! The functions of `blas`.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use super::c;
use crate::arguments::{Args, Text, pointer_to};
use crate::gil;
use crate::items::Truth;
use crate::methods::{END, Methods, method, row};
use crate::object::{Answer, Owned, ToObject, text_in, text_or_none, tuple};
use crate::structs::{Element, Struct, zeroed};

pub(crate) static METHODS: Methods<13> = Methods([
row(c"gemv_ex", method!("blas.gemv_ex" ("trans_a", "m", "n", "alpha", "a", "lda", "data_type_a", "x", "incx", "data_type_x", "beta", "y", "incy", "data_type_y", "type", "stream") least 16, gemv_ex), c"gemv_ex(trans_a, m, n, alpha, a, lda, data_type_a, x, incx, data_type_x, beta, y, incy, data_type_y, type, stream, /)\n--\n\nret = acl.blas.gemv_ex(trans_a, m, n, alpha, a, lda, data_type_a, x, incx, data_type_x, beta, y,\nincy, data_type_y, type, stream)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasGemvEx"),
row(c"create_handle_for_gemv_ex", method!("blas.create_handle_for_gemv_ex" ("trans_a", "m", "n", "data_type_a", "data_type_x", "data_type_y", "type") least 7, create_handle_for_gemv_ex), c"create_handle_for_gemv_ex(trans_a, m, n, data_type_a, data_type_x, data_type_y, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_gemv_ex(trans_a, m, n, data_type_a, data_type_x,\ndata_type_y, type)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForGemvEx"),
row(c"hgemv", method!("blas.hgemv" ("trans_a", "m", "n", "alpha", "a", "lda", "x", "incx", "beta", "y", "incy", "type", "stream") least 13, hgemv), c"hgemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream, /)\n--\n\nret = acl.blas.hgemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasHgemv"),
row(c"create_handle_for_hgemv", method!("blas.create_handle_for_hgemv" ("trans_a", "m", "n", "type") least 4, create_handle_for_hgemv), c"create_handle_for_hgemv(trans_a, m, n, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_hgemv(trans_a, m, n, type)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForHgemv"),
row(c"s8gemv", method!("blas.s8gemv" ("trans_a", "m", "n", "alpha", "a", "lda", "x", "incx", "beta", "y", "incy", "type", "stream") least 13, s8gemv), c"s8gemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream, /)\n--\n\nret = acl.blas.s8gemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasS8gemv"),
row(c"create_handle_for_s8gemv", method!("blas.create_handle_for_s8gemv" ("trans_a", "m", "n", "type") least 4, create_handle_for_s8gemv), c"create_handle_for_s8gemv(trans_a, m, n, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_s8gemv(trans_a, m, n, type)\n\ny = alpha * A * x + beta * y\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForS8gemv"),
row(c"gemm_ex", method!("blas.gemm_ex" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "alpha", "matrix_a", "lda", "data_type_a", "matrix_b", "ldb", "data_type_b", "beta", "matrix_c", "ldc", "data_type_c", "type", "stream") least 19, gemm_ex), c"gemm_ex(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, data_type_a, matrix_b, ldb, data_type_b, beta, matrix_c, ldc, data_type_c, type, stream, /)\n--\n\nret = acl.blas.gemm_ex(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, data_type_a,\nmatrix_b, ldb, data_type_b, beta, matrix_c, ldc, data_type_c, type, stream)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasGemmEx"),
row(c"create_handle_for_gemm_ex", method!("blas.create_handle_for_gemm_ex" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "data_type_a", "data_type_b", "data_type_c", "type") least 10, create_handle_for_gemm_ex), c"create_handle_for_gemm_ex(trans_a, trans_b, trans_c, m, n, k, data_type_a, data_type_b, data_type_c, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_gemm_ex(trans_a, trans_b, trans_c, m, n, k,\ndata_type_a, data_type_b, data_type_c, type)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForGemmEx"),
row(c"hgemm", method!("blas.hgemm" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "alpha", "matrix_a", "lda", "matrix_b", "ldb", "beta", "matrix_c", "ldc", "type", "stream") least 16, hgemm), c"hgemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb, beta, matrix_c, ldc, type, stream, /)\n--\n\nret = acl.blas.hgemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb,\nbeta, matrix_c, ldc, type, stream)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasHgemm"),
row(c"create_handle_for_hgemm", method!("blas.create_handle_for_hgemm" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "type") least 7, create_handle_for_hgemm), c"create_handle_for_hgemm(trans_a, trans_b, trans_c, m, n, k, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_hgemm(trans_a, trans_b, trans_c, m, n, k, type)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForHgemm"),
row(c"s8gemm", method!("blas.s8gemm" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "alpha", "matrix_a", "lda", "matrix_b", "ldb", "beta", "matrix_c", "ldc", "type", "stream") least 16, s8gemm), c"s8gemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb, beta, matrix_c, ldc, type, stream, /)\n--\n\nret = acl.blas.s8gemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb,\nbeta, matrix_c, ldc, type, stream)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasS8gemm"),
row(c"create_handle_for_s8gemm", method!("blas.create_handle_for_s8gemm" ("trans_a", "trans_b", "trans_c", "m", "n", "k", "type") least 7, create_handle_for_s8gemm), c"create_handle_for_s8gemm(trans_a, trans_b, trans_c, m, n, k, type, /)\n--\n\nhandle, ret = acl.blas.create_handle_for_s8gemm(trans_a, trans_b, trans_c, m, n, k, type)\n\nC = alpha * A * B + beta * C\n\nNote: row-major matrices without gaps; the blocked layouts return 200001.\n\nC: aclblasCreateHandleForS8gemm"),
END,
]);

fn gemv_ex(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let alpha = args.constant(3)?;
    let a = args.constant(4)?;
    let lda = args.i32(5)?;
    let data_type_a = args.i32(6)?;
    let x = args.constant(7)?;
    let incx = args.i32(8)?;
    let data_type_x = args.i32(9)?;
    let beta = args.constant(10)?;
    let y = args.pointer(11)?;
    let incy = args.i32(12)?;
    let data_type_y = args.i32(13)?;
    let type_ = args.i32(14)?;
    let stream = args.pointer(15)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasGemvEx(
                trans_a,
                m,
                n,
                alpha,
                a,
                lda,
                data_type_a,
                x,
                incx,
                data_type_x,
                beta,
                y,
                incy,
                data_type_y,
                type_,
                stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_gemv_ex(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let data_type_a = args.i32(3)?;
    let data_type_x = args.i32(4)?;
    let data_type_y = args.i32(5)?;
    let type_ = args.i32(6)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasCreateHandleForGemvEx(
                trans_a,
                m,
                n,
                data_type_a,
                data_type_x,
                data_type_y,
                type_,
                &raw mut handle,
            )
        }
    });
    tuple([handle.object()?, ret.object()?])
}

fn hgemv(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let alpha = args.constant(3)?;
    let a = args.constant(4)?;
    let lda = args.i32(5)?;
    let x = args.constant(6)?;
    let incx = args.i32(7)?;
    let beta = args.constant(8)?;
    let y = args.pointer(9)?;
    let incy = args.i32(10)?;
    let type_ = args.i32(11)?;
    let stream = args.pointer(12)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasHgemv(
                trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type_, stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_hgemv(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let type_ = args.i32(3)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclblasCreateHandleForHgemv(trans_a, m, n, type_, &raw mut handle) }
    });
    tuple([handle.object()?, ret.object()?])
}

fn s8gemv(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let alpha = args.constant(3)?;
    let a = args.constant(4)?;
    let lda = args.i32(5)?;
    let x = args.constant(6)?;
    let incx = args.i32(7)?;
    let beta = args.constant(8)?;
    let y = args.pointer(9)?;
    let incy = args.i32(10)?;
    let type_ = args.i32(11)?;
    let stream = args.pointer(12)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasS8gemv(
                trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type_, stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_s8gemv(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let m = args.i32(1)?;
    let n = args.i32(2)?;
    let type_ = args.i32(3)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclblasCreateHandleForS8gemv(trans_a, m, n, type_, &raw mut handle) }
    });
    tuple([handle.object()?, ret.object()?])
}

fn gemm_ex(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let alpha = args.constant(6)?;
    let matrix_a = args.constant(7)?;
    let lda = args.i32(8)?;
    let data_type_a = args.i32(9)?;
    let matrix_b = args.constant(10)?;
    let ldb = args.i32(11)?;
    let data_type_b = args.i32(12)?;
    let beta = args.constant(13)?;
    let matrix_c = args.pointer(14)?;
    let ldc = args.i32(15)?;
    let data_type_c = args.i32(16)?;
    let type_ = args.i32(17)?;
    let stream = args.pointer(18)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasGemmEx(
                trans_a,
                trans_b,
                trans_c,
                m,
                n,
                k,
                alpha,
                matrix_a,
                lda,
                data_type_a,
                matrix_b,
                ldb,
                data_type_b,
                beta,
                matrix_c,
                ldc,
                data_type_c,
                type_,
                stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_gemm_ex(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let data_type_a = args.i32(6)?;
    let data_type_b = args.i32(7)?;
    let data_type_c = args.i32(8)?;
    let type_ = args.i32(9)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasCreateHandleForGemmEx(
                trans_a,
                trans_b,
                trans_c,
                m,
                n,
                k,
                data_type_a,
                data_type_b,
                data_type_c,
                type_,
                &raw mut handle,
            )
        }
    });
    tuple([handle.object()?, ret.object()?])
}

fn hgemm(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let alpha = args.constant(6)?;
    let matrix_a = args.constant(7)?;
    let lda = args.i32(8)?;
    let matrix_b = args.constant(9)?;
    let ldb = args.i32(10)?;
    let beta = args.constant(11)?;
    let matrix_c = args.pointer(12)?;
    let ldc = args.i32(13)?;
    let type_ = args.i32(14)?;
    let stream = args.pointer(15)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasHgemm(
                trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb, beta,
                matrix_c, ldc, type_, stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_hgemm(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let type_ = args.i32(6)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasCreateHandleForHgemm(
                trans_a,
                trans_b,
                trans_c,
                m,
                n,
                k,
                type_,
                &raw mut handle,
            )
        }
    });
    tuple([handle.object()?, ret.object()?])
}

fn s8gemm(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let alpha = args.constant(6)?;
    let matrix_a = args.constant(7)?;
    let lda = args.i32(8)?;
    let matrix_b = args.constant(9)?;
    let ldb = args.i32(10)?;
    let beta = args.constant(11)?;
    let matrix_c = args.pointer(12)?;
    let ldc = args.i32(13)?;
    let type_ = args.i32(14)?;
    let stream = args.pointer(15)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasS8gemm(
                trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb, beta,
                matrix_c, ldc, type_, stream,
            )
        }
    });
    ret.object()
}

fn create_handle_for_s8gemm(args: Args<'_>) -> Answer {
    let trans_a = args.i32(0)?;
    let trans_b = args.i32(1)?;
    let trans_c = args.i32(2)?;
    let m = args.i32(3)?;
    let n = args.i32(4)?;
    let k = args.i32(5)?;
    let type_ = args.i32(6)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclblasCreateHandleForS8gemm(
                trans_a,
                trans_b,
                trans_c,
                m,
                n,
                k,
                type_,
                &raw mut handle,
            )
        }
    });
    tuple([handle.object()?, ret.object()?])
}
