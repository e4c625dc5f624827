/* A column of a row group: the bytes of its pages, and what is known of them. */

#ifndef INFOSCOPE_CHUNKS_H
#define INFOSCOPE_CHUNKS_H

#include "codes.h"
#include "headers.h"

typedef struct {
    const uint8_t *bytes;
    size_t size;
    const uint8_t *records; /* of its pages; callers may hand over any bytes as such */
    size_t pages;
    int snappy;   /* whether pages are compressed by it */
    int optional; /* whether rows may lack a value */
} Chunk;

/* A page and its body; -1 where it does not lie in the chunk or is very large. */
int page_at(const Chunk *chunk, size_t at, Page *page, Bytes *body);

/* Levels (if rows may lack a value) and data of a page, expanded if need be into some room of its expanded size. */
int split_page(const Chunk *chunk, const Page *page, Bytes body, uint8_t *room, Bytes *data, Bytes *levels);

typedef int (*Visit)(Codes *page, uint16_t *truth, size_t rows, const Table *table);

/* Visit the pages of a chunk one after the other: a dictionary of so many labels, and then codes of just so many rows. */
int visit_pages(
    const Chunk *chunk, const uint16_t *places, size_t known, uint16_t *truth, size_t rows, Visit visit,
    const Table *table);

#endif
