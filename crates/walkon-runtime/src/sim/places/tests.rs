use super::*;

#[test]
fn rims_cross_where_both_are_touched() {
    let one = Rim { middle: Vec2::ZERO, radius_m: 1.0 };
    let other = Rim { middle: Vec2::new(1.2, 0.4), radius_m: 0.7 };
    for point in one.crossings(&other).unwrap() {
        assert!((point.length() - 1.0).abs() < 1e-5, "{point}");
        assert!(((point - other.middle).length() - 0.7).abs() < 1e-5, "{point}");
        assert!(!one.holds(point) && !other.holds(point));
    }
    assert_eq!(one.crossings(&Rim { middle: Vec2::new(2.0, 0.0), radius_m: 0.9 }), None, "too far apart");
    assert_eq!(
        one.crossings(&Rim { middle: Vec2::new(0.1, 0.0), radius_m: 0.5 }),
        None,
        "one inside the other"
    );
    assert_eq!(one.crossings(&one), None, "the same");
}
