"""What the tests of the Python package share. Needs EARSHOT_MAKE_LONG, EARSHOT_BIN."""
import atexit
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

NIGHT = os.environ.get("EARSHOT_NIGHT") == "1"  # docs/testing.md
FOLDER = Path(tempfile.mkdtemp(prefix="earshot-python-"))
atexit.register(shutil.rmtree, FOLDER)


@cache
def capture(workload, records=60000):
    """A capture with known answers: the path of NAME.shot."""
    name = FOLDER / f"{workload}-{records}"
    subprocess.run([os.environ["EARSHOT_MAKE_LONG"], "-n", str(records), "-w", workload,
                    "--samples", "20", "--seed", "5", name], check=True)
    return name.with_suffix(".shot")


@cache
def answers(workload):
    return json.loads(capture(workload).with_suffix(".json").read_text())


@cache
def decoded(workload):
    """Its records, as the command prints them."""
    lines = subprocess.run([os.environ["EARSHOT_BIN"], "decode", "-q", "-f", "json",
                            capture(workload)], check=True, capture_output=True, text=True)
    return json.loads("[" + ",".join(lines.stdout.splitlines()) + "]")


def children():
    """The processes that this one has started and that have not ended."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listed:
        return {int(number) for number in listed.read().split()}
