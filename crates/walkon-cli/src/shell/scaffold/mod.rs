//! The files of a new project.
//!
//! In: the name of the project. Out: its files with their paths below the root. Holds: `check` and `test`
//! pass on the project as it is written (tests/cli/scaffold.rs); the schema is that of this version, made by
//! the code that `schema` prints. Templates of JSON end in `.in`, so that nobody takes this folder for a
//! project. Not here: writing files, and the editor definitions, which name what stands in the project
//! (`cli/new`).

use serde_json::Value;

/// Files that stand in a project as they are: path below the root, text.
const FILES: [(&str, &str); 13] = [
    ("levels/first.json", include_str!("first.json.in")),
    ("scripts/first.lua", include_str!("first.lua")),
    ("scripts/first_test.lua", include_str!("first_test.lua")),
    ("scripts/behaviours/guard.lua", include_str!("guard.lua")),
    ("scripts/cinematics/welcome.lua", include_str!("welcome.lua")),
    (".luaurc", include_str!("luaurc.json.in")),
    (".luarc.json", include_str!("luarc.json.in")),
    (".vscode/settings.json", include_str!("vscode_settings.json.in")),
    (".vscode/launch.json", include_str!("vscode_launch.json.in")),
    (".vscode/extensions.json", include_str!("vscode_extensions.json.in")),
    (".github/workflows/walkon.yml", include_str!("workflow.yml")),
    (".gitignore", include_str!("gitignore")),
    // Last of the texts, so that a folder that holds it is a whole project.
    ("walkon.json", include_str!("walkon.json.in")),
];
const README: &str = include_str!("README.md");
/// Where the schema of levels lies, beside the levels that name it.
const SCHEMA: &str = "levels/level.schema.json";

/// Every file of a new project, in the order in which they are written.
///
/// # Errors
/// When the schema is no JSON: a bug of ours.
pub(super) fn files(name: &str) -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut files = vec![
        ("README.md".to_owned(), README.replace("{{title}}", name)),
        (SCHEMA.to_owned(), serde_json::to_string_pretty(&crate::level::schema())? + "\n"),
    ];
    let quoted = Value::String(name.to_owned()).to_string();
    files.extend(FILES.iter().map(|(path, text)| ((*path).to_owned(), text.replace("{{name}}", &quoted))));
    Ok(files)
}
