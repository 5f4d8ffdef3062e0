#!/bin/sh
# What the GitHub action, the GitLab template and the container do: install Millpond, and run a command with it.
#
#     millpond.sh install VERSION FOLDER    creates an environment in FOLDER; VERSION is "latest", a version, or a wheel
#     millpond.sh run COMMAND...            runs the command; the variables below say how
#
#     MILLPOND_ACTION_CHECK     true: under `millpond check`, with reports; otherwise under `millpond run`
#     MILLPOND_ACTION_REPORTS   folder for millpond.sarif and millpond.xml (JUnit); reports/ by default
#     MILLPOND_ACTION_DEVICES   number of devices
set -eu

fail() {
    echo "millpond.sh: $*" >&2
    exit 2
}

install() {
    version=$1
    folder=$2
    case $version in
        latest) what=millpond ;;
        *.whl) what=$version ;;
        [0-9]*) what=millpond==$version ;;
        *) fail "version '$version' is neither latest, nor a number, nor a wheel" ;;
    esac
    python3 -m venv "$folder"
    # shellcheck disable=SC2086 # options are words
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check ${MILLPOND_ACTION_PIP:-} "$what" ||
        fail "$what could not be installed; version may also be the path or address of a wheel"
    "$folder/bin/millpond" --version
    # The next steps of a GitHub workflow find the command.
    if [ -n "${GITHUB_PATH:-}" ]; then
        echo "$folder/bin" >>"$GITHUB_PATH"
    fi
}

run() {
    [ $# -gt 0 ] || fail "no command"
    set -- ${MILLPOND_ACTION_DEVICES:+--devices "$MILLPOND_ACTION_DEVICES"} -- "$@"
    if [ "${MILLPOND_ACTION_CHECK:-true}" != true ]; then
        exec millpond run "$@"
    fi
    reports=${MILLPOND_ACTION_REPORTS:-reports}
    mkdir -p "$reports"
    exec millpond check -o "$reports/millpond.sarif" -o "$reports/millpond.xml" "$@"
}

case ${1:-} in
    install) [ $# -eq 3 ] || fail "install VERSION FOLDER"; install "$2" "$3" ;;
    run) shift; run "$@" ;;
    *) fail "install or run" ;;
esac
