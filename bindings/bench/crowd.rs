//! A crowd that strolls on a field, and rounds of work in processor time: for the benchmarks of the bindings.

use std::collections::BTreeMap;
use std::time::Duration;

use cpu_time::ThreadTime;
use walkon_shell::LevelText;

const SCRIPT: &str = "
local function stroll(who)
  who:walkTo(math.random() * level.args[1], math.random() * level.args[1], {
    onSettled = function() timer.after(0.2, function() stroll(who) end) end,
  })
end
function onStart()
  for _, who in world.characters() do stroll(who) end
end
";

/// So many who stroll, four square metres and a half for each; and `level.args`.
pub fn crowd(count: usize) -> (LevelText, Vec<String>) {
    let side = (4.5 * count as f64).sqrt().max(12.0);
    let per_row = (count as f64).sqrt().max(1.0) as usize;
    let step = side / (per_row + 2) as f64;
    let at = |n: usize| step * (n + 1) as f64;
    let characters: Vec<String> = (0..count)
        .map(|n| format!(r#"{{ "name": "c{n}", "position": [{}, {}] }}"#, at(n % per_row), at(n / per_row)))
        .collect();
    let level = format!(
        r#"{{ "name": "field", "script": "field.lua", "characters": [{}],
          "navigation": {{ "areas": [{{ "name": "field", "polygon": [[0, 0], [{side}, 0], [{side}, {side}], [0, {side}]] }}] }} }}"#,
        characters.join(",")
    );
    let files = BTreeMap::from([("field.json".to_owned(), level)]);
    let scripts = BTreeMap::from([("field.lua".to_owned(), SCRIPT.to_owned())]);
    (LevelText::from_texts("field.json", &files, scripts).unwrap(), vec![side.to_string()])
}

/// Ticks of a round for so many characters.
pub fn ticks(count: usize) -> usize {
    (200_000 / count).clamp(20, 1000)
}

fn spent(work: &mut dyn FnMut()) -> Duration {
    let began = ThreadTime::now();
    work();
    began.elapsed()
}

/// Plays rounds of the same ticks, one way after another, in processor time of the thread: microseconds of a tick of
/// the first way, and the median of what the others take over it.
pub fn ratios(ticks: usize, ways: &mut [&mut dyn FnMut()]) -> (f64, Vec<f64>) {
    ways.iter_mut().for_each(|way| way());
    let rounds: Vec<Vec<f64>> = (0..9)
        .map(|_| ways.iter_mut().map(|way| spent(*way).as_secs_f64() / ticks as f64).collect())
        .collect();
    let median = |of: &dyn Fn(&Vec<f64>) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let others = (1..rounds[0].len()).map(|way| median(&|round| round[way] / round[0])).collect();
    (median(&|round| round[0]) * 1e6, others)
}
