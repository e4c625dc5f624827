/* Plain values of a page, one after the other. */

#include "values.h"

#include <stdlib.h>

static int is_size(int numbers) {
    return numbers == 0 || numbers == 4 || numbers == -4 || numbers == 8 || numbers == -8;
}

static int next_value(Bytes *bytes, int numbers, Take take, void *taker) {
    uint32_t size = (uint32_t)abs(numbers);
    if (!numbers && whole(bytes, 4, &size))
        return -1;
    const uint8_t *from = bytes->at;
    return pass(bytes, size) || take(taker, from, size) ? -1 : 0;
}

static int each_value(Bytes data, Bytes levels, int64_t rows, int numbers, Take take, void *taker) {
    Runs runs;
    memset(&runs, 0, sizeof runs);
    runs.bytes = levels;
    runs.width = 1;
    for (int64_t row = 0; row < rows; row++) {
        uint16_t present = 1;
        if (levels.at && take_runs(&runs, &present, 1))
            return -1;
        if (present ? next_value(&data, numbers, take, taker) : take(taker, NULL, 0))
            return -1;
    }
    return data.at == data.end ? 0 : -1;
}

int visit_values(const Chunk *chunk, size_t at, uint64_t most, int numbers, Take take, void *taker) {
    Page page;
    Bytes body, data, levels;
    if (!is_size(numbers) || at >= chunk->pages || page_at(chunk, at, &page, &body) || (uint64_t)page.values > most)
        return -1;
    int plain = page.encoding == PLAIN || (page.kind == DICTIONARY && page.encoding == BY_DICTIONARY);
    uint8_t *room = plain ? malloc((size_t)page.expanded + 1) : NULL;
    int fault = !room || split_page(chunk, &page, body, room, &data, &levels) ||
                each_value(data, levels, page.values, numbers, take, taker);
    free(room);
    return fault;
}
