/* Decimal numbers from text to doubles.

Up to 2^53 a number without its point is exact, and so is a power of ten up to 10^22: one division or multiplication of
the two then rounds once, as a reader must that rounds rightly. Numbers with more digits are left to others.
*/

#include "decimals.h"

#include <float.h>

#define MOST_EXACT (UINT64_C(1) << 53)
#define LARGEST_POWER 22

static const double POWERS[LARGEST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline void pass_blanks(Bytes *text) {
    while (text->at < text->end && *text->at == ' ')
        text->at++;
}

/* Digits as they stand, appended to a number; how many there were, or -1 where it grows beyond what is exact. */
static inline ptrdiff_t digits(Bytes *text, uint64_t *number) {
    const uint8_t *start = text->at;
    uint64_t sum = *number;
    for (; text->at < text->end; text->at++) {
        unsigned digit = (unsigned)*text->at - '0';
        if (digit > 9)
            break;
        sum = sum * 10 + digit;
        if (sum > MOST_EXACT)
            return -1;
    }
    *number = sum;
    return text->at - start;
}

static inline int is_next(Bytes *text, uint8_t sign) {
    if (text->at == text->end || *text->at != sign)
        return 0;
    text->at++;
    return 1;
}

static inline int exponent(Bytes *text, int *power) {
    if (!is_next(text, 'e') && !is_next(text, 'E'))
        return 0;
    uint64_t size = 0;
    int is_negative = is_next(text, '-');
    if (!is_negative)
        is_next(text, '+');
    if (digits(text, &size) < 1 || size > LARGEST_POWER)
        return -1;
    *power += is_negative ? -(int)size : (int)size;
    return 0;
}

static inline int decimal(Bytes *text, double *value) {
    uint64_t number = 0;
    int is_negative = is_next(text, '-');
    if (!is_negative)
        is_next(text, '+');
    ptrdiff_t before = digits(text, &number), after = 0;
    if (before >= 0 && is_next(text, '.'))
        after = digits(text, &number);
    if (before < 0 || after < 0 || before + after < 1 || after > 2 * LARGEST_POWER)
        return -1;
    int power = -(int)after;
    if (exponent(text, &power) || power < -LARGEST_POWER || power > LARGEST_POWER)
        return -1;
    double size = power < 0 ? (double)number / POWERS[-power] : (double)number * POWERS[power];
    *value = is_negative ? -size : size;
    return 0;
}

static inline int is_line_end(const Bytes *text) { return *text->at == '\n' || *text->at == '\r'; }

ptrdiff_t read_decimals(Bytes text, uint8_t delimiter, size_t columns, size_t rows, double *values) {
    if (FLT_EVAL_METHOD != 0) /* a processor that rounds twice */
        return -1;
    size_t row = 0;
    while (text.at < text.end) {
        if (is_line_end(&text)) {
            text.at++;
            continue;
        }
        if (row == rows)
            return -1;
        for (size_t column = 0; column < columns; column++) {
            if (column && !is_next(&text, delimiter))
                return -1;
            pass_blanks(&text);
            if (decimal(&text, &values[column * rows + row]))
                return -1;
            pass_blanks(&text);
        }
        if (text.at < text.end && !is_line_end(&text) && *text.at != delimiter)
            return -1;
        while (text.at < text.end && !is_line_end(&text))
            text.at++;
        row++;
    }
    return (ptrdiff_t)row;
}
