# Makes this folder the AscendCL installation of the current shell:
#
#     . /path/to/dist/set_env.sh
#
# Works in bash, zsh and POSIX shells on Linux. The folder may be moved. Sourcing it twice is harmless.
# If a vendor's toolkit is set up as well, source this file after the vendor's.

# A sourced file knows its own name in bash and zsh. Other shells keep the file open while they read it, so it
# is among their open files.
_millpond_file=${BASH_SOURCE-}
if [ -z "$_millpond_file" ] && [ -n "${ZSH_VERSION-}" ]; then
    eval '_millpond_file=${(%):-%x}'
fi
if [ -z "$_millpond_file" ]; then
    _millpond_last=-1
    for _millpond_fd in /proc/$$/fd/*; do
        _millpond_link=$(readlink "$_millpond_fd" 2>/dev/null) || continue
        _millpond_number=${_millpond_fd##*/}
        case $_millpond_link in
        */set_env.sh)
            # The innermost sourced file has the highest number.
            if [ "$_millpond_number" -gt "$_millpond_last" ] &&
                [ -e "${_millpond_link%/*}/lib64/libascendcl.so" ]; then
                _millpond_last=$_millpond_number
                _millpond_file=$_millpond_link
            fi
            ;;
        esac
    done
fi

case $_millpond_file in
*/*) _millpond_home=${_millpond_file%/*} ;;
*) _millpond_home=. ;;
esac
_millpond_home=$(CDPATH='' cd -- "$_millpond_home" 2>/dev/null && pwd -P) || _millpond_home=

# _millpond_prepend VARIABLE ENTRY: puts ENTRY first in a list separated by colons, once.
_millpond_prepend() {
    eval "_millpond_list=\${$1-}"
    case $_millpond_list in
    "$2" | "$2":*) return 0 ;;
    '') eval "$1=\$2" ;;
    *) eval "$1=\$2:\$_millpond_list" ;;
    esac
    export "${1?}"
}

if [ -n "$_millpond_home" ] && [ -e "$_millpond_home/lib64/libascendcl.so" ]; then
    ASCEND_HOME_PATH=$_millpond_home
    ASCEND_TOOLKIT_HOME=$_millpond_home
    ASCEND_OPP_PATH=$_millpond_home/opp
    export ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME ASCEND_OPP_PATH
    # Turns off the telemetry of ONNX Runtime. Set it to 0 before to keep it.
    export ORT_DISABLE_TELEMETRY="${ORT_DISABLE_TELEMETRY-1}"
    # PyTorch for Ascend: a failing operator is reported at its call (docs/pytorch.md).
    export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE-0}"
    _millpond_prepend LD_LIBRARY_PATH "$_millpond_home/lib64"
    _millpond_prepend PYTHONPATH "$_millpond_home/python-path"
    _millpond_prepend PATH "$_millpond_home/bin"
    _millpond_prepend PKG_CONFIG_PATH "$_millpond_home/lib64/pkgconfig"
    _millpond_prepend CMAKE_PREFIX_PATH "$_millpond_home"
    _millpond_status=0
else
    echo "set_env.sh: cannot determine its own folder; nothing was changed" >&2
    echo "hint: cd into the folder of set_env.sh, then run: . ./set_env.sh" >&2
    _millpond_status=1
fi

unset -f _millpond_prepend
unset _millpond_file _millpond_home _millpond_list _millpond_last _millpond_fd _millpond_link \
    _millpond_number
# The status of the last command is that of the whole file.
if [ "$_millpond_status" -eq 0 ]; then
    unset _millpond_status
else
    unset _millpond_status
    false
fi
