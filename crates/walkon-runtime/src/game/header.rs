//! The first line of a trace: identifies the run, so that `replay` can repeat it or say why it cannot.
//!
//! In: a run's level, scripts, limits and options. Out: one line, and the same from the line. Holds:
//! every setting that decides the results of a run stands in it; a field that a replay cannot honour is
//! named. Not here: facts (`recorder`), files on disk.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::hash;
use crate::base::ordered::CollectOrdered;
use crate::game::headless::Bound;
use crate::game::line::{JsonLine, quoted};
use crate::game::recorder::RecordOptions;
use crate::level::{Level, base64};
use crate::script::vm::limits::LUAU_VERSION;

/// The form of traces that this version writes and reads.
pub const TRACE_FORM: u64 = 1;

/// What the first line of a trace says.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Version of walkon that wrote it.
    pub walkon: String,
    /// Form of the trace.
    pub trace: u64,
    /// Version of the VM: its fuel is counted in its own safepoints (fault:I11).
    pub luau: String,
    /// Name of the level.
    pub level: String,
    /// Its file, below the root of the project.
    pub level_file: String,
    /// Over the level and every file it names.
    pub level_hash: u64,
    /// Hash of each script by its path below the script folders.
    pub scripts: BTreeMap<String, u64>,
    /// Seed of the run.
    pub seed: u64,
    /// Ticks a second.
    pub tick_rate: u64,
    /// When the run was to end.
    pub bound: Bound,
    /// `level.args`.
    pub args: Vec<String>,
    /// What was to be written down.
    pub options: RecordOptions,
    /// Node expansions of all searches in a tick.
    pub path_budget: u64,
    /// The limits in force, by the names of levels; none for one that the map decides.
    pub limits: BTreeMap<String, Option<u64>>,
    /// The texts that the run began with, when files may change under it.
    pub texts: Option<ProjectTexts>,
    /// The save game that the run began from.
    pub from: Option<Vec<u8>>,
    /// Whether choices of scenes waited for an answer from the start on, as
    /// [`Setup::is_interactive`](crate::game::Setup::is_interactive) says.
    pub is_interactive: bool,
}

/// Texts of a project as a run began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTexts {
    /// Scripts by path below the script folders.
    pub scripts: BTreeMap<String, String>,
    /// The level and the files it names, by path below the root.
    pub files: BTreeMap<String, String>,
}

/// The settings of a run that the level does not give.
#[derive(Clone, Debug)]
pub struct RunSetup<'a> {
    /// The level's file, below the root of the project.
    pub level_file: &'a str,
    /// Seed of the run.
    pub seed: u64,
    /// When it ends.
    pub bound: Bound,
    /// `level.args`.
    pub args: Vec<String>,
    /// What is written down.
    pub options: RecordOptions,
}

impl Header {
    /// The first line of the run of a level with these scripts and limits, of which no choice waits for an
    /// answer unless an input says so: else set `is_interactive`. Without limits none are compared with those
    /// of the level as it is replayed.
    #[must_use]
    pub fn of(
        level: &Level,
        scripts: &BTreeMap<String, String>,
        limits: BTreeMap<String, Option<u64>>,
        run: RunSetup<'_>,
    ) -> Self {
        let hashes = scripts.iter().map(|(path, text)| (path.clone(), hash::of_bytes(text.as_bytes())));
        Self {
            walkon: env!("CARGO_PKG_VERSION").to_owned(),
            trace: TRACE_FORM,
            luau: LUAU_VERSION.to_owned(),
            level: level.def.name.clone(),
            level_file: run.level_file.to_owned(),
            level_hash: level.hash(),
            scripts: hashes.collect_map(),
            seed: run.seed,
            tick_rate: u64::from(level.def.tick_rate),
            bound: run.bound,
            args: run.args,
            options: run.options,
            path_budget: u64::from(level.def.path_budget),
            limits,
            texts: None,
            from: None,
            is_interactive: false,
        }
    }

    /// The line, without line break.
    #[must_use]
    pub fn line(&self) -> String {
        let hashes =
            self.scripts.iter().fold(JsonLine::default(), |line, (path, hash)| line.hash(path, *hash));
        let args: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
        let until = self.bound.until.as_deref().map_or_else(|| "null".to_owned(), quoted);
        let limits = self.limits.iter().fold(JsonLine::default(), |line, (name, value)| {
            line.raw(name, &value.map_or_else(|| "null".to_owned(), |value| value.to_string()))
        });
        let line = JsonLine::default()
            .text("walkon", &self.walkon)
            .count("trace", self.trace)
            .text("luau", &self.luau)
            .text("level", &self.level)
            .text("levelFile", &self.level_file)
            .hash("levelHash", self.level_hash)
            .raw("scripts", &hashes.finish())
            .count("seed", self.seed)
            .count("tickRate", self.tick_rate)
            .count("ticks", self.bound.ticks_max)
            .raw("until", &until)
            .flag("strict", self.bound.is_strict)
            .raw("args", &format!("[{}]", args.join(",")))
            .count("hashEvery", self.options.hash_every)
            .count("positions", self.options.positions_every)
            .count("detail", self.options.detail_every)
            .count("pathBudget", self.path_budget)
            .raw("limits", &limits.finish());
        let line = match &self.from {
            Some(save) => line.text("from", &base64::text_of(save)),
            None => line,
        };
        let line = if self.is_interactive { line.flag("interactive", true) } else { line };
        match &self.texts {
            Some(texts) => line.raw("texts", &texts.line()).finish(),
            None => line.finish(),
        }
    }

    /// Reads the line.
    ///
    /// # Errors
    /// A sentence that names the field that is missing or not what it should be.
    pub fn read(line: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(line).map_err(|error| format!("it is not JSON: {error}"))?;
        if json["trace"].as_u64().is_none() || json["walkon"].as_str().is_none() {
            return Err("it is not the header of a trace".to_owned());
        }
        let field = HeaderFields(&json);
        Ok(Self {
            walkon: field.text("walkon")?,
            trace: field.count("trace")?,
            luau: field.given("luau", |field| field.text("luau"))?.unwrap_or_default(),
            level: field.text("level")?,
            level_file: field.text("levelFile")?,
            level_hash: field.hash(&json["levelHash"], "levelHash")?,
            scripts: field.map("scripts", |value| field.hash(value, "scripts"))?,
            seed: field.count("seed")?,
            tick_rate: field.count("tickRate")?,
            bound: Bound {
                is_strict: field.flag("strict")?,
                ticks_max: field.count("ticks")?,
                until: if json["until"].is_null() { None } else { Some(field.text("until")?) },
            },
            args: field.texts("args")?,
            options: RecordOptions {
                trace: true,
                hash_every: field.interval("hashEvery")?.unwrap_or(1),
                positions_every: field.interval("positions")?.unwrap_or(0),
                detail_every: field.interval("detail")?.unwrap_or(0),
                sentences: false,
            },
            path_budget: field.count("pathBudget")?,
            limits: field.map("limits", limit)?,
            texts: field.given("texts", |_| ProjectTexts::read(&json["texts"]))?,
            from: field.given("from", |field| field.bytes("from"))?,
            is_interactive: field.given("interactive", |field| field.flag("interactive"))?.unwrap_or(false),
        })
    }

    /// Why a run made with `here` is not the run that this trace is of; values that the trace itself decides
    /// (seed, bound, arguments) are not compared. None when it is the same run. Scripts that the trace does
    /// not know are no reason.
    #[must_use]
    pub fn refusal(&self, here: &Self) -> Option<String> {
        let differs = |what: &str, there: &str, here: &str| {
            (there != here).then(|| format!("it is of {what} \"{there}\", this is \"{here}\""))
        };
        let hash = |hash: u64| format!("{hash:016x}");
        differs("trace form", &self.trace.to_string(), &here.trace.to_string())
            .or_else(|| differs("walkon", &self.walkon, &here.walkon))
            .or_else(|| differs("Luau", &self.luau, &here.luau))
            .or_else(|| self.other_level(here))
            .or_else(|| self.other_script(here))
            .or_else(|| {
                let what = format!("a level {} with the hash", self.level_file);
                differs(&what, &hash(self.level_hash), &hash(here.level_hash))
            })
            .or_else(|| differs("tick rate", &self.tick_rate.to_string(), &here.tick_rate.to_string()))
            .or_else(|| differs("pathBudget", &self.path_budget.to_string(), &here.path_budget.to_string()))
            .or_else(|| self.other_limit(here))
    }

    fn other_level(&self, here: &Self) -> Option<String> {
        (self.level != here.level)
            .then(|| format!("it is of level \"{}\", this is \"{}\"", self.level, here.level))
    }

    fn other_script(&self, here: &Self) -> Option<String> {
        self.scripts.iter().find_map(|(path, there)| match here.scripts.get(path) {
            None => Some(format!("it is of a project with the script \"{path}\", which is missing")),
            Some(hash) if hash != there => Some(format!(
                "it is of another version of the script \"{path}\" (hash {there:016x}, this is {hash:016x})"
            )),
            Some(_) => None,
        })
    }

    fn other_limit(&self, here: &Self) -> Option<String> {
        // A host that states none leaves them to what the level says.
        if self.limits.is_empty() {
            return None;
        }
        let names = self.limits.keys().chain(here.limits.keys());
        let shown = |limit: Option<&Option<u64>>| match limit {
            Some(Some(value)) => value.to_string(),
            Some(None) => "the map's".to_owned(),
            None => "nothing".to_owned(),
        };
        let other = names.into_iter().find(|name| self.limits.get(*name) != here.limits.get(*name))?;
        let (there, here) = (shown(self.limits.get(other)), shown(here.limits.get(other)));
        Some(format!("it is of a run with {other} = {there}, here it is {here}"))
    }
}

impl ProjectTexts {
    fn line(&self) -> String {
        let all = |texts: &BTreeMap<String, String>| {
            texts.iter().fold(JsonLine::default(), |line, (path, text)| line.text(path, text)).finish()
        };
        JsonLine::default().raw("scripts", &all(&self.scripts)).raw("files", &all(&self.files)).finish()
    }

    fn read(json: &Value) -> Result<Self, String> {
        let field = HeaderFields(json);
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("a text is not text".to_owned());
        let in_texts = |why: String| format!("\"texts\": {why}");
        let scripts = field.map("scripts", text).map_err(in_texts)?;
        Ok(Self { scripts, files: field.map("files", text).map_err(in_texts)? })
    }
}

/// A limit: a whole number, or nothing where the map decides.
fn limit(value: &Value) -> Result<Option<u64>, String> {
    let number = value.as_u64();
    let is_limit = number.is_some() || value.is_null();
    is_limit.then_some(number).ok_or_else(|| "\"limits\" has one that is not a whole number".to_owned())
}

/// The fields of an object, or a sentence about the one that is wrong.
struct HeaderFields<'a>(&'a Value);

impl HeaderFields<'_> {
    /// A field that older traces and other hosts may leave out.
    fn given<T>(&self, name: &str, read: impl Fn(&Self) -> Result<T, String>) -> Result<Option<T>, String> {
        self.0.get(name).map(|_| read(self)).transpose()
    }

    /// One in so many; none where the field is left out.
    fn interval(&self, name: &str) -> Result<Option<u64>, String> {
        self.given(name, |field| field.count(name))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        self.0[name].as_bool().ok_or_else(|| format!("\"{name}\" is not true or false"))
    }

    fn text(&self, name: &str) -> Result<String, String> {
        self.0[name].as_str().map(str::to_owned).ok_or_else(|| format!("\"{name}\" is not text"))
    }

    fn count(&self, name: &str) -> Result<u64, String> {
        self.0[name].as_u64().ok_or_else(|| format!("\"{name}\" is not a whole number"))
    }

    /// Bytes in base64.
    fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        let text = self.text(name)?;
        base64::bytes_of(&text).map_err(|wrong| format!("\"{name}\" {}", wrong.what))
    }

    fn hash(&self, value: &Value, name: &str) -> Result<u64, String> {
        let digits = value.as_str().filter(|digits| digits.len() == 16);
        let hash = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        hash.ok_or_else(|| format!("\"{name}\" is not a hash of 16 digits"))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let list = self.0[name].as_array().ok_or_else(|| format!("\"{name}\" is not a list"))?;
        let texts = list.iter().map(|value| value.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().ok_or_else(|| format!("\"{name}\" is not a list of texts"))
    }

    fn map<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<BTreeMap<String, T>, String> {
        let object = self.0[name].as_object().ok_or_else(|| format!("\"{name}\" is not an object"))?;
        object.iter().map(|(key, value)| Ok((key.clone(), read(value)?))).try_collect_map()
    }
}
