//! Maps drawn with characters: reads rows and a legend into cells, areas and marks.
//!
//! In: an [`AsciiDef`]. Out: [`AsciiCells`], and findings for characters without a meaning. Holds: row 0 lies
//! at the smallest z; cells with one area name are one area; areas are numbered in the order of the legend.
//! Not here: whether names clash with others (`resolve`).

use super::def::AsciiDef;
use super::diagnostic::{Findings, Located, PendingDiagnostic, code};
use super::drawing::{Drawing, DrawnArea, LegendAreas, placed_marks, set_sight};
use crate::base::geom::Point;
use crate::base::ordered;

/// The cells of an ascii map.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AsciiCells {
    pub width: u32,
    pub depth: u32,
    /// As drawn, every area available: `z * width + x`.
    pub walkable: Vec<bool>,
    /// Price of a metre.
    pub factor: Vec<f32>,
    /// 0 for none, else the number of the area plus one.
    pub area: Vec<u16>,
    /// Names of the areas, where they are first named, and the cells they reach over.
    pub areas: Vec<DrawnArea>,
    /// Marks of the legend and the middle of their cell.
    pub marks: Vec<(Located<String>, String, Point)>,
}

/// What one character means, looked up once for each cell.
#[derive(Clone, Copy)]
struct CharacterMeaning {
    walkable: bool,
    factor: f32,
    area: u16,
    /// The entry of the legend it comes from.
    entry: Option<usize>,
}

/// The cells of a map. None after an error in its rows.
pub(crate) fn lay_out(findings: &mut Findings, def: &AsciiDef) -> Option<AsciiCells> {
    let drawing = Drawing::of_navigation(&def.rows);
    let width = drawing.width(findings)?;
    let mut cells = AsciiCells { width: width as u32, depth: def.rows.len() as u32, ..AsciiCells::default() };
    let meanings = meanings(findings, def, &mut cells);
    let mut drawn: Vec<Option<Point>> = vec![None; def.legend.len()];
    let sound = drawing.read(findings, width, &meanings, |findings, meaning: CharacterMeaning, x, z| {
        cells.walkable.push(meaning.walkable);
        cells.factor.push(meaning.factor);
        cells.area.push(meaning.area);
        note_cell(findings, def, &mut cells, &mut drawn, CellSeen { meaning, x, z })
    });
    let marks = def.legend.iter().zip(drawn).map(|((character, legend), at)| (character, &legend.mark, at));
    cells.marks = placed_marks(findings, marks);
    sound.then_some(cells)
}

fn meanings(
    findings: &mut Findings,
    def: &AsciiDef,
    cells: &mut AsciiCells,
) -> Vec<(char, CharacterMeaning)> {
    let plain = |walkable| CharacterMeaning { walkable, factor: 1.0, area: 0, entry: None };
    let mut meanings = vec![('#', plain(false)), ('.', plain(true))];
    let mut areas = LegendAreas::default();
    for (entry, (character, legend)) in def.legend.iter().enumerate() {
        let area = areas.number(findings, character.value, legend.area.as_ref());
        set_sight(findings, &mut areas.list, character, area, legend.blocks_sight);
        let factor = legend.cost.unwrap_or(1.0) as f32;
        meanings.push((
            character.value,
            CharacterMeaning { walkable: legend.walkable, factor, area, entry: Some(entry) },
        ));
    }
    cells.areas = areas.list;
    ordered::sort_by_key(&mut meanings, |(character, _)| *character);
    meanings
}

/// A cell of the drawing, and what its character means.
struct CellSeen {
    meaning: CharacterMeaning,
    x: usize,
    z: usize,
}

/// Counts a cell for its area and its mark. False when its mark stands on the map already.
fn note_cell(
    findings: &mut Findings,
    def: &AsciiDef,
    cells: &mut AsciiCells,
    drawn: &mut [Option<Point>],
    CellSeen { meaning, x, z }: CellSeen,
) -> bool {
    let size = def.sizes.cell_size_m;
    let corner = [def.origin[0] + x as f64 * size, def.origin[1] + z as f64 * size];
    if let Some(area) = usize::from(meaning.area).checked_sub(1).and_then(|index| cells.areas.get_mut(index))
    {
        area.cells += 1;
        area.bounds.include(corner);
        area.bounds.include([corner[0] + size, corner[1] + size]);
    }
    let Some(entry) = meaning.entry.filter(|entry| def.legend[*entry].1.mark.is_some()) else { return true };
    if drawn[entry].is_some() {
        let row = &def.rows[z];
        let character = def.legend[entry].0.value;
        findings.error(|| {
            let message = format!(
                "navigation.rows[{z}] has {character:?} again, expected one cell, because it is a mark"
            );
            PendingDiagnostic::new(code::DUPLICATE_NAME, row.span, message)
                .at(format!("/navigation/rows/{z}"))
        });
        return false;
    }
    drawn[entry] = Some([corner[0] + 0.5 * size, corner[1] + 0.5 * size]);
    true
}
