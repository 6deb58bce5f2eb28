/*
 * walkon: a gameplay runtime. Made of bindings/c/src by cbindgen; do not edit.
 *
 * Every function that can fail returns a WalkonStatus; what was wrong is told by walkon_last_error. Results go
 * to memory of the caller. A game is used by the thread that started it; a level by any. A call needs 1 MiB of
 * stack.
 */

#ifndef WALKON_H
#define WALKON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 The version that this header is of, that of the library that it belongs to: compare it with walkon_version.
 */
#define WALKON_VERSION "0.1.0"

/*
 What a call came to. Numbers are only ever added.
 */
typedef enum WalkonStatus {
    /*
     Done.
     */
    WALKON_STATUS_OK = 0,
    /*
     A pointer is null that must not be.
     */
    WALKON_STATUS_NULL_POINTER = 1,
    /*
     Bytes that should be text are not UTF-8.
     */
    WALKON_STATUS_NOT_UTF8 = 2,
    /*
     A text is not the JSON that it should be.
     */
    WALKON_STATUS_BAD_JSON = 3,
    /*
     There is not enough room; the length that is needed was written.
     */
    WALKON_STATUS_TOO_SMALL = 4,
    /*
     Something was not found, or could not be read.
     */
    WALKON_STATUS_IO = 5,
    /*
     The level was refused; `walkon_last_problem` has every diagnostic.
     */
    WALKON_STATUS_LEVEL_REFUSED = 6,
    /*
     A script failed as the level started; `walkon_last_problem` has file and line.
     */
    WALKON_STATUS_SCRIPT_FAILED = 7,
    /*
     The game belongs to another thread.
     */
    WALKON_STATUS_WRONG_THREAD = 8,
    /*
     The game has ended.
     */
    WALKON_STATUS_ENDED = 9,
    /*
     No character or door has that name.
     */
    WALKON_STATUS_UNKNOWN_NAME = 10,
    /*
     What was asked for cannot be done, and has changed nothing.
     */
    WALKON_STATUS_REFUSED = 11,
    /*
     There is nothing there yet: no row before the first run, no outcome before the level said one.
     */
    WALKON_STATUS_NOTHING = 12,
    /*
     The game cannot be saved now, or the bytes are no save game that fits this level; `walkon_last_problem` has the
     script and the line, when it is one.
     */
    WALKON_STATUS_SAVE_REFUSED = 13,
    /*
     A bug of walkon. The game can only be freed.
     */
    WALKON_STATUS_BUG = 70,
} WalkonStatus;

/*
 A game. Belongs to the thread that started it; freed there with `walkon_game_free`.
 */
typedef struct WalkonGame WalkonGame;

/*
 A level. Belongs to no thread; freed with `walkon_level_free`.
 */
typedef struct WalkonLevel WalkonLevel;

/*
 Memory of the caller that bytes go to.
 */
typedef struct WalkonBuffer {
    /*
     Where; may be null when `size` is 0.
     */
    uint8_t *data;
    /*
     How many bytes there is room for.
     */
    size_t size;
    /*
     Written: how many bytes the result has. When that is more than `size`, nothing else was written.
     */
    size_t length;
} WalkonBuffer;

/*
 Text of the caller; it need not end with a zero byte. Nothing at all may be null.
 */
typedef struct WalkonText {
    /*
     UTF-8.
     */
    const uint8_t *data;
    /*
     How many bytes.
     */
    size_t length;
} WalkonText;

/*
 Where a character is.
 */
typedef struct WalkonPose {
    /*
     The point on the ground below its middle, metres.
     */
    float position[3];
    /*
     Which way it looks, radians about +y: 0 along +z, pi/2 along +x.
     */
    float facing;
    /*
     Metres a second.
     */
    float speed;
} WalkonPose;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the library, such as `0.1.0`; ends with a zero byte and is never freed.
 */
const char *walkon_version(void);

/*
 The word for a status, `bug` for a number that is none; ends with a zero byte and is never freed.
 */
const char *walkon_status_name(int32_t status);

/*
 What was wrong with the last call of this thread that failed: a sentence, without a zero byte. Errors:
 `NullPointer`, `TooSmall`.

 # Safety
 `out` is a buffer with the room that it says.
 */
enum WalkonStatus walkon_last_error(struct WalkonBuffer *out);

/*
 The same as an object with `kind`, `message`, `help`, `file`, `line`, `column`, `traceback` and `diagnostics`, for
 `Io`, `LevelRefused`, `ScriptFailed` and `SaveRefused`. Errors: `NullPointer`, `TooSmall`; `Nothing` after other failures.

 # Safety
 As for `walkon_last_error`.
 */
enum WalkonStatus walkon_last_problem(struct WalkonBuffer *out);

/*
 Opens a level by its path, or by its name in the project around the current folder, with the scripts of its
 project. Errors: `NullPointer`, `NotUtf8`, `Io`, `LevelRefused`, `ScriptFailed`, `Bug`.

 # Safety
 `path` is a text, `level` has room for one handle.
 */
enum WalkonStatus walkon_level_open(struct WalkonText path, struct WalkonLevel **level);

/*
 Opens a level from texts: an object with `path` (that of the level), `files` (texts by path, the level and what it
 names) and `scripts` (texts by path below the script folder). Errors: `NullPointer`, `NotUtf8`, `BadJson`,
 `LevelRefused`, `ScriptFailed`, `Bug`.

 # Safety
 `texts` is a text, `level` has room for one handle.
 */
enum WalkonStatus walkon_level_texts(struct WalkonText texts,
                                     struct WalkonLevel **level);

/*
 Frees a level; null is nothing. Games that were started from it go on.

 # Safety
 `level` is null, or was made by this library and not freed.
 */
void walkon_level_free(struct WalkonLevel *level);

/*
 Writes what a level is called. Errors: `NullPointer`, `TooSmall`, `Bug`.

 # Safety
 `level` is a level that was not freed, `out` a buffer with the room that it says.
 */
enum WalkonStatus walkon_level_name(const struct WalkonLevel *level, struct WalkonBuffer *out);

/*
 Writes how many ticks a game second has. Errors: `NullPointer`, `Bug`.

 # Safety
 `level` is a level that was not freed, `rate` has room for one number.
 */
enum WalkonStatus walkon_level_tick_rate(const struct WalkonLevel *level, uint32_t *rate);

/*
 Runs a level with a seed from its first tick to its end and writes the row: the line of `walkon run --format
 json`. `bound` is an object with `seconds` or `ticks`, `until`, `strict` and `args`, or nothing. Any thread may do
 it. A run takes as long as it takes, and is made again when there was too little room: 64 KiB are enough for
 a level with few measures and little code that is switched off. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `TooSmall`, `Bug`, with
 a row that says what panicked; a level whose scripts fail has a row that says so.

 # Safety
 `level` is a level that was not freed, `bound` a text, `out` a buffer with the room that it says.
 */
enum WalkonStatus walkon_level_run(const struct WalkonLevel *level,
                                   uint64_t seed,
                                   struct WalkonText bound,
                                   struct WalkonBuffer *out);

/*
 Starts a level: behaviours are attached, `onStart` has run. `setup` is an object with `seed`, `args`, `interactive`
 (choices wait for an answer), `events` (whether ticks tell what happened, true) and `threads`, or nothing. Errors:
 `NullPointer`, `NotUtf8`, `BadJson`, `ScriptFailed`, `Bug`.

 # Safety
 `level` is a level that was not freed, `setup` a text, `game` has room for one handle.
 */
enum WalkonStatus walkon_game_start(const struct WalkonLevel *level,
                                    struct WalkonText setup,
                                    struct WalkonGame **game);

/*
 Starts a level as it was saved: `save` are the bytes of `walkon_game_save`, written here or elsewhere, `setup` is as
 for `walkon_game_start`; the seed is that of the save, and so are `args` when none are given. The code of scripts
 begins in the first tick, which counts on from the save. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `SaveRefused`
 (the bytes are no save game that this version reads, or do not fit level and scripts), `ScriptFailed`, `Bug`.

 # Safety
 `level` is a level that was not freed, `setup` a text, `length` bytes can be read at `save`, `game` has room for one
 handle.
 */
enum WalkonStatus walkon_game_restore(const struct WalkonLevel *level,
                                      struct WalkonText setup,
                                      const uint8_t *save,
                                      size_t length,
                                      struct WalkonGame **game);

/*
 Writes the whole game as bytes, between two ticks; `walkon_game_restore` makes it again. It changes nothing. A save
 is made again when there was too little room. Errors: `NullPointer`, `TooSmall`, `SaveRefused` (the game has ended,
 or a scene is under way that does not say `resumable = true`), `WrongThread`, `Bug`.

 # Safety
 As for `walkon_game_events`.
 */
enum WalkonStatus walkon_game_save(struct WalkonGame *game,
                                   struct WalkonBuffer *out);

/*
 Frees a game; null is nothing. Errors: `WrongThread`, and then the game is as it was.

 # Safety
 `game` is null, or was made by this library and not freed.
 */
enum WalkonStatus walkon_game_free(struct WalkonGame *game);

/*
 Advances a game by one tick. `inputs` are an object or a list of objects, each with the fields that its line in a
 trace has, or nothing. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `WrongThread`, `Ended`, `Bug`.

 # Safety
 `game` is a game that was not freed, `inputs` a text.
 */
enum WalkonStatus walkon_game_tick(struct WalkonGame *game,
                                   struct WalkonText inputs);

/*
 Writes what happened in the last tick: one JSON object a line, as traces have them. Errors: `NullPointer`,
 `TooSmall`, `WrongThread`, `Bug`.

 # Safety
 `game` is a game that was not freed, `out` a buffer with the room that it says.
 */
enum WalkonStatus walkon_game_events(struct WalkonGame *game, struct WalkonBuffer *out);

/*
 Runs a game to a bound, counted from its start or its save, and ends it; `walkon_game_row` has what came of it. `bound` is
 as for `walkon_level_run`, without `args`. Errors: `NullPointer`, `NotUtf8`, `BadJson`, `WrongThread`, `Ended`, `Bug`.

 # Safety
 `game` is a game that was not freed, `bound` a text.
 */
enum WalkonStatus walkon_game_run(struct WalkonGame *game,
                                  struct WalkonText bound);

/*
 Writes the row of the run: the line of `walkon run --format json`. Errors: `NullPointer`, `TooSmall`, `WrongThread`,
 `Bug`; `Nothing` before `walkon_game_run`.

 # Safety
 As for `walkon_game_events`.
 */
enum WalkonStatus walkon_game_row(struct WalkonGame *game,
                                  struct WalkonBuffer *out);

/*
 Ends a game: every open walk settles, and `walkon_game_events` has what happened then. Errors: `NullPointer`,
 `WrongThread`, `Ended`, `Bug`.

 # Safety
 `game` is a game that was not freed.
 */
enum WalkonStatus walkon_game_end(struct WalkonGame *game);

/*
 Writes the number of the last tick, 0 before the first. Errors: `NullPointer`, `WrongThread`, `Bug`.

 # Safety
 `game` is a game that was not freed, `tick` has room for one number.
 */
enum WalkonStatus walkon_game_tick_number(struct WalkonGame *game, uint64_t *tick);

/*
 Writes the hash of the state: the same in every process that runs the same level, scripts, seed and inputs. Errors:
 `NullPointer`, `WrongThread`, `Bug`.

 # Safety
 `game` is a game that was not freed, `hash` has room for one number.
 */
enum WalkonStatus walkon_game_hash(struct WalkonGame *game,
                                   uint64_t *hash);

/*
 Writes 1 when the level's script has finished it well, 0 when badly. Errors: `NullPointer`, `WrongThread`, `Bug`;
 `Nothing` while it has not.

 # Safety
 `game` is a game that was not freed, `ok` has room for one number.
 */
enum WalkonStatus walkon_game_outcome(struct WalkonGame *game,
                                      uint8_t *ok);

/*
 Writes how many characters there are. Errors: `NullPointer`, `WrongThread`, `Bug`.

 # Safety
 `game` is a game that was not freed, `count` has room for one number.
 */
enum WalkonStatus walkon_game_character_count(struct WalkonGame *game, size_t *count);

/*
 Writes the names of the characters in order of creation, one a line: those of the rows of `walkon_game_positions`.
 Errors: `NullPointer`, `TooSmall`, `WrongThread`, `Bug`.

 # Safety
 As for `walkon_game_events`.
 */
enum WalkonStatus walkon_game_names(struct WalkonGame *game,
                                    struct WalkonBuffer *out);

/*
 Writes where everybody is, in order of creation: x, y and z of each in metres, as far as there is room for
 `capacity` characters, and how many there are. Errors: `NullPointer`, `WrongThread`, `Bug`; `TooSmall` when there are
 more than `capacity`, whose places are written.

 # Safety
 `game` is a game that was not freed, `xyz` has room for three times `capacity` numbers, `count` for one.
 */
enum WalkonStatus walkon_game_positions(struct WalkonGame *game,
                                        float *xyz,
                                        size_t capacity,
                                        size_t *count);

/*
 The same with which way everybody looks and how fast they are. Errors: as `walkon_game_positions`.

 # Safety
 `game` is a game that was not freed, `poses` has room for `capacity` of them, `count` for one number.
 */
enum WalkonStatus walkon_game_poses(struct WalkonGame *game,
                                    struct WalkonPose *poses,
                                    size_t capacity,
                                    size_t *count);

/*
 Sends a character to a place from the next tick on and writes the number of the walk, which is in its events.
 Errors: `NullPointer`, `NotUtf8`, `UnknownName`, `Refused`, `WrongThread`, `Ended`, `Bug`.

 # Safety
 `game` is a game that was not freed, `name` a text, `to` three numbers, `walk` room for one number or
 is null.
 */
enum WalkonStatus walkon_game_walk(struct WalkonGame *game,
                                   struct WalkonText name,
                                   const float *to,
                                   uint64_t *walk);

/*
 Stops the walk of a character, if it has one. Errors: `NullPointer`, `NotUtf8`, `UnknownName`, `WrongThread`, `Ended`,
 `Bug`.

 # Safety
 `game` is a game that was not freed, `name` a text.
 */
enum WalkonStatus walkon_game_stop(struct WalkonGame *game,
                                   struct WalkonText name);

/*
 Wishes a door open (1) or closed (0). A locked door stays closed, a doorway has to be clear. Errors: `NullPointer`,
 `NotUtf8`, `UnknownName`, `WrongThread`, `Ended`, `Bug`.

 # Safety
 `game` is a game that was not freed, `name` a text.
 */
enum WalkonStatus walkon_game_door(struct WalkonGame *game,
                                   struct WalkonText name,
                                   uint8_t open);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WALKON_H */
