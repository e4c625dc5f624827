/* Pages of codes, and the tables in which they are counted. */

#ifndef INFOSCOPE_CODES_H
#define INFOSCOPE_CODES_H

#include "runs.h"

#define MOST_LABELS (1 << WIDEST)

typedef struct {
    Runs codes, levels;
    int has_codes, has_levels;
    const uint16_t *places; /* of the labels, and one more: of a row without a value */
    uint16_t labels;
} Codes;

typedef struct {
    uint32_t *cells;
    size_t lines, columns; /* the last column is spare, and stays empty */
} Table;

/* A page with labels at some places, its codes behind their width, and its levels (none where every row has a value). */
void open_codes(Codes *page, Bytes data, Bytes levels, const uint16_t *places, uint16_t labels);

/* The place of each row's label. */
int place_page(Codes *page, uint16_t *truth, size_t rows, const Table *table);

/* One more in the cell of each row's truth and label; after a fault the cells are of no use. */
int add_page(Codes *page, uint16_t *truth, size_t rows, const Table *table);

#endif
