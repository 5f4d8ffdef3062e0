"""The functions of acl.blas.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def gemv_ex(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, data_type_a: int, x: int, incx: int, data_type_x: int, beta: int, y: int, incy: int, data_type_y: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.gemv_ex(trans_a, m, n, alpha, a, lda, data_type_a, x, incx, data_type_x, beta, y,
    incy, data_type_y, type, stream)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasGemvEx"""

def create_handle_for_gemv_ex(trans_a: int, m: int, n: int, data_type_a: int, data_type_x: int, data_type_y: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_gemv_ex(trans_a, m, n, data_type_a, data_type_x,
    data_type_y, type)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForGemvEx"""

def hgemv(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, x: int, incx: int, beta: int, y: int, incy: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.hgemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasHgemv"""

def create_handle_for_hgemv(trans_a: int, m: int, n: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_hgemv(trans_a, m, n, type)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForHgemv"""

def s8gemv(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, x: int, incx: int, beta: int, y: int, incy: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.s8gemv(trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasS8gemv"""

def create_handle_for_s8gemv(trans_a: int, m: int, n: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_s8gemv(trans_a, m, n, type)

    y = alpha * A * x + beta * y

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForS8gemv"""

def gemm_ex(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, data_type_a: int, matrix_b: int, ldb: int, data_type_b: int, beta: int, matrix_c: int, ldc: int, data_type_c: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.gemm_ex(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, data_type_a,
    matrix_b, ldb, data_type_b, beta, matrix_c, ldc, data_type_c, type, stream)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasGemmEx"""

def create_handle_for_gemm_ex(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, data_type_a: int, data_type_b: int, data_type_c: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_gemm_ex(trans_a, trans_b, trans_c, m, n, k,
    data_type_a, data_type_b, data_type_c, type)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForGemmEx"""

def hgemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, matrix_b: int, ldb: int, beta: int, matrix_c: int, ldc: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.hgemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb,
    beta, matrix_c, ldc, type, stream)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasHgemm"""

def create_handle_for_hgemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_hgemm(trans_a, trans_b, trans_c, m, n, k, type)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForHgemm"""

def s8gemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, matrix_b: int, ldb: int, beta: int, matrix_c: int, ldc: int, type: int, stream: int, /) -> int:
    """ret = acl.blas.s8gemm(trans_a, trans_b, trans_c, m, n, k, alpha, matrix_a, lda, matrix_b, ldb,
    beta, matrix_c, ldc, type, stream)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasS8gemm"""

def create_handle_for_s8gemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, type: int, /) -> Tuple[int, int]:
    """handle, ret = acl.blas.create_handle_for_s8gemm(trans_a, trans_b, trans_c, m, n, k, type)

    C = alpha * A * B + beta * C

    Note: row-major matrices without gaps; the blocked layouts return 200001.

    C: aclblasCreateHandleForS8gemm"""
