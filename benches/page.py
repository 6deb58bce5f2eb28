#!/usr/bin/env python3
"""How long the future of a level takes: benches/page.py LEVEL SECONDS, with the program built in target/release.

First with changes that are not saved; then from a save on disk, in a copy of the project, to the last part of the future that it makes.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = 4
# What is saved sooner after the last save waits for others.
BETWEEN_SAVES_S = 1.3
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Viewed:
    """A level under view, in a copy of the project."""

    def __init__(self, level: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        for name in ["levels", "scripts"]:
            shutil.copytree(ROOT / name, pathlib.Path(self.folder.name) / name)
        shutil.copy(ROOT / "walkon.json", self.folder.name)
        self.file = pathlib.Path(self.folder.name) / level
        program = [ROOT / "target/release/walkon", "view", level, "--stdio", "--paused"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(program, cwd=self.folder.name, stdin=pipe, stdout=pipe, text=True)
        self.wait("state")

    def send(self, **command: object) -> None:
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def wait(self, word: str) -> dict:
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("tell") == "frame":
                self.send(do="ack", frame=message["frame"])
            if message.get("tell") == word:
                return message

    def future(self) -> list[float]:
        """Seconds to the first part and to the last."""
        began = time.monotonic()
        first = None
        while True:
            part = self.wait("forecast")
            first = first or time.monotonic() - began
            if part["done"]:
                return [first, time.monotonic() - began]

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def tell(what: str, took: list[float]) -> None:
    print(f"{what}: first part {took[0] * 1e3:.0f} ms, all {took[1] * 1e3:.0f} ms")


def main(level: str, seconds: float) -> None:
    viewed = Viewed(level)
    viewed.send(id=1, do="forecast", seconds=seconds)
    tell(f"{level}, at first", viewed.future())
    for number in range(1, ROUNDS):
        viewed.send(id=2, do="try", changes=[{"at": "/seed", "set": 100 + number}])
        tell(f"{level}, tried", viewed.future())
    text = viewed.file.read_text()
    seed = json.loads(text)["seed"]
    for number in range(1, ROUNDS):
        time.sleep(BETWEEN_SAVES_S)
        viewed.file.write_text(text.replace(f'"seed": {seed}', f'"seed": {200 + number}', 1))
        tell(f"{level}, saved", viewed.future())
    viewed.end()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
