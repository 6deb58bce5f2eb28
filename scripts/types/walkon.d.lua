---@meta walkon
-- Definitions of walkon's API. Written by `walkon types`; changes here are lost.

---A position or direction, metres.
---@class vector
---@field x number
---@field y number
---@field z number
---@operator add(vector): vector
---@operator sub(vector): vector
---@operator mul(number): vector
---@operator div(number): vector
---@operator unm: vector

---@class vectorlib
---@field zero vector
---@field one vector
---@field create fun(x: number, y: number, z: number?): vector
---@field magnitude fun(v: vector): number
---@field normalize fun(v: vector): vector
---@field dot fun(a: vector, b: vector): number
---@field cross fun(a: vector, b: vector): vector
---@field angle fun(a: vector, b: vector, axis: vector?): number
---@field floor fun(v: vector): vector
---@field ceil fun(v: vector): vector
---@field abs fun(v: vector): vector
---@field sign fun(v: vector): vector
---@field clamp fun(v: vector, low: vector, high: vector): vector
---@field max fun(...: vector): vector
---@field min fun(...: vector): vector
vector = {}

---Like `type`, and the name of the type for handles: `Character`.
---@param value any
---@return string
function typeof(value) end

---Name of a mark.
---@alias MarkName string

---Name of a route.
---@alias RouteName string

---Name of a door.
---@alias DoorName string

---Name of an area or an obstacle.
---@alias AreaName string

---Name of a region.
---@alias RegionName string

---Name of a character.
---@alias CharacterName string

---Name of a behaviour's script.
---@alias BehaviourName string

---Name of a cinematic.
---@alias CinematicName string

---Name of a level.
---@alias LevelName string

---A named place; stops of a route may be nameless. `props` is what the level says of it, empty when nothing.
---@alias Mark { name: string?, position: vector, facing: number?, props: table<string, any> }

---Where; a string is the name of a mark. Verbs of a character also take x and z.
---@alias Place vector|MarkName|Mark|Character|Door

---A function, or the name of a handler of the owner.
---@alias Handler (fun(payload: any): any)|string

---A handler that is given how a walk ended.
---@alias WalkHandler (fun(result: WalkResult): any)|string

---A handler that is given what a path search found.
---@alias PathHandler (fun(result: PathResult): any)|string

---A handler that is told of a character that came in or went out.
---@alias RegionHandler (fun(event: RegionEvent): any)|string

---What can be waited for.
---@alias Awaitable Walk|DoorMove|PathRequest|Timer|Task|Turn|Play|Scene|Cue|Change

---A handler that is told of a character that was noticed, lost or heard.
---@alias SenseHandler (fun(event: SenseEvent): any)|string

---A node of a behaviour tree, out of a builder of `bt`.
---@alias Node { kind: string }

---The four ways a walk ends.
---@alias WalkStatus "arrived"|"partial"|"blocked"|"cancelled"

---Why a walk ended.
---@alias WalkReason "reached"|"alreadyThere"|"closeEnough"|"nearest"|"skipped"|"forced"|"noPath"|"startOffNav"|"occupied"|"doorClosed"|"stuck"|"timeout"|"tooWide"|"limit"|"stopped"|"superseded"|"targetGone"|"despawned"|"ownerGone"|"lostRace"|"levelEnd"

---Why there is no path, or none to the goal.
---@alias PathReason "noPath"|"startOffNav"|"occupied"|"doorClosed"|"tooWide"|"limit"|"cancelled"

---Which characters count; strings are tags.
---@alias Filter string|string[]|Character|(fun(character: Character): boolean)

---What a script said about the end of the run.
---@class LevelOutcome
---@field ok boolean whether it counts as a success
---@field note? string a sentence of the author's

---How a character is to walk. Everything may be left out.
---@class WalkOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining

---How a character is to walk in a behaviour tree: `WalkOptions` without handlers, because the node succeeds or fails.
---@class TreeWalkOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs

---For which body a way is asked for. Everything may be left out.
---@class PathOptions
---@field radius? number half the width of the body, metres, 0 to 10; default: that of the character at the start, else 0
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: as the character at the start, else "avoid"
---@field keys? string[] keys carried, for doors = "open"
---@field tags? string[] tags of the character that is to go there, for doors of teams and links with an action; default: those of the character at the start, else these are for all
---@field layer? string the layer of the goal; default: that of the start; a map without layers has one, "ground"
---@field fromLayer? string the layer of the start, where no character stands there; default: `layer`, else the first
---@field ignore? Character[] characters that do not count as obstacles; those at either end of the way never do, nor does one that moves

---`PathOptions`, and what to do with the answer.
---@class PathRequestOptions
---@field radius? number half the width of the body, metres, 0 to 10; default: that of the character at the start, else 0
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: as the character at the start, else "avoid"
---@field keys? string[] keys carried, for doors = "open"
---@field tags? string[] tags of the character that is to go there, for doors of teams and links with an action; default: those of the character at the start, else these are for all
---@field layer? string the layer of the goal; default: that of the start; a map without layers has one, "ground"
---@field fromLayer? string the layer of the start, where no character stands there; default: `layer`, else the first
---@field ignore? Character[] characters that do not count as obstacles; those at either end of the way never do, nor does one that moves
---@field onPath? PathHandler runs when it is found

---How a walk ended. `tostring(result)` gives status, reason, by and place.
---@class WalkResult
---@field ok boolean whether it arrived
---@field status WalkStatus the four ways a walk ends
---@field reason WalkReason why, one of the closed list of reasons
---@field walk number the walk's id
---@field character Character the character that walked
---@field position vector where it stands
---@field goal vector where it was to go
---@field remaining number metres left
---@field travelled number metres walked
---@field ticks number ticks since the walk was asked for
---@field repaths number plans made after the first
---@field by? Character|Door the character or door that stood in the way
---@field detail string one sentence

---How a wish about a door ended.
---@class DoorResult
---@field ok boolean whether the door is as asked
---@field reason "done"|"already"|"locked"|"occupied"|"cancelled" why
---@field door Door the door
---@field by? Character the character that did it, or stood in the way

---What a path search found.
---@class PathResult
---@field status "complete"|"partial"|"none" whether it reaches the goal
---@field reason? PathReason why not
---@field waypoints vector[] points, the first is the start
---@field length number metres
---@field cost number metres times area factors
---@field nearest? vector the reachable point nearest to the goal, when it is not the goal
---@field by? Character|Door the closed door that is in the way, or a character that stands on the goal, if that is the cause
---@field expansions number nodes the search looked at
---@field revision number of the map it holds for

---Which characters are meant: all of what is given must hold.
---@class CharacterQuery
---@field tag? string has this tag
---@field near? Place stands near this place; needs radius
---@field radius? number metres around `near`, 0 to 1000000
---@field region? RegionName stands in this region

---Which doors are meant: all of what is given must hold.
---@class DoorQuery
---@field prefix? string the name begins with this
---@field open? boolean open (or not), wholly

---A character to be.
---@class SpawnOptions
---@field name string unique among the living
---@field at Place the nearest walkable point within 8 m is taken
---@field facing? number radians about +y
---@field tags? string[] its own name is added
---@field like? CharacterName copies the settings of that character
---@field radius? number metres, 0.05 to 10
---@field walkSpeed? number metres a second, 0.01 to 50
---@field runSpeed? number metres a second; default twice the walking speed
---@field rotationSpeed? number radians a second, 0.1 to 100
---@field doors? "avoid"|"open"|"wait" what its walks do about doors
---@field layer? string the layer of the map; default: that of a character that is named as the place, else the first
---@field behaviour? BehaviourName started at the next dispatch
---@field params? table<string, any> parameters of the behaviour

---How a character is put down.
---@class TeleportOptions
---@field facing? number radians about +y; default: as it faced
---@field layer? string the layer of the map; default: the one it is on

---How long an animation plays.
---@class PlayOptions
---@field seconds? number 0 to 86400, default 1
---@field loop? boolean stays until it is replaced

---How a character is to follow: the options of a walk, and when it is near enough or has lost its target.
---@class FollowOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining
---@field distance? number metres from centre to centre, on its layer and floor, that are near enough, 0 to 1000; default `radius`, else 1.35
---@field keep? boolean never settle on reaching: stay close until stopped
---@field loseBeyond? number farther than these metres, 0 to 1000, the target is lost; default never
---@field loseAfter? number seconds that it must be so far away, 0 to 86400, default 0

---How a character is to flee: the options of a walk, and how far. `ensure` changes nothing: there is no goal to be put on.
---@class FleeOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining
---@field distance? number metres in a straight line over all floors that are far enough, 0 to 1000, default 8

---How a character is to walk its rounds: the options of a walk, and what it does at its stops.
---@class PatrolOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining
---@field loop? boolean begin again after the last stop, default true
---@field first? number index of the first stop, default 1
---@field pause? number|number[] seconds at each stop, 0 to 86400, or { least, most } to draw from; default 0
---@field onStop? Handler runs at each stop, with character, mark, index and walk (its id); not at one that is passed over

---How a character is to walk about: the options of a walk, and where.
---@class WanderOptions
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining
---@field area? AreaName only in this area
---@field around? Place only around this place; with `within` alone: around where it stands
---@field within? number metres around it, 0 to 1000, default 8
---@field pause? number|number[] seconds at each stop, 0 to 86400, or { least, most } to draw from; default 0

---How far to look, and for which body.
---@class NearestOptions
---@field within? number metres, 0 to 10000, default 8
---@field radius? number half the width of the body, metres, 0 to 10, default 0
---@field layer? string the layer of the map; default: that of a character that is named as the place, else the first

---For which body.
---@class WalkableOptions
---@field radius? number half the width of the body, metres, 0 to 10, default 0
---@field layer? string the layer of the map; default: that of a character that is named as the place, else the first

---Where a random point may be.
---@class PointOptions
---@field area? AreaName in this area
---@field around? Place near this place
---@field within? number metres around it, 0 to 10000, default 8
---@field reachableFrom? Place with a way from here
---@field layer? string the layer of the map; default: that of a character that is named as the place, else the first
---@field rng? Rng the numbers to draw from; default a stream of the level

---A tile of a tile map. What is left out of an edit stays.
---@class Tile
---@field navigable? boolean whether one can walk there while no door and no area says otherwise
---@field cost? number cost of a metre on it, 0.1 to 100; 1 is plain ground
---@field terrain? string ground, grass, sand, mud, water, ice, snow, rock, bridge or lava; brings its cost, and whether one can walk on it
---@field tags? string[] words for scripts

---What else to say of a tile that opens or closes.
---@class NavigableOptions
---@field cost? number cost of a metre on it, 0.1 to 100; kept when left out
---@field layer? string the layer of the map; default the first

---How a door is to be opened or closed. Everything may be left out.
---@class DoorOptions
---@field by? Character the character on whose account
---@field key? string opens a door locked with it
---@field whenOccupied? "wait"|"refuse"|"push" close only: wait (default) until it is clear, refuse, or move those inside out
---@field patience? number seconds to wait when occupied, 0 to 86400; default: no bound

---How a door is set.
---@class DoorSetOptions
---@field instant? boolean in no time

---Which characters count and which handlers run. Everything may be left out.
---@class RegionOptions
---@field filter? Filter a tag, a list of tags, a character, or a function that says yes
---@field edge? "centre"|"any"|"full" which part of a body must be inside: its centre (default, and the only one for areas), any part, all of it
---@field initial? boolean those already inside enter; else they count as inside without a word
---@field once? boolean remove itself after the first enter
---@field lineOfWalk? boolean region.near: only along walkable straight lines
---@field onEnter? RegionHandler runs for characters that come in
---@field onExit? RegionHandler runs for characters that go out
---@field onStay? RegionHandler runs each `every` seconds for those inside
---@field every? number seconds between onStay, 0 to 86400, rounded up to whole ticks, default 1

---Which handlers run when a predicate changes.
---@class WhenOptions
---@field onTrue? Handler payload { watch }
---@field onFalse? Handler payload { watch }
---@field every? number seconds between tests, 0 to 86400, rounded up to whole ticks, default each tick

---A character came in or went out.
---@class RegionEvent
---@field character Character the character
---@field region? string name of the region, if it is one of the level
---@field watch Watch the watch that saw it
---@field how string walked, teleported, spawned, despawned (they, or whom the circle is around), initial, moved, enabled, disabled or skipped

---How far and how wide a character sees, and how long it remembers.
---@class SeeOptions
---@field range? number metres from middle to middle, 0 to 10000, default 10
---@field degrees? number field of view: the full angle around where it faces, 0 to 360; default 180
---@field memory? number seconds within which a watch of the character may have seen the target, 0 to 86400; default: only what is in sight counts

---Whether something is seen.
---@class SeeResult
---@field seen boolean whether it is seen
---@field reason? "tooFar"|"outOfView"|"blocked" why not; the first that holds
---@field position vector where it is; when remembered, where it was seen last
---@field distance number metres to there from middle to middle
---@field remembered boolean whether it is not seen, and was within `memory` seconds by a watch of the character
---@field age? number seconds since it was seen: 0 while it is, nil when that is not known

---How far a character hears.
---@class HearOptions
---@field range? number metres, 0 to 10000; default as far as noises reach

---What is heard best.
---@class HearResult
---@field heard boolean whether there is something
---@field reason? "silent"|"tooFar" why not
---@field character? Character the character that made the noise, if it is still there
---@field position? vector where it was made
---@field loudness? number metres that it reaches
---@field distance? number metres to where it was made
---@field age? number seconds since it was made

---How a character watches, and which handlers run.
---@class SenseOptions
---@field range? number metres from middle to middle, 0 to 10000, default 10
---@field degrees? number field of view: the full angle around where it faces, 0 to 360; default 180
---@field hearing? number metres within which noises of the target are told, 0 to 10000; default 0
---@field memory? number seconds that the last known place is remembered, 0 to 86400, default 10
---@field onNotice? SenseHandler runs when a character comes into sight
---@field onLose? SenseHandler runs when a character is lost from sight
---@field onHear? SenseHandler runs for a noise of the target

---A character was noticed, lost or heard.
---@class SenseEvent
---@field watch SenseWatch the watch
---@field character Character the character
---@field position vector where they are; when lost, where they were seen last
---@field reason? "tooFar"|"outOfView"|"blocked"|"gone" onLose: why they are not seen
---@field loudness? number onHear: metres that the noise reaches

---Where a character was seen last.
---@class LastSeen
---@field character Character the character
---@field position vector where
---@field age number seconds since, 0 while in sight
---@field seen boolean whether they are in sight

---How often, and with what.
---@class EveryOptions
---@field times? number how often, 1 to 1000000000; default: unlimited
---@field payload any plain data for the handler

---How long a predicate is tested.
---@class UntilOptions
---@field timeout? number seconds; default: unlimited

---Which event is meant, and how long it is waited for.
---@class EventOptions
---@field timeout? number seconds; default: unlimited
---@field where? fun(payload: any): boolean which one counts

---What becomes of a cooldown when its branch is left.
---@class CooldownOptions
---@field keep? boolean goes on cooling when the branch is interrupted

---How long a value is kept.
---@class SetOptions
---@field ttl? number seconds until it clears itself, 0 to 1000000

---How a scene ended.
---@class SceneInfo
---@field name string its name
---@field ok boolean whether it finished
---@field outcome "finished"|"cancelled"|"fault"|"levelEnd" how it ended
---@field skipped boolean whether it was skipped
---@field mark? string its last mark
---@field ticks number how long it ran
---@field error? string the message of the fault

---How a line is spoken.
---@class SayOptions
---@field seconds? number default 2
---@field vars? table<string, any> values for the line

---What is chosen when nobody answers.
---@class ChoiceOptions
---@field default? string default: the first option
---@field seconds? number how long the question stands

---What a level test runs on, and how it is judged.
---@class TestOptions
---@field level LevelName name of a level
---@field seed? number seed of the run; the level's own by default
---@field seeds? number run for the seeds 1 to n; the first that fails is named
---@field maxTicks? number ticks after which it is a timeout, 3600 by default
---@field expect? string the outcome that counts as passed, `pass` by default
---@field faults? string `fail` (default): any script fault ends the test; `allow`
---@field variants? string[] run once for each; results must be equal
---@field args? string[] `level.args`

---How long something is waited for.
---@class WithinOptions
---@field timeout? number seconds, 20 by default

---How a walk is to be made, and how it is to end.
---@class WalkCheck
---@field speed? number metres a second, 0.01 to 50; or gait, not both
---@field gait? "walk"|"run" default "walk"
---@field radius? number metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6
---@field accept? "partial"|"near"|"nearest"|"exact" what counts when the goal cannot be had; default "partial"
---@field face? Place|number turn there after arriving; the walk settles when the turn is done
---@field doors? "avoid"|"open"|"wait" what to do about doors that are not open; default: the character's own setting
---@field layer? string the layer of the goal, on maps that have layers; default: a character's own, else the walker's
---@field keys? string[] keys carried, for doors = "open"
---@field crowd? "push"|"yield"|"ghost" standing characters are asked aside, waited for, or passed through; default "push"
---@field patience? number seconds without progress before the walk is blocked, 0 to 86400; default 3
---@field timeout? number seconds for the whole walk, 0 to 86400; default none
---@field ensure? boolean instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest
---@field onArrived? WalkHandler runs for arrived
---@field onFailed? WalkHandler runs for partial and blocked
---@field onCancelled? WalkHandler runs for cancelled
---@field onSettled? WalkHandler runs always, last
---@field via? Place[] places to pass first, in order; one out of reach is passed over
---@field avoid? AreaName[] areas that are walls to this walk; one it stands in is left by the shortest way
---@field costs? table<AreaName, number> cost of a metre in areas for this walk, 0.1 to 100, in place of theirs
---@field onBlocked? Handler runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers "wait", "repath", "push" or "giveUp"; may not wait
---@field onWaypoint? Handler runs at each corner of the way, with character, walk (its id), index and position
---@field onNear? Handler runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining
---@field status? WalkStatus how the walk is to end, `arrived` by default
---@field reason? WalkReason and for what reason; any by default
---@field within? number seconds it may take

---Which event is expected, and how soon.
---@class EventCheck
---@field within? number seconds, 5 by default
---@field where? any which one counts: fields that its payload has, or a predicate

---What became of a reload.
---@class ReloadReport
---@field ok boolean whether it took effect
---@field message? string why not
---@field files string[] the files that were given, by path below the script folders

---What became of a load.
---@class LoadReport
---@field ok boolean whether the level goes on from the save game
---@field message? string why not

---How long no event may come.
---@class NoEventCheck
---@field during? number seconds, 5 by default

---How much fuel a script may take.
---@class FuelCheck
---@field below? number of each character that runs it, less than this in a tick on average
---@field worst? number in no tick of a character this much; the start of the level is no tick
---@field character? Character only of this one

---Globals that a level script may define. Handlers by name are further globals.
---@class LevelScript
---@field onStart? fun(why: string) at the start of the level, "start", after a reload, "reload", after a load, "load"; may not wait
---@field onTick? fun(dt: number) every tick; may not wait
---@field onStop? fun(why: string) "levelEnd", "reload" or "fault"; may not wait

---What the file of a behaviour returns. Further functions are methods of `self`.
---@class BehaviourDefinition
---@field version? number whole, default 1; `migrate` runs when a reload or a load brings another
---@field params? table<string, ParamDefinition> what levels and `attach` may give
---@field init? fun(self: Behaviour) once for each instance: fills `self.state`; may not wait
---@field migrate? fun(self: Behaviour, from: number) brings the state of an older version up to date; may not wait
---@field start? fun(self: Behaviour, why: string) "attach", "reload" or "load": creates watches and timers; may not wait
---@field run? fun(self: Behaviour) the main task, after `start`
---@field update? fun(self: Behaviour, dt: number) every tick, or every `updateEvery` ticks; may not wait
---@field updateEvery? number ticks, whole, default 1
---@field tree any a node of `bt`
---@field on? table<string, fun(self: Behaviour, payload: any): any> handlers of events by name
---@field onWalkSettled? fun(self: Behaviour, result: WalkResult): any for walks whose handlers went with a reload or a load
---@field onTraverse? fun(self: Behaviour, link: Traverse): any takes its character over a link with an action: the link is over when this returns, and the walk ends before it with false, a fault, or after 30 seconds; may wait
---@field stop? fun(self: Behaviour, why: string) "despawned", "detached", "reload", "fault" or "levelEnd"; may not wait

---`self` in the functions of a behaviour. Other fields are free; they are gone after a reload or a load.
---@class Behaviour
---@field character Character the character
---@field params any checked, defaults filled in, read-only; references are names
---@field state any plain data, kept over reloads and in save games
---@field blackboard Blackboard the board of the character
---@field rng Rng its own stream of random numbers
---@field log any the library `log`; its lines carry the name of the behaviour
---@field name string name of the behaviour

---A link with an action that a walk has come to.
---@class Traverse
---@field walk Walk the walk
---@field action string what has to be done, as the level names it
---@field from vector where the link begins, and the character stands
---@field to vector where it ends, and the character stands afterwards
---@field seconds number how long it would take by itself, by its cost and the character's speed

---A parameter of a behaviour. Without default or optional it must be given.
---@class ParamDefinition
---@field type "number"|"integer"|"boolean"|"string"|"vector"|"mark"|"route"|"area"|"region"|"door"|"character"|"any" what it is; the types that name things of a level are looked up there
---@field default any what it is when nothing is given
---@field optional? boolean nil when nothing is given
---@field min? number least number
---@field max? number greatest number
---@field oneOf? any[] values to choose from

---What the file of a cinematic returns, and `cinematic.define` takes.
---@class SceneDefinition
---@field skippable? boolean whether the host may skip it, default true
---@field holds? CharacterName[] their behaviours pause until it ends
---@field locks? string[] told to the host, given back on every exit
---@field onReload? "finish"|"restart" when its file changes under way: it finishes on its old code (default), or is cancelled and begun again
---@field resumable? boolean whether a game may be saved while it is under way: after a load its script begins again with `c.resumedFrom`, its last mark; default false
---@field onSkip? fun(c: Scene) once, when skipping begins; may not wait
---@field onEnd? fun(info: SceneInfo) on every exit of a scene that has begun; may not wait
---@field script fun(c: Scene, args: any): any the scene itself, a task

---The running level.
---@class walkon.level
---@field name string Name of the level.
---@field seed number Seed of the run.
---@field tickRate number Ticks a second.
---@field tick number The current tick; 0 is the level as loaded.
---@field time number Game seconds since the start.
---@field args string[] Arguments after `--` on the command line; read-only.
---@field outcome LevelOutcome? What `level.finish` was called with first; in a level test the run goes on.
level = {}

---Ends the run after this tick; the first call counts.
---@param ok boolean
---@param note? string
function level.finish(ok, note) end

---A number for the run's summary and for the tables of `batch`; the last value of a name counts.
---@param name string
---@param value number
function level.measure(name, value) end

---The time of day, on levels that have the key `clock`. A time is a text such as "6:30", or minutes since midnight.
---@class walkon.clock
---@field exists boolean Whether the level has a time of day. Without one, everything else here is refused.
---@field minutes number Minutes since midnight, from 0 to less than 1440.
---@field text string The time as people write it, such as `06:30`.
---@field day number The day, from 1. It begins at midnight.
---@field secondsPerMinute number Game seconds that a minute takes.
---@field paused boolean Whether the time stands still.
clock = {}

---Whether it is `from` or later, and not yet `to`. A span may go over midnight.
---@param from string|number
---@param to string|number
---@return boolean
function clock.isBetween(from, to) end

---Game seconds until it is that time the next time, a tick at least; `math.huge` while the clock stands still.
---@param time string|number
---@return number
function clock.secondsUntil(time) end

---Puts the clock forward to that time, of the next day where it has passed on this one.
---@param time string|number
function clock.set(time) end

---Lets a minute take so many game seconds from now on, 0.001 to 3600.
---@param seconds number
function clock.setPace(seconds) end

---Stops the clock.
function clock.pause() end

---Lets the clock go on.
function clock.resume() end

---What is in the level: characters and things.
---@class walkon.world
world = {}

---The character of that name; raises when there is none.
---@param name CharacterName
---@return Character
function world.character(name) end

---The character of that name, or nil.
---@param name string
---@return Character?
function world.findCharacter(name) end

---All characters that match, in id order.
---@param query? CharacterQuery
---@return Character[]
function world.characters(query) end

---Writes where all characters are that match, in id order: `x`, `y` and `z` of each as 32-bit floats, twelve bytes. Returns how many match; those for whom there is no room are left out. For thousands at once: no handle or vector is made.
---@param into buffer
---@param query? CharacterQuery
---@return number
function world.positions(into, query) end

---The character with `"player": true`.
---@return Character?
function world.player() end

---A new character; nil and a sentence when no walkable point lies within 8 m of `at`.
---@param options SpawnOptions
---@return Character?
---@return string?
function world.spawn(options) end

---The door of that name; raises when there is none.
---@param name DoorName
---@return Door
function world.door(name) end

---The door of that name, or nil.
---@param name string
---@return Door?
function world.findDoor(name) end

---Doors in level order.
---@param query? DoorQuery
---@return Door[]
function world.doors(query) end

---Short for `toggle()` of that door.
---@param name DoorName
---@return DoorMove
function world.toggleDoor(name) end

---Short for `open()` or `close()` of that door.
---@param name DoorName
---@param open boolean
---@return DoorMove
function world.setDoor(name, open) end

---Whether a running cinematic locks `what`, such as `"input"`.
---@param what string
---@return boolean
function world.isLocked(what) end

---A character in the level. The same character is always the same value. After `despawn`, `alive` is false, `name` and `id` stay readable and everything else raises.
---@class Character
---@field name string Its name, unique among the living. Readable for ever.
---@field id number Its number, in order of creation. Readable for ever.
---@field alive boolean Whether it has not been removed.
---@field position vector Where it stands, metres.
---@field facing number Which way it looks, radians about +y: 0 along +z, pi/2 along +x.
---@field walkSpeed number Its walking speed, metres a second.
---@field runSpeed number Its running speed, metres a second.
---@field rotationSpeed number Its turning speed, radians a second.
---@field radius number Half the width of its body, metres.
---@field layer string Name of the layer of the map that it is on; a map without layers has one, "ground".
---@field tags string[] Tags of the level, its own name, and `player` for the player; a fresh list, sorted.
---@field props table<string, any> What the level says under `props` of the character of that name: read-only, empty when it says nothing.
---@field animation string `stand`, `walk`, `run`, or what `play` set.
---@field currentWalk Walk? The walk under way.
---@field heldBy string? Name of the cinematic that holds it.
---@field behaviour any The `self` of its behaviour.
---@field blackboard Blackboard The board of this character; it dies with it. `self.blackboard` in a behaviour.
local Character = {}

---Starts a walk and returns its handle; it is the `currentWalk` at once, its path is searched in step 6. The walk before it settles `cancelled/superseded`.
---@param goal Place
---@param options? WalkOptions
---@return Walk
---@overload fun(self: Character, x: number, z: number, options?: WalkOptions): Walk
function Character:walkTo(goal, options) end

---The same as `walkTo`, and waits for the result; the walk belongs to the calling task and ends with it.
---@async
---@param goal Place
---@param options? WalkOptions
---@return WalkResult
---@overload fun(self: Character, x: number, z: number, options?: WalkOptions): WalkResult
function Character:walk(goal, options) end

---Ends the walk where it stands, `cancelled/stopped`; false if there was none.
---@return boolean
function Character:stopInPlace() end

---The same as `stopInPlace`.
---@return boolean
function Character:stop() end

---Puts it on the nearest walkable point within 8 m and returns that, else nil. A walk under way settles `cancelled/stopped`.
---@param to Place
---@param options? TeleportOptions
---@return vector?
---@overload fun(self: Character, x: number, z: number, options?: TeleportOptions): vector?
function Character:teleport(to, options) end

---Turns towards a place, or to an angle in radians: one number is an angle, two are x and z.
---@param target Place|number
---@return Turn
---@overload fun(self: Character, x: number, z: number): Turn
function Character:face(target) end

---Sets the animation state for some seconds (1 by default); does not stop a walk.
---@param animation string
---@param options? PlayOptions
---@return Play
function Character:play(animation, options) end

---Changes the settings, metres a second, 0.01 to 50.
---@param walkSpeed number
---@param runSpeed? number
function Character:setSpeed(walkSpeed, runSpeed) end

---Whether it is seen to walk: a walk, or a step aside, moves it, or did until just now. One that plans, waits, turns or is held up for longer is not.
---@return boolean
function Character:isMoving() end

---Straight metres on the ground plane.
---@param other Place
---@return number
---@overload fun(self: Character, x: number, z: number): number
function Character:distanceTo(other) end

---Whether there is a way, without a search; a reason when there is none: noPath, startOffNav, doorClosed, tooWide.
---@param goal Place
---@param options? PathOptions
---@return boolean
---@return PathReason?
---@overload fun(self: Character, x: number, z: number, options?: PathOptions): boolean, PathReason?
function Character:canReach(goal, options) end

---Whether it has a tag.
---@param tag string
---@return boolean
function Character:hasTag(tag) end

---Removes it: `alive` is false at once, its walk settles `cancelled/despawned`, walks towards it `cancelled/targetGone`.
function Character:despawn() end

---Keeps up with a character: `arrived/reached` once within `distance` and the target stands; no way for `patience`: `blocked/noPath` or `blocked/doorClosed`; lost: `cancelled/targetGone` with `goal` where it was last.
---@param target Character
---@param options? FollowOptions
---@return Walk
function Character:follow(target, options) end

---Moves off, never past it but where one that moves leaves room, until it is `distance` away in a straight line: `arrived/reached`; cornered: `partial/nearest`.
---@param from Place
---@param options? FleeOptions
---@return Walk
---@overload fun(self: Character, x: number, z: number, options?: FleeOptions): Walk
function Character:flee(from, options) end

---Walks the stops in turn, for ever or once; a stop out of reach is passed over, and so is one whose character is gone, and one that a door or a character on it keeps it from for all of its patience; all out of reach in one round: `blocked/noPath`; all but one: a round a second. Without `loop` it is `arrived/reached` at the last stop; out of reach, that ends it as `walkTo` would.
---@param route RouteName|Place[]
---@param options? PatrolOptions
---@return Walk
function Character:patrol(route, options) end

---Walks to random reachable points of the character's own stream, pausing; never arrives.
---@param options? WanderOptions
---@return Walk
function Character:wander(options) end

---Starts a behaviour at the next dispatch; the one it has stops with `"detached"`.
---@param behaviour BehaviourName
---@param params? table<string, any>
function Character:attach(behaviour, params) end

---Stops its behaviour with `"detached"` at the next dispatch.
function Character:detach() end

---Makes a noise where it stands, heard by others within `loudness` metres, 0 to 10000, for half a second. Walls take nothing from it.
---@param loudness number
function Character:emitNoise(loudness) end

---A walk: it settles exactly once, whatever happens.
---@class Walk
---@field id number Its number, in order of creation.
---@field character Character The character that walks.
---@field goal vector Where to, metres; moves along with a character that is followed.
---@field result WalkResult? The result; nil until it settles.
---@field state "planning"|"moving"|"waiting"|"turning"|"paused"|"settled" `planning`, `moving`, `waiting`, `turning`, `paused` or `settled`.
local Walk = {}

---Waits for the result.
---@async
---@return WalkResult
function Walk:wait() end

---Ends the walk where the character stands, `cancelled/stopped`; false when it has settled.
---@return boolean
function Walk:stop() end

---Metres of path left, on the ground plane and along what is climbed; nil while it plans.
---@return number?
function Walk:remaining() end

---The points of the path that are left.
---@return vector[]
function Walk:path() end

---Gives the walk another goal without ending it; false when it has settled. A character that follows another follows the new character; any other course becomes a walk to that goal.
---@param goal Place
---@return boolean
function Walk:retarget(goal) end

---Changes how fast the walk goes, metres a second, 0.01 to 50; false when it has settled.
---@param speed number
---@return boolean
function Walk:setSpeed(speed) end

---Lets the character stand until `resume`; patience does not count meanwhile, the timeout and the rest at a stop do. False when it has settled or stands so already.
---@return boolean
function Walk:pause() end

---Lets a paused walk go on; false when it was not paused.
---@return boolean
function Walk:resume() end

---Seconds that what is left of the path takes at its speed, doors aside; nil while it plans.
---@return number?
function Walk:eta() end

---A turn on the spot; its result is false if something else turned it.
---@class Turn
local Turn = {}

---Waits for the end of the turn: false if something else turned it.
---@async
---@return boolean
function Turn:wait() end

---An animation; its result is false if it was replaced.
---@class Play
local Play = {}

---Waits for the end of the animation: false if it was replaced.
---@async
---@return boolean
function Play:wait() end

---The navigation map: ways, areas, named places.
---@class walkon.nav
---@field revision number Revision of the map: one more for every tick in which it was edited.
---@field pending boolean Whether edits wait for step 5.
nav = {}

---Searches at once, to the end; every node it looks at costs a unit of fuel.
---@param from Place
---@param to Place
---@param options? PathOptions
---@return PathResult
function nav.findPath(from, to, options) end

---Asks for a path; the search is spread over ticks, first come first served.
---@param from Place
---@param to Place
---@param options? PathRequestOptions
---@return PathRequest
function nav.requestPath(from, to, options) end

---Whether there is a way, without a search; a reason when there is none: noPath, startOffNav, doorClosed, tooWide.
---@param from Place
---@param to Place
---@param options? PathOptions
---@return boolean
---@return PathReason?
function nav.reachable(from, to, options) end

---The nearest walkable point, within 8 m unless said otherwise.
---@param place Place
---@param options? NearestOptions
---@return vector?
function nav.nearest(place, options) end

---A random walkable point; nil if none was found.
---@param options? PointOptions
---@return vector?
function nav.randomPoint(options) end

---Whether the straight segment stays on walkable ground; its last walkable point.
---@param from Place
---@param to Place
---@param options? PathOptions
---@return boolean
---@return vector
function nav.lineOfWalk(from, to, options) end

---Whether one can stand there.
---@param place Place
---@param options? WalkableOptions
---@return boolean
function nav.isWalkable(place, options) end

---Puts an area in force or out of it; whether that was a change. The map follows in step 5.
---@param area AreaName
---@param available boolean
---@return boolean
function nav.setAreaAvailable(area, available) end

---Whether an area is in force, as last asked for.
---@param area AreaName
---@return boolean
function nav.isAreaAvailable(area) end

---Cost of a metre in the area, 0.1 to 100; 1 is plain ground. The map follows in step 5.
---@param area AreaName
---@param factor number
function nav.setAreaCost(area, factor) end

---Cost of a metre in the area, as last asked for.
---@param area AreaName
---@return number
function nav.areaCost(area) end

---A named place; raises when there is none.
---@param name MarkName
---@return Mark
function nav.mark(name) end

---A named place, or nil.
---@param name string
---@return Mark?
function nav.findMark(name) end

---The stops of a route, a fresh list.
---@param name RouteName
---@return Mark[]
function nav.route(name) end

---What the level says of a route under `props`: read-only, empty when it says nothing.
---@param name RouteName
---@return table<string, any>
function nav.routeProps(name) end

---Tile maps: the tile at a place, as last asked for; nil off the map. The layer is the first unless named.
---@param place Place
---@param layer? string
---@return Tile?
function nav.tileAt(place, layer) end

---Tile maps: changes the tile at a place; what is left out stays. A terrain brings its own cost, and whether one can walk on it, where those are not given. The map follows in step 5; walks over the tile, or past one that opened, look for a way again in that tick.
---@param place Place
---@param tile Tile
---@param layer? string
function nav.setTile(place, tile, layer) end

---Tile maps: opens or closes the tile at a place, whatever it was; its cost is kept unless given.
---@param place Place
---@param navigable boolean
---@param options? NavigableOptions
function nav.setNavigable(place, navigable, options) end

---Graphs: one more point, without links; its number. The map follows in step 5.
---@param place Place
---@return number
function nav.addPoint(place) end

---Graphs: links the points nearest to two places, both ways; whether that was a change. A point stands for places within 8 m. The map follows in step 5; walks that end short of their goal look for a way again in that tick.
---@param from Place
---@param to Place
---@return boolean
function nav.link(from, to) end

---Graphs: takes away the link between the points nearest to two places; whether that was a change. The map follows in step 5; walks whose way led over it look for another in that tick.
---@param from Place
---@param to Place
---@return boolean
function nav.unlink(from, to) end

---Names of the areas around a point, available or not, in the order of the level.
---@param place Place
---@return string[]
function nav.areasAt(place) end

---Gives a place a name, for the rest of the level, or moves a mark that was added so; raises when the level has a mark of that name.
---@param name string
---@param place Place
---@return Mark
function nav.addMark(name, place) end

---Blocks the ground within `radius` metres, 0.01 to 50, from step 5 on, on one layer: that of the character given as place, else the first, unless named. Ends with its owner, and when a reload replaces the owner's code.
---@param place Place
---@param radius number
---@param layer? string
---@return Block
function nav.block(place, radius, layer) end

---A path being searched over the next ticks, within the level's `pathBudget`.
---@class PathRequest
---@field result PathResult? The result; nil until the search has ended.
local PathRequest = {}

---Waits for the result.
---@async
---@return PathResult
function PathRequest:wait() end

---Takes the request back: its result is `none`, `cancelled`.
function PathRequest:cancel() end

---Ground that a script keeps all characters off.
---@class Block
local Block = {}

---Frees the ground in step 5; false when it is over.
---@return boolean
function Block:remove() end

---A named area that opens and closes over time.
---@class Door
---@field name string Its name.
---@field position vector The middle of its area's bounds, metres.
---@field area string Name of the area it rules.
---@field state "open"|"opening"|"closed"|"closing" `open`, `opening`, `closed` or `closing`.
---@field passable boolean Whether it can be walked through: false from the start of closing until the end of opening.
---@field locked boolean Whether it refuses to open.
---@field key string? The key its lock wants.
---@field props table<string, any> What the level says of it under `props`: read-only, empty when it says nothing.
local Door = {}

---Starts opening; a locked door refuses unless the key fits.
---@param options? DoorOptions
---@return DoorMove
function Door:open(options) end

---Starts closing, or waits as `whenOccupied` says. It never closes on a character unless told to push.
---@param options? DoorOptions
---@return DoorMove
function Door:close(options) end

---Closes an open or opening door, opens any other.
---@param options? DoorOptions
---@return DoorMove
function Door:toggle(options) end

---Opens or closes it whatever the lock says.
---@param open boolean
---@param options? DoorSetOptions
---@return DoorMove
function Door:set(open, options) end

---Locks it: it refuses to open, it may still close. With a key, only that key unlocks it.
---@param key? string
function Door:lock(key) end

---Unlocks it; false when the lock wants another key.
---@param key? string
---@return boolean
function Door:unlock(key) end

---The characters that stand in the door's area, in id order.
---@return Character[]
function Door:occupants() end

---Calls the handler when the door does that; payload `{ door, what, by? }`.
---@param what "opening"|"opened"|"closing"|"closed"|"locked"|"unlocked"|"refused"
---@param handler Handler
---@return Listener
function Door:on(what, handler) end

---A wish about a door; it is answered exactly once.
---@class DoorMove
---@field result DoorResult? The result; nil until the wish is answered.
local DoorMove = {}

---Waits for the answer.
---@async
---@return DoorResult
function DoorMove:wait() end

---Which characters are inside which shape, as of step 11 of the last tick.
---@class walkon.region
region = {}

---Watches a region of the level.
---@param name RegionName
---@param options? RegionOptions
---@return Watch
function region.on(name, options) end

---Short for `region.on` with `onEnter`.
---@param name RegionName
---@param handler RegionHandler
---@param options? RegionOptions
---@return Watch
function region.onEnter(name, handler, options) end

---Short for `region.on` with `onExit`.
---@param name RegionName
---@param handler RegionHandler
---@param options? RegionOptions
---@return Watch
function region.onExit(name, handler, options) end

---What the level says of a region under `props`: read-only, empty when it says nothing.
---@param name RegionName
---@return table<string, any>
function region.props(name) end

---Watches a navigation area, available or not.
---@param area AreaName
---@param options? RegionOptions
---@return Watch
function region.area(area, options) end

---Watches a circle of 0 to 10000 metres; around a character it moves along and leaves that character out.
---@param place Place
---@param radius number
---@param options? RegionOptions
---@return Watch
function region.near(place, radius, options) end

---Runs `onTrue` and `onFalse` when the answer changes; it counts as false before the first test.
---@param predicate fun(): boolean
---@param options WhenOptions
---@return Watch
function region.when(predicate, options) end

---A shape, or a predicate, that is being watched. It ends with its owner.
---@class Watch
local Watch = {}

---The characters inside, in id order.
---@return Character[]
function Watch:inside() end

---Whether a character is inside.
---@return boolean
function Watch:occupied() end

---Whether this character is inside.
---@param character Character
---@return boolean
function Watch:contains(character) end

---Looks again after `disable`: those inside by then enter as `enabled`.
function Watch:enable() end

---Looks no more for now: everybody inside leaves as `disabled`.
function Watch:disable() end

---Ends the watch without a word.
function Watch:remove() end

---What characters see and hear. Areas and obstacles hide as the level says (`blocksSight`), closed doors hide.
---@class walkon.sense
sense = {}

---Whether a character sees another, or a place, at this moment; with `memory` also whether its watches saw the other a while ago.
---@param character Character
---@param target Place
---@param options? SeeOptions
---@return SeeResult
function sense.see(character, target, options) end

---The noise of others that a character hears best: the one whose reach it stands farthest inside. A noise is heard for half a second.
---@param character Character
---@param options? HearOptions
---@return HearResult
function sense.hear(character, options) end

---Watches for a character, or for all with a tag. It looks first in step 11; a target is lost a tenth farther away, and 20 degrees wider, than it is noticed.
---@param character Character
---@param target Character|{ tag: string }
---@param options? SenseOptions
---@return SenseWatch
function sense.watch(character, target, options) end

---A character that watches for others. It ends with its owner, and when a reload replaces the owner's code.
---@class SenseWatch
---@field character Character? The character that watches.
---@field lastSeen LastSeen? Where a character was seen last: one in sight before others, then the latest; nil when none was, or too long ago.
local SenseWatch = {}

---The characters in sight at the last look, in id order.
---@return Character[]
function SenseWatch:seen() end

---Whether this character was in sight at the last look.
---@param character Character
---@return boolean
function SenseWatch:sees(character) end

---Looks again after `disable`: those in sight by then are noticed again.
function SenseWatch:enable() end

---Looks no more for now, and loses everybody without a word; what it remembers stays.
function SenseWatch:disable() end

---Ends the watch without a word.
function SenseWatch:remove() end

---Handlers that run later, in step 3. Those given by name outlive a reload and a load; `start`, `onStart` and `run` may make them again, and none is there twice.
---@class walkon.timer
timer = {}

---Runs the handler once, so many seconds from now, 0 to 1000000, in the next tick at the earliest.
---@param seconds number
---@param handler? Handler
---@param payload any
---@return Timer
function timer.after(seconds, handler, payload) end

---Runs the handler again and again, after 0 to 1000000 seconds each time; a function that returns false ends it.
---@param seconds number
---@param handler Handler
---@param options? EveryOptions
---@return Timer
function timer.every(seconds, handler, options) end

---A timer; its result is true when its time came, false when it was cancelled.
---@class Timer
local Timer = {}

---Ends it; false when it is over.
---@return boolean
function Timer:cancel() end

---Seconds until it is due; 0 when it is over.
---@return number
function Timer:remaining() end

---Lets its time stand still.
function Timer:pause() end

---Lets its time go on.
function Timer:resume() end

---Waits until its time has come: true; false when it is cancelled.
---@async
---@return boolean
function Timer:wait() end

---What scripts tell one another, and hear of the runtime.
---@class walkon.event
event = {}

---Calls the handler for every event of that name.
---@param name string
---@param handler Handler
---@return Listener
function event.on(name, handler) end

---The same for the first such event only.
---@param name string
---@param handler Handler
---@return Listener
function event.once(name, handler) end

---Tells all listeners, every behaviour with `on[name]`, and the host. Delivered in step 12.
---@param name string
---@param payload any
function event.emit(name, payload) end

---Tells that character's behaviour only; false if it has none.
---@param character Character
---@param name string
---@param payload any
---@return boolean
function event.send(character, name, payload) end

---A handler of an event or a door.
---@class Listener
local Listener = {}

---Ends it; false when it is over.
---@return boolean
function Listener:remove() end

---Code that takes time. Handlers, `run` and the script of a scene are tasks; a bare `coroutine.yield()` in one waits a tick.
---@class walkon.task
task = {}

---Starts a task after the running code has returned or waited.
---@param fn fun(value1: any): any
---@param ... any
---@return Task
function task.spawn(fn, ...) end

---Waits so long, 0 to 1000000 seconds, a tick at least.
---@async
---@param seconds number
function task.sleep(seconds) end

---Waits n ticks.
---@async
---@param n number
function task.ticks(n) end

---Waits until the predicate, tested each tick, holds; false when the time is over.
---@async
---@param predicate fun(): boolean
---@param options? UntilOptions
---@return boolean
function task.waitUntil(predicate, options) end

---Waits for an event: its payload, nil when the time is over.
---@async
---@param name string
---@param options? EventOptions
---@return any
function task.waitEvent(name, options) end

---Waits for the result of x; raises its error if x is a task that failed, nil if it was cancelled.
---@async
---@param x Awaitable
---@return any
function task.await(x) end

---Waits for all: results under the same keys. A fault in one cancels the rest and raises here.
---@async
---@param entries table<any, Awaitable|(fun(): any)>
---@return table<any, any>
function task.all(entries) end

---Waits for the first: its key and result. The others are cancelled, walks with `lostRace`.
---@async
---@param entries table<any, Awaitable|(fun(): any)>
---@return any
---@return any
function task.race(entries) end

---True and the result; false when the time is over, and the entry is cancelled.
---@async
---@param seconds number
---@param entry Awaitable|(fun(): any)
---@return boolean
---@return any
function task.timeout(seconds, entry) end

---Runs when the current task ends unfinished, last in, first out; it may not wait, and has 1,000 steps when the fuel of the tick is spent.
---@param fn fun(why: string)
function task.onCancel(fn) end

---Cancels this owner's task of that name, then starts the new one under it.
---@param name string
---@param fn fun(value1: any): any
---@param ... any
---@return Task
function task.restart(name, fn, ...) end

---The task that runs.
---@return Task
function task.current() end

---A task that was started.
---@class Task
---@field status "running"|"done"|"failed"|"cancelled" `running`, `done`, `failed` or `cancelled`.
local Task = {}

---Ends it, with what it waits for by walk, all, race or timeout; false when it is over.
---@return boolean
function Task:cancel() end

---Waits for what its function returns.
---@async
---@return any
function Task:wait() end

---Builders of behaviour trees, for the `tree` of a behaviour. A tree is ticked in step 3 with `update`; a finished one starts again in the next tick.
---@class walkon.bt
bt = {}

---Children in turn until one fails. `reactive = true`: earlier children are tried again each tick and interrupt a later one that runs.
---@param nodes table<any, Node|boolean>
---@return Node
function bt.sequence(nodes) end

---Children in turn until one succeeds. `reactive = true`: earlier children are tried again each tick; a later one that runs is interrupted before an action, a walk or a wait of an earlier one begins.
---@param nodes table<any, Node|boolean>
---@return Node
function bt.selector(nodes) end

---All children at once. `succeed = "all"`, the default, or `"any"`: how many have to succeed.
---@param nodes table<any, Node|string>
---@return Node
function bt.parallel(nodes) end

---Succeeds or fails at once; may not wait.
---@param fn fun(self: any): boolean
---@return Node
function bt.condition(fn) end

---A task, which may wait; a result of false is failure. With a table: `enter` before `run`, and exactly one `exit(self, why)` for every `enter`: success, failure, interrupted, reload or ownerGone.
---@param fn (fun(self: any): any)|{ enter: (fun(self: any): any)?, run: fun(self: any): any, exit: (fun(self: any, why: string): any)? }
---@return Node
function bt.action(fn) end

---Walks, with the options of `walkTo` but no handlers; succeeds when it arrived.
---@param goal Place|(fun(self: any): Place)
---@param options? TreeWalkOptions
---@return Node
function bt.walkTo(goal, options) end

---Succeeds after that time, or after a time between the two.
---@param seconds number|number[]
---@return Node
function bt.wait(seconds) end

---Success becomes failure, and failure success.
---@param node Node
---@return Node
function bt.invert(node) end

---Succeeds in any case.
---@param node Node
---@return Node
function bt.succeed(node) end

---Repeats so many times, once a tick at most, and ends as the last one did; without `times` for ever.
---@param node Node
---@param times? number
---@return Node
function bt.repeatN(node, times) end

---Repeats while it fails, so many times at most, once a tick.
---@param node Node
---@param times number
---@return Node
function bt.retry(node, times) end

---Fails while it cools, so many seconds after the node has ended. Interrupted, it forgets that unless `keep` is set.
---@param node Node
---@param seconds number
---@param options? CooldownOptions
---@return Node
function bt.cooldown(node, seconds, options) end

---Fails and interrupts the node when it takes longer.
---@param node Node
---@param seconds number
---@return Node
function bt.timeLimit(node, seconds) end

---Runs the node while the predicate, tested each tick, holds; fails and interrupts it otherwise.
---@param fn fun(self: any): boolean
---@param node Node
---@return Node
function bt.when(fn, node) end

---One of the children, drawn from `self.rng`.
---@param nodes Node[]
---@return Node
function bt.random(nodes) end

---One of the children, drawn from `self.rng` by weight; entries `{ weight, node }`.
---@param nodes any[][]
---@return Node
function bt.weighted(nodes) end

---The tree of another file: one that returns a node, or a behaviour with a tree.
---@param name string
---@return Node
function bt.subtree(name) end

---Plain data that scripts share by key, kept over reloads and in save games.
---@class walkon.blackboard
---@field level Blackboard The board of the level.
blackboard = {}

---The board of all that name this group.
---@param name string
---@return Blackboard
function blackboard.group(name) end

---The board of the level, of a group or of a character. Setting an equal value is no change.
---@class Blackboard
local Blackboard = {}

---The value, as a copy; the default when there is none.
---@param key string
---@param default any
---@return any
function Blackboard:get(key, default) end

---Keeps plain data under the key; with `ttl`, for so many seconds.
---@param key string
---@param value any
---@param options? SetOptions
function Blackboard:set(key, value, options) end

---Whether there is a value.
---@param key string
---@return boolean
function Blackboard:has(key) end

---Forgets the value.
---@param key string
function Blackboard:clear(key) end

---The keys that have values, sorted.
---@return string[]
function Blackboard:keys() end

---What can be waited for: the value at the next change, nil when it is cleared.
---@param key string
---@return Change
function Blackboard:changed(key) end

---Calls the handler for every change of the key with `{ key, value, old }`.
---@param key string
---@param handler Handler
---@return Listener
function Blackboard:watch(key, handler) end

---The next change of a key; its result is the new value.
---@class Change
local Change = {}

---Waits for the change: the new value, nil when it was cleared.
---@async
---@return any
function Change:wait() end

---Scenes: code that holds characters for a while.
---@class walkon.cinematic
cinematic = {}

---Starts a scene at the next dispatch.
---@param name CinematicName
---@param args? table<string, any>
---@return Scene
function cinematic.play(name, args) end

---A scene written inside another script, from its `start` or `onStart`.
---@param name string
---@param definition SceneDefinition
function cinematic.define(name, definition) end

---The running scene of that name, or the oldest.
---@param name? string
---@return Scene?
function cinematic.running(name) end

---A scene. From outside it can be waited for and cancelled; its own script, which gets it as first argument, walks, speaks and waits with it.
---@class Scene
---@field name string Its name.
---@field mark string? The mark it passed last. In the scene's own code it is the method `mark` that sets it.
---@field resumedFrom string? The mark from which it goes on after a load, for scenes that say `resumable = true`; nil when it began from its start.
---@field skipping boolean Whether it is being skipped.
---@field info SceneInfo? How it ended; nil until it has.
local Scene = {}

---Ends it at the next dispatch; false when it is over. A scene that is played after this may hold its characters.
---@return boolean
function Scene:cancel() end

---Skips it from the next dispatch on: its code runs on in no time. False when it is not skippable, or over.
---@return boolean
function Scene:skip() end

---From outside: waits until the scene is over. In the scene's own code, with seconds: a pause.
---@async
---@param seconds? number
---@return SceneInfo
function Scene:wait(seconds) end

---`character:walk` with accept near, crowd push, patience 2, timeout 60, ensure: it arrives, unless the goal is more than 8 m from any ground. The scene must hold the character.
---@async
---@param character Character
---@param goal Place
---@param options? WalkOptions
---@return WalkResult
---@overload fun(self: Scene, character: Character, x: number, z: number, options?: WalkOptions): WalkResult
function Scene:walk(character, goal, options) end

---The same without waiting.
---@param character Character
---@param goal Place
---@param options? WalkOptions
---@return Walk
---@overload fun(self: Scene, character: Character, x: number, z: number, options?: WalkOptions): Walk
function Scene:start(character, goal, options) end

---`task.all`.
---@async
---@param entries table<any, Awaitable|(fun(): any)>
---@return table<any, any>
function Scene:parallel(entries) end

---`task.race`.
---@async
---@param entries table<any, Awaitable|(fun(): any)>
---@return any
---@return any
function Scene:race(entries) end

---The result, or nil after `timeout` seconds, 60 by default.
---@async
---@param entry Awaitable|(fun(): any)
---@param options? UntilOptions
---@return any
function Scene:waitFor(entry, options) end

---Asks the host to speak a line, of at most 4,096 bytes; over after `seconds`.
---@async
---@param who Character
---@param line string
---@param options? SayOptions
function Scene:say(who, line, options) end

---Asks the host a question; with no host to answer: `default`, else the first option, with a warning.
---@async
---@param id string
---@param options string[]
---@param settings? ChoiceOptions
---@return string
function Scene:choice(id, options, settings) end

---Asks the host to move the camera: pan, follow, cut, shake, zoom or reset. Reset by itself when the scene ends.
---@param kind "pan"|"follow"|"cut"|"shake"|"zoom"|"reset"
---@param options? table<string, any>
---@return Cue
function Scene:camera(kind, options) end

---Asks the host for anything else: fades, sound. Over after `seconds`, 0 by default.
---@param kind string
---@param options? table<string, any>
---@return Cue
function Scene:cue(kind, options) end

---A point of the scene, for logs, tests and `SceneInfo`; a name of 1 to 128 bytes.
---@param name string
function Scene:mark(name) end

---Runs the function; what is in it is never skipped.
---@async
---@param fn fun()
function Scene:noSkip(fn) end

---Runs the function; it is left out while a scene is skipped.
---@async
---@param fn fun()
function Scene:cosmetic(fn) end

---Something the host was asked for; over after its seconds.
---@class Cue
local Cue = {}

---Waits until it is over.
---@async
---@return boolean
function Cue:wait() end

---Random numbers that repeat with the seed of the run.
---@class walkon.rng
rng = {}

---A stream of the run's seed and that name; the same name is the same stream.
---@param name string
---@return Rng
function rng.stream(name) end

---A stream of random numbers.
---@class Rng
local Rng = {}

---From low (default 0) up to, not including, high (default 1).
---@param low? number
---@param high? number
---@return number
function Rng:float(low, high) end

---A whole number, both ends included.
---@param low number
---@param high number
---@return number
function Rng:int(low, high) end

---True with probability p, 0 to 1.
---@param p number
---@return boolean
function Rng:chance(p) end

---An entry of a list; nil from an empty one.
---@param list any[]
---@return any
function Rng:pick(list) end

---Puts a list in a random order, in place.
---@param list any[]
function Rng:shuffle(list) end

---A value out of entries `{ weight, value }`; nil when all weights are 0.
---@param list any[][]
---@return any
function Rng:weighted(list) end

---Lines with tick, owner, file and line. `print` is `log.info`.
---@class walkon.log
log = {}

---Writes a line of detail.
---@param format string
---@param ... any
function log.debug(format, ...) end

---Writes a line. `%s` takes anything; too few values print as nil.
---@param format string
---@param ... any
function log.info(format, ...) end

---Writes a warning.
---@param format string
---@param ... any
function log.warn(format, ...) end

---Writes an error; the script goes on.
---@param format string
---@param ... any
function log.error(format, ...) end

---Level tests, declared in files whose name ends in `_test.lua` and run by `walkon test`.
---@class walkon.test
test = {}

---Declares a test, while a file whose name ends in `_test.lua` loads.
---@param name string
---@param options TestOptions
---@param fn fun(t: Test, variant: string?): any
function test.level(name, options, fn) end

---The test that runs.
---@class Test
local Test = {}

---Lets game time pass, a tick at least.
---@async
---@param seconds number
function Test:run(seconds) end

---Lets n ticks pass.
---@async
---@param n number
function Test:ticks(n) end

---Waits until the predicate, tested each tick, holds; fails when that takes too long.
---@async
---@param predicate fun(): boolean
---@param options? WithinOptions
function Test:until_(predicate, options) end

---Repeats expectations each tick until all of them hold; fails when that takes too long.
---@async
---@param fn fun()
---@param options? WithinOptions
function Test:eventually(fn, options) end

---Runs the function after every tick until the test ends.
---@param fn fun()
function Test:always(fn) end

---Something is expected of a value: `t:expect(v):toBe(w)`. Of several results of a call the first counts.
---@param value any
---@param ... any
---@return Expectation
function Test:expect(value, ...) end

---Sends the character, waits, and checks how the walk ends: status, reason, seconds.
---@async
---@param character Character
---@param goal Place
---@param options? WalkCheck
---@return WalkResult
function Test:expectWalk(character, goal, options) end

---Waits for an event and gives its payload; fails when it does not come.
---@async
---@param name string
---@param options? EventCheck
---@return any
function Test:expectEvent(name, options) end

---Waits so long and fails when the event comes.
---@async
---@param name string
---@param options? NoEventCheck
function Test:expectNoEvent(name, options) end

---Expects a behaviour, level script or cinematic to take no more fuel than that, and gives what a character takes in a tick on average. What it calls of libraries counts for it.
---@param name string
---@param options? FuelCheck
---@return number
function Test:expectFuel(name, options) end

---Fails the test.
---@param message string
function Test:fail(message) end

---An input of the host, at step 1 of the next tick.
---@param name string
---@param payload? any
function Test:input(name, payload) end

---The answer to every choice of a scene of that id; an option it does not have, or an answer that is never asked for, fails the test.
---@param choice string
---@param option string
function Test:answer(choice, option) end

---The text of a script.
---@param name string
---@return string
function Test:source(name) end

---Reloads scripts with these texts, by name; back in the next tick, when that is done or refused.
---@async
---@param files table<string, string>
---@return ReloadReport
function Test:reload(files) end

---A save game of the level as it is after this tick, without the test; back in the next tick. Raises with the reason where a game cannot be saved now.
---@async
---@return string
function Test:save() end

---Puts a save game of this level in the place of the level that runs; back in the tick after the one it was saved in. Of the test its own code goes on: its watches, timers, handlers and other tasks end. Handles forget their results: the walk that was saved under way is so again. A refused one changes nothing.
---@async
---@param saved string
---@return LoadReport
function Test:load(saved) end

---How much code from before a reload is still reachable: files whose variables something holds.
---@return number
function Test:staleClosures() end

---The faults of scripts so far, in tests that allow them.
---@return any[]
function Test:faults() end

---The hash of the state as it is now, 16 hexadecimal digits.
---@return string
function Test:hash() end

---A value that something is expected of.
---@class Expectation
local Expectation = {}

---The value is that one, as `==` says.
---@param v any
function Expectation:toBe(v) end

---The value is equal, tables by their entries; numbers and vectors within 1e-6.
---@param v any
function Expectation:toEqual(v) end

---The number or vector is no farther than the tolerance.
---@param v number|vector
---@param tolerance number
function Expectation:toBeNear(v, tolerance) end

---The number is above n.
---@param n number
function Expectation:toBeAbove(n) end

---The number is below n.
---@param n number
function Expectation:toBeBelow(n) end

---The list has an entry that is equal, or the text has this text in it.
---@param v any
function Expectation:toContain(v) end

---The function says yes to the value.
---@param fn fun(value: any): boolean
function Expectation:toSatisfy(fn) end

---One table for the level, shared by its scripts, plain data, kept over reloads.
---@type table<any, any>
state = {}
