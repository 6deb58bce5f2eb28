//! Tile layouts: the neighbours of a tile, its position, and the ways out of it.
//!
//! In: words of a level. Out: for each layout the ways out of a tile as the map counts them. Not here: the
//! tiles themselves (`tiles`).

use super::choices::choices;

choices! {
    /// Which tiles are neighbours, and how they lie.
    pub enum TileLayout, default Square8 {
        /// Squares with four neighbours.
        Square4 = "square4",
        /// Squares with eight neighbours; a diagonal needs both tiles beside it.
        Square8 = "square8",
        /// Diamonds in rows or columns of which every second is shifted by half a tile.
        Staggered = "staggered",
        /// Hexagons with a corner up, in rows of which every second is shifted.
        HexPointy = "hexPointy",
        /// Hexagons with an edge up, in columns of which every second is shifted.
        HexFlat = "hexFlat",
    }
}

choices! {
    /// How pictures show the tiles. To walkers a projection makes no difference.
    pub enum Projection, default Flat {
        /// As they lie, seen from above.
        Flat = "flat",
        /// Square tiles as diamonds, twice as wide as high: x to the lower right, z to the lower left.
        Isometric = "isometric",
    }
}

choices! {
    /// Which rows or columns are shifted, counted from 0.
    pub enum StaggerIndex, default Odd {
        /// The second, the fourth and so on.
        Odd = "odd",
        /// The first, the third and so on.
        Even = "even",
    }
}

choices! {
    /// What is shifted in the layout `staggered`.
    pub enum StaggerAxis, default Z {
        /// Columns, along z.
        X = "x",
        /// Rows, along x.
        Z = "z",
    }
}

choices! {
    /// When searches of large maps go from sector to sector first.
    pub enum Hierarchy, default Auto {
        /// On maps large enough to gain by it.
        Auto = "auto",
        /// Always.
        On = "on",
        /// Never.
        Off = "off",
    }
}

choices! {
    /// A way out of a tile: north is towards smaller z, east towards larger x.
    pub enum Heading {
        /// Towards +x.
        East = "east",
        /// Between east and south.
        SouthEast = "southEast",
        /// Towards +z.
        South = "south",
        /// Between south and west.
        SouthWest = "southWest",
        /// Towards -x.
        West = "west",
        /// Between west and north.
        NorthWest = "northWest",
        /// Towards -z.
        North = "north",
        /// Between north and east.
        NorthEast = "northEast",
    }
}

impl TileLayout {
    /// Whether its tiles are rectangles side by side.
    #[must_use]
    pub fn is_square(self) -> bool {
        matches!(self, Self::Square4 | Self::Square8)
    }

    /// The ways out of a tile as the map counts them, from 0 in the order of its directions; None for those
    /// that are no steps across an edge.
    pub(super) fn exits(self) -> [Option<Heading>; 8] {
        use Heading::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
        match self {
            Self::Square4 | Self::Square8 => {
                [Some(East), None, Some(South), None, Some(West), None, Some(North), None]
            }
            Self::Staggered => {
                [Some(SouthEast), None, Some(SouthWest), None, Some(NorthWest), None, Some(NorthEast), None]
            }
            Self::HexPointy => [
                Some(East),
                None,
                Some(SouthEast),
                Some(SouthWest),
                Some(West),
                None,
                Some(NorthWest),
                Some(NorthEast),
            ],
            Self::HexFlat => [
                Some(SouthEast),
                None,
                Some(South),
                Some(SouthWest),
                Some(NorthWest),
                None,
                Some(North),
                Some(NorthEast),
            ],
        }
    }

    /// The directions in which a tile may not be left that may be left in those alone: bit d for direction d.
    pub(crate) fn forbidden(self, ways: &[Heading]) -> u8 {
        let exits = self.exits().into_iter().enumerate();
        let shut = exits.filter(|(_, exit)| exit.is_some_and(|heading| !ways.contains(&heading)));
        shut.fold(0, |bits, (direction, _)| bits | 1 << direction)
    }
}
