// Reads a recording by loadgen record, or one that was imported, and works out what rules look at.

#include "imitate.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const columns[COLUMNS] = {
    [CPU] = "cpu",
    [WAITING] = "cpu_wait",
    [RUNNABLE] = "runnable",
    [BLOCKED] = "blocked",
    [CPU_PRESSURE] = "cpu_pressure",
    [IO_PRESSURE] = "io_pressure",
    [CALLS_READ] = "reads_per_s",
    [CALLS_WRITE] = "writes_per_s",
    [READ_BYTES] = "read_bytes_per_s",
    [WRITE_BYTES] = "write_bytes_per_s",
    [DISK_READS] = "disk_reads_per_s",
    [DISK_WRITES] = "disk_writes_per_s",
    [DISK_READ_BYTES] = "disk_read_bytes_per_s",
    [DISK_WRITE_BYTES] = "disk_write_bytes_per_s",
    [SYNCS] = "syncs_per_s",
    [SENT_PACKETS] = "sent_packets_per_s",
    [RECEIVED_PACKETS] = "received_packets_per_s",
    [SWITCHES] = "voluntary_switches_per_s",
    [MINOR_FAULTS] = "minor_faults_per_s",
    [FORKS] = "forks_per_s",
    [CACHE_MISSES] = "cache_misses_per_s",
    [RESIDENT] = "resident_bytes",
    [PRIVATE] = "private_bytes",
};

static const double least_rest = 0.35;        // of a thread, that is worth one more
static const double cache_line = 64;          // bytes
static const double least_block = 4096;       // of a disk
static const double most_block = 1048576;     // one larger is split by the kernel anyway
static const double most_footprint = 5.369e8; // beyond all caches
static const double least_cpu = 0.001;        // less is nothing
static const double rounds_per_s = 2000;      // of a worker of the load mixed that has a CPU

// Sums over spans, weighted by their lengths.
struct sums {
    double time_s, value[COLUMNS], weight[COLUMNS];
    double wanted, wanted_squares;
    double scale; // of the unit of `load`, to CPUs
    double last_ms;
};

static double sum_of(const json_t *list)
{
    double sum = 0;
    JSON_EACH (one, list) {
        sum += json_number_value(one);
    }
    return sum;
}

static bool is_schema(const json_t *header, const char *schema)
{
    return json_text_is(header, "schema", schema);
}

// The first line. False after a message.
static bool take_header(struct recording *recording, struct sums *sums, const json_t *header)
{
    recording->machine = is_schema(header, SCHEMA_PROFILE);
    if (!recording->machine && !is_schema(header, SCHEMA_PROFILE_NEIGHBOUR))
        return complain("%s is not a recording: make one with loadgen record --pid N FILE, or of "
                        "the file of another tool with jostle import",
                        recording->path);
    sums->scale = json_text_is(header, "unit", "fraction") ? 1 : 0.01;
    JSON_EACH (one, json_object_get(header, "unseen")) {
        list_add(&recording->unseen, &recording->arena,
                 arena_format(&recording->arena, "%s (%s)", json_text_or_empty(one, "what"),
                              json_text_or_empty(one, "why")));
    }
    return true;
}

static void take_span(struct recording *recording, struct sums *sums, const json_t *span)
{
    const double at_ms = json_number_at(span, "time_ms");
    const double length_s = (at_ms - sums->last_ms) / 1e3;
    if (!(length_s > 0))
        return;
    double wanted = NAN;
    for (size_t i = 0; i < COLUMNS; i++) {
        double value = json_number_at(span, columns[i]);
        if (i == CPU && isnan(value))
            value = sum_of(json_object_get(span, "load")) * sums->scale;
        if (isnan(value))
            continue;
        sums->value[i] += value * length_s;
        sums->weight[i] += length_s;
        if (i == CPU || i == RUNNABLE)
            wanted = value;
    }
    sums->wanted += wanted * length_s;
    sums->wanted_squares += wanted * wanted * length_s;
    sums->time_s += length_s;
    sums->last_ms = at_ms;
    recording->spans++;
}

// All lines of the file; one that was cut off is left out. False after a message.
static bool read_lines(struct recording *recording, struct sums *sums, FILE *file)
{
    char *text = NULL;
    size_t room = 0, lines = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&text, &room, file)) > 0) {
        json_auto_t *line = json_read_line(text, (size_t)length);
        if (lines++ == 0)
            good = take_header(recording, sums, line);
        else if (line && !json_object_get(line, "event"))
            take_span(recording, sums, line);
    }
    if (good && ferror(file))
        good = complain("%s cannot be read: %s", recording->path, strerror(errno));
    free(text);
    return good;
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

// The nearest power of two that a disk has as a block.
static double block_of(double bytes, double operations)
{
    if (!(bytes > 0) || !(operations > 0))
        return most_block;
    return fmin(fmax(exp2(round(log2(bytes / operations))), least_block), most_block);
}

static void follow_cpu(double *trait, double times)
{
    const double wait = known(trait[WAITING]);
    const double runnable = fmax(isnan(trait[RUNNABLE]) ? trait[CPU] : trait[RUNNABLE],
                                 trait[CPU] + known(trait[CPU_PRESSURE]));
    const double threads = runnable * fmax(times, 1);
    trait[WANTED] = runnable * times;
    trait[THREADS] = fmax(floor(threads) + (threads - floor(threads) > least_rest ? 1 : 0), 1);
    trait[SHARE] = fmin(trait[WANTED] / trait[THREADS], 1);
    trait[PERCENT] = fmax(100 * trait[SHARE], 1);
    trait[HELD] = runnable > 0 ? fmax(wait, runnable - trait[CPU]) / runnable : 0;
}

// What the device has counted for a group is exact; what was counted for processes is what they
// asked for.
static void follow_disk(double *trait)
{
    const double syncs = known(trait[SYNCS]);
    if (!isnan(trait[DISK_READ_BYTES])) {
        trait[READ_BYTES] = trait[DISK_READ_BYTES];
        trait[WRITE_BYTES] = fmax(trait[DISK_WRITE_BYTES], known(trait[WRITE_BYTES]));
    }
    const double reads = isnan(trait[DISK_READS]) ? trait[CALLS_READ] : trait[DISK_READS];
    const double writes = isnan(trait[DISK_WRITES]) ? trait[CALLS_WRITE] : trait[DISK_WRITES];
    trait[DISK_THREADS] = fmax(round(known(trait[BLOCKED])), 1);
    trait[READ_BLOCK] = block_of(trait[READ_BYTES], reads);
    trait[WRITE_BLOCK] = block_of(trait[WRITE_BYTES], syncs >= 1 ? syncs : writes);
}

static void follow_rest(double *trait)
{
    const double calls = known(trait[CALLS_READ]) + known(trait[CALLS_WRITE]);
    const double packets = known(trait[SENT_PACKETS]) + known(trait[RECEIVED_PACKETS]);
    const double asked = packets >= 1000 ? packets : calls;
    trait[ANSWERED] = asked > 0 ? known(trait[SWITCHES]) / asked : 0;
    trait[ROUND_TRIPS] = packets >= 1000 ? packets / 2 : known(trait[SWITCHES]) / 2;
    trait[STREAM] = trait[CACHE_MISSES] * cache_line;
    trait[FOOTPRINT] = fmin(trait[RESIDENT], most_footprint);
}

// What it does in a second of its CPU time, however much of that it got, and whatever it is scaled
// by.
static void follow_turns(double *trait, double times)
{
    const double cpu = fmax(trait[CPU], least_cpu) * times;
    trait[ROUNDS] = rounds_per_s * trait[WANTED];
    trait[FAULTS_EACH] = trait[MINOR_FAULTS] / cpu;
    trait[FORKS_EACH] = trait[FORKS] / cpu;
    trait[STREAM_EACH] = trait[STREAM] / cpu;
    const bool waits = known(trait[BLOCKED]) >= 0.5 || known(trait[SYNCS]) >= MANY_SYNCS ||
                       trait[ROUND_TRIPS] >= 1000;
    trait[BESIDES] = !waits && (trait[FAULTS_EACH] >= 1000 || trait[FORKS_EACH] >= 1 ||
                                trait[STREAM_EACH] >= 1e8);
    trait[OCCUPIED] = known(trait[BLOCKED]) + trait[WANTED];
}

static void follow(struct recording *recording, const struct sums *sums, double times)
{
    double *trait = recording->trait;
    for (size_t i = 0; i < COLUMNS; i++)
        trait[i] = sums->weight[i] > 0 ? sums->value[i] / sums->weight[i] : NAN;
    for (size_t i = CALLS_READ; i <= CACHE_MISSES; i++)
        trait[i] *= times;
    follow_cpu(trait, times);
    follow_disk(trait);
    follow_rest(trait);
    follow_turns(trait, times);
    const double mean = sums->wanted / sums->time_s;
    const double variance = sums->wanted_squares / sums->time_s - mean * mean;
    recording->length_s = sums->time_s;
    recording->varies = recording->spans >= 3 && sqrt(fmax(variance, 0)) > mean / 3;
}

// Whether it did anything that a load could do. False after a message.
static bool check_spans(const struct recording *recording, const struct sums *sums)
{
    if (sums->time_s <= 0)
        return complain("%s has no span of time: record for longer than one --interval",
                        recording->path);
    bool any = sums->value[CPU] / sums->time_s >= least_cpu || sums->value[RUNNABLE] > 0;
    for (size_t i = BLOCKED; i <= CACHE_MISSES; i++)
        any = any || (i != SWITCHES && i != MINOR_FAULTS && sums->value[i] / sums->time_s >= 1);
    return any || complain("%s: the neighbour did nothing in %.3g s: record it while it works",
                           recording->path, sums->time_s);
}

bool recording_read(struct recording *recording, const char *path, double times)
{
    struct sums sums = {0};
    struct stat status;
    *recording = (struct recording){.path = path};
    FILE *file = stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? NULL : fopen(path, "re");
    if (!file)
        return complain("%s cannot be read: give a recording by loadgen record or jostle import",
                        path);
    bool good = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    if (!good)
        good = complain("%s is not a regular file: give a recording", path);
    else if (status.st_size == 0)
        good = complain("%s is empty: give a recording", path);
    else
        good = read_lines(recording, &sums, file) && check_spans(recording, &sums);
    fclose(file);
    if (good)
        follow(recording, &sums, times);
    return good;
}

void recording_free(struct recording *recording)
{
    arena_free(&recording->arena);
}
