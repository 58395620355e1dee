#include "runs.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "harness/stats/hub.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static bool has(const char *folder, const char *name, const char *file)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    return file_is_in(path, file, R_OK);
}

bool step_is_done(const char *folder, const char *name)
{
    return has(folder, name, "result.json");
}

bool step_is_begun(const char *folder, const char *name)
{
    return has(folder, name, "runs.jsonl");
}

bool step_read(struct measured *measured, const char *folder, const char *name)
{
    *measured = (struct measured){.folder = text_of("%s/%s", folder, name)};
    return replay_open(&measured->experiment, &measured->session, measured->folder, true);
}

json_t *step_result(const char *folder, const char *name)
{
    json_error_t error;
    OWNED char *path = text_of("%s/%s/result.json", folder, name);
    json_t *result = json_read_record(path, 0, &error);
    if (result == NULL)
        complain("%s cannot be read (%s): measure again into another --output", path, error.text);
    return result;
}

static bool is_of(const struct measured *measured, const struct observation *run, size_t condition)
{
    return run->condition == (int)condition && session_uses(&measured->session, run);
}

double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count)
{
    double *value = must(calloc(measured->session.count + 1, sizeof *value));
    *count = 0;
    for (size_t i = 0; i < measured->session.count; i++)
        if (is_of(measured, &measured->session.runs[i], condition))
            value[(*count)++] = measured->session.runs[i].value[metric];
    return value;
}

double *measured_by_block(const struct measured *measured, size_t condition, size_t metric)
{
    const size_t blocks = measured->session.blocks;
    double *value = must(calloc(blocks + 1, sizeof *value));
    for (size_t i = 0; i < blocks; i++)
        value[i] = NAN;
    for (size_t i = 0; i < measured->session.count; i++) {
        const struct observation *run = &measured->session.runs[i];
        if (is_of(measured, run, condition) && run->block > 0 && run->block <= blocks)
            value[run->block - 1] = run->value[metric];
    }
    return value;
}

double measured_overhead_s(const struct measured *measured)
{
    const size_t count = measured->session.count;
    if (count < 2)
        return 0;
    const struct facts *first = session_facts(&measured->session, 0),
                       *last = session_facts(&measured->session, count - 1);
    double runs_s = 0;
    for (size_t i = 0; i + 1 < count; i++)
        runs_s += measured->session.runs[i].value[WALL_S];
    const double each_s = (elapsed_between_s(first, last) - runs_s) / (double)(count - 1);
    return isfinite(each_s) && each_s > 0 ? each_s : 0;
}

// Sums about the mean of the logarithms.
struct sums {
    size_t n;
    double mean, squares; // of log(wall time)
    double lagged;        // products of neighbours' deviations
    double mean_s;
};

static size_t take_logs(const struct noise_series *series, double *log_s)
{
    size_t n = 0;
    for (size_t i = 0; i < series->n; i++)
        if (series->wall_s[i] > 0 && isfinite(series->wall_s[i]))
            log_s[n++] = log(series->wall_s[i]);
    return n;
}

static struct sums sums_of(const double *log_s, size_t n)
{
    struct sums sums = {.n = n};
    for (size_t i = 0; i < n; i++) {
        sums.mean += log_s[i] / (double)n;
        sums.mean_s += exp(log_s[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double from_mean = log_s[i] - sums.mean;
        sums.squares += from_mean * from_mean;
        if (i > 0)
            sums.lagged += from_mean * (log_s[i - 1] - sums.mean);
    }
    return sums;
}

static double correlation(const struct sums *sums)
{
    return sums->n >= NOISE_LEAST && sums->squares > 0 ? sums->lagged / sums->squares : NAN;
}

// Of n differences of logarithms, by Student's t.
static struct noise_halves ratio_of(const double *difference, size_t n, double confidence)
{
    struct noise_halves halves = {NAN, NAN, NAN};
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double delta = difference[i] - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (difference[i] - mean);
    }
    if (n < 2)
        return halves;
    const double count = (double)n;
    const double half =
        gsl_cdf_tdist_Pinv(0.5 + confidence / 2, count - 1) * sqrt(squares / (count - 1) / count);
    return (struct noise_halves){exp(mean), exp(mean - half), exp(mean + half)};
}

// `step`: from a run to the one that it is compared with; `from`: the first of each pair are
// every so many-th.
static struct noise_halves halves_of(const double *log_s, size_t n, size_t step, size_t every,
                                     double *scratch, double confidence)
{
    const size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++)
        scratch[i] = log_s[i * every + step] - log_s[i * every];
    return ratio_of(scratch, pairs, confidence);
}

struct noise noise_of(const struct noise_series *series, double confidence)
{
    struct noise noise = {.mean_s = NAN, .sd = NAN, .low = NAN, .high = NAN, .correlation = NAN};
    noise.interleaved = noise.in_time = (struct noise_halves){NAN, NAN, NAN};
    OWNED double *log_s = calloc(2 * series->n + 1, sizeof *log_s);
    if (log_s == NULL)
        return noise;
    const size_t n = take_logs(series, log_s);
    double *scratch = log_s + series->n;
    const struct sums sums = sums_of(log_s, n);
    noise.n = n;
    if (n > 0)
        noise.mean_s = sums.mean_s;
    if (n > 1) {
        const double df = (double)n - 1;
        noise.sd = sqrt(sums.squares / df);
        noise.low = sqrt(sums.squares / gsl_cdf_chisq_Pinv(0.5 + confidence / 2, df));
        noise.high = sqrt(sums.squares / gsl_cdf_chisq_Pinv(0.5 - confidence / 2, df));
        noise.correlation = correlation(&sums);
        noise.interleaved = halves_of(log_s, n, 1, 2, scratch, confidence);
        noise.in_time = halves_of(log_s, n, n / 2, 1, scratch, confidence);
    }
    return noise;
}

struct profile_noise noise_pooled(const struct noise_series *series, size_t count)
{
    struct profile_noise pooled = {.sd = NAN, .correlation = NAN};
    double squares = 0, df = 0, weights = 0, weighted = 0;
    for (size_t i = 0; i < count; i++) {
        const struct noise one = noise_of(&series[i], 0.95);
        pooled.n += one.n;
        if (one.n > 1) {
            squares += one.sd * one.sd * (double)(one.n - 1);
            df += (double)(one.n - 1);
        }
        if (isfinite(one.correlation)) {
            weighted += one.correlation * (double)one.n;
            weights += (double)one.n;
        }
    }
    if (df > 0)
        pooled.sd = sqrt(squares / df);
    if (weights > 0)
        pooled.correlation = weighted / weights;
    return pooled;
}
