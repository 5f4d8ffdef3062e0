# package_in_a_bare_system.sh FOLDER: what a user of C does with the Debian package, in a system without Rust. `cargo xtask bare` runs it.
set -eu
cd "$1"
dpkg -i ./millpond_*.deb
examples=/usr/lib/millpond/share/examples/c
cc -g $examples/first.c $(pkg-config --cflags --libs millpond) -o first
millpond run -- ./first | grep "adds up to 24512"
cc -g $examples/two_mistakes.c $(pkg-config --cflags --libs millpond) -o two_mistakes
millpond check -- ./two_mistakes 2>&1 | grep "millpond check: 2 errors"
# Without a path: the package has a file where CMake looks.
cmake -S $examples -B cmake > /dev/null && cmake --build cmake > /dev/null
millpond run -- cmake/first | grep "adds up to 24512"
millpond doctor
dpkg --purge millpond
test ! -e /usr/lib/millpond
