#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers with units, in and out. Every parser takes the whole text or fails;
// 0 is returned on success, -1 when the text is not such a number.

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

// "1.50 MB/s", "250.0 ops/s", "0.5000 CPUs"; returns text.
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

// Numbers for people, each with its unit. NAN is a number that is not known: "-".
// All return text, which has room for NUMBER_SIZE.

enum { NUMBER_SIZE = 200 };

struct scale {
    double factor; // multiplies the value
    char unit[48]; // "" for none
};

// What brings a value in this unit between 1 and 1000, where the unit has steps: s, ms, us,
// ns; B, B/s; 1/s (/s); "" for a count. Other units stay as they are. The unit is chosen after
// rounding: 0.0009996 s are 1.00 ms.
struct scale scale_of(double value, const char *unit);

// Decimals that show three significant digits of a number between 1 and 1000, and two of one
// below 0.01.
int number_decimals(double value);
// Exactly so many decimals, halves away from 0; below 0 it is rounded to tens, hundreds, and so on.
const char *number_fixed(double value, int decimals, char *text);
// "1.23 ms", "64.0 KiB", "1.50 MB/s".
const char *number_scaled(double value, const char *unit, char *text);
// Of operations in a second: "250 ops/s", "12.3 Mops/s".
const char *number_operations(double value, char *text);
// How long something took or takes: "3.4 s", "12 s", "5 min", "3 h 07 min".
const char *number_duration(double seconds, char *text);
const char *number_percent(double fraction, char *text);
// Of a confidence of 0.95 "95 %"; of one near 1 as many digits as tell it from 1: "99.99999 %".
const char *number_level(double confidence, char *text);
// "0.63 CPUs", "1 CPU"
const char *number_cpus(double cpus, char *text);
// "58.0 [57.1, 60.2] ms": as many decimals as the interval deserves.
const char *number_with_bounds(double value, double low, double high, const char *unit, char *text);
// "58.0 ± 1.2 ms" where the two sides are alike within these digits, else the bounds; "58.0 ± ?
// ms": they are not known. The half width has two significant digits.
const char *number_with_interval(double value, double low, double high, const char *unit,
                                 char *text);
// Alone and under load in one unit: "57.5 → 59.0 ms"; NAN for loaded: one number.
const char *number_pair(double alone, double loaded, const char *unit, char *text);
// "1.23e-05"; and four significant digits, without an exponent where possible.
const char *number_scientific(double value, char *text);
const char *number_significant(double value, char *text);
// "1.37 [1.35, 1.39]": so many decimals; low NAN: no interval.
const char *number_interval(double low, double high, int decimals, char *text);
// Decimals that a ratio with this interval deserves: it is seen to leave 1 out where it does. Below
// 0 where not even its last digits before the point do: 97800 [95700, 100200].
int ratio_decimals(double low, double high);
// "1.37 [1.35, 1.39]" with these; of bounds that are not known the ratio alone.
const char *number_ratio(double ratio, double low, double high, char *text);

#endif
