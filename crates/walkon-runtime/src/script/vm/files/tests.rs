use super::*;

fn texts(paths: &[&str]) -> ScriptTexts {
    ScriptTexts::new(paths.iter().map(|path| ((*path).to_owned(), String::new()))).unwrap()
}

#[test]
fn a_name_is_the_path_or_the_stem_with_or_without_suffix() {
    let texts = texts(&["guard.lua", "lib/util.luau", "behaviours/baker.lua", "lib/guard.lua"]);
    for (asked, name) in [
        ("guard", "guard"),
        ("guard.lua", "guard"),
        ("lib/util", "lib/util"),
        ("util", "lib/util"),
        ("util.luau", "lib/util"),
        ("baker.lua", "behaviours/baker"),
        ("lib/guard", "lib/guard"),
    ] {
        assert_eq!(texts.resolve(asked), Ok(name), "{asked}");
    }
    for (asked, message) in [
        ("util.lua", "unknown script \"util.lua\"; did you mean \"util\"?"),
        ("Baker", "unknown script \"Baker\"; did you mean \"baker\"?"),
        ("gard", "unknown script \"gard\"; did you mean \"guard\"?"),
        (
            "scripts/lib/util.luau",
            "unknown script \"scripts/lib/util.luau\"; names count from below the script folders, expected \"lib/util.luau\"",
        ),
        ("scripts/gard.lua", "unknown script \"scripts/gard.lua\"; did you mean \"guard\"?"),
        ("", "an empty name, expected the name of a script"),
        ("lib\\util", "\"lib\\util\" has a backslash, expected \"lib/util\""),
        ("..\\util", "\"..\\util\" leads out of the script folders, expected a name below them"),
        ("../util", "\"../util\" leads out of the script folders, expected a name below them"),
    ] {
        assert_eq!(texts.resolve(asked).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_stem_of_two_files_has_to_be_written_out() {
    let error = texts(&["a/patrol.lua", "b/patrol.lua"]).resolve("patrol").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"patrol\" is the name of a/patrol.lua and b/patrol.lua; write one of them"
    );
}

#[test]
fn definitions_and_other_files_are_no_scripts() {
    let texts = texts(&[
        "types/walkon.lua",
        "a/types/x.lua",
        "api.d.lua",
        "api.d.luau",
        "notes.txt",
        ".lua",
        "types.lua",
    ]);
    assert_eq!(texts.files.by_name.keys().collect::<Vec<_>>(), ["types"]);
}

#[test]
fn two_files_of_one_name_are_refused() {
    let files = [("a.lua".to_owned(), String::new()), ("a.luau".to_owned(), String::new())];
    assert!(matches!(ScriptTexts::new(files), Err(FileError::Twice { .. })));
}

#[test]
fn fault_a22_texts_above_one_mebibyte_are_refused() {
    let file = |bytes| ScriptTexts::new([("a.lua".to_owned(), " ".repeat(bytes))]);
    assert!(file(1 << 20).is_ok());
    assert_eq!(
        file((1 << 20) + 1).unwrap_err().to_string(),
        "\"a.lua\" has 1048577 bytes, expected at most 1048576"
    );
}

#[test]
fn fault_c4_names_that_lead_outside_mean_no_file() {
    let texts = texts(&["guard.lua"]);
    for asked in [
        "../guard",
        "/guard",
        "a/../guard",
        "@guard",
        "C:guard",
        "a\\guard",
        "./guard",
        "guard/",
        "gu\0ard",
        "a//b",
    ] {
        let refused = texts.resolve(asked);
        assert!(
            matches!(refused, Err(FileError::Outside { .. } | FileError::Backslash { .. })),
            "{asked}: {refused:?}"
        );
        let path = format!("{asked}/x.lua");
        assert!(ScriptTexts::new([(path.clone(), String::new())]).is_err(), "{path}");
    }
}

/// What a name means, looked for in all files one after another.
fn means(texts: &ScriptTexts, asked: &str) -> Option<Vec<String>> {
    let matches = |name: &str, path: &str| name == asked || path == asked;
    let all = |is_meant: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
        let found = texts.files.by_name.iter().filter(|(name, file)| is_meant(name, &file.path));
        found.map(|(name, _)| name.clone()).collect()
    };
    let whole = all(&matches);
    let found =
        if whole.is_empty() { all(&|name: &str, path: &str| matches(stem(name), stem(path))) } else { whole };
    (!found.is_empty()).then_some(found)
}

#[test]
fn a_name_means_the_same_file_as_one_that_is_looked_for_among_all() {
    let paths = ["a.lua", "b/a.luau", "b/c.lua", "d/c.luau", "d/a.lua.lua", "e.lua.luau"];
    let asks = ["a", "a.lua", "a.luau", "a.lua.lua", "b/a", "b/a.luau", "c", "c.lua", "c.luau", "e", "e.lua"];
    for chosen in 0..1_u32 << paths.len() {
        let is_chosen = |bits: u32, at: usize| bits >> at & 1 == 1;
        let some = |bits: u32| (0..paths.len()).filter(move |&at| is_chosen(bits, at)).map(|at| paths[at]);
        // Once as they are given, and once deleted and given again.
        let given = texts(&some(chosen).collect::<Vec<_>>());
        let gone = some(!chosen).map(|path| (path.to_owned(), None)).collect();
        let left = texts(&paths).changed(&gone, |_| false).unwrap().0;
        for (texts, asked) in [&given, &left].into_iter().flat_map(|texts| asks.map(|asked| (texts, asked))) {
            let found = match texts.resolve(asked) {
                Ok(name) => Some(vec![name.to_owned()]),
                Err(FileError::Ambiguous { paths, .. }) => {
                    Some(paths.iter().filter_map(|path| script_name(path)).map(str::to_owned).collect())
                }
                Err(_) => None,
            };
            let sorted = |names: Option<Vec<String>>| names.map(|names| names.into_iter().collect_set());
            assert_eq!(sorted(found), sorted(means(texts, asked)), "{asked} among {chosen:b}");
        }
    }
}
