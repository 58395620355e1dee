#ifndef LOADGEN_UNITS_H
#define LOADGEN_UNITS_H

/* Numbers with units, in and out. Every parser takes the whole text or fails;
 * 0 is returned on success, -1 when the text is not such a number. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "10ms" "2s" "1m" "1.5h" "100us" "5ns"; without a unit: seconds. */
int units_time(const char *text, int64_t *time_ns);
/* "4096" "64KiB" "8G" "1e6". K M G T are powers of 1024 in sizes, as in fio
 * and iperf3; kB MB GB TB are always powers of 1000, KiB MiB ... of 1024. */
int units_size(const char *text, uint64_t *size_bytes);
/* "50" or "50%". */
int units_percent(const char *text, double *percent);
int units_count(const char *text, int64_t *count);
int units_real(const char *text, double *value);

enum rate_kind { RATE_PLAIN, RATE_BYTES, RATE_OPS, RATE_PERCENT };

struct rate {
    enum rate_kind kind; /* RATE_PLAIN: the text named no unit */
    double value;        /* a second; for RATE_PERCENT the percentage */
};

/* "50M" "10MiB/s" "10e6" "5000iops" "5kops/s" "100Mbit/s" "50%". k K M G T are
 * powers of 1000 in rates, Ki Mi Gi Ti of 1024. bit/s become bytes. */
int units_rate(const char *text, struct rate *rate);

/* "1.50 MB/s", "250 ops/s", "0.500 CPUs"; returns text. */
const char *units_format_rate(double value, const char *unit, char *text, size_t size);
/* "512 B", "64.0 KiB". */
const char *units_format_size(double size_bytes, char *text, size_t size);
/* "1.23 ms". */
const char *units_format_time(double time_ns, char *text, size_t size);

#endif
