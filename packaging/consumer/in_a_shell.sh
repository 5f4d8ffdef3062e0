# in_a_shell.sh DIST SOURCE PROGRAM: sources DIST/set_env.sh, then builds SOURCE with nothing but the
# variables that it set, and runs the result. `cargo xtask test` calls this with sh and with bash.
set -eu
. "$1/set_env.sh"
if ! [ "$ASCEND_HOME_PATH" -ef "$1" ]; then
    echo "ASCEND_HOME_PATH is $ASCEND_HOME_PATH instead of $1" >&2
    exit 1
fi
if [ "$ORT_DISABLE_TELEMETRY" != 1 ]; then
    echo "ORT_DISABLE_TELEMETRY is $ORT_DISABLE_TELEMETRY instead of 1" >&2
    exit 1
fi
${CC:-cc} "$2" -I"$ASCEND_HOME_PATH/include" -L"$ASCEND_HOME_PATH/lib64" -lascendcl -o "$3"
"$3"
command -v millpond
