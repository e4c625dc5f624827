/* What Snappy compressed. */

#ifndef INFOSCOPE_SNAPPY_H
#define INFOSCOPE_SNAPPY_H

#include <stddef.h>

#include "bytes.h"

/* Expand to just so many bytes. */
int expand(Bytes bytes, uint8_t *out, size_t size);

#endif
