/* What the border promises: every mistake of a caller is a status with a text, threads are checked, results that do
 * not fit say how much they need, and a run has the hash of `walkon run`.
 *
 * border LEVEL HASH
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walkon.h"

static const char *LEVEL =
    "{\"path\":\"yard.json\",\"files\":{\"yard.json\":\"{\\\"name\\\":\\\"yard\\\",\\\"script\\\":\\\"yard.lua\\\","
    "\\\"navigation\\\":{\\\"areas\\\":[{\\\"name\\\":\\\"a\\\",\\\"polygon\\\":[[0,0],[20,0],[20,9],[0,9]]}]},"
    "\\\"characters\\\":[{\\\"name\\\":\\\"anna\\\",\\\"position\\\":[2,2]}]}\"},"
    "\"scripts\":{\"yard.lua\":\"function onStart() event.on('bell', function(e) event.emit('rung', e) end) end\"}}";

static WalkonText text(const char *words) {
    WalkonText view = {(const uint8_t *)words, strlen(words)};
    return view;
}

static char message[4096];

static const char *last(void) {
    WalkonBuffer out = {(uint8_t *)message, sizeof message - 1, 0};
    assert(walkon_last_error(&out) == WALKON_STATUS_OK);
    message[out.length] = 0;
    return message;
}

#define FAILS(call, expected, words)                                                              \
    do {                                                                                          \
        WalkonStatus status = (call);                                                             \
        if (status != (expected) || strstr(last(), words) == NULL) {                              \
            fprintf(stderr, "%s:%d: %s is %s: %s\n", __FILE__, __LINE__, #call,                   \
                    walkon_status_name(status), last());                                          \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

#define WORKS(call) FAILS(call, WALKON_STATUS_OK, "")

static void *elsewhere(void *game) {
    uint64_t tick = 0;
    FAILS(walkon_game_tick(game, text("")), WALKON_STATUS_WRONG_THREAD, "another");
    FAILS(walkon_game_tick_number(game, &tick), WALKON_STATUS_WRONG_THREAD, "another");
    FAILS(walkon_game_free(game), WALKON_STATUS_WRONG_THREAD, "another");
    return NULL;
}

/* A level is shared by threads, and a game started here lives here. */
static void *own_game(void *level) {
    WalkonGame *game = NULL;
    WORKS(walkon_game_start(level, text("{\"seed\":7}"), &game));
    for (int tick = 0; tick < 100; tick++) {
        WORKS(walkon_game_tick(game, text("")));
    }
    uint64_t *hash = malloc(sizeof *hash);
    WORKS(walkon_game_hash(game, hash));
    WORKS(walkon_game_free(game));
    return hash;
}

static void levels(const char *path) {
    WalkonLevel *level = NULL;
    FAILS(walkon_level_open(text("nowhere/none.json"), &level), WALKON_STATUS_IO, "there is no such level");
    FAILS(walkon_level_open(text(path), NULL), WALKON_STATUS_NULL_POINTER, "level");
    WalkonText bad = {NULL, 4};
    FAILS(walkon_level_open(bad, &level), WALKON_STATUS_NULL_POINTER, "path");
    bad.data = (const uint8_t *)"\xff\xfe..";
    FAILS(walkon_level_open(bad, &level), WALKON_STATUS_NOT_UTF8, "byte 0");
    FAILS(walkon_level_texts(text("{"), &level), WALKON_STATUS_BAD_JSON, "texts");
    FAILS(walkon_level_texts(text("[\"a\",{},{}]"), &level), WALKON_STATUS_BAD_JSON, "texts: expected an object");
    FAILS(walkon_level_texts(text("{\"path\":\"a\",\"files\":{},\"scirpts\":{}}"), &level), WALKON_STATUS_BAD_JSON,
          "scirpts");
    const char *wrong = "{\"path\":\"a.json\",\"files\":{\"a.json\":\"{\\n \\\"nmae\\\": 3\\n}\"}}";
    FAILS(walkon_level_texts(text(wrong), &level), WALKON_STATUS_LEVEL_REFUSED, "a.json:");
    char problem[8192];
    WalkonBuffer out = {(uint8_t *)problem, sizeof problem - 1, 0};
    assert(walkon_last_problem(&out) == WALKON_STATUS_OK);
    problem[out.length] = 0;
    assert(strstr(problem, "\"file\":\"a.json\"") && strstr(problem, "\"line\":") && strstr(problem, "\"diagnostics\":[{"));
    assert(level == NULL);
    walkon_level_free(NULL);
}

static void runs(const char *path, const char *hash) {
    WalkonLevel *level = NULL;
    WORKS(walkon_level_open(text(path), &level));
    WalkonBuffer out = {NULL, 0, 0};
    FAILS(walkon_level_run(level, 1, text("{\"ticks\":60}"), &out), WALKON_STATUS_TOO_SMALL, "are needed");
    assert(out.length > 100);
    FAILS(walkon_level_run(level, 1, text("{\"tikcs\":60}"), &out), WALKON_STATUS_BAD_JSON, "tikcs");
    FAILS(walkon_level_run(level, 1, text("{\"seconds\":-1}"), &out), WALKON_STATUS_BAD_JSON, "seconds");
    FAILS(walkon_level_run(level, 1, text(" [60]"), &out), WALKON_STATUS_BAD_JSON, "bound: expected an object");
    FAILS(walkon_level_run(level, (uint64_t)1 << 53, text("{\"ticks\":1}"), &out), WALKON_STATUS_BAD_JSON, "seed is");
    FAILS(walkon_level_run(NULL, 1, text(""), &out), WALKON_STATUS_NULL_POINTER, "level");
    FAILS(walkon_level_run(level, 1, text("{\"ticks\":1}"), NULL), WALKON_STATUS_NULL_POINTER, "out");
    char row[8192];
    out.data = (uint8_t *)row;
    out.size = sizeof row - 1;
    WORKS(walkon_level_run(level, 1, text(""), &out));
    row[out.length] = 0;
    if (strstr(row, hash) == NULL) {
        fprintf(stderr, "expected the hash %s of walkon run in %s\n", hash, row);
        exit(1);
    }
    WalkonGame *game = NULL;
    WORKS(walkon_game_start(level, text("{\"seed\":1}"), &game));
    FAILS(walkon_game_row(game, &out), WALKON_STATUS_NOTHING, "not run");
    WORKS(walkon_game_run(game, text("")));
    WORKS(walkon_game_row(game, &out));
    row[out.length] = 0;
    assert(strstr(row, hash));
    FAILS(walkon_game_tick(game, text("")), WALKON_STATUS_ENDED, "has ended");
    FAILS(walkon_game_run(game, text("")), WALKON_STATUS_ENDED, "has ended");
    WORKS(walkon_game_free(game));
    walkon_level_free(level);
}

static void games(void) {
    WalkonLevel *level = NULL;
    WORKS(walkon_level_texts(text(LEVEL), &level));
    WalkonGame *game = NULL;
    FAILS(walkon_game_start(level, text("{\"sed\":1}"), &game), WALKON_STATUS_BAD_JSON, "sed");
    FAILS(walkon_game_start(level, text("[7]"), &game), WALKON_STATUS_BAD_JSON, "setup: expected an object");
    FAILS(walkon_game_start(level, text("{\"threads\":65}"), &game), WALKON_STATUS_BAD_JSON, "threads are 1 to 64");
    FAILS(walkon_game_start(level, text("{\"seed\":9007199254740992}"), &game), WALKON_STATUS_BAD_JSON, "seed is");
    FAILS(walkon_game_start(level, text(""), NULL), WALKON_STATUS_NULL_POINTER, "game");
    WORKS(walkon_game_start(level, text("{\"seed\":7}"), &game));
    FAILS(walkon_game_tick(NULL, text("")), WALKON_STATUS_NULL_POINTER, "game");
    FAILS(walkon_game_tick(game, text("{\"kind\":\"dance\"}")), WALKON_STATUS_BAD_JSON, "dance");
    FAILS(walkon_game_tick(game, text("[{\"name\":\"bell\"},7]")), WALKON_STATUS_BAD_JSON, "input 1");
    WORKS(walkon_game_tick(game, text("[{\"name\":\"bell\",\"payload\":{\"times\":3}}]")));
    char lines[4096];
    WalkonBuffer out = {(uint8_t *)lines, 3, 0};
    FAILS(walkon_game_events(game, &out), WALKON_STATUS_TOO_SMALL, "needed");
    out.size = sizeof lines - 1;
    WORKS(walkon_game_events(game, &out));
    lines[out.length] = 0;
    assert(strstr(lines, "\"name\":\"rung\"") && strstr(lines, "\"times\":3"));
    float to[3] = {18, 0, 7}, nowhere[3] = {0.0f / 1.0f, 0, 1e30f * 1e30f};
    uint64_t walk = 0;
    FAILS(walkon_game_walk(game, text("ana"), to, &walk), WALKON_STATUS_UNKNOWN_NAME, "did you mean \"anna\"");
    FAILS(walkon_game_walk(game, text("anna"), nowhere, &walk), WALKON_STATUS_REFUSED, "finite");
    FAILS(walkon_game_door(game, text("gate"), 1), WALKON_STATUS_UNKNOWN_NAME, "gate");
    WORKS(walkon_game_walk(game, text("anna"), to, &walk));
    size_t count = 0;
    float xyz[3];
    FAILS(walkon_game_positions(game, NULL, 0, &count), WALKON_STATUS_TOO_SMALL, "there are 1");
    FAILS(walkon_game_positions(game, NULL, 1, &count), WALKON_STATUS_NULL_POINTER, "xyz");
    WalkonPose pose;
    for (int tick = 0; tick < 1200 && strstr(lines, "\"e\":\"walkSettled\"") == NULL; tick++) {
        WORKS(walkon_game_tick(game, text("")));
        WORKS(walkon_game_events(game, &out));
        lines[out.length] = 0;
    }
    char number[32];
    snprintf(number, sizeof number, "\"walk\":%llu,", (unsigned long long)walk);
    assert(strstr(lines, number) && strstr(lines, "\"status\":\"arrived\""));
    /* Who says that there is room for more than any memory has is taken at their word for one character. */
    WORKS(walkon_game_positions(game, xyz, SIZE_MAX, &count));
    WORKS(walkon_game_poses(game, &pose, SIZE_MAX, &count));
    WORKS(walkon_game_positions(game, xyz, 1, &count));
    WORKS(walkon_game_poses(game, &pose, 1, &count));
    assert(count == 1 && xyz[0] > 17.9f && xyz[0] < 18.1f && pose.position[0] == xyz[0]);
    uint8_t ok = 9;
    FAILS(walkon_game_outcome(game, &ok), WALKON_STATUS_NOTHING, "not finished");
    pthread_t thread;
    assert(pthread_create(&thread, NULL, elsewhere, game) == 0 && pthread_join(thread, NULL) == 0);
    WORKS(walkon_game_end(game));
    WORKS(walkon_game_free(game));
    WORKS(walkon_game_free(NULL));
    pthread_t threads[4];
    uint64_t *hashes[4];
    for (int at = 0; at < 4; at++) {
        assert(pthread_create(&threads[at], NULL, own_game, level) == 0);
    }
    for (int at = 0; at < 4; at++) {
        assert(pthread_join(threads[at], (void **)&hashes[at]) == 0);
        assert(*hashes[at] == *hashes[0]);
    }
    for (int at = 0; at < 4; at++) {
        free(hashes[at]);
    }
    walkon_level_free(level);
}

/* What is restored is what was saved, and goes on alike; other bytes are refused. */
static void saves(void) {
    WalkonLevel *level = NULL;
    WORKS(walkon_level_texts(text(LEVEL), &level));
    WalkonGame *game = NULL, *again = NULL, *third = NULL;
    WORKS(walkon_game_start(level, text("{\"seed\":7}"), &game));
    float to[3] = {18, 0, 7};
    WORKS(walkon_game_walk(game, text("anna"), to, NULL));
    for (int tick = 0; tick < 60; tick++) {
        WORKS(walkon_game_tick(game, text(" \n")));
    }
    WalkonBuffer out = {NULL, 0, 0};
    FAILS(walkon_game_save(game, &out), WALKON_STATUS_TOO_SMALL, "are needed");
    out.size = out.length;
    out.data = malloc(out.size);
    assert(out.data);
    WORKS(walkon_game_save(game, &out));
    assert(out.length == out.size);
    WORKS(walkon_game_restore(level, text(""), out.data, out.length, &again));
    WORKS(walkon_game_restore(level, text("{\"seed\":9}"), out.data, out.length, &third));
    WalkonBuffer same = {malloc(out.size), out.size, 0};
    WORKS(walkon_game_save(again, &same));
    assert(same.length == out.length && memcmp(same.data, out.data, out.length) == 0);
    free(same.data);
    for (int tick = 0; tick < 900; tick++) {
        uint64_t one = 0, other = 1, number = 0;
        WORKS(walkon_game_hash(third, &one));
        WORKS(walkon_game_hash(again, &other));
        WORKS(walkon_game_tick_number(again, &number));
        assert(one == other && number == (uint64_t)(60 + tick));
        WORKS(walkon_game_tick(third, text("")));
        WORKS(walkon_game_tick(again, text("")));
    }
    float xyz[3];
    size_t count = 0;
    WORKS(walkon_game_positions(again, xyz, 1, &count));
    assert(xyz[0] > 17.9f && xyz[0] < 18.1f);
    WORKS(walkon_game_free(third));
    WORKS(walkon_game_free(again));
    /* A bound counts from the save. */
    WORKS(walkon_game_restore(level, text(""), out.data, out.length, &again));
    WORKS(walkon_game_run(again, text("{\"ticks\":30}")));
    uint64_t last_tick = 0;
    WORKS(walkon_game_tick_number(again, &last_tick));
    assert(last_tick == 90);
    WORKS(walkon_game_free(again));
    again = NULL;
    FAILS(walkon_game_restore(level, text(""), NULL, 4, &again), WALKON_STATUS_NULL_POINTER, "save");
    FAILS(walkon_game_restore(level, text(""), NULL, 0, &again), WALKON_STATUS_SAVE_REFUSED, "no save game");
    FAILS(walkon_game_restore(level, text(""), out.data, out.length, NULL), WALKON_STATUS_NULL_POINTER, "game");
    FAILS(walkon_game_restore(level, text("{\"sed\":1}"), out.data, out.length, &again), WALKON_STATUS_BAD_JSON, "sed");
    out.data[out.length / 2] ^= 1;
    FAILS(walkon_game_restore(level, text(""), out.data, out.length, &again), WALKON_STATUS_SAVE_REFUSED, "changed");
    char problem[1024];
    WalkonBuffer whole = {(uint8_t *)problem, sizeof problem - 1, 0};
    assert(walkon_last_problem(&whole) == WALKON_STATUS_OK);
    problem[whole.length] = 0;
    assert(again == NULL && strstr(problem, "\"kind\":\"save\""));
    WORKS(walkon_game_end(game));
    FAILS(walkon_game_restore(level, text(""), NULL, 0, &again), WALKON_STATUS_SAVE_REFUSED, "no save game");
    FAILS(walkon_game_save(game, &out), WALKON_STATUS_SAVE_REFUSED, "has ended");
    whole.length = 0;
    assert(walkon_last_problem(&whole) == WALKON_STATUS_OK);
    problem[whole.length] = 0;
    assert(strstr(problem, "\"kind\":\"save\"") && strstr(problem, "has ended"));
    WORKS(walkon_game_free(game));
    free(out.data);
    walkon_level_free(level);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s LEVEL HASH\n", argv[0]);
        return 2;
    }
    printf("walkon %s\n", walkon_version());
    assert(strcmp(walkon_version(), WALKON_VERSION) == 0);
    assert(strcmp(walkon_status_name(4), "tooSmall") == 0 && strcmp(walkon_status_name(999), "bug") == 0);
    levels(argv[1]);
    games();
    saves();
    runs(argv[1], argv[2]);
    printf("the border holds\n");
    return 0;
}
