//! A small font of our own: capital letters six units high, every letter a few lines.
//!
//! In: a character. Out: its strokes, as points on a grid four units wide; row 0 is the top of a capital
//! letter, row 6 the line it stands on, row 8 the lowest tail. Holds: every character is five units wide with
//! the gap after it. Characters beyond ASCII are shown as an empty box. Not here: pixels.

/// Units from one character to the next.
pub(super) const ADVANCE_UNITS: f32 = 5.0;
/// Units of a line's height.
pub(super) const LINE_UNITS: f32 = ADVANCE_UNITS / 0.6;

/// Strokes of the characters from space to `~`: points are two digits, x and y; strokes are parted by spaces.
const STROKES: [&str; 95] = [
    "",                                 // space
    "2024 2626",                        // !
    "1012 3032",                        // "
    "1016 3036 0242 0444",              // #
    "413010010213334445361605 2026",    // $
    "4006 0010110100 3545463635",       // %
    "46121120310405162644",             // &
    "2022",                             // '
    "30212536",                         // (
    "10212516",                         // )
    "2125 1234 3214",                   // *
    "2125 0343",                        // +
    "252617",                           // ,
    "1333",                             // -
    "2626",                             // .
    "4006",                             // /
    "103041453616050110 2323",          // 0
    "112026 1636",                      // 1
    "01103041420646",                   // 2
    "01103041423323 334445361605 3313", // 3
    "36300444",                         // 4
    "400003334445361605",               // 5
    "413010010516364544331304",         // 6
    "004016",                           // 7
    "13020110304142331304051636454433", // 8
    "423313020110304145361605",         // 9
    "2323 2626",                        // :
    "2323 252617",                      // ;
    "410345",                           // <
    "0242 0444",                        // =
    "014305",                           // >
    "01103041422324 2626",              // ?
    "343322131425344541301001051636",   // @
    "062046 1434",                      // A
    "00063645443303 0030414233",        // B
    "4130100105163645",                 // C
    "00062645412000",                   // D
    "40000646 0333",                    // E
    "400006 0333",                      // F
    "41301001051636454323",             // G
    "0006 4046 0343",                   // H
    "1030 2026 1636",                   // I
    "4045361605",                       // J
    "0006 400346",                      // K
    "000646",                           // L
    "0600234046",                       // M
    "06004640",                         // N
    "103041453616050110",               // O
    "06003041423303",                   // P
    "103041453616050110 2446",          // Q
    "06003041423303 2346",              // R
    "413010010213334445361605",         // S
    "0040 2026",                        // T
    "000516364540",                     // U
    "002640",                           // V
    "0016233640",                       // W
    "0046 4006",                        // X
    "002340 2326",                      // Y
    "00400646",                         // Z
    "30202636",                         // [
    "0046",                             // backslash
    "10202616",                         // ]
    "122032",                           // ^
    "0747",                             // _
    "1021",                             // `
    "12324346 441405163645",            // a
    "0006 0312324345361605",            // b
    "4332120305163645",                 // c
    "4046 4332120305163645",            // d
    "04444332120305163645",             // e
    "40302126 1232",                    // f
    "4247381807 4332120305163645",      // g
    "0006 0312324346",                  // h
    "2226 2020",                        // i
    "32372818 3030",                    // j
    "0006 320436",                      // k
    "10202536",                         // l
    "0206 03122326 23324346",           // m
    "0206 0312324346",                  // n
    "123243453616050312",               // o
    "0208 0312324345361605",            // p
    "4248 4332120305163645",            // q
    "0206 03123243",                    // r
    "43321203143445361605",             // s
    "1015263645 0232",                  // t
    "0205163645 4246",                  // u
    "022642",                           // v
    "0216233642",                       // w
    "0246 4206",                        // x
    "0205163645 42473818",              // y
    "02420646",                         // z
    "30212213242536",                   // {
    "2027",                             // |
    "10212233242516",                   // }
    "03123443",                         // ~
];

/// What stands for every character that has no strokes of its own.
const BOX: &str = "0040460600";

/// The strokes of a character, each one point or more.
pub(super) fn strokes(character: char) -> impl Iterator<Item = Vec<[f32; 2]>> {
    let index = (character as usize).checked_sub(usize::from(b' '));
    let text = index.and_then(|index| STROKES.get(index)).copied().unwrap_or(BOX);
    text.split(' ').filter(|stroke| !stroke.is_empty()).map(points)
}

fn points(stroke: &str) -> Vec<[f32; 2]> {
    stroke
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| [pair[0], pair[1]].map(|digit| f32::from(digit - b'0')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stroke_is_made_of_points_on_the_grid() {
        for (index, text) in STROKES.iter().enumerate() {
            let character = char::from(b' ' + index as u8);
            for stroke in text.split(' ').filter(|stroke| !stroke.is_empty()) {
                assert_eq!(stroke.len() % 2, 0, "{character}: {stroke}");
            }
            for [x, y] in strokes(character).flatten() {
                assert!((0.0..=4.0).contains(&x) && (0.0..=8.0).contains(&y), "{character}: {x}, {y}");
            }
        }
        assert_eq!(strokes('é').count(), 1, "a box");
    }
}
