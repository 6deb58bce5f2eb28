//! Hierarchical path-finding (HPA*) for large ground: first over sectors and the gates between them, then one
//! small search a leg.
//!
//! In: cells and their factors, two ends. Out: a way that costs little more than the cheapest, or that none
//! was found here; then the caller searches flat. Holds: sectors that no edit touched are not made again, and
//! after any edits all of them equal those of a map made again. Not here: the searches that it serves
//! (`cells/map.rs`); reachability (labels decide first). Source: near-optimal hierarchical path-finding,
//! Botea, Müller and Schaeffer 2004; cheapest crossings and straight legs are ours.

pub(crate) mod alt_heuristic;
pub(crate) mod gates;
pub(crate) mod route;
pub(crate) mod sector_grid;
pub(crate) mod sectors;
pub(crate) mod table;

pub(crate) use route::SectorRoute;
pub(crate) use sectors::Sectors;
