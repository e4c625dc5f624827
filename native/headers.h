/* Headers of the pages of a Parquet column. */

#ifndef INFOSCOPE_HEADERS_H
#define INFOSCOPE_HEADERS_H

#include "bytes.h"

/* What is known of a page; -1 where its header does not say. Callers see these as eleven 64-bit numbers in a line. */
typedef struct {
    int64_t kind, start, packed, expanded, values, encoding;
    int64_t level_encoding;                   /* of a page of the first form */
    int64_t levels, repetitions, compressed; /* of a page of the second form: bytes, bytes, and whether the rest is */
    int64_t checksum;                        /* of its body, as zlib's crc32 */
} Page;

enum { DATA = 0, DICTIONARY = 2, SECOND_DATA = 3 };
enum { PLAIN = 0, BY_DICTIONARY = 2, RUNS = 3, BY_DICTIONARY_TOO = 8 };

/* The page whose header comes next, its place counted from the start of the chunk; its body is passed over. */
int read_header(Bytes *bytes, const uint8_t *start, Page *page);

#endif
