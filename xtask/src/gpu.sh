#!/bin/bash
# Tests and benchmarks of Millpond on a machine with an NVIDIA GPU and python3 with PyTorch. Made by cargo xtask gpu.
#
#     ./run.sh test                 tests; what cannot run here is skipped, and the line says why
#     ./run.sh bench [ARGS]         compares allocators with PyTorch programs; ARGS go to bench/gpu/run.py
#     ./run.sh all                  both
#     ./run.sh table [--out DIR] [ARGS]
#                                   only the comparison of bench/gpu, all of it, within 10 minutes: what does not fit is named in the
#                                   table. ARGS go to bench/gpu/run.py, such as --deadline 900
#     ./run.sh ort FOLDER           tests of operators and models that compute on the GPU. FOLDER contains the libraries of ONNX
#                                   Runtime's build for GPUs, such as onnxruntime/capi of the package onnxruntime-gpu. It uses the
#                                   CUDA libraries of PyTorch's packages
#     ./run.sh with COMMAND         a command that finds the unpacked wheel, such as python3 bench/gpu/run.py --parts calls
#
# PYTHON names another interpreter than python3. Results are written to results/; those of table to DIR, or to OUT if that is set.
set -u
cd "$(dirname -- "${BASH_SOURCE[0]}")" || exit 1
here=$PWD
python=${PYTHON:-python3}
passed=0 failed=0 skipped=0

skip() { echo "skipped: $1: $2"; skipped=$((skipped + 1)); }

step() { # NAME COMMAND...
    local name=$1 status
    shift
    echo "== $name"
    timeout "${LIMIT:-300}" "$@"
    status=$?
    case $status in
        0) passed=$((passed + 1)) ;;
        77) skip "$name" "it says so above" ;;
        124) echo "FAILED: $name: it took more than ${LIMIT:-300} s"; failed=$((failed + 1)) ;;
        *) echo "FAILED: $name: exit status $status"; failed=$((failed + 1)) ;;
    esac
}

if [ ! -d unpacked ]; then
    "$python" -m zipfile -e millpond-*.whl unpacked || exit 1
    chmod +x unpacked/millpond/bin/*
fi
export PYTHONPATH=$here/unpacked${PYTHONPATH:+:$PYTHONPATH}
export LD_LIBRARY_PATH=$here/unpacked/millpond/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export MILLPOND_PLUGIN=$here/unpacked/millpond/lib64/libmillpond_plugin.so
export PYTHONDONTWRITEBYTECODE=1
millpond=$here/unpacked/millpond/bin/millpond

if [ "${1:-}" = with ]; then
    shift
    exec "$@"
fi

has_gpu() { [ -n "$gpu" ]; }
# Tests of operators and models need ONNX Runtime: that of the interpreter, unless MILLPOND_ONNXRUNTIME names another.
: "${MILLPOND_ONNXRUNTIME:=$("$python" -c 'import glob, os, onnxruntime
print(glob.glob(os.path.dirname(onnxruntime.__file__) + "/capi/libonnxruntime.so*")[0])' 2>/dev/null)}"
export MILLPOND_ONNXRUNTIME
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)
torch=$("$python" -c 'import torch; print(torch.__version__, torch.cuda.is_available())' 2>/dev/null)
echo "GPU: ${gpu:-none}; PyTorch: ${torch:-none}"

tests() {
    local program test
    for program in tests/*; do
        [ -f "$program" ] || continue
        if [ "$program" = tests/millpond-execution ] && [ -z "$MILLPOND_ONNXRUNTIME" ]; then
            skip "$program" "$python has no onnxruntime"
        elif has_gpu; then
            MILLPOND_DEVICE=cuda MILLPOND_REQUIRE=cuda step "$program" "$program"
        else
            skip "$program" "nvidia-smi lists no GPU"
        fi
    done
    for program in tests/acl/*; do
        if has_gpu; then
            # Some of them use two devices, which then share the GPU.
            for schedule in eager latest; do
                MILLPOND_DEVICE=cuda MILLPOND_DEVICES=2 MILLPOND_CAPACITY=8G MILLPOND_SCHEDULE=$schedule step "$program, $schedule" "$program"
            done
        else
            skip "$program" "nvidia-smi lists no GPU"
        fi
    done
    if [ -z "$torch" ]; then
        skip tests/torch_cuda "$python cannot import torch"
    elif "$python" -c 'import pytest' 2>/dev/null; then
        for test in tests/torch_cuda/test_*.py; do
            MILLPOND_REQUIRE=${gpu:+cuda} step "$test" "$python" -m pytest -q -p no:cacheprovider "$test"
        done
    elif [ "${torch##* }" = True ]; then
        step tests/torch_cuda/compare.py "$python" tests/torch_cuda/compare.py
    else
        skip tests/torch_cuda "$python has no pytest, and PyTorch finds no GPU"
    fi
    if [ "${torch##* }" != True ]; then
        skip "record, check" "PyTorch finds no GPU"
        return
    fi
    mkdir -p results
    step "record" "$millpond" record -o results/prefetch.mpt -- "$python" examples/torch/cuda_prefetch.py --right
    step "replay" "$millpond" replay results/prefetch.mpt --no-time
    step "check, right" "$millpond" check -- "$python" examples/torch/cuda_prefetch.py --right
    finds stream.missing-record-use
    finds stream.race --no-wait
}

finds() { # RULE OPTIONS...
    local rule=$1 found
    shift
    echo "== check: $rule"
    found=$("$millpond" check -- "$python" examples/torch/cuda_prefetch.py "$@" 2>&1)
    if [ $? -eq 1 ] && grep -q "\[$rule\]" <<<"$found" && grep -q 'cuda_prefetch.py:[0-9]' <<<"$found"; then
        passed=$((passed + 1))
    else
        echo "$found"
        echo "FAILED: millpond check does not report $rule with a line of the program"
        failed=$((failed + 1))
    fi
}

bench() {
    if ! has_gpu; then
        skip bench "nvidia-smi lists no GPU"
        return
    fi
    MILLPOND_DEVICE=cuda step benchmarks/copies benchmarks/copies
    if [ "${torch##* }" != True ]; then
        skip "bench/gpu" "PyTorch finds no GPU"
        step benchmarks/latency benchmarks/latency
        return
    fi
    # It runs benchmarks/latency too.
    LIMIT=900 step "bench/gpu" "$python" bench/gpu/run.py --out results "$@"
}

ort() {
    local libraries program schedule
    if [ ! -f "${1:-}/libonnxruntime_providers_cuda.so" ]; then
        echo "FAILED: ort: ${1:-no folder} has no libonnxruntime_providers_cuda.so: name the folder of the libraries of onnxruntime-gpu"
        failed=$((failed + 1))
        return
    fi
    if ! has_gpu; then
        skip ort "nvidia-smi lists no GPU"
        return
    fi
    libraries=$("$python" -c 'import glob, os, nvidia
found = {os.path.dirname(file) for root in nvidia.__path__ for file in glob.glob(root + "/**/lib*.so*", recursive=True)}
print(":".join(sorted(found)))')
    export LD_LIBRARY_PATH=${libraries:+$libraries:}$LD_LIBRARY_PATH MILLPOND_ONNXRUNTIME=$1 MILLPOND_DEVICE=cuda
    MILLPOND_REQUIRE=cuda,onnxruntime-cuda step "tests/millpond-execution with ONNX Runtime for GPUs" \
        tests/millpond-execution --test-threads "${THREADS:-4}"
    for program in tests/operators/*; do
        for schedule in eager latest; do
            MILLPOND_DEVICES=2 MILLPOND_CAPACITY=8G MILLPOND_SCHEDULE=$schedule step "$program, $schedule" "$program"
        done
    done
}

table() {
    local out=${OUT:-results} arguments=()
    while [ $# -gt 0 ]; do
        if [ "$1" = --out ] && [ $# -gt 1 ]; then
            out=$2
            shift
        else
            arguments+=("$1")
        fi
        shift
    done
    if [ -z "$torch" ]; then
        echo "FAILED: table: $python cannot import torch: set PYTHON to one that can"
        failed=$((failed + 1))
        return
    fi
    if ! [[ " ${arguments[*]-} " == *" --device cpu "* || ${torch##* } == True ]]; then
        echo "FAILED: table: PyTorch finds no GPU"
        failed=$((failed + 1))
        return
    fi
    # Before the limit of ten minutes that machines have: what is under way is then over.
    LIMIT=${LIMIT:-590} step "table" "$python" bench/gpu/run.py --deadline 480 --out "$out" ${arguments[@]+"${arguments[@]}"}
}

what=${1:-all}
[ $# -gt 0 ] && shift
case $what in
    test) tests ;;
    bench) bench "$@" ;;
    all) tests; bench "$@" ;;
    table) table "$@" ;;
    ort) ort "$@" ;;
    *) echo "usage: ./run.sh test|bench|all|table [ARGS], ./run.sh ort FOLDER, or ./run.sh with COMMAND"; exit 2 ;;
esac
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
