//! Tables that script files define and the runtime reads: level scripts, behaviours, cinematics, parameters.
//!
//! In: nothing. Out: shapes for the definitions, the reference and `walkon check`. Holds: a function that may
//! not wait says so in its sentence, which `walkon check` reads. Not here: reading the tables (`behaviour`,
//! `cinematic`, `params`).

use crate::script::bind::table::{TableType, field};

/// Tables that files return, and what they are made of.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "LevelScript",
        doc: "Globals that a level script may define. Handlers by name are further globals.",
        fields: &[
            field(
                "onStart",
                "((why: string) -> ())?",
                "",
                "at the start of the level, \"start\", after a reload, \"reload\", after a load, \"load\"; may not wait",
            ),
            field("onTick", "((dt: number) -> ())?", "", "every tick; may not wait"),
            field(
                "onStop",
                "((why: string) -> ())?",
                "",
                "\"levelEnd\", \"reload\" or \"fault\"; may not wait",
            ),
        ],
    },
    TableType {
        name: "BehaviourDefinition",
        doc: "What the file of a behaviour returns. Further functions are methods of `self`.",
        fields: &[
            field(
                "version",
                "number?",
                "2",
                "whole, default 1; `migrate` runs when a reload or a load brings another",
            ),
            field("params", "{[string]: ParamDefinition}?", "{}", "what levels and `attach` may give"),
            field(
                "init",
                "((self: Behaviour) -> ())?",
                "",
                "once for each instance: fills `self.state`; may not wait",
            ),
            field(
                "migrate",
                "((self: Behaviour, from: number) -> ())?",
                "",
                "brings the state of an older version up to date; may not wait",
            ),
            field(
                "start",
                "((self: Behaviour, why: string) -> ())?",
                "",
                "\"attach\", \"reload\" or \"load\": creates watches and timers; may not wait",
            ),
            field("run", "((self: Behaviour) -> ())?", "", "the main task, after `start`"),
            field(
                "update",
                "((self: Behaviour, dt: number) -> ())?",
                "",
                "every tick, or every `updateEvery` ticks; may not wait",
            ),
            field("updateEvery", "number?", "2", "ticks, whole, default 1"),
            field("tree", "any", "", "a node of `bt`"),
            field(
                "on",
                "{[string]: (self: Behaviour, payload: any) -> ...any}?",
                "{}",
                "handlers of events by name",
            ),
            field(
                "onWalkSettled",
                "((self: Behaviour, result: WalkResult) -> ...any)?",
                "",
                "for walks whose handlers went with a reload or a load",
            ),
            field(
                "onTraverse",
                "((self: Behaviour, link: Traverse) -> ...any)?",
                "",
                "takes its character over a link with an action: the link is over when this returns, and the walk ends before it with false, a fault, or after 30 seconds; may wait",
            ),
            field(
                "stop",
                "((self: Behaviour, why: string) -> ())?",
                "",
                "\"despawned\", \"detached\", \"reload\", \"fault\" or \"levelEnd\"; may not wait",
            ),
        ],
    },
    TableType {
        name: "Behaviour",
        doc: "`self` in the functions of a behaviour. Other fields are free; they are gone after a reload or a load.",
        fields: &[
            field("character", "Character", "", "the character"),
            field("params", "any", "", "checked, defaults filled in, read-only; references are names"),
            field("state", "any", "", "plain data, kept over reloads and in save games"),
            field("blackboard", "Blackboard", "", "the board of the character"),
            field("rng", "Rng", "", "its own stream of random numbers"),
            field("log", "any", "", "the library `log`; its lines carry the name of the behaviour"),
            field("name", "string", "", "name of the behaviour"),
        ],
    },
    TableType {
        name: "Traverse",
        doc: "A link with an action that a walk has come to.",
        fields: &[
            field("walk", "Walk", "", "the walk"),
            field("action", "string", "\"climb\"", "what has to be done, as the level names it"),
            field("from", "vector", "", "where the link begins, and the character stands"),
            field("to", "vector", "", "where it ends, and the character stands afterwards"),
            field(
                "seconds",
                "number",
                "",
                "how long it would take by itself, by its cost and the character's speed",
            ),
        ],
    },
    TableType {
        name: "ParamDefinition",
        doc: "A parameter of a behaviour. Without default or optional it must be given.",
        fields: &[
            field(
                "type",
                "\"number\" | \"integer\" | \"boolean\" | \"string\" | \"vector\" | \"mark\" | \"route\" | \"area\" | \"region\" | \"door\" | \"character\" | \"any\"",
                "\"number\"",
                "what it is; the types that name things of a level are looked up there",
            ),
            field("default", "any", "1", "what it is when nothing is given"),
            field("optional", "boolean?", "true", "nil when nothing is given"),
            field("min", "number?", "0", "least number"),
            field("max", "number?", "9", "greatest number"),
            field("oneOf", "{any}?", "{ 1, 2 }", "values to choose from"),
        ],
    },
    TableType {
        name: "SceneDefinition",
        doc: "What the file of a cinematic returns, and `cinematic.define` takes.",
        fields: &[
            field("skippable", "boolean?", "true", "whether the host may skip it, default true"),
            field("holds", "{CharacterName}?", "{}", "their behaviours pause until it ends"),
            field("locks", "{string}?", "{}", "told to the host, given back on every exit"),
            field(
                "onReload",
                "(\"finish\" | \"restart\")?",
                "\"restart\"",
                "when its file changes under way: it finishes on its old code (default), or is cancelled and begun again",
            ),
            field(
                "resumable",
                "boolean?",
                "true",
                "whether a game may be saved while it is under way: after a load its script begins again with `c.resumedFrom`, its last mark; default false",
            ),
            field("onSkip", "((c: Scene) -> ())?", "", "once, when skipping begins; may not wait"),
            field(
                "onEnd",
                "((info: SceneInfo) -> ())?",
                "",
                "on every exit of a scene that has begun; may not wait",
            ),
            field("script", "(c: Scene, args: any) -> ...any", "", "the scene itself, a task"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::step::cinematic::definition;

    #[test]
    fn scenes_are_checked_for_the_fields_that_the_table_has() {
        let table = SHAPES.iter().find(|shape| shape.name == "SceneDefinition").unwrap();
        let mut told: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        let mut checked = definition::FIELDS;
        told.sort_unstable();
        checked.sort_unstable();
        assert_eq!(told, checked);
    }
}
