#!/bin/sh
# Checks two scripts with the library versions that have a mistake, and with those that do not.
# usage: reproduce.sh MILLPOND PYTHON    (PYTHON has torch and torch_npu: see docs/pytorch.md)
set -eu
millpond=$1
python=$2
here=$(cd "$(dirname "$0")" && pwd)
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT

install() { # install FOLDER PACKAGE...
    folder=$packages/$1
    shift
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder" "$@"
}
install shared torchvision==0.22.1 accelerate==1.6.0 huggingface_hub==0.30.2 safetensors pillow regex requests urllib3 idna \
    certifi charset-normalizer importlib_metadata zipp tqdm psutil packaging
install wrong timm==1.0.15 diffusers==0.33.1
install right timm==1.0.30 diffusers==0.35.1

failed=0
check() { # check FOLDER SCRIPT EXPECTED_STATUS
    status=0
    PYTHONPATH=$packages/$1:$packages/shared "$millpond" check -- "$python" "$here/$2" || status=$?
    if [ "$status" -eq "$3" ]; then
        echo "as expected: $2 with the $1 versions exits with $status"
    else
        echo "NOT as expected: $2 with the $1 versions exits with $status instead of $3"
        failed=1
    fi
}
check wrong timm_prefetch.py 1
check right timm_prefetch.py 0
check wrong diffusers_offload.py 1
check right diffusers_offload.py 0
exit $failed
