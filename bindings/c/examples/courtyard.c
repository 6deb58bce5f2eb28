/* The courtyard in a loop: ticks, events, positions, an answer to the choice of its scene; then whole runs.
 *
 * courtyard LEVEL [TICKS]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walkon.h"

static WalkonText text(const char *words) {
    WalkonText view = {(const uint8_t *)words, strlen(words)};
    return view;
}

/* Ends the program with what was wrong, unless a call came to `OK`. */
static void expect(WalkonStatus status, const char *what) {
    if (status == WALKON_STATUS_OK) {
        return;
    }
    char message[8192];
    WalkonBuffer out = {(uint8_t *)message, sizeof message, 0};
    /* A text that does not fit is not written at all. */
    int length = walkon_last_error(&out) == WALKON_STATUS_OK ? (int)out.length : 0;
    fprintf(stderr, "%s: %s: %.*s\n", what, walkon_status_name(status), length, message);
    exit(1);
}

/* A buffer that grows until a result fits. */
typedef WalkonStatus (*Read)(WalkonGame *, WalkonBuffer *);

static void read_all(Read read, WalkonGame *game, WalkonBuffer *out) {
    WalkonStatus status = read(game, out);
    if (status == WALKON_STATUS_TOO_SMALL) {
        out->data = realloc(out->data, out->length);
        out->size = out->length;
        status = read(game, out);
    }
    expect(status, "read");
}

/* Whether a line of events has these words. */
static bool has(const WalkonBuffer *events, const char *words) {
    size_t length = strlen(words);
    for (size_t at = 0; at + length <= events->length; at++) {
        if (memcmp(events->data + at, words, length) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s LEVEL [TICKS]\n", argv[0]);
        return 2;
    }
    unsigned long ticks = argc > 2 ? strtoul(argv[2], NULL, 10) : 3600;

    WalkonLevel *level = NULL;
    expect(walkon_level_open(text(argv[1]), &level), "open");
    WalkonGame *game = NULL;
    expect(walkon_game_start(level, text("{\"interactive\": true}"), &game), "start");
    /* A game goes on without its level. */
    walkon_level_free(level);

    size_t count = 0;
    expect(walkon_game_character_count(game, &count), "count");
    size_t room = count + 8;
    float *positions = malloc(room * 3 * sizeof *positions);
    WalkonBuffer events = {NULL, 0, 0}, names = {NULL, 0, 0};
    read_all(walkon_game_names, game, &names);
    printf("%zu characters: %.*s", count, (int)names.length, (const char *)names.data);

    const char *answer = "";
    unsigned long said = 0;
    for (unsigned long tick = 0; tick < ticks; tick++) {
        expect(walkon_game_tick(game, text(answer)), "tick");
        answer = "";
        expect(walkon_game_positions(game, positions, room, &count), "positions");
        read_all(walkon_game_events, game, &events);
        said += events.length;
        if (has(&events, "\"e\":\"choice\"") && !has(&events, "\"answer\":")) {
            /* What is asked is in the events; the courtyard asks whether the player is let in. */
            answer = "{\"kind\":\"answer\",\"id\":\"audience.answer\",\"option\":\"grant\"}";
            printf("%6lu: asked, and answered\n", tick);
        }
        if (tick % 600 == 0) {
            printf("%6lu: %.2f, %.2f\n", tick, positions[0], positions[2]);
        }
    }
    uint64_t hash = 0;
    expect(walkon_game_hash(game, &hash), "hash");
    printf("%lu bytes of events\n", said);
    printf("hash %016llx\n", (unsigned long long)hash);
    expect(walkon_game_end(game), "end");
    expect(walkon_game_free(game), "free");
    free(positions);
    free(events.data);
    free(names.data);
    return 0;
}
