#!/usr/bin/env python3
"""How long the future of a level takes: benches/page.py LEVEL SECONDS, with the program built in target/release."""

import json
import subprocess
import sys
import time

ROUNDS = 4


def main(level: str, seconds: float) -> None:
    program = ["target/release/walkon", "view", level, "--stdio", "--paused"]
    viewed = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(**command: object) -> None:
        viewed.stdin.write(json.dumps(command) + "\n")
        viewed.stdin.flush()

    def wait(word: str) -> dict:
        while True:
            message = json.loads(viewed.stdout.readline())
            if message.get("tell") == "frame":
                send(do="ack", frame=message["frame"])
            if message.get("tell") == word:
                return message

    wait("state")
    for round_number in range(ROUNDS):
        began = time.monotonic()
        if round_number == 0:
            send(id=1, do="forecast", seconds=seconds)
        else:
            send(id=2, do="try", changes=[{"at": "/seed", "set": 100 + round_number}])
        first = None
        while True:
            part = wait("forecast")
            first = first or time.monotonic() - began
            if part["done"]:
                break
        took = time.monotonic() - began
        print(f"{level}: first part {first * 1e3:.0f} ms, all {took * 1e3:.0f} ms")
    viewed.stdin.close()
    viewed.wait()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
