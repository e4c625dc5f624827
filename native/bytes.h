/* Bytes of a file from one place to another; nothing is read beyond their end. Functions say 0, or -1 at a fault. */

#ifndef INFOSCOPE_BYTES_H
#define INFOSCOPE_BYTES_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are loaded as they lie in the file: little end first"
#endif

typedef struct {
    const uint8_t *at, *end;
} Bytes;

/* A whole number of seven bits a byte; 0 if it ends within the bytes and fits. */
static inline int varint(Bytes *bytes, uint64_t *value) {
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64 && bytes->at < bytes->end; shift += 7) {
        uint8_t byte = *bytes->at++;
        if (shift == 63 && byte > 1)
            return -1;
        sum |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = sum;
            return 0;
        }
    }
    return -1;
}

static inline int zigzag(Bytes *bytes, int64_t *value) {
    uint64_t folded;
    if (varint(bytes, &folded))
        return -1;
    *value = (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
    return 0;
}

static inline int pass(Bytes *bytes, uint64_t size) {
    if ((uint64_t)(bytes->end - bytes->at) < size)
        return -1;
    bytes->at += size;
    return 0;
}

/* A whole number of so many bytes, lowest first. */
static inline int whole(Bytes *bytes, unsigned size, uint32_t *value) {
    if ((size_t)(bytes->end - bytes->at) < size)
        return -1;
    *value = 0;
    for (unsigned i = 0; i < size; i++)
        *value |= (uint32_t)*bytes->at++ << (8 * i);
    return 0;
}

#endif
