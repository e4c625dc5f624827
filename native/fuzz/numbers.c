/* A libFuzzer target: any bytes as rows of decimal numbers, or as scores of two classes. See `run`.

The first byte says which, and how. Numbers must be those that the C library reads; ranks those that counting gives.
Room is exactly as large as it is said to be, so that sanitizers notice one value too many.
*/

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../decimals.h"
#include "../ranking.h"

#define MOST_COUNTED 64

enum { SCORES = 1, SCARCE = 2, COLUMNS = 4 }; /* of the first byte; the number of columns takes the bits above */

static const uint8_t DELIMITERS[] = {',', ';', '\t', ' '};

static void demand(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

static void *room_for(size_t count, size_t size) {
    void *room = malloc(count * size);
    demand(room != NULL || !count, "there is memory");
    return room;
}

/* The next field of a line by the C library, with the place behind it. */
static double field_of(char **at) {
    char *start = *at;
    double value = strtod(start, at);
    demand(*at > start, "what was read is a number");
    while (**at == ' ')
        ++*at;
    return value;
}

/* Lines as they were read, against the C library; the text ends in a zero. */
static void compare_rows(char *text, size_t size, size_t columns, size_t room, size_t rows, const double *values) {
    char *end = text + size;
    size_t row = 0;
    for (char *at = text; at < end; row++) {
        while (at < end && (*at == '\n' || *at == '\r'))
            at++;
        if (at == end)
            break;
        demand(row < rows, "every line is a row");
        for (size_t column = 0; column < columns; column++) {
            at += column > 0;
            double expected = field_of(&at), found = values[column * room + row];
            demand(!memcmp(&expected, &found, sizeof found), "numbers are those of the C library");
        }
        while (at < end && *at != '\n' && *at != '\r')
            at++;
    }
    demand(row == rows, "there are as many rows as lines");
}

static void read_rows(int how, const uint8_t *input, size_t size) {
    size_t columns = 1 + (size_t)how / COLUMNS % 8, room = 1;
    for (size_t i = 0; i < size; i++)
        room += input[i] == '\n' || input[i] == '\r';
    room = how & SCARCE ? room / 2 : room;
    double *values = room_for(columns * room, sizeof *values);
    ptrdiff_t rows =
        read_decimals((Bytes){input, input + size}, DELIMITERS[how / (8 * COLUMNS) % 4], columns, room, values);
    demand(rows >= -1 && rows <= (ptrdiff_t)room, "no more rows than there is room for");
    if (rows > 0) {
        char *text = room_for(size + 1, 1);
        memcpy(text, input, size);
        text[size] = 0;
        compare_rows(text, size, columns, room, (size_t)rows, values);
        free(text);
    }
    free(values);
}

static void compare_ranks(
    const double *scores, const uint8_t *is_positive, size_t samples, size_t levels, const double *thresholds,
    const int64_t *hits, const int64_t *reached) {
    for (size_t level = 0; level < levels && samples <= MOST_COUNTED; level++) {
        int64_t positives = 0, all = 0;
        demand(!level || thresholds[level] < thresholds[level - 1], "scores come from the highest down, each once");
        for (size_t i = 0; i < samples; i++)
            if (scores[i] >= thresholds[level]) {
                positives += is_positive[i] != 0;
                all++;
            }
        demand(positives == hits[level] && all == reached[level], "as many reach a score as counting finds");
    }
    demand(!levels == !samples && (!levels || reached[levels - 1] == (int64_t)samples), "all reach the lowest score");
}

static void rank_samples(const uint8_t *input, size_t size) {
    size_t samples = size / (sizeof(double) + 1);
    double *scores = room_for(samples, sizeof *scores), *thresholds = room_for(samples, sizeof *thresholds);
    uint8_t *is_positive = room_for(samples, 1);
    uint64_t *keys = room_for(samples, sizeof *keys);
    int64_t *hits = room_for(samples, sizeof *hits), *reached = room_for(samples, sizeof *reached);
    int comparable = 1;
    if (samples) {
        memcpy(scores, input, samples * sizeof *scores);
        memcpy(is_positive, input + samples * sizeof *scores, samples);
    }
    for (size_t i = 0; i < samples; i++)
        comparable &= !isnan(scores[i]);
    size_t levels = rank_scores(scores, is_positive, samples, keys, thresholds, hits, reached);
    demand(levels <= samples, "no more levels than samples");
    if (comparable)
        compare_ranks(scores, is_positive, samples, levels, thresholds, hits, reached);
    free(scores);
    free(thresholds);
    free(is_positive);
    free(keys);
    free(hits);
    free(reached);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    if (!size)
        return 0;
    if (*input & SCORES)
        rank_samples(input + 1, size - 1);
    else
        read_rows(*input, input + 1, size - 1);
    return 0;
}
