/* Snappy: pieces that are given, and pieces that repeat what came before. */

#include "snappy.h"

int expand(Bytes bytes, uint8_t *out, size_t size) {
    uint64_t said;
    size_t done = 0;
    if (varint(&bytes, &said) || said != size)
        return -1;
    while (bytes.at < bytes.end) {
        unsigned tag = *bytes.at++, top = tag >> 2;
        uint32_t length, back;
        if ((tag & 3) == 0) {
            length = top;
            if (top >= 60 && whole(&bytes, top - 59, &length))
                return -1;
            if (length >= size - done || length >= (size_t)(bytes.end - bytes.at))
                return -1;
            memcpy(out + done, bytes.at, (size_t)length + 1);
            bytes.at += (size_t)length + 1;
            done += (size_t)length + 1;
            continue;
        }
        if ((tag & 3) == 1) {
            if (whole(&bytes, 1, &back))
                return -1;
            length = (top & 7) + 4;
            back |= (tag >> 5) << 8;
        } else {
            if (whole(&bytes, (tag & 3) == 2 ? 2 : 4, &back))
                return -1;
            length = top + 1;
        }
        if (!back || back > done || length > size - done)
            return -1;
        if (back >= length)
            memcpy(out + done, out + done - back, length);
        else
            for (uint32_t i = 0; i < length; i++) /* a piece that repeats itself */
                out[done + i] = out[done + i - back];
        done += length;
    }
    return done == size ? 0 : -1;
}
