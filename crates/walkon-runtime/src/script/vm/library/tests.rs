use proptest::prelude::{prop_assert_eq, proptest};

use super::*;

fn find(text: &str, part: &str, from: f64) -> (Option<u64>, Option<u64>) {
    let lua = Lua::new();
    find_plain(&lua.create_string(text).unwrap(), &lua.create_string(part).unwrap(), from)
}

#[test]
fn a_plain_search_counts_from_one_and_may_start_from_the_end() {
    assert_eq!(find("the guard walks", "guard", 1.0), (Some(5), Some(9)));
    assert_eq!(find("aXbXc", "X", 3.0), (Some(4), Some(4)));
    assert_eq!(find("aXbXc", "X", -2.0), (Some(4), Some(4)));
    assert_eq!(find("abc", "", 4.0), (Some(4), Some(3)));
    assert_eq!(find("abc", "", 5.0), (None, None));
    assert_eq!(find("abc", "d", f64::NAN), (None, None));
}

proptest! {
    #[test]
    fn a_plain_search_agrees_with_looking_everywhere(text in "[ab]{0,40}", part in "[ab]{0,6}", from in 1usize..45) {
        let expected = if from > text.len() + 1 { None } else { text[from - 1..].find(&part).map(|at| at + from) };
        let found = find(&text, &part, from as f64);
        prop_assert_eq!(found.0, expected.map(|at| at as u64));
        prop_assert_eq!(found.1, expected.map(|at| (at + part.len() - 1) as u64));
    }
}

#[test]
fn trigonometry_is_frozen_by_vectors() {
    let lua = Lua::new();
    let guarded = lua.create_table().unwrap();
    add_math(&lua, &guarded).unwrap();
    let math: Table = guarded.get("math").unwrap();
    let bits = |name: &str, x: f64| math.get::<Function>(name).unwrap().call::<f64>(x).unwrap().to_bits();
    let seen: Vec<u64> =
        ["sin", "cos", "tan", "exp", "log", "atan"].iter().map(|name| bits(name, 12.34)).collect();
    assert_eq!(seen, FROZEN, "numbers of the mathematics may never change");
}

const FROZEN: [u64; 6] = [
    13_820_626_440_294_413_497,
    4_606_952_621_717_187_896,
    13_820_838_146_129_683_519,
    4_687_096_777_685_333_488,
    4_612_840_844_996_244_178,
    4_609_388_893_241_491_660,
];

#[test]
fn random_numbers_keep_their_ranges() {
    let mut rng = Rng::stream(1, "test");
    let mut draw = |args: &[f64]| {
        let values = args.iter().map(|&arg| Value::Number(arg)).collect();
        draw(&mut rng, &mut Args::new("math.random", values)).map_err(|mistake| mistake.to_string())
    };
    for _ in 0..200 {
        assert!((0.0..1.0).contains(&draw(&[]).unwrap()));
        assert!([-1.0, 0.0, 1.0].contains(&draw(&[-1.0, 1.0]).unwrap()));
    }
    assert_eq!(draw(&[0.0]), Err("math.random: the range 1 to 0 is empty".to_owned()));
    assert!(draw(&[1.5]).unwrap_err().contains("high is 1.5, expected a whole number"));
}
