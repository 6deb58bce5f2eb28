// Types of the protocol (docs/protocol.md), for editors and `tsc`. The page never loads this file.

type Point = [number, number];
type Place = [number, number, number];
type Json = any;

interface RunState {
  tick: number;
  playing: boolean;
  speed: number | "max";
  kept: [number, number];
  hash: string;
  isReproducible: boolean;
  ended: string | null;
  faults: number;
  seed: number;
  /** Whether choices wait for somebody to answer them. */
  attends: boolean;
  stopped?: Stop | null;
}

/** Where a debugger holds the level. */
interface Stop {
  /** Counts the stops of the program. */
  number: number;
  reason: string;
  text?: string;
  event?: string;
  tick?: number | null;
  thread: number;
  file?: string;
  line?: number;
  function?: string;
  breakpoints?: number[];
}

interface Welcome {
  protocol: number;
  version: string;
  level: string;
  file: string;
  seed: number;
  tickRate: number;
  bounds: [number, number, number, number];
  heights: [number, number];
  projection: "flat" | "isometric";
  slants: boolean;
  layers: number;
  layerNames: string[];
  tiling: { layout: string; moved: "odd" | "even" | null; size: Point; origin: Point } | null;
  hasPlayer: boolean;
  parts: string[];
  behaviours: string[];
  state: RunState;
}

interface RosterRow {
  key: number;
  name: string;
  behaviour: string | null;
  tags: string[];
  radius: number;
  height: number;
  colour: string;
  isPlayer: boolean;
}

interface Shape {
  blocks?: [number, number, number, number][];
  facets?: Point[][];
  polygon?: Point[];
  line?: Point[];
  circle?: [number, number, number];
  dot?: [number, number, number];
  fill?: string | null;
  stroke?: string | null;
  width?: number;
  dashed?: boolean;
  hatch?: string | null;
  kind: string;
  key?: string;
  name?: string;
  hint?: string;
  y?: number;
  /** Heights of its points, metres, in their order. */
  ys?: number[];
  /** A place in the middle of it, once it lies in the plane. */
  mid?: Place;
}

interface PictureLabel {
  at: Point;
  text: string;
  colour: string;
  size: number;
  importance: number;
  kind: string;
  key: string;
  /** Height, metres. */
  y?: number;
}

/** Triangles of the scene below a graph, alike. */
interface SceneryPart {
  kind: string;
  fill: string;
  triangles: [Place, Place, Place][];
}

interface LegendLine {
  swatch: "patch" | "line" | "dot";
  fill?: string | null;
  stroke?: string | null;
  text: string;
}

interface PictureLayer {
  name: string;
  shapes: Shape[];
}

interface Picture {
  layers: PictureLayer[];
  labels?: PictureLabel[];
  legend?: LegendLine[];
  scenery?: SceneryPart[];
}

interface LaneItem {
  tick: number;
  lane: string;
  text: string;
  kind: string;
  name?: string | null;
  line?: Json;
}

interface Diagnostic {
  severity: string;
  code?: string;
  file?: string;
  line?: number;
  column?: number;
  pointer?: string;
  message: string;
  help?: string;
}

interface Change {
  at: string;
  set?: Json;
  insert?: Json;
  remove?: true;
}

interface Difference {
  text: string;
  name?: string | null;
  lane: string;
  was: number | null;
  is: number | null;
}

interface Found {
  kind: string;
  name: string;
  at?: number[] | null;
  /** What a character's scripts cost, fuel a tick. */
  fuel?: number | null;
}

/** What is selected: a character, door, region, mark, area, scene or the level. */
interface Chosen {
  kind: string;
  name: string;
  key?: number;
}

/** A frame as it came: rows of five words from word 4 on. */
interface Frame {
  number: number;
  tick: number;
  flags: number;
  count: number;
  words: Uint32Array;
  floats: Float32Array;
  arrived: number;
  index: Map<number, number> | null;
}

interface Tracks {
  generation: number;
  isBase: boolean;
  every: number;
  from: number;
  samples: number;
  keys: Uint32Array;
  /** samples x keys x [x, y, z] */
  at: Float32Array;
}

interface Window {
  walkon: Json;
}
