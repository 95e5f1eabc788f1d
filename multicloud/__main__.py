"""Entry point; answers `--version` before anything heavier than this file is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from multicloud import __version__

        sys.stdout.write(f"multicloud {__version__}\n")
        return
    import gc

    from multicloud.cli.main import run

    # A command makes tens of thousands of lasting values and ends: collecting in between
    # finds nothing and costs a tenth of the time.
    gc.set_threshold(200_000)
    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
