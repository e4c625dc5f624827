/* Headers of pages: records in Thrift's compact form. */

#include "headers.h"

#define DEEPEST 8
#define MOST_FIELDS (1 << 20)

enum { YES = 1, NO, BYTE, SHORT, INT, LONG, DOUBLE, TEXT, LIST, SET, MAP, RECORD };

/* The next field of a record: its kind (0 at the end) and its number. */
static int field(Bytes *bytes, int64_t *number, int *kind) {
    if (bytes->at >= bytes->end)
        return -1;
    uint8_t head = *bytes->at++;
    *kind = head & 15;
    if (!*kind)
        return 0;
    if (!(head >> 4))
        return zigzag(bytes, number) || *number < 0 || *number > MOST_FIELDS ? -1 : 0;
    *number += head >> 4;
    return 0;
}

static int skip(Bytes *bytes, int kind, int depth);

static int skip_record(Bytes *bytes, int depth) {
    int64_t number = 0;
    for (int kind;;) {
        if (field(bytes, &number, &kind))
            return -1;
        if (!kind)
            return 0;
        if (skip(bytes, kind, depth))
            return -1;
    }
}

static int skip(Bytes *bytes, int kind, int depth) {
    uint64_t size;
    switch (kind) {
    case YES:
    case NO:
        return 0;
    case BYTE:
        return pass(bytes, 1);
    case SHORT:
    case INT:
    case LONG:
        return varint(bytes, &size);
    case DOUBLE:
        return pass(bytes, 8);
    case TEXT:
        return varint(bytes, &size) ? -1 : pass(bytes, size);
    case RECORD:
        return depth < DEEPEST ? skip_record(bytes, depth + 1) : -1;
    default: /* no header of a page has lists or maps */
        return -1;
    }
}

/* Numbers of 32 bits and truths of a record by their field's number, 1 to 15; others are passed over. */
typedef struct {
    int64_t of[16];
} Fields;

/* The records inside it, where they are wanted, by their number. */
static int fields(Bytes *bytes, Fields *found, Fields *inner) {
    int64_t number = 0, value;
    memset(found, -1, sizeof *found);
    for (int kind;;) {
        if (field(bytes, &number, &kind))
            return -1;
        if (!kind)
            return 0;
        int known = number > 0 && number < 16;
        if (known && (kind == YES || kind == NO)) {
            found->of[number] = kind == YES;
        } else if (known && kind == INT) {
            if (zigzag(bytes, &value))
                return -1;
            found->of[number] = value;
        } else if (known && inner && kind == RECORD) {
            if (fields(bytes, &inner[number], NULL))
                return -1;
        } else if (skip(bytes, kind, 0)) {
            return -1;
        }
    }
}

int read_header(Bytes *bytes, const uint8_t *start, Page *page) {
    Fields outer, inner[16];
    memset(inner, -1, sizeof inner);
    if (fields(bytes, &outer, inner))
        return -1;
    page->kind = outer.of[1];
    int second = page->kind == SECOND_DATA;
    const Fields *about = &inner[page->kind == DICTIONARY ? 7 : second ? 8 : 5];
    page->start = bytes->at - start;
    page->packed = outer.of[3];
    page->expanded = outer.of[2];
    page->values = about->of[1];
    page->encoding = about->of[second ? 4 : 2];
    page->level_encoding = second ? -1 : about->of[3];
    page->levels = second ? about->of[5] : -1;
    page->repetitions = second ? about->of[6] : -1;
    page->compressed = second ? about->of[7] : -1;
    if (page->packed < 0 || page->expanded < 0 || page->values < 0)
        return -1;
    return pass(bytes, (uint64_t)page->packed);
}
