"""The Python of the README, as a reader types it who has just installed the wheel.

    python readme.py [--first]

Every block runs in one module, one after another, in a project that has the levels which the README names; with ``--first``
only the first does, which needs nothing but matplotlib.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
README = Path(__file__).resolve().parents[1] / "README.md"


def level(name: str, actors: int) -> str:
    """A hall with so many who act."""
    characters = [{"name": f"c{n}", "position": [2 + 2 * n, 6], "tags": ["acts", "seen"]} for n in range(actors)]
    area = {"name": "hall", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]]}
    marks = {"bench": [17, 9], "post": [3, 3]}
    return json.dumps({"name": name, "navigation": {"areas": [area]}, "marks": marks, "characters": characters})


def main() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3, "the README has lost its code"
    if "--first" in sys.argv:
        blocks = blocks[:1]
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copytree(ROOT / "scripts", project / "scripts")
        shutil.copy(ROOT / "walkon.json", project)
        (project / "levels").mkdir()
        for path in (ROOT / "levels").glob("courtyard*"):
            shutil.copy(path, project / "levels")
        (project / "levels" / "guard.json").write_text(level("guard", 1))
        (project / "levels" / "team.json").write_text(level("team", 2))
        os.chdir(project)
        os.environ["MPLBACKEND"] = "Agg"
        names: dict[str, object] = {"__name__": "__main__"}
        for number, block in enumerate(blocks):
            exec(compile(block, f"README.md, block {number}", "exec"), names)
        assert (project / "arrived.png").stat().st_size > 1000, "there is no plot"
        os.chdir(ROOT)
    print(f"README.md: {len(blocks)} blocks")


if __name__ == "__main__":
    main()
