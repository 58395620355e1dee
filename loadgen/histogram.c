// How long operations took: counts of durations in logarithmic buckets, and their quantiles.

#include "load.h"

#define LINEAR (1 << HISTOGRAM_LINEAR_BITS)

// Values below 2 * LINEAR have a bucket each; above, each power of two has
// LINEAR buckets.
static unsigned bucket_of(uint64_t value)
{
    if (value >> HISTOGRAM_LARGEST_BITS != 0)
        return HISTOGRAM_BUCKETS - 1;
    if (value < LINEAR)
        return (unsigned)value;
    const unsigned shift = 63U - (unsigned)__builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
    return (shift << HISTOGRAM_LINEAR_BITS) + (unsigned)(value >> shift);
}

// The middle of a bucket.
static int64_t value_of(unsigned bucket)
{
    if (bucket < 2 * LINEAR)
        return bucket;
    const unsigned shift = (bucket >> HISTOGRAM_LINEAR_BITS) - 1;
    const int64_t low = (int64_t)(bucket - (shift << HISTOGRAM_LINEAR_BITS)) << shift;
    return low + ((INT64_C(1) << shift) >> 1);
}

static uint64_t get(const struct histogram *histogram, unsigned bucket)
{
    return atomic_load_explicit(&histogram->counts[bucket], memory_order_relaxed);
}

static void set(struct histogram *histogram, unsigned bucket, uint64_t count)
{
    atomic_store_explicit(&histogram->counts[bucket], count, memory_order_relaxed);
}

void histogram_record(struct histogram *histogram, int64_t time_ns)
{
    const unsigned bucket = bucket_of(time_ns < 0 ? 0 : (uint64_t)time_ns);
    // One writer: no read-modify-write is needed.
    set(histogram, bucket, get(histogram, bucket) + 1);
}

void histogram_add(struct histogram *sum, const struct histogram *part)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        const uint64_t count = get(part, bucket);
        if (count != 0)
            set(sum, bucket, get(sum, bucket) + count);
    }
}

void histogram_subtract(struct histogram *later, const struct histogram *earlier)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        set(later, bucket, get(later, bucket) - get(earlier, bucket));
}

uint64_t histogram_total(const struct histogram *histogram)
{
    uint64_t total = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        total += get(histogram, bucket);
    return total;
}

int64_t histogram_quantile(const struct histogram *histogram, double quantile)
{
    const uint64_t total = histogram_total(histogram);
    if (total == 0)
        return -1;
    uint64_t rank = (uint64_t)ceil(quantile * (double)total);
    if (rank == 0)
        rank = 1;
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += get(histogram, bucket);
        if (seen >= rank)
            return value_of(bucket);
    }
    return value_of(HISTOGRAM_BUCKETS - 1);
}

double latency_ns(const struct histogram *histogram, double quantile)
{
    const int64_t value = histogram_quantile(histogram, quantile);
    return value < 0 ? NAN : (double)value;
}

const struct quantile latency_quantiles[QUANTILES] = {{"p50_ns", "p50", 0.5},
                                                      {"p90_ns", "p90", 0.9},
                                                      {"p99_ns", "p99", 0.99},
                                                      {"p999_ns", "p99.9", 0.999},
                                                      {"max_ns", "max", 1}};

uint64_t histogram_below(const struct histogram *histogram, int64_t time_ns)
{
    const unsigned end = time_ns <= 0 ? 0 : bucket_of((uint64_t)time_ns);
    uint64_t count = 0;
    for (unsigned bucket = 0; bucket < end; bucket++)
        count += get(histogram, bucket);
    return count;
}
