/* Numbers of few bits in runs: packed one after the other, or one that is repeated.

Here and not in a file of their own, because they are the inner loops of whoever includes them.
*/

#ifndef INFOSCOPE_RUNS_H
#define INFOSCOPE_RUNS_H

#include <stddef.h>

#include "bytes.h"

#define WIDEST 15 /* bits of a number */

typedef struct {
    Bytes bytes; /* what comes after the current run */
    unsigned width;
    uint64_t left; /* numbers of the current run that are not taken yet */
    int packed;
    uint16_t value; /* of a repeated run */
    const uint8_t *run;
    uint64_t bit; /* of a packed run: where the next number starts */
} Runs;

/* Begin the next run; after a fault all is as before. */
static inline int next_run(Runs *runs) {
    Bytes bytes = runs->bytes;
    uint64_t head;
    uint32_t value = 0;
    if (varint(&bytes, &head) || !(head >> 1))
        return -1;
    if (head & 1) {
        uint64_t groups = head >> 1, room = (uint64_t)(bytes.end - bytes.at);
        if (groups > UINT64_MAX / 8 / WIDEST || groups * runs->width > room)
            return -1;
        runs->packed = 1;
        runs->run = bytes.at;
        runs->bit = 0;
        runs->left = 8 * groups;
        bytes.at += groups * runs->width;
    } else {
        if (whole(&bytes, (runs->width + 7) / 8, &value) || value >> runs->width)
            return -1;
        runs->packed = 0;
        runs->value = (uint16_t)value;
        runs->left = head >> 1;
    }
    runs->bytes = bytes;
    return 0;
}

static inline uint64_t word(const uint8_t *at) {
    uint64_t loaded;
    memcpy(&loaded, at, 8);
    return loaded;
}

/* The number that starts at a bit of a packed run; loads nothing beyond the page. */
static inline uint16_t number_at(const Runs *runs, uint64_t bit) {
    uint64_t loaded = 0;
    const uint8_t *at = runs->run + bit / 8;
    size_t room = (size_t)(runs->bytes.end - at);
    memcpy(&loaded, at, room < 8 ? room : 8);
    return (uint16_t)(loaded >> bit % 8 & ((1u << runs->width) - 1));
}

/* How many groups of eight numbers, a byte for each bit of the width, can be loaded as words: from the next number on,
which must start a byte, and for at most so many numbers. */
static inline size_t whole_groups(const Runs *runs, size_t count) {
    if (!runs->width || runs->bit % 8)
        return 0;
    size_t room = (size_t)(runs->bytes.end - runs->run) - (size_t)(runs->bit / 8);
    size_t reach = runs->width > 8 ? runs->width / 2 + 8 : 8; /* of the last word of a group */
    size_t whole = room < reach ? 0 : (room - reach) / runs->width + 1;
    return whole < count / 8 ? whole : count / 8;
}

/* One word holds a group of up to 8 bits a number, two words hold any other. */
static inline void unpack(const uint8_t *at, size_t count, unsigned width, uint16_t *out) {
    const uint64_t mask = (1u << width) - 1;
    for (size_t group = 0; group < count; group++, at += width, out += 8) {
        uint64_t low = word(at), high = width > 8 ? word(at + width / 2) >> (width % 2 * 4) : low >> (4 * width);
        for (unsigned i = 0; i < 4; i++) {
            out[i] = (uint16_t)(low >> (i * width) & mask);
            out[4 + i] = (uint16_t)(high >> (i * width) & mask);
        }
    }
}

static inline void take_packed(Runs *runs, uint16_t *out, size_t count) {
    size_t done = 8 * whole_groups(runs, count);
    unpack(runs->run + runs->bit / 8, done / 8, runs->width, out);
    for (; done < count; done++)
        out[done] = number_at(runs, runs->bit + done * runs->width);
    runs->bit += (uint64_t)count * runs->width;
}

static inline int take_runs(Runs *runs, uint16_t *out, size_t count) {
    while (count) {
        if (!runs->left && next_run(runs))
            return -1;
        size_t some = runs->left < count ? (size_t)runs->left : count;
        if (runs->packed)
            take_packed(runs, out, some);
        else
            for (size_t i = 0; i < some; i++)
                out[i] = runs->value;
        runs->left -= some;
        out += some;
        count -= some;
    }
    return 0;
}

#endif
