"""Entry point; answers `--version` before anything heavier than this file is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave the process with its exit code; never with a traceback."""
    code = 1
    try:
        code = _run(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:  # a closed or full stdout, found only when it is flushed
        if sys.stderr is not None:
            sys.stderr.write(f"error: cannot write to stdout: {error}\n")
        code = code or 1
        # What is left in the buffer must not fail once more at exit.
        sys.stdout = None
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from multicloud import __version__

        print(f"multicloud {__version__}", flush=True)
        return 0 if sys.stdout is not None else 1
    import gc

    from multicloud.cli.main import run

    # A command makes tens of thousands of lasting values and ends: collecting in between
    # finds nothing and costs a tenth of the time.
    gc.set_threshold(200_000)
    return run(arguments)


if __name__ == "__main__":
    main()
