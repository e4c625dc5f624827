/* Plain values of a page: texts behind their lengths, or whole numbers. */

#ifndef INFOSCOPE_VALUES_H
#define INFOSCOPE_VALUES_H

#include "chunks.h"

/* Takes the bytes of a value, NULL for a row that lacks one; not 0 is a fault. */
typedef int (*Take)(void *taker, const uint8_t *value, size_t size);

/* All values of a page of at most so many rows: numbers of so many bytes (below 0: without a sign), or texts at 0. */
int visit_values(const Chunk *chunk, size_t at, uint64_t most, int numbers, Take take, void *taker);

#endif
