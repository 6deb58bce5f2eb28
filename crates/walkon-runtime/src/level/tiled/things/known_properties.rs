//! The properties that a level reads of a thing, by its kind; all others go to scripts.

/// Names that mean something on a mark.
pub(super) const OF_MARKS: &[&str] = &["facing", "facingDegrees", "collisionLayer"];
/// On a point of a route.
pub(super) const OF_WAYPOINTS: &[&str] =
    &["facing", "facingDegrees", "collisionLayer", "group", "route", "order", "index"];
/// On a route.
pub(super) const OF_ROUTES: &[&str] = &["collisionLayer"];
/// On a region.
pub(super) const OF_REGIONS: &[&str] = &["radius", "collisionLayer"];
/// On an area.
pub(super) const OF_AREAS: &[&str] = &["cost", "blocksSight", "collisionLayer"];
/// On an obstacle.
pub(super) const OF_OBSTACLES: &[&str] = &["collisionLayer", "collision", "blocksSight"];
/// On stairs.
pub(super) const OF_STAIRS: &[&str] =
    &["targetObject", "toLayer", "bothWays", "cost", "action", "collisionLayer"];
