# in_a_bare_system.sh FOLDER: inside a system that has python3 with venv and gcc, but no Rust. FOLDER has the wheel, the packages
# that it requires, and examples. Installs the wheel and uses it with nothing but the environment's bin on PATH.
#
#     mmdebstrap --variant=apt --include=python3,python3-venv,gcc,libc6-dev bookworm ROOT
#     chroot ROOT sh FOLDER/in_a_bare_system.sh FOLDER      (with /proc and /dev mounted)
set -eu
cd "$1"
python3 -m venv env
env/bin/pip install -q --no-index --find-links . millpond-*.whl
PATH=$PWD/env/bin:/usr/bin:/bin
export PATH
cc -g first.c $(millpond flags) -o first
millpond run -- ./first | grep "adds up to 24512"
cc -g two_mistakes.c $(millpond flags) -o two_mistakes
millpond check -- ./two_mistakes 2>&1 | grep "millpond check: 2 errors"
python first.py | grep "512 bytes are 9 and 512 are 7"
test -e "$(millpond home --link toolkit)/latest/runtime/lib64/stub/libascendcl.so"
millpond doctor
