/* Codes of a page, from their bits to the cells of a table: a block at a time in the processor's nearest cache.

Nothing is trusted: every code is looked at within its dictionary, and every cell within its table.
*/

#include "codes.h"

#define BLOCK 4096
#define NARROW 8
#define EVERY_NARROW_CODE (1 << NARROW)

void open_codes(Codes *page, Bytes data, Bytes levels, const uint16_t *places, uint16_t labels) {
    memset(page, 0, sizeof *page);
    page->places = places;
    page->labels = labels;
    page->has_levels = levels.at != NULL;
    page->levels.bytes = levels;
    page->levels.width = 1;
    page->has_codes = data.at < data.end; /* a page of nothing but holes may have none */
    if (page->has_codes)
        page->codes.width = *data.at++;
    page->codes.bytes = data;
}

/* Whether the next rows all have a value, and so are passed over as levels; told only where one run says it. */
static int are_filled(Codes *page, size_t count) {
    Runs *levels = &page->levels;
    if (!page->has_levels)
        return 1;
    if ((!levels->left && next_run(levels)) || levels->packed || levels->value != 1 || levels->left < count)
        return 0;
    levels->left -= count;
    return 1;
}

static int take_codes(Codes *page, uint16_t *out, size_t count) {
    if (count && (!page->has_codes || page->codes.width > WIDEST || take_runs(&page->codes, out, count)))
        return -1;
    uint16_t over = 0; /* numbers and labels have 15 bits: the highest one tells a difference below 0 */
    for (size_t i = 0; i < count; i++)
        over |= (uint16_t)(page->labels - 1 - out[i]);
    return over >> 15 ? -1 : 0;
}

/* Codes of the next rows, at most a block of them; a row without a value has the code after the last label. */
static int next_codes(Codes *page, uint16_t *out, size_t count) {
    uint16_t present[BLOCK];
    if (are_filled(page, count))
        return take_codes(page, out, count);
    if (take_runs(&page->levels, present, count))
        return -1;
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        filled += present[i];
    if (filled > count || take_codes(page, out, filled))
        return -1;
    for (size_t i = count; i-- > 0;)
        out[i] = present[i] ? out[--filled] : page->labels;
    return 0;
}

/* Groups of packed codes, from their word to their cells. */
static inline void add_groups(
    const Table *table, const uint16_t *truth, const uint8_t *at, size_t count, unsigned width,
    const uint16_t *places) {
    uint32_t *cells = table->cells;
    const size_t columns = table->columns;
    for (size_t group = 0; group < count; group++, at += width, truth += 8) {
        uint64_t codes = word(at);
        for (unsigned i = 0; i < 8; i++)
            cells[truth[i] * columns + places[codes >> (i * width) & ((1u << width) - 1)]]++;
    }
}

/* The same, with shifts that are constants for each width. */
static void add_packed(
    const Table *table, const uint16_t *truth, const uint8_t *at, size_t count, unsigned width,
    const uint16_t *places) {
#define OF_WIDTH(n) \
    case n: \
        add_groups(table, truth, at, count, n, places); \
        break
    switch (width) {
        OF_WIDTH(1);
        OF_WIDTH(2);
        OF_WIDTH(3);
        OF_WIDTH(4);
        OF_WIDTH(5);
        OF_WIDTH(6);
        OF_WIDTH(7);
        OF_WIDTH(8);
    }
#undef OF_WIDTH
}

/* Rows that all have a value, by codes of few bits: no code is ever stored. A code without a label goes to the spare
column, so that none needs a second look while rows are counted. */
static int add_narrow(const Table *table, Codes *page, const uint16_t *truth, size_t rows) {
    uint16_t places[EVERY_NARROW_CODE];
    for (unsigned code = 0; code < EVERY_NARROW_CODE; code++)
        places[code] = code < page->labels ? page->places[code] : (uint16_t)(table->columns - 1);
    Runs *runs = &page->codes;
    while (rows) {
        if (!runs->left && next_run(runs))
            return -1;
        size_t some = runs->left < rows ? (size_t)runs->left : rows, done = 0;
        if (runs->packed) {
            done = 8 * whole_groups(runs, some);
            add_packed(table, truth, runs->run + runs->bit / 8, done / 8, runs->width, places);
        }
        for (; done < some; done++) {
            unsigned code = runs->packed ? number_at(runs, runs->bit + done * runs->width) : runs->value;
            table->cells[truth[done] * table->columns + places[code % EVERY_NARROW_CODE]]++;
        }
        runs->bit += (uint64_t)some * runs->width;
        runs->left -= some;
        truth += some;
        rows -= some;
    }
    uint32_t astray = 0;
    for (size_t line = 0; line < table->lines; line++)
        astray |= table->cells[(line + 1) * table->columns - 1];
    return astray ? -1 : 0;
}

int add_page(Codes *page, uint16_t *truth, size_t rows, const Table *table) {
    uint16_t block[BLOCK], most = 0;
    for (size_t i = 0; i < rows; i++)
        most = truth[i] > most ? truth[i] : most;
    if (rows && most >= table->lines)
        return -1;
    for (size_t i = 0; i <= page->labels; i++)
        if (page->places[i] >= table->columns - 1)
            return -1;
    if (page->has_codes && page->codes.width <= NARROW && are_filled(page, rows))
        return add_narrow(table, page, truth, rows);
    for (size_t start = 0; start < rows; start += BLOCK) {
        size_t count = rows - start < BLOCK ? rows - start : BLOCK;
        if (next_codes(page, block, count))
            return -1;
        for (size_t i = 0; i < count; i++)
            table->cells[truth[start + i] * table->columns + page->places[block[i]]]++;
    }
    return 0;
}

int place_page(Codes *page, uint16_t *truth, size_t rows, const Table *table) {
    (void)table;
    uint16_t block[BLOCK];
    for (size_t start = 0; start < rows; start += BLOCK) {
        size_t count = rows - start < BLOCK ? rows - start : BLOCK;
        if (next_codes(page, block, count))
            return -1;
        for (size_t i = 0; i < count; i++)
            truth[start + i] = page->places[block[i]];
    }
    return 0;
}
