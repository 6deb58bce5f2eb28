//! Shows mistakes to people: the file, the line, a caret under the place, and advice.
//!
//! In: diagnostics of levels, failures of commands. Out: text for a terminal. Holds: control characters and
//! marks of direction from files never reach the terminal (fault:C19); a line of ten megabytes is cut to the
//! part that matters (fault:F41). Not here: finding mistakes (`level`, `script`), where it goes (`output`).

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use walkon_shell::CommandFailure;

use super::output::ColorWhen;
use super::output::is_colored;
use crate::level::{Diagnostic, Severity};
use crate::view::ascii::is_unseen;

/// Most characters of a line that are shown.
const LINE_MAX: usize = 160;
/// Characters shown before the place, when the line is longer.
const BEFORE: usize = 40;

/// Something to show with its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportedFinding<'a> {
    pub severity: Severity,
    /// A word for the kind; empty for none.
    pub code: &'a str,
    pub message: &'a str,
    /// The file as it should be shown.
    pub path: &'a str,
    /// From 1; 0 for the whole file.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Characters from there on that are meant; at least one is shown.
    pub length: usize,
    pub help: Option<&'a str>,
}

impl<'a> ReportedFinding<'a> {
    /// The text of a diagnostic about the file at `path`, whose text is `text`.
    pub fn of(diagnostic: &'a Diagnostic, path: &'a str, text: &str) -> Self {
        let is_whole = (diagnostic.span.start, diagnostic.span.end, diagnostic.line) == (0, 0, 1);
        let span = diagnostic.span.start as usize..diagnostic.span.end as usize;
        let length =
            text.get(span).map_or(1, |meant| meant.lines().next().unwrap_or_default().chars().count());
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            path,
            // What is about the whole file shows none of its lines.
            line: if is_whole { 0 } else { diagnostic.line },
            column: diagnostic.column,
            length,
            help: diagnostic.help.as_deref(),
        }
    }
}

/// A fault of a script, to be shown with its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownFault<'a> {
    pub message: &'a str,
    /// The script as it should be shown.
    pub path: &'a str,
    /// From 1; 0 when it is not known.
    pub line: u32,
    /// On whose behalf it ran, and in which call; empty while a file loads.
    pub whose: &'a str,
    /// Where the script stood, innermost first; empty when the line says it all.
    pub frames: &'a [&'a str],
}

/// Shows findings, with colours or without.
pub(super) struct Reporter {
    renderer: Renderer,
}

impl Reporter {
    /// With colours as asked for.
    pub fn new(color: ColorWhen) -> Self {
        let colored = is_colored(color, &std::io::stderr());
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        Self { renderer: renderer.decor_style(DecorStyle::Ascii) }
    }

    /// A finding with the line it is about, from the `text` of its file.
    pub fn finding(&self, finding: &ReportedFinding<'_>, text: &str) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let message = clean(finding.message);
        let mut title = level.primary_title(&message);
        if !finding.code.is_empty() {
            title = title.id(finding.code);
        }
        let path = clean(finding.path);
        let shown =
            (finding.line > 0).then(|| excerpt(text, finding.line, finding.column, finding.length)).flatten();
        let help = finding.help.map(clean);
        let place = match finding.line {
            0 => path.clone(),
            line => format!("{path}:{line}:{}", finding.column),
        };
        let mut group = match &shown {
            Some(line) => title.element(
                Snippet::source(line.text.as_str())
                    .line_start(finding.line as usize)
                    .path(place.as_str())
                    .annotation(AnnotationKind::Primary.span(line.span.clone())),
            ),
            None if path.is_empty() => Group::with_title(title),
            // A place at the end of a file has no line to show.
            None => Group::with_title(title).element(annotate_snippets::Origin::path(place.as_str())),
        };
        if let Some(help) = &help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let text = self.renderer.render(&[group]);
        // The renderer writes a place after the path by itself: that of the part of the line it was given.
        let place = format!(":{}:{}", finding.line, finding.column);
        let Some((before, after)) = text.split_once(&format!("{place}:{}:", finding.line)) else {
            return text;
        };
        format!("{before}{place}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
    }

    /// A fault with the line of the script, from the `text` of its file, and the frames it went through.
    pub fn fault(&self, fault: &ShownFault<'_>, text: &str) -> String {
        let line = text.lines().nth(fault.line.max(1) as usize - 1).unwrap_or_default();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        let finding = ReportedFinding {
            severity: Severity::Error,
            code: "",
            message: fault.message,
            path: fault.path,
            line: fault.line,
            column: indent as u32 + 1,
            length: line.trim().chars().count(),
            help: None,
        };
        let mut shown = self.finding(&finding, text);
        let whose = (!fault.whose.is_empty()).then(|| format!("in {}", clean(fault.whose)));
        let frames = fault.frames.iter().map(|frame| format!("at {}", clean(frame)));
        for note in whose.into_iter().chain(frames) {
            shown.push_str(&format!("\n  = {note}"));
        }
        shown
    }

    /// A failure without a line; none when there is nothing left to say.
    pub fn failure(&self, failure: &CommandFailure) -> Option<String> {
        let CommandFailure::Message { message, help, .. } = failure else { return None };
        let (message, help) = (clean(message), help.as_deref().map(clean));
        let mut group = Group::with_title(Level::ERROR.primary_title(&message));
        if let Some(help) = &help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        Some(self.renderer.render(&[group]))
    }
}

/// Text with everything visible: control characters and marks of direction as escapes.
pub(super) fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(' '),
            c if is_unseen(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

struct Excerpt {
    text: String,
    span: std::ops::Range<usize>,
}

/// The part of a line around a column, every character as one that can be shown.
fn excerpt(text: &str, line: u32, column: u32, length: usize) -> Option<Excerpt> {
    let line = text.lines().nth(line as usize - 1)?;
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let at = column.max(1) as usize - 1;
    let first = if line.chars().count() > LINE_MAX { at.saturating_sub(BEFORE) } else { 0 };
    let cut = if first > 0 { "... " } else { "" };
    let mut shown = String::from(cut);
    let (mut start, mut end) = (None, 0);
    for (index, c) in line.chars().enumerate().skip(first).take(LINE_MAX) {
        if index == at {
            start = Some(shown.len());
        }
        shown.push(match c {
            '\t' => ' ',
            c if is_unseen(c) => '\u{fffd}',
            c => c,
        });
        if index < at + length.max(1) {
            end = shown.len();
        }
    }
    let start = start.unwrap_or(shown.len());
    Some(Excerpt { span: start..end.max(start), text: shown })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, line: u32, column: u32, length: usize) -> String {
        let finding = ReportedFinding {
            severity: Severity::Error,
            code: "unknown-field",
            message: "unknown field \"cellsize\"",
            path: "levels/a.json",
            line,
            column,
            length,
            help: Some("did you mean \"cellSize\"?"),
        };
        Reporter::new(ColorWhen::Never).finding(&finding, text)
    }

    #[test]
    fn the_line_the_place_and_the_advice_are_shown() {
        let text = shown("{\n  \"cellsize\": 1\n}\n", 2, 3, 10);
        for part in [
            "error[unknown-field]: unknown field",
            "levels/a.json:2:3",
            "\"cellsize\": 1",
            "^^^^^^^^^^",
            "help: did you mean",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn a_place_behind_the_last_line_is_named_with_the_file() {
        let text = shown("{\"version\": 1,\n", 2, 1, 1);
        assert!(text.contains("--> levels/a.json:2:1"), "{text}");
    }

    #[test]
    fn fault_f41_a_very_long_line_is_shown_by_the_part_that_matters() {
        let line = format!("{}\"cellsize\"{}", "x".repeat(5_000_000), "y".repeat(5_000_000));
        let text = shown(&line, 1, 5_000_001, 10);
        assert!(text.len() < 2000 && text.contains("cellsize") && text.contains("^^^^^^^^^^"), "{text}");
    }

    #[test]
    fn the_place_of_a_long_line_is_that_in_the_file() {
        for column in [1, 2, 40, 161, 226, 390] {
            let line = format!("{}\"cellsize\"{}", "x".repeat(column - 1), "y".repeat(400 - column));
            for (text, number) in [(line.clone(), 1), (format!("a\n\n{line}"), 3)] {
                let shown = shown(&text, number, column as u32, 10);
                let heading = shown.lines().nth(1).unwrap_or_default().trim().to_owned();
                assert_eq!(heading, format!("--> levels/a.json:{number}:{column}"), "{shown}");
            }
        }
    }

    #[test]
    fn fault_c19_nothing_from_a_file_commands_the_terminal() {
        let text = shown("\u{1b}[31m\u{202e}\u{7}abc", 1, 1, 3);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text:?}");
        assert_eq!(clean("a\u{1b}[31m\nb\u{202e}"), "a\\u{1b}[31m b\\u{202e}");
    }
}
