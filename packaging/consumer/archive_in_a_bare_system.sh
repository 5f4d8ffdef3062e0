# archive_in_a_bare_system.sh FOLDER: what a user of C does with the archive, in a system without Rust. `cargo xtask bare` runs it.
# FOLDER has the archive, SHA256SUMS and in_a_shell.sh.
set -eu
cd "$1"
sha256sum -c --ignore-missing SHA256SUMS
tar xf millpond-*-linux-*.tar.xz
home=$(echo "$PWD"/millpond-*-linux-*/)
home=${home%/}
sh in_a_shell.sh "$home" "$home/share/examples/c/first.c" ./first | grep "adds up to 24512"
. "$home/set_env.sh"
cc -g "$home/share/examples/c/two_mistakes.c" $(pkg-config --cflags --libs millpond) -o two_mistakes
millpond check -- ./two_mistakes 2>&1 | grep "millpond check: 2 errors"
# The archive has ONNX Runtime in it.
cc "$home/share/examples/c/operators.c" $(pkg-config --cflags --libs millpond) -lm -o operators
./operators | grep "largest in column 4"
cmake -S "$home/share/examples/c" -B cmake -DCMAKE_PREFIX_PATH="$home" > /dev/null && cmake --build cmake > /dev/null
millpond run -- cmake/first | grep "adds up to 24512"
# The questions for other libraries, asked and compared without a clone.
python3 "$home/share/oracle/run.py" --only memory. --no-operators --build asked -o answers.json
millpond oracle compare answers.json | tail -n 1
