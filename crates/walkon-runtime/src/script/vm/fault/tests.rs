use super::*;

#[test]
fn the_place_comes_from_the_message_or_else_goes_in_front() {
    let named = CallFailure::new(FaultKind::Error, "lib/a.lua:7: broken".into(), Some(("guard.lua", 3)));
    assert_eq!(
        (named.file.as_str(), named.line, named.message.as_str()),
        ("lib/a.lua", 7, "lib/a.lua:7: broken")
    );
    let bare = CallFailure::new(FaultKind::Error, "broken".into(), Some(("guard.lua", 3)));
    assert_eq!(
        (bare.file.as_str(), bare.line, bare.message.as_str()),
        ("guard.lua", 3, "guard.lua:3: broken")
    );
    let lost = CallFailure::new(FaultKind::Error, "note: 12: broken".into(), None);
    assert_eq!((lost.file.as_str(), lost.line, lost.message.as_str()), ("", 0, "note: 12: broken"));
}

#[test]
fn long_messages_are_cut_between_letters() {
    let failure = CallFailure::new(FaultKind::Error, "ä".repeat(5000), None);
    assert_eq!(failure.message.len(), 4096);
    let failure = CallFailure::new(FaultKind::Error, format!("x{}", "ä".repeat(5000)), None);
    assert_eq!(failure.message.len(), 4095);
}
