-- What the market promises. Run with: walkon test scripts/market_test.lua

test.level("people visit the stalls from the first minute on", { level = "market", maxTicks = 1800 }, function(t)
  t:expectEvent("visited", { within = 20 })
  t:run(5)
  t:expect(state.visits):toBeAbove(1)
end)
