//! The tiles of a map: terrain, tags, price and whether one can walk there, tile by tile.
//!
//! In: the layers of a level, then edits of scripts. Out: the tile at a place of a layer, read back at once
//! although the map follows in step 5. Holds: tiles are counted as the author counts them, by column and row;
//! equal tiles are kept once; the hash covers the tiles that have changed since the beginning, whatever the
//! order of edits. Not here: what walkers make of it (`nav` knows walkable, price and ways out alone).

use std::collections::BTreeMap;

use crate::base::hash::StateHash;

/// What the ground of a tile is made of (seed:O12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Terrain {
    /// Plain ground.
    #[default]
    Ground,
    /// Grass.
    Grass,
    /// Sand.
    Sand,
    /// Mud.
    Mud,
    /// Water that can be waded or sailed.
    Water,
    /// Ice: cheaper than ground.
    Ice,
    /// Snow.
    Snow,
    /// Rock.
    Rock,
    /// A bridge.
    Bridge,
    /// Lava, on which nobody walks.
    Lava,
}

impl Terrain {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Ground,
        Self::Grass,
        Self::Sand,
        Self::Mud,
        Self::Water,
        Self::Ice,
        Self::Snow,
        Self::Rock,
        Self::Bridge,
        Self::Lava,
    ];

    /// Its name in levels and scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Grass => "grass",
            Self::Sand => "sand",
            Self::Mud => "mud",
            Self::Water => "water",
            Self::Ice => "ice",
            Self::Snow => "snow",
            Self::Rock => "rock",
            Self::Bridge => "bridge",
            Self::Lava => "lava",
        }
    }

    /// The terrain of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|terrain| terrain.name() == name)
    }

    /// What a metre on it costs, metres of plain ground, where nothing else is said.
    #[must_use]
    pub fn cost(self) -> f32 {
        match self {
            Self::Ground | Self::Grass | Self::Bridge | Self::Lava => 1.0,
            Self::Sand => 1.2,
            Self::Mud => 1.5,
            Self::Water => 2.0,
            Self::Ice => 0.8,
            Self::Snow => 1.3,
            Self::Rock => 1.1,
        }
    }

    /// Whether one can walk on it where nothing else is said.
    #[must_use]
    pub fn is_navigable(self) -> bool {
        self != Self::Lava
    }
}

/// One tile. `Default` is an untouched one (seed:O11).
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Whether one can walk there while no door or area says otherwise.
    pub navigable: bool,
    /// What a metre on it costs, metres of plain ground, 0.1 to 100.
    pub cost: f32,
    /// What it is made of.
    pub terrain: Terrain,
    /// Words for scripts, sorted, each once.
    pub tags: Vec<String>,
}

impl Default for Tile {
    fn default() -> Self {
        Self::of(Terrain::Ground)
    }
}

impl Tile {
    /// The bytes that it takes to keep it in a table.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.tags.iter().map(|tag| tag.len() + size_of::<String>()).sum::<usize>();
        2 * size_of::<Self>() + words
    }

    /// A tile of a terrain, with nothing else said.
    #[must_use]
    pub fn of(terrain: Terrain) -> Self {
        Self { navigable: terrain.is_navigable(), cost: terrain.cost(), terrain, tags: Vec::new() }
    }

    fn key(&self) -> TileKey {
        (self.navigable, self.cost.to_bits(), self.terrain, self.tags.clone())
    }

    fn hash(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.flag(self.navigable).float(self.cost).word(self.terrain as u64);
        hash.word(self.tags.len() as u64);
        self.tags.iter().for_each(|tag| {
            hash.text(tag);
        });
        hash.finish()
    }
}

type TileKey = (bool, u32, Terrain, Vec<String>);

/// Where a tile is: its layer, and column and row as the author counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileSpot {
    /// Number of the layer.
    pub layer: u8,
    /// From 0, along x.
    pub column: u32,
    /// From 0, along z.
    pub row: u32,
}

/// Most different tiles of a map: more are refused.
pub const KINDS_MAX: usize = 65_536;

/// All tiles of a map, layer by layer.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    width: u32,
    depth: u32,
    /// How pictures show them; nothing else looks at it.
    pub is_isometric: bool,
    layers: Vec<LevelTileLayer>,
    /// Different tiles, some of them in no use any more.
    kinds: Vec<TileKind>,
    by_key: BTreeMap<TileKey, u16>,
    unused: Vec<u16>,
    /// Tiles that are not as at first, and what they were.
    edited: BTreeMap<TileSpot, Tile>,
    /// Sum over those tiles.
    hash: u64,
}

#[derive(Clone, Debug)]
struct LevelTileLayer {
    name: String,
    /// Kind of each tile: `row * width + column`.
    tiles: Vec<u16>,
}

#[derive(Clone, Debug)]
struct TileKind {
    tile: Tile,
    hash: u64,
    count: u32,
}

impl Tiles {
    /// A table of layers `width` tiles wide and `depth` deep: of each its name, and for each tile, row by
    /// row, which of `kinds` it is. None when a layer has another number of tiles, or a number that is no
    /// kind.
    #[must_use]
    pub fn new(width: u32, depth: u32, kinds: Vec<Tile>, layers: Vec<(String, Vec<u16>)>) -> Option<Self> {
        let count = width as usize * depth as usize;
        let sound =
            |tiles: &[u16]| tiles.len() == count && tiles.iter().all(|&kind| usize::from(kind) < kinds.len());
        if kinds.len() > KINDS_MAX || !layers.iter().all(|(_, tiles)| sound(tiles)) {
            return None;
        }
        let mut table = Self { width, depth, ..Self::default() };
        // Kinds that are written differently and mean the same become one.
        let numbers: Vec<u16> = kinds.into_iter().map(|tile| table.number_of(tile)).collect::<Option<_>>()?;
        for (name, mut tiles) in layers {
            for tile in &mut tiles {
                *tile = numbers[usize::from(*tile)];
                table.kinds[usize::from(*tile)].count += 1;
            }
            table.layers.push(LevelTileLayer { name, tiles });
        }
        Some(table)
    }

    /// Tiles along x and along z.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.depth)
    }

    /// Names of the layers, in order.
    pub fn layer_names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| layer.name.as_str())
    }

    /// Number of the layer of that name.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<u8> {
        self.layers.iter().position(|layer| layer.name == name).map(|index| index as u8)
    }

    /// A tile; None off the map.
    #[must_use]
    pub fn tile(&self, spot: TileSpot) -> Option<&Tile> {
        let layer = self.layers.get(usize::from(spot.layer))?;
        let kind = layer.tiles.get(self.index(spot)?)?;
        self.kinds.get(usize::from(*kind)).map(|kind| &kind.tile)
    }

    fn index(&self, spot: TileSpot) -> Option<usize> {
        let inside = spot.column < self.width && spot.row < self.depth;
        inside.then(|| spot.row as usize * self.width as usize + spot.column as usize)
    }

    /// Makes a tile another one; whether it was there and there was room for one more kind of tile.
    pub fn set(&mut self, spot: TileSpot, tile: Tile) -> bool {
        let Some(index) = self.index(spot) else { return false };
        let Some(&before) = self.layers.get(usize::from(spot.layer)).and_then(|layer| layer.tiles.get(index))
        else {
            return false;
        };
        let was = self.edited.get(&spot).unwrap_or(&self.kinds[usize::from(before)].tile).clone();
        let is_as_at_first = tile == was;
        let Some(number) = self.number_of(tile) else { return false };
        match is_as_at_first {
            true => self.edited.remove(&spot),
            false => self.edited.insert(spot, was),
        };
        self.layers[usize::from(spot.layer)].tiles[index] = number;
        self.kinds[usize::from(number)].count += 1;
        self.hash = self.hash.wrapping_add(self.share(spot, number)).wrapping_sub(self.share(spot, before));
        let left = &mut self.kinds[usize::from(before)].count;
        *left -= 1;
        if *left == 0 {
            self.by_key.remove(&self.kinds[usize::from(before)].tile.key());
            self.unused.push(before);
        }
        true
    }

    /// The bytes that it takes to keep what scripts changed: the tiles that are not as at first, and the
    /// words of all kinds. Cost: the number of both.
    pub(crate) fn edited_bytes(&self) -> usize {
        let kinds = self.kinds.iter().map(|kind| kind.tile.bytes()).sum::<usize>();
        self.edited.values().map(Tile::bytes).sum::<usize>() + 2 * kinds
    }

    /// Tiles that are not as at first: where, what they were, what they are.
    pub fn edited(&self) -> impl Iterator<Item = (TileSpot, &Tile, &Tile)> {
        self.edited.iter().filter_map(|(spot, was)| Some((*spot, was, self.tile(*spot)?)))
    }

    /// What a tile of a kind adds to the hash.
    fn share(&self, spot: TileSpot, number: u16) -> u64 {
        let mut hash = StateHash::default();
        hash.word(u64::from(spot.layer)).word(u64::from(spot.column)).word(u64::from(spot.row));
        hash.word(self.kinds[usize::from(number)].hash);
        hash.finish()
    }

    /// The number of a kind of tile, a new one if need be; None when there is room for no more.
    fn number_of(&mut self, tile: Tile) -> Option<u16> {
        let key = tile.key();
        if let Some(&number) = self.by_key.get(&key) {
            return Some(number);
        }
        let kind = TileKind { hash: tile.hash(), tile, count: 0 };
        let number = match self.unused.pop() {
            Some(number) => {
                self.kinds[usize::from(number)] = kind;
                number
            }
            None => {
                let number = u16::try_from(self.kinds.len()).ok()?;
                self.kinds.push(kind);
                number
            }
        };
        self.by_key.insert(key, number);
        Some(number)
    }

    /// Mixes in which tiles are not as at first. Cost: constant.
    pub fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Tiles {
        let kinds = vec![Tile::default(), Tile::of(Terrain::Mud), Tile::of(Terrain::Ground)];
        Tiles::new(3, 2, kinds, vec![("ground".into(), vec![0, 1, 2, 0, 0, 1])]).unwrap()
    }

    fn at(column: u32, row: u32) -> TileSpot {
        TileSpot { layer: 0, column, row }
    }

    #[test]
    fn seed_o11_an_untouched_tile_is_open_ground_of_cost_one() {
        let tile = Tile::default();
        assert_eq!((tile.navigable, tile.cost, tile.terrain), (true, 1.0, Terrain::Ground));
        assert_eq!(tile.tags, Vec::<String>::new());
    }

    #[test]
    fn seed_o12_terrain_has_the_costs_of_the_seed() {
        let costs = [1.0, 1.0, 1.2, 1.5, 2.0, 0.8, 1.3, 1.1];
        for (terrain, cost) in Terrain::ALL.iter().zip(costs) {
            assert_eq!(terrain.cost(), cost, "{terrain:?}");
        }
        for terrain in Terrain::ALL {
            assert_eq!(Terrain::find(terrain.name()), Some(terrain));
            assert_eq!(terrain.is_navigable(), terrain != Terrain::Lava);
        }
    }

    #[test]
    fn tiles_change_and_change_back_to_the_same_hash() {
        let mut tiles = small();
        let hash = |tiles: &Tiles| {
            let mut hash = StateHash::default();
            tiles.hash_into(&mut hash);
            hash.finish()
        };
        let first = hash(&tiles);
        assert!(tiles.set(at(1, 0), Tile::of(Terrain::Bridge)));
        assert_eq!(tiles.tile(at(1, 0)).map(|tile| tile.terrain), Some(Terrain::Bridge));
        assert_ne!(hash(&tiles), first);
        assert_eq!(tiles.edited().count(), 1);
        assert!(tiles.set(at(1, 0), Tile::of(Terrain::Mud)));
        assert_eq!(hash(&tiles), first);
        assert_eq!(tiles.edited().count(), 0);
    }

    #[test]
    fn kinds_of_tiles_that_are_gone_make_room_for_others() {
        let mut tiles = small();
        for step in 0..200_000u32 {
            let tile = Tile { cost: 1.0 + step as f32 / 1e5, ..Tile::default() };
            assert!(tiles.set(at(0, 0), tile), "{step}");
        }
        assert!(tiles.kinds.len() < 8);
    }

    #[test]
    fn seed_o25_places_off_the_map_have_no_tile() {
        let mut tiles = small();
        for spot in [at(3, 0), at(0, 2), at(u32::MAX, u32::MAX), TileSpot { layer: 1, ..at(0, 0) }] {
            assert_eq!(tiles.tile(spot), None, "{spot:?}");
            assert!(!tiles.set(spot, Tile::default()));
        }
        assert!(Tiles::new(2, 2, vec![Tile::default()], vec![("a".into(), vec![0; 3])]).is_none());
        assert!(Tiles::new(1, 1, vec![Tile::default()], vec![("a".into(), vec![1])]).is_none());
    }
}
