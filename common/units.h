#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

// Numbers with units, in and out. Every parser takes the whole text or fails;
// 0 is returned on success, -1 when the text is not such a number.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// "10ms" "2s" "1m" "1.5h" "100us" "5ns"; without a unit: seconds.
int units_time(const char *text, int64_t *time_ns);
// Sizes and rates share their multiples: k K m M g G t T, each alone, with i
// (KiB, Mi: powers of 1024) or with B (kB, MB: powers of 1000). Alone they are
// powers of 1024 in sizes and of 1000 in rates, as in fio and iperf3.

// "4096" "64KiB" "8G" "512m" "1e6" "10MB".
int units_size(const char *text, uint64_t *size_bytes);
// "50" or "50%".
int units_percent(const char *text, double *percent);
// "0.05" or "5%": 0.05.
int units_fraction(const char *text, double *fraction);
int units_count(const char *text, uint64_t *count);
int units_integer(const char *text, int64_t *value);
int units_real(const char *text, double *value);

enum rate_kind { RATE_PLAIN, RATE_BYTES, RATE_OPS, RATE_PERCENT };

struct rate {
    enum rate_kind kind; // RATE_PLAIN: the text named no unit
    double value;        // a second; for RATE_PERCENT the percentage
};

// "50M" "10MiB/s" "10e6" "5000iops" "5kops/s" "100Mbit/s" "50%". bit/s become
// bytes.
int units_rate(const char *text, struct rate *rate);

// "1.50 MB/s", "250 ops/s", "0.500 CPUs"; returns text.
const char *units_format_rate(double value, const char *unit, char *text, size_t size);
// "512 B", "64.0 KiB".
const char *units_format_size(double size_bytes, char *text, size_t size);
// "1.23 ms".
const char *units_format_time(double time_ns, char *text, size_t size);
// As one would type it, and exactly that: "1500ms", "384MiB", "1000".
const char *units_exact_time(int64_t time_ns, char *text, size_t size);
const char *units_exact_size(uint64_t size_bytes, char *text, size_t size);
// With as many digits, 15 to 17, as bring back the same value.
const char *units_exact_real(double value, char *text, size_t size);

#endif
