/* Headers of pages: records in Thrift's compact form, with every field of the kind that the format gives it. */

#include "headers.h"

#define DEEPEST 8
#define LAST_FIELD INT16_MAX

enum { YES = 1, NO, BYTE, SHORT, INT, LONG, DOUBLE, TEXT, LIST, SET, MAP, RECORD };

/* The next field of a record: its kind (0 at the end) and its number, which is higher than the one before. */
static int field(Bytes *bytes, int64_t *number, int *kind) {
    int64_t last = *number;
    if (bytes->at >= bytes->end)
        return -1;
    uint8_t head = *bytes->at++;
    *kind = head & 15;
    if (!*kind)
        return head ? -1 : 0;
    if (head >> 4)
        *number += head >> 4;
    else if (zigzag(bytes, number))
        return -1;
    return *number > last && *number <= LAST_FIELD ? 0 : -1;
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

/* What the format says of a record: a bit for each field that is a number of 32 bits, one of those that is an encoding,
a truth value, a record, and for each that must be there. Fields that it does not name may be of any kind. */
typedef struct {
    unsigned numbers, encodings, truths, records, required;
} Form;

#define BIT(n) (1u << (n))
#define UP_TO(n) (BIT((n) + 1) - 2) /* fields 1 to n */
#define MOST_FIELDS 16

#define ENCODINGS ((UP_TO(9) & ~BIT(1)) | BIT(0)) /* that have a name */

static const Form HEADER = {UP_TO(4), 0, 0, UP_TO(8) & ~UP_TO(4), UP_TO(3)};
static const Form OF_DATA = {UP_TO(4), BIT(2) | BIT(3) | BIT(4), 0, BIT(5), UP_TO(4)};
static const Form OF_DICTIONARY = {UP_TO(2), BIT(2), BIT(3), 0, UP_TO(2)};
static const Form OF_SECOND_DATA = {UP_TO(6), BIT(4), BIT(7), BIT(8), UP_TO(6)};

/* Numbers and truth values of a record by their field's number, -1 where there is none. */
typedef struct {
    int64_t of[MOST_FIELDS];
    unsigned seen;
} Fields;

static int read_number(Bytes *bytes, int64_t *value) {
    return zigzag(bytes, value) || *value < INT32_MIN || *value > INT32_MAX ? -1 : 0;
}

static int is_encoding(int64_t value) { return value >= 0 && value < 32 && ENCODINGS >> value & 1; }

/* Fields of a record until its end, or until the record inside it that comes next, whose field's number is told. */
static int fields(Bytes *bytes, const Form *form, Fields *found, int64_t *number) {
    for (int kind;;) {
        if (field(bytes, number, &kind))
            return -1;
        if (!kind) {
            *number = 0;
            return (found->seen & form->required) == form->required ? 0 : -1;
        }
        unsigned bit = *number < MOST_FIELDS ? BIT(*number) : 0;
        found->seen |= bit;
        if (bit & form->numbers) {
            if (kind != INT || read_number(bytes, &found->of[*number]) ||
                (bit & form->encodings && !is_encoding(found->of[*number])))
                return -1;
        } else if (bit & form->truths) {
            if (kind != YES && kind != NO)
                return -1;
            found->of[*number] = kind == YES;
        } else if (bit & form->records) {
            return kind == RECORD ? 0 : -1;
        } else if (skip(bytes, kind, 0)) {
            return -1;
        }
    }
}

/* A record whose own records do not matter. */
static int inner_fields(Bytes *bytes, const Form *form, Fields *found) {
    int64_t number = 0;
    do {
        if (fields(bytes, form, found, &number) || (number && skip_record(bytes, 0)))
            return -1;
    } while (number);
    return 0;
}

/* The field that holds what is said of a kind of page, and its form; 0 where there is no such kind, or none of labels. */
static int about_of(int64_t kind, const Form **form) {
    switch (kind) {
    case DATA:
        *form = &OF_DATA;
        return 5;
    case DICTIONARY:
        *form = &OF_DICTIONARY;
        return 7;
    case SECOND_DATA:
        *form = &OF_SECOND_DATA;
        return 8;
    default:
        return 0;
    }
}

/* Fields of a header and of the one record in it, which must be that of its kind. */
static int outer_fields(Bytes *bytes, Fields *outer, Fields *about) {
    const Form *form = NULL;
    int64_t number = 0;
    memset(outer, -1, sizeof *outer);
    memset(about, -1, sizeof *about);
    outer->seen = about->seen = 0;
    if (fields(bytes, &HEADER, outer, &number) || !number || number != about_of(outer->of[1], &form) ||
        inner_fields(bytes, form, about))
        return -1;
    return fields(bytes, &HEADER, outer, &number) || number ? -1 : 0;
}

int read_header(Bytes *bytes, const uint8_t *start, Page *page) {
    Fields outer, about;
    if (outer_fields(bytes, &outer, &about))
        return -1;
    int second = outer.of[1] == SECOND_DATA;
    page->kind = outer.of[1];
    page->start = bytes->at - start;
    page->packed = outer.of[3];
    page->expanded = outer.of[2];
    page->checksum = outer.seen & BIT(4) ? (int64_t)(uint32_t)outer.of[4] : -1;
    page->values = about.of[1];
    page->encoding = about.of[second ? 4 : 2];
    page->level_encoding = second ? -1 : about.of[3];
    page->levels = second ? about.of[5] : -1;
    page->repetitions = second ? about.of[6] : -1;
    page->compressed = second ? about.of[7] : -1;
    if (page->packed < 0 || page->expanded < 0 || page->values < 0)
        return -1;
    return pass(bytes, (uint64_t)page->packed);
}
