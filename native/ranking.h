/* Scores of two classes in one order. */

#ifndef INFOSCOPE_RANKING_H
#define INFOSCOPE_RANKING_H

#include <stddef.h>
#include <stdint.h>

/* The distinct scores from the highest down, and for each how many positives and how many samples reach it.

Every array has room for all samples; keys are for working with. Returns the number of distinct scores. Scores are
numbers: none is NaN. */
size_t rank_scores(
    const double *scores, const uint8_t *is_positive, size_t samples, uint64_t *keys, double *thresholds, int64_t *hits,
    int64_t *reached);

#endif
