/* Pages of a chunk, one after the other. */

#include "chunks.h"

#include <stdlib.h>

#include "snappy.h"

#define LARGEST_PAGE (1 << 28)

int page_at(const Chunk *chunk, size_t at, Page *page, Bytes *body) {
    memcpy(page, chunk->records + at * sizeof *page, sizeof *page);
    uint64_t size = chunk->size, start = (uint64_t)page->start, packed = (uint64_t)page->packed;
    if (start > size || packed > size - start || page->values < 0)
        return -1;
    if (page->expanded < 0 || page->expanded > LARGEST_PAGE)
        return -1;
    body->at = chunk->bytes + start;
    body->end = body->at + packed;
    return 0;
}

int split_page(const Chunk *chunk, const Page *page, Bytes body, uint8_t *room, Bytes *data, Bytes *levels) {
    size_t size = (size_t)page->expanded, before = 0;
    levels->at = levels->end = NULL;
    if (page->kind == SECOND_DATA) {
        if (page->repetitions > 0 || page->levels < 0 || page->levels > page->packed || page->levels > page->expanded)
            return -1;
        before = (size_t)page->levels;
        if (chunk->optional) {
            levels->at = body.at;
            levels->end = body.at + before;
        }
        body.at += before;
        size -= before;
    }
    if (chunk->snappy && page->compressed != 0) {
        if (size && expand(body, room, size))
            return -1;
        body.at = room;
        body.end = room + size;
    }
    if ((size_t)(body.end - body.at) != size)
        return -1;
    if (page->kind == DATA && chunk->optional) {
        uint32_t length;
        if (page->level_encoding != RUNS || whole(&body, 4, &length))
            return -1;
        levels->at = body.at;
        if (pass(&body, length))
            return -1;
        levels->end = body.at;
    }
    *data = body;
    return 0;
}

int visit_pages(
    const Chunk *chunk, const uint16_t *places, size_t known, uint16_t *truth, size_t rows, Visit visit,
    const Table *table) {
    Page page;
    Bytes body, data, levels;
    int64_t largest = 0;
    if (known < 1 || known > MOST_LABELS + 1)
        return -1;
    for (size_t at = 1; at < chunk->pages; at++) {
        if (page_at(chunk, at, &page, &body) || (page.kind != DATA && page.kind != SECOND_DATA) ||
            (page.encoding != BY_DICTIONARY && page.encoding != BY_DICTIONARY_TOO))
            return -1;
        largest = page.expanded > largest ? page.expanded : largest;
    }
    uint8_t *room = malloc((size_t)largest + 1);
    int fault = !room;
    for (size_t at = 1; !fault && at < chunk->pages; at++) {
        fault = page_at(chunk, at, &page, &body) || (uint64_t)page.values > rows ||
                split_page(chunk, &page, body, room, &data, &levels);
        if (fault)
            break;
        Codes codes;
        open_codes(&codes, data, levels, places, (uint16_t)(known - 1));
        fault = visit(&codes, truth, (size_t)page.values, table);
        truth += page.values;
        rows -= (size_t)page.values;
    }
    free(room);
    return fault || rows;
}
