"""Reductions, norms, sorting and cumulative sums."""

import torch
from operator_table import Table, b, different, exactly, f, i, scalar

half, brain = torch.float16, torch.bfloat16
case = Table()

for name in "sum mean prod amax amin var std logsumexp".split():
    function = getattr(torch, name)
    numbers = f if name not in ("amax", "amin") else different
    case(f"{name} dim", lambda x, function=function: function(x, 1), numbers(3, 4, 5))
    case(f"{name} keepdim", lambda x, function=function: function(x, -1, keepdim=True), numbers(3, 4, 5))
    if name != "prod":
        case(f"{name} dims", lambda x, function=function: function(x, (0, 2)), numbers(3, 4, 5))
        case(f"{name} half", lambda x, function=function: function(x, -1), numbers(3, 8, dtype=half))
        if name != "var":
            case(f"{name} bfloat16", lambda x, function=function: function(x, -1), numbers(3, 8, dtype=brain))
for name in "sum mean prod max min var std".split():
    case(f"{name} all", getattr(torch, name), different(3, 4))
case("sum int64", torch.sum, i(3, 4))
case("sum int32 to int64", lambda x: x.sum(1), i(3, 4, dtype=torch.int32))
case("sum bool", torch.sum, b(3, 4))
case("sum dtype", lambda x: x.sum(1, dtype=torch.float32), f(3, 4, dtype=half))
case("sum without elements", lambda x: x.sum(1), f(3, 0))
case("sum of nothing", torch.sum, f(0))
case("sum without dimensions", torch.sum, f())
case("sum not contiguous", lambda x: x.transpose(0, 2).sum(1), f(3, 4, 5))
# 4096 halves of 1 + 2⁻¹⁰: a sum in halves would stop at 2048.
case("sum half accumulates in float", lambda x: x.sum(), exactly(*[1.0009765625] * 4096, dtype=half), grad=False, rtol=1e-3)
case("sum bfloat16 accumulates in float", lambda x: x.sum(), exactly(*[1.0] * 4096, dtype=brain), grad=False, rtol=1e-3)
case("mean half accumulates in float", lambda x: x.mean(), exactly(*[100.0] * 4096, dtype=half), grad=False, rtol=1e-3)
case("mean dims keepdim", lambda x: x.mean((2, 3), keepdim=True), f(2, 3, 4, 5))
case("prod int64", torch.prod, i(3, 4, low=1, high=4))
case("var biased", lambda x: x.var(1, unbiased=False), f(3, 4))
case("std biased", lambda x: x.std(1, unbiased=False), f(3, 4))
case("var correction 2", lambda x: torch.var(x, 1, correction=2), f(3, 6), grad=False)
case("var_mean", lambda x: torch.var_mean(x, 1), f(3, 4), grad=False)
case("std_mean", lambda x: torch.std_mean(x, 1), f(3, 4), grad=False)
case("var keepdim dims", lambda x: x.var((0, 2), keepdim=True), f(3, 4, 5))
case("all", torch.all, b(3, 4))
case("any", torch.any, b(3, 4))
case("all dim", lambda x: x.all(1), b(3, 4))
case("any dim keepdim", lambda x: x.any(0, keepdim=True), b(3, 4))
case("all float", lambda x: (x > -3).all(), f(3, 4), grad=False)
case("all of nothing", torch.all, b(0))
case("count_nonzero", torch.count_nonzero, i(3, 4, low=0, high=3))
case("max dim", lambda x: x.max(1), different(3, 4))
case("min dim", lambda x: x.min(0), different(3, 4))
case("max dim keepdim", lambda x: x.max(-1, keepdim=True), different(3, 4, 5))
case("max half", lambda x: x.max(1), different(3, 4, dtype=half))
case("max bfloat16", lambda x: x.max(1), different(3, 4, dtype=brain))
case("max int64", torch.max, i(3, 4))
case("max dim int32", lambda x: x.max(1)[0], i(3, 4, dtype=torch.int32))
case("argmax", lambda x: x.argmax(1), different(3, 4), grad=False)
case("argmax all", torch.argmax, different(3, 4), grad=False)
case("argmax keepdim", lambda x: x.argmax(-1, keepdim=True), different(3, 4, dtype=half), grad=False)
case("argmax int64", lambda x: x.argmax(0), i(3, 4, low=0, high=100))
case("argmin", lambda x: x.argmin(1), different(3, 4), grad=False)
case("argmin all", torch.argmin, different(3, 4), grad=False)
case("median by sort", lambda x: x.sort(1)[0][:, 2], different(3, 5))
case("median", torch.median, different(3, 5), grad=False)

# Norms.
for p in (0, 0.5, 1, 2, 3, float("inf"), -float("inf")):
    case(f"norm {p}", lambda x, p=p: torch.norm(x, p, dim=1), f(3, 4), grad=p in (1, 2, 3))
case("norm all", torch.norm, f(3, 4))
case("norm keepdim", lambda x: torch.norm(x, 2, dim=1, keepdim=True), f(3, 4))
case("norm half", lambda x: torch.norm(x, 2, dim=1), f(3, 4, dtype=half))
case("norm bfloat16", lambda x: torch.norm(x, 2, dim=1), f(3, 4, dtype=brain), grad=False)
case("vector_norm", lambda x: torch.linalg.vector_norm(x, dim=(0, 1)), f(3, 4))
case("normalize", lambda x: torch.nn.functional.normalize(x, dim=1), f(3, 4))
case("cosine_similarity", torch.nn.functional.cosine_similarity, f(3, 4), f(3, 4))
case("pairwise_distance", torch.nn.functional.pairwise_distance, f(3, 4), f(3, 4))
case("cdist", torch.cdist, f(3, 4), f(5, 4), grad=False)
case("dist", torch.dist, f(3, 4), f(3, 4), grad=False)
case("renorm", lambda x: torch.renorm(x, 2, 0, 1.0), f(3, 4), grad=False)
case("clip_grad_norm_", lambda x, y: clipped(torch.nn.utils.clip_grad_norm_, x, y, 1.0), f(3, 4), f(5), grad=False)
case("clip_grad_value_", lambda x, y: clipped(torch.nn.utils.clip_grad_value_, x, y, 0.5), f(3, 4), f(5), grad=False)


def clipped(clip, x, y, limit):
    parameters = []
    for value in (x, y):
        parameter = torch.nn.Parameter(torch.zeros_like(value))
        parameter.grad = value.clone()
        parameters.append(parameter)
    total = clip(parameters, limit)
    return [parameter.grad for parameter in parameters] + ([total] if total is not None else [])


# Sorting. Numbers are distinct where indices are compared.
case("sort", lambda x: x.sort(1), different(3, 5))
case("sort descending", lambda x: x.sort(1, descending=True), different(3, 5))
case("sort dim 0", lambda x: x.sort(0), different(3, 5))
case("sort int64", lambda x: x.sort(1)[0], i(3, 5))
case("sort half", lambda x: x.sort(1), different(3, 5, dtype=half))
case("sort bfloat16", lambda x: x.sort(1), different(3, 5, dtype=brain))
case("argsort", lambda x: x.argsort(1), different(3, 5), grad=False)
case("argsort descending", lambda x: x.argsort(0, descending=True), different(3, 5), grad=False)
case("topk", lambda x: x.topk(2), different(3, 5))
case("topk smallest", lambda x: x.topk(2, largest=False), different(3, 5))
case("topk dim 0", lambda x: x.topk(2, dim=0), different(3, 5))
case("topk half", lambda x: x.topk(3), different(3, 5, dtype=half))
case("topk bfloat16", lambda x: x.topk(3), different(3, 5, dtype=brain))
case("topk int64", lambda x: x.topk(2)[0], i(3, 5))
case("kthvalue", lambda x: x.kthvalue(2, 1), different(3, 5), grad=False)
case("unique", torch.unique, i(20))
case("unique inverse counts", lambda x: torch.unique(x, return_inverse=True, return_counts=True), i(20))
case("unique float", torch.unique, i(20, dtype=torch.float32), grad=False)
case("unique dim 2", lambda x: torch.unique(x), i(4, 5))
case("unique_consecutive", lambda x: torch.unique_consecutive(x.sort()[0]), i(20))
case("bincount", lambda x: torch.bincount(x), i(20, low=0))
case("bincount minlength", lambda x: torch.bincount(x, minlength=10), i(20, low=0))
case("histc", lambda x: torch.histc(x, bins=5, min=-2, max=2), f(30), grad=False)
case("searchsorted", torch.searchsorted, exactly(1.0, 3.0, 5.0), f(2, 3, high=6), grad=False)
case("searchsorted right", lambda x, y: torch.searchsorted(x, y, right=True), exactly(1.0, 3.0, 5.0), exactly(0.0, 3.0, 5.0, 7.0), grad=False)
case("bucketize", lambda x, y: torch.bucketize(x, y), f(2, 3, high=6), exactly(1.0, 3.0, 5.0), grad=False)

# Cumulative sums and products.
case("cumsum", lambda x: x.cumsum(1), f(3, 5))
case("cumsum dim 0", lambda x: x.cumsum(0), f(3, 5))
case("cumsum half", lambda x: x.cumsum(1), f(3, 5, dtype=half))
case("cumsum bfloat16", lambda x: x.cumsum(1), f(3, 5, dtype=brain), grad=False)
case("cumsum int64", lambda x: x.cumsum(-1), i(3, 5))
case("cumsum bool", lambda x: x.cumsum(-1), b(3, 5))
case("cumprod", lambda x: x.cumprod(1), f(3, 5, low=0.5))
case("cummax", lambda x: x.cummax(1), different(3, 5), grad=False)
case("cummin", lambda x: x.cummin(1), different(3, 5), grad=False)
case("diff", torch.diff, f(3, 5))
case("trace", torch.trace, f(4, 4), grad=False)

# Less common operators.
case("nanmedian", torch.nanmedian, different(3, 5), grad=False)
case("quantile", lambda x: torch.quantile(x, 0.3), different(9), grad=False)
case("mode", lambda x: torch.mode(x)[0], i(3, 9, low=0, high=3))
case("logcumsumexp", lambda x: torch.logcumsumexp(x, 1), f(3, 5), grad=False)
case("trapezoid", torch.trapezoid, f(3, 5), grad=False)
case("isin", torch.isin, i(3, 5), exactly(1, 2))
case("cov", torch.cov, f(3, 9), grad=False)
case("corrcoef", torch.corrcoef, f(3, 9), grad=False)
case("matrix_norm", torch.linalg.matrix_norm, f(3, 4))
case("foreach", lambda x, y: torch._foreach_add(torch._foreach_mul([x, y], 2.0), 1.0), f(3, 4), f(5), grad=False)
case("foreach norm", lambda x, y: torch._foreach_norm([x, y]), f(3, 4), f(5), grad=False)
case("unique_consecutive all", lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), exactly(1, 1, 2, 2, 2, 1))
case("histc of its own range", lambda x: torch.histc(x, bins=4), f(30), grad=False)

test = case.test()
