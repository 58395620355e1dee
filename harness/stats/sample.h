// A growing list of measured values, and what describes it.
#ifndef STATS_SAMPLE_H
#define STATS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

struct sample {
    double *value;  // in the order of measurement
    double *sorted; // the same, ascending
    size_t count, capacity;
    double mean;    // of all, by Welford's update
    double squares; // sum of squared deviations from the mean
    double cubes;   // and of their cubes
};

// Appends a value.
void sample_add(struct sample *sample, double value);

// Fills a sample at once: begin, set value[0 .. count - 1], finish.
void sample_begin(struct sample *sample, size_t count);
void sample_finish(struct sample *sample, size_t count);

// Empties the sample and keeps its memory for the next experiment.
void sample_clear(struct sample *sample);

void sample_free(struct sample *sample);

// The mean of n values in any order, and the sum of their squared deviations from it.
void sample_moments(const double *value, size_t n, double *mean, double *squares);

// With n-1; NAN for fewer than two values.
double sample_variance(const struct sample *sample);

// Third standardised moment; 0 for fewer than three or equal values.
double sample_skewness(const struct sample *sample);

double sample_median(const struct sample *sample);

// Median of the absolute deviations from the median (not scaled).
double sample_mad(const struct sample *sample);

#endif
