"""What becomes of the courtyard with 1,000 seeds: runs them over all cores and plots the outcomes.

    python examples/outcomes.py [--seeds 1000] [--out outcomes.png]

Every `# %%` begins a cell for editors that run such files as notebooks.
"""

# %% What to run
import argparse
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import walkon

arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("--seeds", type=int, default=1000)
arguments.add_argument("--out", default="outcomes.png")
asked = arguments.parse_args()

# %% A level: guests of a feast wander until they are tired; how many meet depends on the seed
LEVEL = {
    "name": "feast",
    "navigation": {
        "areas": [{"name": "hall", "polygon": [[0, 0], [24, 0], [24, 14], [0, 14]]}],
        "obstacles": [{"name": "table", "polygon": [[8, 5], [16, 5], [16, 9], [8, 9]]}],
    },
    "characters": [{"name": f"guest{n}", "position": [2 + 4 * n, 2], "walkSpeed": 1.0 + 0.15 * n} for n in range(6)],
    "script": "feast.lua",
}
SCRIPT = """
local met, walked = {}, 0

local function stroll(guest)
  guest:walkTo(math.random() * 22 + 1, math.random() * 12 + 1, {
    onSettled = function(result)
      walked += result.travelled
      timer.after(math.random() * 2, function() stroll(guest) end)
    end,
  })
end

function onStart()
  local guests = world.characters()
  for i, guest in guests do
    stroll(guest)
    for j = i + 1, #guests do
      local other = guests[j]
      region.near(guest, 1.5, {
        filter = other.name,
        onEnter = function() met[guest.name .. other.name] = true end,
      })
    end
  end
end

function onTick()
  local count = 0
  for _ in met do count += 1 end
  level.measure("met", count)
  level.measure("walked", walked)
  if count == 15 then level.finish(true, "everybody has met") end
end
"""

# %% Run it
level = walkon.Level.load(LEVEL, scripts={"feast.lua": SCRIPT})
results = list(walkon.batch(level, range(asked.seeds), seconds=120))
faulty = [result for result in results if result.faults or result.error]
assert not faulty, faulty[0]
seconds = np.array([result.seconds for result in results])
met = np.array([result.measures["met"] for result in results])
walked = np.array([result.measures["walked"] for result in results])
ended = Counter(result.ended for result in results)
print(f"{len(results)} runs, {sum(result.speed for result in results) / len(results):.0f} times real time: {dict(ended)}")

# %% Plot it
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
left.hist(met, bins=np.arange(0, 17) - 0.5, color="#3b6ea5")
left.set(title=f"{len(results)} feasts", xlabel="pairs that met", ylabel="seeds")
done = np.sort(seconds[met == 15])
middle.step(done, np.arange(1, len(done) + 1) / len(results), color="#3b6ea5", where="post")
middle.set(title="everybody has met", xlabel="game seconds", ylabel="part of the seeds", ylim=(0, 1))
right.scatter(walked, met + np.random.default_rng(0).uniform(-0.3, 0.3, len(met)), s=5, alpha=0.4, color="#3b6ea5")
right.set(title="walking and meeting", xlabel="metres walked by all", ylabel="pairs that met")
figure.savefig(asked.out, dpi=110)
print(f"wrote {Path(asked.out).resolve()}")
