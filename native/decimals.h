/* Rows of decimal numbers in text, as trackers write them. */

#ifndef INFOSCOPE_DECIMALS_H
#define INFOSCOPE_DECIMALS_H

#include <stddef.h>

#include "bytes.h"

/* The first so many fields of each line, column after column with room for so many rows each.

Returns the number of rows, or -1 where a field is not a plain decimal number that a double holds as Python reads it,
a line has too few fields, or there are more lines than rows. Empty lines are passed over. */
ptrdiff_t read_decimals(Bytes text, uint8_t delimiter, size_t columns, size_t rows, double *values);

#endif
