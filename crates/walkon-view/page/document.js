// @ts-check
// The level as its author wrote it: the things in it that can be picked, moved, named, deleted.
//
// In: the value of the level's file. Out: things with their places in it (JSON pointers), and the changes that a wish
// comes down to. Holds: a change names the smallest part of the text that has to differ; a new name is carried to those
// who use the old one. Not here: drawing and dragging (`editor.js`), forms (`forms.js`).

import { model } from "./model.js";

/**
 * A thing in the level. `points` are its corners or places; each with the pointer that holds it. `y` is how high it lies.
 * @typedef {{kind: string, name: string, at: string, shape: "polygon" | "circle" | "point" | "route" | "box" | "outline" | "none", points: Point[],
 *   pointsAt: string, radius?: number, y: number}} Thing
 */

/** @param {string} part */
export function escaped(part) {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * The value at a pointer.
 * @param {Json} value
 * @param {string} pointer
 */
export function valueAt(value, pointer) {
  let now = value;
  for (const part of pointer.split("/").slice(1)) {
    if (now === null || now === undefined) return undefined;
    now = now[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return now;
}

/**
 * A value as some changes would have it.
 * @param {Json} value
 * @param {Change[]} changes
 */
export function tried(value, changes) {
  const copy = structuredClone(value);
  for (const change of changes) {
    const cut = change.at.lastIndexOf("/");
    const key = change.at.slice(cut + 1).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = valueAt(copy, change.at.slice(0, Math.max(0, cut)));
    if (holder === null || typeof holder !== "object" || cut < 0) continue;
    const isList = Array.isArray(holder);
    if (change.remove) isList ? holder.splice(Number(key), 1) : delete holder[key];
    else if (isList && "insert" in change) holder.splice(key === "-" ? holder.length : Number(key), 0, change.insert);
    else holder[key] = "insert" in change ? change.insert : change.set;
  }
  return copy;
}

/** @param {Json} position */
function pointOf(position) {
  return /** @type {Point} */ (position.length === 3 ? [position[0], position[2]] : [position[0], position[1]]);
}

/** Everything that can be picked. @returns {Thing[]} */
export function things() {
  const heights = pictureHeights();
  const floor = model.welcome?.heights[0] ?? 0;
  return found().map((thing) => ({
    ...thing,
    y: thing.y ?? heights.get(`${thing.kind === "obstacle" ? "area" : thing.kind} ${thing.name}`) ?? floor,
  }));
}

/** How high the things of the picture lie, by kind and name. */
function pictureHeights() {
  /** @type {Map<string, number>} */
  const heights = new Map();
  for (const layer of model.raw.layers)
    for (const { kind, name, ys } of layer.shapes) if (name && ys?.length) heights.set(`${kind} ${name}`, ys[0]);
  return heights;
}

/** @param {Json} position */
function heightOf(position) {
  return position?.length === 3 ? /** @type {number} */ (position[1]) : undefined;
}

/** @returns {(Omit<Thing, "y"> & {y?: number})[]} */
function found() {
  const level = model.document.value;
  if (!level) return [];
  /** @type {(Omit<Thing, "y"> & {y?: number})[]} */
  const all = [];
  const navigation = typeof level.navigation === "object" && level.navigation ? level.navigation : {};
  const polygons = (/** @type {Json[]} */ list, /** @type {string} */ kind, /** @type {string} */ at) =>
    (list ?? []).forEach((each, number) => {
      if (Array.isArray(each?.polygon))
        all.push({
          kind,
          name: each.name ?? "",
          at: `${at}/${number}`,
          shape: "polygon",
          points: each.polygon.map(pointOf),
          pointsAt: `${at}/${number}/polygon`,
        });
      else if (Array.isArray(each?.centre))
        all.push({
          kind,
          name: each.name ?? "",
          at: `${at}/${number}`,
          shape: "circle",
          points: [pointOf(each.centre)],
          pointsAt: `${at}/${number}/centre`,
          radius: each.radius,
        });
    });
  polygons(navigation.areas, "area", "/navigation/areas");
  polygons(navigation.obstacles, "obstacle", "/navigation/obstacles");
  (navigation.boxes ?? []).forEach((/** @type {Json} */ box, /** @type {number} */ number) => {
    if (Array.isArray(box?.min) && Array.isArray(box?.max))
      all.push({
        kind: "box",
        name: box.name ?? `box ${number}`,
        at: `/navigation/boxes/${number}`,
        shape: "box",
        points: [pointOf(box.min), pointOf(box.max)],
        y: heightOf(box.min),
        pointsAt: `/navigation/boxes/${number}`,
      });
  });
  polygons(level.regions, "region", "/regions");
  (level.doors ?? []).forEach((/** @type {Json} */ door, /** @type {number} */ number) => {
    // A door is where its area is, and moves with that.
    const outline = doorOutline(door);
    const shape = outline ? "outline" : "none";
    const name = door.name ?? "";
    all.push({ kind: "door", name, at: `/doors/${number}`, shape, points: outline ?? [], pointsAt: "" });
  });
  for (const [name, mark] of Object.entries(level.marks ?? {})) {
    const at = `/marks/${escaped(name)}`;
    const isList = Array.isArray(mark);
    const position = isList ? mark : /** @type {Json} */ (mark)?.position;
    if (Array.isArray(position))
      all.push({
        kind: "mark",
        name,
        at,
        shape: "point",
        points: [pointOf(position)],
        y: heightOf(position),
        pointsAt: isList ? at : `${at}/position`,
      });
  }
  for (const [name, route] of Object.entries(level.routes ?? {})) {
    const at = `/routes/${escaped(name)}`;
    const isList = Array.isArray(route);
    const stops = isList ? route : /** @type {Json} */ (route)?.stops;
    if (!Array.isArray(stops)) continue;
    all.push({
      kind: "route",
      name,
      at,
      shape: "route",
      points: stops.map(stopPoint),
      pointsAt: isList ? at : `${at}/stops`,
    });
  }
  (level.characters ?? []).forEach((/** @type {Json} */ who, /** @type {number} */ number) => {
    if (Array.isArray(who?.position))
      all.push({
        kind: "character",
        name: who.name ?? "",
        at: `/characters/${number}`,
        shape: "point",
        points: [pointOf(who.position)],
        y: heightOf(who.position),
        pointsAt: `/characters/${number}/position`,
      });
  });
  return all;
}

/**
 * The corners of a door: those of its area, else of what the picture shows of it.
 * @param {Json} door
 * @returns {Point[] | null}
 */
function doorOutline(door) {
  const areas = model.document.value?.navigation?.areas ?? [];
  const area = areas.find((/** @type {Json} */ each) => each?.name === door?.area);
  if (Array.isArray(area?.polygon)) return area.polygon.map(pointOf);
  const shape = model.raw.layers
    .flatMap((layer) => layer.shapes)
    .find((each) => each.kind === "door" && each.name === door?.name);
  if (shape?.polygon) return shape.polygon;
  if (!shape?.blocks?.length) return null;
  const all = (/** @type {number} */ part) => shape.blocks?.map((block) => block[part]) ?? [];
  const [left, top] = [Math.min(...all(0)), Math.min(...all(1))];
  const [right, bottom] = [Math.max(...all(2)), Math.max(...all(3))];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** @param {Json} stop @returns {Point} */
function stopPoint(stop) {
  if (Array.isArray(stop)) return pointOf(stop);
  const name = typeof stop === "string" ? stop : stop?.mark;
  const mark = model.document.value?.marks?.[name];
  const position = Array.isArray(mark) ? mark : mark?.position;
  if (Array.isArray(position)) return pointOf(position);
  if (Array.isArray(stop?.position)) return pointOf(stop.position);
  // A mark that a map file or a legend sets: the picture knows where.
  const shape = model.raw.layers
    .flatMap((layer) => layer.shapes)
    .find((each) => each.kind === "mark" && each.name === name);
  return shape?.dot ? [shape.dot[0], shape.dot[1]] : [Number.NaN, Number.NaN];
}

/** The thing at a pointer. @param {string} at */
export function thingAt(at) {
  return things().find((thing) => thing.at === at) ?? null;
}

/**
 * A position as it was written, with other numbers.
 * @param {Json} old
 * @param {Point} point
 */
export function positioned(old, point) {
  const [x, z] = point.map((part) => Math.round(part * 1000) / 1000);
  return Array.isArray(old) && old.length === 3 ? [x, old[1], z] : [x, z];
}

/**
 * The changes that put the points of a thing elsewhere.
 * @param {Thing} thing
 * @param {Point[]} points
 * @returns {Change[]}
 */
export function moved(thing, points) {
  const level = model.document.value;
  const same = (/** @type {number} */ at) =>
    thing.points[at] && Math.hypot(thing.points[at][0] - points[at][0], thing.points[at][1] - points[at][1]) < 1e-6;
  if (thing.shape === "point" || thing.shape === "circle") {
    return same(0) ? [] : [{ at: thing.pointsAt, set: positioned(valueAt(level, thing.pointsAt), points[0]) }];
  }
  if (thing.shape === "box") {
    return ["min", "max"].flatMap((end, at) =>
      same(at) ? [] : [{ at: `${thing.at}/${end}`, set: positioned(valueAt(level, `${thing.at}/${end}`), points[at]) }],
    );
  }
  const changes = [];
  for (let at = 0; at < points.length; at++) {
    if (same(at)) continue;
    const pointer = `${thing.pointsAt}/${at}`;
    const old = valueAt(level, pointer);
    changes.push(
      Array.isArray(old) ? { at: pointer, set: positioned(old, points[at]) } : stopMoved(old, points[at], pointer),
    );
  }
  return changes;
}

/**
 * A stop that names a mark is moved with its mark.
 * @param {Json} old
 * @param {Point} point
 * @param {string} pointer
 * @returns {Change}
 */
function stopMoved(old, point, pointer) {
  const name = typeof old === "string" ? old : old?.mark;
  const mark = model.document.value?.marks?.[name];
  if (mark === undefined) return { at: pointer, set: positioned(null, point) };
  const at = `/marks/${escaped(name)}`;
  return Array.isArray(mark)
    ? { at, set: positioned(mark, point) }
    : { at: `${at}/position`, set: positioned(mark.position, point) };
}

/**
 * The changes that give a thing another name, wherever the old one is used.
 * @param {Thing} thing
 * @param {string} name
 * @returns {Change[]}
 */
export function renamed(thing, name) {
  const level = model.document.value;
  /** @type {Change[]} */
  const changes = [];
  if (thing.kind === "mark" || thing.kind === "route") {
    const list = `/${thing.kind}s`;
    changes.push({ at: `${list}/${escaped(name)}`, insert: valueAt(level, thing.at) }, { at: thing.at, remove: true });
  } else {
    changes.push({ at: `${thing.at}/name`, set: name });
  }
  for (const at of usesOf(level, thing)) changes.push({ at, set: name });
  return changes;
}

/** Keys under which authors write values of their own, names among them. */
const OPEN = new Set(["params", "props"]);
/** Keys that name a thing of another kind than they are called. @type {Record<string, string>} */
const NAMED_BY = { heldBy: "character", stops: "mark" };

/**
 * Where the name of a thing stands beside its own: keys that are called after its kind, stops of routes, ends of links, and
 * whatever behaviours and authors are given.
 * @param {Json} level
 * @param {Thing} thing
 * @returns {string[]}
 */
function usesOf(level, thing) {
  /** @type {string[]} */
  const found = [];
  // What authors write may mean another thing of that name: ground has a name for other ground seldom.
  const isGround = (/** @type {string} */ kind) => kind === "area" || kind === "obstacle" || kind === "box";
  const namesakes = things().filter((other) => other.name === thing.name && other.at !== thing.at);
  const isAlone = namesakes.every((other) => isGround(other.kind) && !isGround(thing.kind));
  const look = (/** @type {Json} */ value, /** @type {string} */ at, /** @type {string} */ key, isOpen = false) => {
    if (value === thing.name) {
      const isNamed = key === thing.kind || NAMED_BY[key] === thing.kind || key === "from" || key === "to";
      if ((isOpen && isAlone) || isNamed) found.push(at);
    } else if (Array.isArray(value)) {
      // Of a list the key is that of its items.
      value.forEach((each, number) => look(each, `${at}/${number}`, key, isOpen));
    } else if (value && typeof value === "object") {
      for (const [name, each] of Object.entries(value))
        look(each, `${at}/${escaped(name)}`, name, isOpen || OPEN.has(name));
    }
  };
  for (const [key, value] of Object.entries(level)) {
    // A route may be its stops, without more around them.
    if (key === "routes" && thing.kind === "mark")
      for (const [route, stops] of Object.entries(value ?? {}))
        look(stops, `/routes/${escaped(route)}`, Array.isArray(stops) ? "stops" : route);
    else look(value, `/${escaped(key)}`, key);
  }
  // The thing itself is somewhere else by then.
  const isKeyed = thing.kind === "mark" || thing.kind === "route";
  return found.filter((at) => at !== `${thing.at}/name` && !(isKeyed && at.startsWith(`${thing.at}/`)));
}

/**
 * A name of that kind that nobody has.
 * @param {string} kind
 */
export function freeName(kind) {
  const taken = new Set(things().map((thing) => thing.name));
  let number = 1;
  while (taken.has(`${kind}${number}`)) number++;
  return `${kind}${number}`;
}

/** Where things of a kind stand in the file. @type {Record<string, string>} */
const LISTS = {
  area: "/navigation/areas",
  obstacle: "/navigation/obstacles",
  region: "/regions",
  door: "/doors",
  character: "/characters",
  box: "/navigation/boxes",
};

/**
 * The change that adds a thing, and where it will be.
 * @param {string} kind
 * @param {Json} value for marks and routes what stands under their name
 * @param {string} name
 * @returns {{changes: Change[], at: string}}
 */
export function added(kind, value, name) {
  const level = model.document.value;
  if (kind === "mark" || kind === "route") {
    const list = `/${kind}s`;
    const at = `${list}/${escaped(name)}`;
    return { at, changes: valueAt(level, list) ? [{ at, insert: value }] : [{ at: list, insert: { [name]: value } }] };
  }
  const list = LISTS[kind];
  const have = valueAt(level, list);
  const at = `${list}/${have?.length ?? 0}`;
  return { at, changes: have ? [{ at: `${list}/-`, insert: value }] : [{ at: list, insert: [value] }] };
}

/**
 * The schema of what stands at a pointer, references followed.
 * @param {string} pointer
 */
export function schemaAt(pointer) {
  const root = model.schema;
  if (!root) return null;
  let now = root;
  let value = model.document.value;
  for (const raw of pointer.split("/").slice(1)) {
    const part = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    now = fitting(now, value);
    value = value?.[part];
    now =
      now?.properties?.[part] ??
      now?.items ??
      (typeof now?.additionalProperties === "object" ? now.additionalProperties : null);
    if (!now) return null;
  }
  return fitting(now, value);
}

/**
 * Follows references, and takes of several forms the one that the value has.
 * @param {Json} schema
 * @param {Json} value
 * @returns {Json}
 */
export function fitting(schema, value) {
  let now = schema;
  for (let depth = 0; depth < 8 && now; depth++) {
    if (now.$ref) {
      const found = valueAt(model.schema, now.$ref.slice(1));
      now = {
        ...found,
        ...(now.description ? { description: now.description } : {}),
        ...("default" in now ? { default: now.default } : {}),
      };
      continue;
    }
    const forms = now.anyOf ?? now.oneOf;
    if (!forms || forms.every((/** @type {Json} */ form) => "const" in form)) return now;
    const resolved = forms.map((/** @type {Json} */ form) => fitting(form, value));
    const chosen = resolved.find((/** @type {Json} */ form) => accepts(form, value)) ?? resolved[0];
    return { ...chosen, description: now.description ?? chosen.description };
  }
  return now;
}

/**
 * @param {Json} schema
 * @param {Json} value
 */
function accepts(schema, value) {
  if ("const" in schema) return schema.const === value;
  const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (schema.properties?.kind?.const !== undefined)
    return type === "object" && value.kind === schema.properties.kind.const;
  const types = [schema.type].flat().map((each) => (each === "integer" ? "number" : each));
  return types.includes(type) || schema.type === undefined;
}
