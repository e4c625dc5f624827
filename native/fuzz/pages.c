/* A libFuzzer target: a chunk of any bytes, counted in both ways that must agree. See `run`.

The first byte says how the chunk is read, the rest are its pages. Sanitizers see to it that nothing is read or written
beyond its bounds; what is looked at here is that each row is counted once, and in the same cell by either way.
*/

#include <stdio.h>
#include <stdlib.h>

#include "../chunks.h"
#include "../values.h"

#define MOST_PAGES 256
#define MOST_ROWS 100000
#define LINES 3

enum { SNAPPY = 1, OPTIONAL = 2, ANY_RECORDS = 4, NUMBERS = 8 }; /* of the first byte; numbers take the bits above */

static const int NUMBER_SIZES[] = {0, 4, -4, 8, -8, 5, INT32_MIN, INT32_MAX};

static void demand(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

/* Counts values, and looks at their bytes. */
static int count_value(void *taker, const uint8_t *value, size_t size) {
    static volatile uint8_t seen;
    for (size_t i = 0; value && i < size; i++)
        seen ^= value[i];
    ++*(size_t *)taker;
    return 0;
}

static void *room_for(size_t count, size_t size) {
    void *room = calloc(count ? count : 1, size);
    demand(room != NULL, "there is memory");
    return room;
}

/* Records of the pages, or bytes of the chunk as if they were some. */
static size_t find_pages(const uint8_t *bytes, size_t size, int any, Page *pages) {
    Bytes left = {bytes, bytes + size};
    size_t count = 0;
    if (any) {
        count = size / sizeof *pages < MOST_PAGES ? size / sizeof *pages : MOST_PAGES;
        memcpy(pages, bytes, count * sizeof *pages);
        return count;
    }
    for (; left.at < left.end && count < MOST_PAGES; count++)
        if (read_header(&left, bytes, &pages[count]))
            break;
    return count;
}

static size_t rows_of(const Page *pages, size_t first, size_t count) {
    size_t rows = 0;
    for (size_t at = first; at < count; at++)
        if (pages[at].values < 0 || (rows += (uint64_t)pages[at].values % (MOST_ROWS + 1)) > MOST_ROWS)
            return MOST_ROWS;
    return rows;
}

/* Rows by truth and label, as placed and as tallied. */
static void count_codes(const Chunk *chunk, const Page *pages, size_t labels) {
    size_t rows = rows_of(pages, 1, chunk->pages), columns = labels + 2;
    uint16_t *places = room_for(labels + 1, sizeof *places), *placed = room_for(rows, sizeof *placed);
    uint16_t *truth = room_for(rows, sizeof *truth);
    uint32_t *tallied = room_for(LINES * columns, sizeof *tallied), *counted = room_for(LINES * columns, sizeof *counted);
    Table table = {tallied, LINES, columns};
    for (size_t i = 0; i <= labels; i++)
        places[i] = (uint16_t)i;
    for (size_t row = 0; row < rows; row++)
        truth[row] = (uint16_t)(row % LINES);
    int not_placed = visit_pages(chunk, places, labels + 1, placed, rows, place_page, NULL);
    int not_tallied = visit_pages(chunk, places, labels + 1, truth, rows, add_page, &table);
    demand(!not_placed == !not_tallied, "a chunk is rejected in both ways, or in none");
    for (size_t row = 0; !not_placed && row < rows; row++)
        counted[row % LINES * columns + placed[row]]++;
    demand(not_placed || !memcmp(counted, tallied, LINES * columns * sizeof *counted), "both ways count alike");
    free(places);
    free(placed);
    free(truth);
    free(tallied);
    free(counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    if (!size)
        return 0;
    int how = *input, numbers = NUMBER_SIZES[how / NUMBERS % 8];
    Page *pages = room_for(MOST_PAGES, sizeof *pages);
    size_t count = find_pages(input + 1, size - 1, how & ANY_RECORDS, pages);
    Page *exact = room_for(count, sizeof *exact); /* so that one page too many is noticed */
    memcpy(exact, pages, count * sizeof *exact);
    Chunk chunk = {input + 1, size - 1, (const uint8_t *)exact, count, !!(how & SNAPPY), !!(how & OPTIONAL)};
    if (count && pages[0].kind == DICTIONARY) {
        Chunk filled = chunk;
        size_t labels = 0;
        filled.optional = 0;
        if (!visit_values(&filled, 0, MOST_LABELS, numbers, count_value, &labels)) {
            demand(labels == (size_t)pages[0].values && labels <= MOST_LABELS, "a dictionary has the labels it tells");
            count_codes(&chunk, pages, labels);
        }
    } else {
        for (size_t at = 0; at <= count; at++) {
            size_t values = 0;
            if (!visit_values(&chunk, at, MOST_ROWS, numbers, count_value, &values))
                demand(at < count && values == (size_t)pages[at].values, "a page has the values it tells");
        }
    }
    free(exact);
    free(pages);
    return 0;
}
