"""`python -m millpond ARGS`: the command `millpond` of this installation. `python -m millpond home` prints its folder."""

import os
import sys


def main() -> None:
    home = os.path.dirname(os.path.abspath(__file__))
    command = os.path.join(home, "bin", "millpond")
    arguments = sys.argv[1:]
    if arguments == ["home"]:
        print(home)
        return
    if not os.path.exists(command):
        sys.exit(f"error: {command} does not exist; install the package from a wheel")
    # The command uses the engine of this environment.
    if "MILLPOND_ONNXRUNTIME" not in os.environ:
        for folder in sys.path:
            capi = os.path.join(folder, "onnxruntime", "capi")
            if os.path.isdir(capi):
                os.environ["MILLPOND_ONNXRUNTIME"] = capi
                break
    sys.stdout.flush()
    os.execv(command, [command, *arguments])


if __name__ == "__main__":
    main()
