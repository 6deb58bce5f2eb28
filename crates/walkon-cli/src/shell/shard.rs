//! Shards: which part of the runs of a batch this machine makes.
//!
//! In: `I/N`, or `auto` and the environment variables by which a Kubernetes indexed Job or a Slurm array
//! numbers its machines. Out: a part, counted from 0. Holds: every run is in exactly one part; a part that
//! the variables do not say for certain is refused, never guessed. Not here: the runs.

use walkon_shell::CommandFailure;

/// Index of a pod in an indexed Job, from 0. A Job does not tell its pods how many there are.
const KUBERNETES_INDEX: &str = "JOB_COMPLETION_INDEX";
/// Number of a task in an array, from the first number of `--array` on.
const SLURM_ID: &str = "SLURM_ARRAY_TASK_ID";
/// How many tasks an array has, its first and its last number.
const SLURM_COUNT: &str = "SLURM_ARRAY_TASK_COUNT";
const SLURM_FIRST: &str = "SLURM_ARRAY_TASK_MIN";
const SLURM_LAST: &str = "SLURM_ARRAY_TASK_MAX";
/// How many parts there are, where nothing else says so.
const OWN_COUNT: &str = "WALKON_SHARDS";

/// A part of the runs: each `count`-th, from number `index` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// The runs of this part.
    pub fn of<T>(self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.enumerate().filter(move |(index, _)| *index as u64 % self.count == self.index).map(|(_, one)| one)
    }
}

/// A part as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardAsked {
    /// This one.
    Part(Shard),
    /// That of this machine, of so many if that was said.
    Auto(Option<u64>),
}

/// What `--shard` takes.
pub fn shard(text: &str) -> Result<ShardAsked, String> {
    let expected = || "expected I/N with I from 1 to N, as in 2/4; or auto, or auto/N".to_owned();
    let Some((one, all)) = text.split_once('/') else {
        return if text == "auto" { Ok(ShardAsked::Auto(None)) } else { Err(expected()) };
    };
    let count = all.parse().ok().filter(|count: &u64| *count >= 1).ok_or_else(expected)?;
    if one == "auto" {
        return Ok(ShardAsked::Auto(Some(count)));
    }
    match one.parse() {
        Ok(one) if (1..=count).contains(&one) => Ok(ShardAsked::Part(Shard { index: one - 1, count })),
        _ => Err(expected()),
    }
}

impl ShardAsked {
    /// Whether this machine finds out by itself.
    pub fn is_auto(self) -> bool {
        matches!(self, Self::Auto(_))
    }

    /// The part that is meant; `variable` reads the environment.
    ///
    /// # Errors
    /// When the environment does not say which of how many this is.
    pub fn resolve(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, CommandFailure> {
        match self {
            Self::Part(part) => Ok(part),
            Self::Auto(count) => Environment { variable }.part(count),
        }
    }
}

/// The variables that number the machines of a job.
struct Environment<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Environment<'_> {
    fn number(&self, name: &str) -> Result<Option<u64>, CommandFailure> {
        let Some(text) = (self.variable)(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let wrong = || refused(format!("{name} is \"{text}\", expected a whole number"));
        text.parse().map(Some).map_err(|_| wrong())
    }

    fn part(&self, asked: Option<u64>) -> Result<Shard, CommandFailure> {
        let own = self.number(OWN_COUNT)?;
        let count = asked.or(own);
        let part = match (self.number(KUBERNETES_INDEX)?, self.number(SLURM_ID)?) {
            (Some(_), Some(_)) => {
                let both = format!("{KUBERNETES_INDEX} and {SLURM_ID} are both set, expected one of them");
                return Err(refused(both).help("give the part itself, as in --shard 2/4"));
            }
            (None, None) => {
                let none = format!("neither {KUBERNETES_INDEX} nor {SLURM_ID} is set");
                return Err(refused(none).help("give the part itself, as in --shard 2/4"));
            }
            (Some(index), None) => {
                let unknown = || {
                    refused(format!(
                        "an indexed Job does not give the number of parts, only {KUBERNETES_INDEX}"
                    ))
                    .help(format!("--shard auto/N, or {OWN_COUNT}=N, where N are its completions"))
                };
                Shard { index, count: count.filter(|count| *count > 0).ok_or_else(unknown)? }
            }
            (None, Some(id)) => self.of_array(id, count)?,
        };
        if part.index < part.count {
            return Ok(part);
        }
        let (index, count) = (part.index, part.count);
        Err(refused(format!("this is part {index} counted from 0, and there are {count}, expected less")))
    }

    /// An array is counted from its first number by its step; with a count that was said, from 0 by 1.
    fn of_array(&self, id: u64, asked: Option<u64>) -> Result<Shard, CommandFailure> {
        if let Some(count) = asked.filter(|count| *count > 0) {
            return Ok(Shard { index: id, count });
        }
        let needed = |name: &str| {
            let missing = || refused(format!("{SLURM_ID} is set and {name} is not"));
            self.number(name)?.ok_or_else(missing)
        };
        let (count, first, last) = (needed(SLURM_COUNT)?, needed(SLURM_FIRST)?, needed(SLURM_LAST)?);
        let uneven = || {
            refused(format!("the array from {first} to {last} has {count} tasks with gaps between them"))
                .help("number the tasks from 0 and say how many there are: --array=0-7 with --shard auto/8")
        };
        let between = last.checked_sub(first).ok_or_else(uneven)?;
        let step = match count {
            0 => return Err(uneven()),
            1 => 1,
            _ => between / (count - 1),
        };
        let beyond = id.checked_sub(first).ok_or_else(uneven)?;
        if step == 0 || step.checked_mul(count - 1) != Some(between) || !beyond.is_multiple_of(step) {
            return Err(uneven());
        }
        Ok(Shard { index: beyond / step, count })
    }
}

fn refused(what: String) -> CommandFailure {
    CommandFailure::usage(format!("--shard auto: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(count: Option<u64>, variables: &[(&str, &str)]) -> Result<Shard, String> {
        let variable =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
        ShardAsked::Auto(count).resolve(&variable).map_err(|failure| match failure {
            CommandFailure::Message { message, .. } => message,
            other => format!("{other:?}"),
        })
    }

    fn array(id: &str, (first, last, count): (&str, &str, &str)) -> Result<Shard, String> {
        let of = [(SLURM_ID, id), (SLURM_FIRST, first), (SLURM_LAST, last), (SLURM_COUNT, count)];
        auto(None, &of)
    }

    #[test]
    fn a_part_is_written_from_one_and_counted_from_nought() {
        assert_eq!(shard("2/4"), Ok(ShardAsked::Part(Shard { index: 1, count: 4 })));
        assert_eq!(shard("auto"), Ok(ShardAsked::Auto(None)));
        assert_eq!(shard("auto/8"), Ok(ShardAsked::Auto(Some(8))));
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "auto/0", "auto/x", "auto/", "Auto"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_indexed_job_counts_from_nought_and_has_to_be_told_of_how_many() {
        let index = (KUBERNETES_INDEX, "3");
        assert_eq!(auto(Some(4), &[index]), Ok(Shard { index: 3, count: 4 }));
        assert_eq!(auto(None, &[index, (OWN_COUNT, "5")]), Ok(Shard { index: 3, count: 5 }));
        for (count, variables) in [
            (None, &[index] as &[_]),
            (None, &[index, (OWN_COUNT, "0")]),
            (Some(3), &[index]),
            (Some(4), &[(KUBERNETES_INDEX, "x")]),
            (Some(4), &[]),
            (Some(4), &[index, (SLURM_ID, "3")]),
        ] {
            assert!(auto(count, variables).is_err(), "{variables:?}");
        }
    }

    #[test]
    fn an_array_counts_from_its_first_number_by_its_step() {
        assert_eq!(array("0", ("0", "3", "4")), Ok(Shard { index: 0, count: 4 }));
        assert_eq!(array("4", ("1", "4", "4")), Ok(Shard { index: 3, count: 4 }));
        assert_eq!(array("9", ("1", "13", "4")), Ok(Shard { index: 2, count: 4 }));
        assert_eq!(array("7", ("7", "7", "1")), Ok(Shard { index: 0, count: 1 }));
        for (id, of) in [("4", ("1", "7", "4")), ("1", ("1", "8", "3")), ("0", ("1", "4", "4"))] {
            assert!(array(id, of).is_err(), "{id} of {of:?}");
        }
        assert!(auto(None, &[(SLURM_ID, "1")]).is_err());
        // A single task that is made again, of an array that is numbered from 0.
        let again = [(SLURM_ID, "3"), (SLURM_FIRST, "3"), (SLURM_LAST, "3"), (SLURM_COUNT, "1")];
        assert_eq!(auto(Some(8), &again), Ok(Shard { index: 3, count: 8 }));
    }

    #[test]
    fn every_run_is_in_exactly_one_part() {
        for count in [1, 2, 3, 7, 20] {
            let mut all: Vec<u64> = (0..count).flat_map(|index| Shard { index, count }.of(0..17)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..17).collect::<Vec<_>>());
        }
    }
}
