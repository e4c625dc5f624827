/* Scores sorted by the digits of their bits, class by class, and the two orders merged.

The bits of a double, turned over, are whole numbers in the opposite order of the doubles: eight rounds of eight bits
sort them without a comparison, whatever they are, in time that grows with their number alone.
*/

#include "ranking.h"

#include <string.h>

#define DIGIT 8
#define VALUES (1 << DIGIT)
#define ROUNDS 8
#define SIGN (UINT64_C(1) << 63)

/* Smaller for a higher score; both zeros are one score. */
static inline uint64_t key_of(double score) {
    uint64_t bits;
    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    return bits & SIGN ? bits : ~(bits | SIGN);
}

static inline double score_of(uint64_t key) {
    double score;
    key = key & SIGN ? key : ~key & ~SIGN;
    memcpy(&score, &key, sizeof score);
    return score;
}

static inline size_t digit_of(uint64_t key, unsigned round) { return key >> (DIGIT * round) & (VALUES - 1); }

/* Sorts the keys, with as much room beside them; rounds in which all keys have one digit are left out. */
static void sort_keys(uint64_t *keys, uint64_t *room, size_t count, size_t (*places)[VALUES]) {
    uint64_t *from = keys, *to = room;
    memset(places, 0, ROUNDS * sizeof *places);
    for (size_t i = 0; i < count; i++)
        for (unsigned round = 0; round < ROUNDS; round++)
            places[round][digit_of(keys[i], round)]++;
    for (unsigned round = 0; round < ROUNDS && count; round++) {
        size_t *place = places[round], next = 0;
        if (place[digit_of(keys[0], round)] == count)
            continue;
        for (size_t value = 0; value < VALUES; value++) {
            size_t here = place[value];
            place[value] = next;
            next += here;
        }
        for (size_t i = 0; i < count; i++)
            to[place[digit_of(from[i], round)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

/* Both classes sorted, from the highest score down: how many samples of each reach it. */
static size_t merge(
    const uint64_t *ours, size_t positives, const uint64_t *others, size_t negatives, double *thresholds, int64_t *hits,
    int64_t *reached) {
    size_t at = 0, beside = 0, levels = 0;
    while (at < positives || beside < negatives) {
        uint64_t key = beside == negatives || (at < positives && ours[at] <= others[beside]) ? ours[at] : others[beside];
        while (at < positives && ours[at] == key)
            at++;
        while (beside < negatives && others[beside] == key)
            beside++;
        thresholds[levels] = score_of(key);
        hits[levels] = (int64_t)at;
        reached[levels++] = (int64_t)(at + beside);
    }
    return levels;
}

size_t rank_scores(
    const double *scores, const uint8_t *is_positive, size_t samples, uint64_t *keys, double *thresholds, int64_t *hits,
    int64_t *reached) {
    size_t places[ROUNDS][VALUES], positives = 0, rest = samples;
    uint64_t *room = (uint64_t *)hits; /* which is filled last */
    for (size_t i = 0; i < samples; i++) {
        size_t mine = is_positive[i] != 0;
        rest -= !mine;
        keys[mine ? positives : rest] = key_of(scores[i]);
        positives += mine;
    }
    sort_keys(keys, room, positives, places);
    sort_keys(keys + positives, room, samples - positives, places);
    return merge(keys, positives, keys + positives, samples - positives, thresholds, hits, reached);
}
