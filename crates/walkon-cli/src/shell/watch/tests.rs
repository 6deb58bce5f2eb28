//! Real files, generous limits: a saved file is read, whatever way an editor saves it.

use walkon_shell::project::find_level;

use super::*;

const LEVEL: &str = r#"{ "name": "room",
  "navigation": { "areas": [ { "name": "hall", "polygon": [[0,0],[9,0],[9,9],[0,9]] } ] } }"#;

/// A project in a folder of its own.
struct Place {
    folder: tempfile::TempDir,
    found: FoundLevel,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("walkon.json", "{}");
        write("levels/room.json", LEVEL);
        write("scripts/room.lua", "return 0");
        write("scripts/behaviours/guard.lua", "return {}");
        let found = find_level(&folder.path().join("levels/room.json")).unwrap();
        Self { folder, found }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A watch over it that has seen that nothing has changed yet.
    fn watch(&self, method: WatchMethod) -> ProjectWatch<'_> {
        let level = crate::level::load(&self.found.path, &self.found.project.folder).unwrap();
        let scripts = self.found.project.scripts(&self.found.path).unwrap();
        let mut watch = ProjectWatch::open(&self.found, &scripts, &level.files, method);
        assert!(settled(&mut watch, Duration::from_millis(300)).is_none(), "nothing has changed");
        watch
    }
}

/// What changes within `time`. Each call stands for itself: the second between two reloads is not waited for.
fn settled(watch: &mut ProjectWatch<'_>, time: Duration) -> Option<Changed> {
    watch.debouncer = Debouncer::default();
    let began = Instant::now();
    while began.elapsed() < time {
        if let Some(changed) = watch.poll() {
            return Some(changed);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

/// The scripts that change next.
fn scripts(watch: &mut ProjectWatch<'_>) -> BTreeMap<String, Option<String>> {
    settled(watch, Duration::from_secs(20)).expect("a change is noticed").reload.scripts
}

fn one(name: &str, text: Option<&str>) -> BTreeMap<String, Option<String>> {
    BTreeMap::from([(name.to_owned(), text.map(str::to_owned))])
}

#[test]
fn a_saved_script_is_read_by_its_name_whoever_notices_it() {
    for method in [WatchMethod::System, WatchMethod::Polling] {
        let place = Place::new();
        let mut watch = place.watch(method);
        place.write("scripts/behaviours/guard.lua", "return { 1 }");
        assert_eq!(scripts(&mut watch), one("behaviours/guard.lua", Some("return { 1 }")));
        place.write("scripts/new/wolf.lua", "return { 2 }");
        assert_eq!(scripts(&mut watch), one("new/wolf.lua", Some("return { 2 }")), "a new folder as well");
        place.write("scripts/types/walkon.d.lua", "x");
        place.write("scripts/readme.txt", "x");
        assert!(settled(&mut watch, Duration::from_millis(600)).is_none(), "no scripts");
    }
}

#[test]
fn tests_are_no_part_of_a_running_level() {
    let place = Place::new();
    place.write("scripts/room_test.lua", "return 0");
    let mut watch = place.watch(WatchMethod::System);
    place.write("scripts/room_test.lua", "broken(");
    assert!(settled(&mut watch, Duration::from_millis(600)).is_none());
    std::fs::remove_file(place.path("scripts/room_test.lua")).unwrap();
    assert!(settled(&mut watch, Duration::from_millis(600)).is_none());
    place.write("scripts/room_test.lua", "return 1");
    place.write("scripts/room.lua", "return 1");
    assert_eq!(scripts(&mut watch), one("room.lua", Some("return 1")));
}

#[test]
fn fault_e6_a_hundred_atomic_replacements_are_all_seen() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    for number in 0..100 {
        let text = format!("return {number}00");
        place.write("scripts/room.lua~", &text);
        std::fs::rename(place.path("scripts/room.lua~"), place.path("scripts/room.lua")).unwrap();
        assert_eq!(scripts(&mut watch), one("room.lua", Some(&text)));
    }
}

#[test]
fn fault_e7_a_deleted_file_is_told_and_a_new_one_of_its_name_is_read() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    std::fs::remove_file(place.path("scripts/room.lua")).unwrap();
    assert_eq!(scripts(&mut watch), one("room.lua", None));
    place.write("scripts/room.lua", "return 0");
    assert_eq!(scripts(&mut watch), one("room.lua", Some("return 0")), "also with the text it had");
}

#[test]
fn fault_e8_a_renamed_file_is_deleted_and_created_and_so_are_two_that_are_swapped() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    std::fs::rename(place.path("scripts/room.lua"), place.path("scripts/hall.lua")).unwrap();
    let changed = scripts(&mut watch);
    assert_eq!(changed.get("hall.lua"), Some(&Some("return 0".to_owned())));
    assert_eq!(changed.get("room.lua"), Some(&None));
    let (guard, hall, third) =
        (place.path("scripts/behaviours/guard.lua"), place.path("scripts/hall.lua"), place.path("scripts/x"));
    for (from, to) in [(&guard, &third), (&hall, &guard), (&third, &hall)] {
        std::fs::rename(from, to).unwrap();
    }
    let changed = scripts(&mut watch);
    assert_eq!(changed.get("hall.lua"), Some(&Some("return {}".to_owned())));
    assert_eq!(changed.get("behaviours/guard.lua"), Some(&Some("return 0".to_owned())));
    std::fs::rename(place.path("scripts/behaviours"), place.path("scripts/minds")).unwrap();
    let changed = scripts(&mut watch);
    assert_eq!(changed.get("behaviours/guard.lua"), Some(&None), "a folder takes its files along");
    assert_eq!(changed.get("minds/guard.lua"), Some(&Some("return 0".to_owned())));
}

#[test]
fn fault_e9_what_is_saved_unchanged_is_nothing() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    place.write("scripts/room.lua", "return 0");
    place.write("levels/room.json", LEVEL);
    assert!(settled(&mut watch, Duration::from_millis(600)).is_none());
}

#[test]
fn a_file_that_was_refused_and_is_saved_again_is_offered_again() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    place.write("scripts/room.lua", "return 1");
    assert_eq!(scripts(&mut watch), one("room.lua", Some("return 1")));
    for _ in 0..2 {
        watch.offer_again(["room.lua".to_owned()]);
        watch.notice_everything();
        assert!(settled(&mut watch, Duration::from_millis(300)).is_none(), "nothing was saved");
        place.write("scripts/room.lua", "return 1");
        assert_eq!(scripts(&mut watch), one("room.lua", Some("return 1")));
    }
    watch.offer_again([]);
    place.write("scripts/room.lua", "return 1");
    assert!(settled(&mut watch, Duration::from_millis(600)).is_none(), "it runs by now");
}

#[cfg(unix)]
#[test]
fn what_a_script_leads_to_is_watched_where_it_lies_in_the_project() {
    for method in [WatchMethod::System, WatchMethod::Polling] {
        let place = Place::new();
        place.write("shared/a.lua", "return 1");
        place.write("more/b.lua", "return 1");
        std::os::unix::fs::symlink("../shared/a.lua", place.path("scripts/a.lua")).unwrap();
        let mut watch = place.watch(method);
        place.write("shared/a.lua", "return 22");
        assert_eq!(scripts(&mut watch), one("a.lua", Some("return 22")), "{method:?}");
        std::os::unix::fs::symlink("../more/b.lua", place.path("scripts/b.lua")).unwrap();
        assert_eq!(scripts(&mut watch), one("b.lua", Some("return 1")), "{method:?}, a new one");
        place.write("more/b.lua", "return 22");
        assert_eq!(scripts(&mut watch), one("b.lua", Some("return 22")), "{method:?}, a new one");
    }
}

#[test]
fn a_level_is_read_with_what_it_names_and_a_wrong_one_with_what_is_wrong() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    place.write("levels/room.json", &LEVEL.replace("[9,9]", "[9,8]"));
    let changed = settled(&mut watch, Duration::from_secs(20)).unwrap();
    let level = changed.reload.level.unwrap();
    assert_eq!((level.path.as_str(), level.files.len()), ("levels/room.json", 1));
    assert!(changed.refused.is_none());
    place.write("levels/room.json", &LEVEL.replace("polygon", "polygone"));
    let changed = settled(&mut watch, Duration::from_secs(20)).unwrap();
    let refused = changed.refused.unwrap();
    assert!(refused.diagnostics.iter().any(|found| found.message.contains("polygone")), "{refused:?}");
    place.write("levels/room.json", LEVEL);
    let changed = settled(&mut watch, Duration::from_secs(20)).unwrap();
    assert!(changed.reload.level.is_some() && changed.refused.is_none(), "mended");
    std::fs::remove_file(place.path("levels/room.json")).unwrap();
    assert!(settled(&mut watch, Duration::from_millis(600)).is_none(), "the old level runs on");
    assert_eq!(watch.take_warnings(), ["levels/room.json: it cannot be read; the old version runs on"]);
    assert_eq!(watch.take_warnings(), [""; 0], "it is said once");
}

#[test]
fn a_script_that_is_no_text_is_left_alone_and_the_others_are_read() {
    let place = Place::new();
    let mut watch = place.watch(WatchMethod::System);
    std::fs::write(place.path("scripts/bad.lua"), [0xff, 0xfe]).unwrap();
    place.write("scripts/room.lua", "return 5");
    let mut changed = scripts(&mut watch);
    if changed.is_empty() {
        changed = scripts(&mut watch);
    }
    assert_eq!(changed, one("room.lua", Some("return 5")));
}

#[test]
fn fault_h12_real_time_is_measured_by_the_clock_that_nobody_sets() {
    let sources = [
        include_str!("../watch.rs"),
        include_str!("../cli/watch.rs"),
        include_str!("../cli/run.rs"),
        include_str!("../../../../walkon-shell/src/watchdog.rs"),
        include_str!("../trace.rs"),
    ];
    for source in sources {
        assert!(source.contains("Instant") && !source.contains(concat!("System", "Time")));
    }
}
