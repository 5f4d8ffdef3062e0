# in_a_bare_system.sh FOLDER: what a new user does with the wheel, in a system that has python3 with venv and gcc, but no Rust.
# `cargo xtask bare` runs it. FOLDER has the wheel and readme.sh: the lines of the README, word for word.
set -eu
cd "$1"
if command -v cargo rustc; then
    echo "this system has Rust" >&2
    exit 1
fi
# The line about PyTorch, where it is there, checks a program with a mistake: then the status is 1.
sh ./readme.sh > said 2>&1 || echo "the lines of the README ended with $?"
cat said
grep -q "adds up to 24512" said
if grep -q torch readme.sh; then
    grep -q "error.stream.missing-record-use" said
fi
. env/bin/activate
case $(millpond home) in
"$PWD"/env/*) ;;
*)
    echo "millpond home is $(millpond home)" >&2
    exit 1
    ;;
esac
cc -g examples/c/two_mistakes.c $(millpond flags) -o two_mistakes
millpond check -- ./two_mistakes > found 2>&1 || status=$?
grep "millpond check: 2 errors" found
grep "two_mistakes.c:43" found
test "${status:-0}" = 1
# ONNX Runtime came along as a dependency.
cc -g examples/c/operators.c $(millpond flags) -lm -o operators
millpond run -- ./operators | grep "largest in column 4"
millpond run -- python examples/python/first.py | grep "512 bytes are 9 and 512 are 7"
python -c "import acl; print('acl', acl.init())"
test -e "$(millpond home --link toolkit)/latest/runtime/lib64/stub/libascendcl.so"
cmake -S examples/c -B cmake -DCMAKE_PREFIX_PATH="$(millpond home)" > /dev/null && cmake --build cmake > /dev/null
millpond run -- cmake/first | grep "adds up to 24512"
millpond doctor
