// The phases of Bonnie (Tim Bray), as Bonnie++ 2.00 defines them:
//
//   char write    write(2) of one byte at a time, into a new file
//   block write   write(2) of a block at a time, into a new file
//   rewrite       each block is read, changed, and written back
//   char read     read(2) of one byte at a time
//   block read    read(2) of a block at a time
//   seeks         some threads read blocks anywhere; every tenth is written back
//
// A phase is one pass over the file, and its time includes the fsync(2) at its end.
// %CPU is user and system time of this process. What Bonnie++ reaches by a file of
// twice the memory, reads that come from the disk, is reached by emptying the page
// cache of the file before each phase that reads.

#include "io/io.h"

#include "common/random.h"

// The file, and what all phases share.
struct io_bench {
    struct run *run;
    const struct io_settings *set;
    int fd;        // through the page cache
    int direct_fd; // --sync direct: of the block phases; else the same
    unsigned char *buffer;
    uint64_t file_bytes, char_bytes, block_bytes;
    uint64_t random;
};

// What one phase did. Times by CLOCK_MONOTONIC.
struct io_outcome {
    uint64_t bytes;      // of the file, each counted once, as Bonnie does
    uint64_t moved;      // read and written, each counted
    uint64_t operations; // bytes, blocks or seeks
    int64_t slowest_ns;  // of an operation
    int64_t elapsed_ns, cpu_ns;
    double reached_ratio; // NAN: no counters
};

enum { REWRITE_EVERY = 10 }; // of the seeks (Bonnie++ 2.00: UpdateSeek)

// ---- one operation ----

// An operation that began at *at_ns is done; the next one begins now.
static void count(struct io_outcome *outcome, int64_t *at_ns)
{
    const int64_t end_ns = clock_ns();
    outcome->operations++;
    if (end_ns - *at_ns > outcome->slowest_ns)
        outcome->slowest_ns = end_ns - *at_ns;
    *at_ns = end_ns;
}

// No block like the one before, so that nothing can store it once for two.
static void change(struct io_bench *bench)
{
    const uint64_t stamp = random_next(&bench->random);
    memcpy(bench->buffer, &stamp,
           bench->block_bytes < sizeof stamp ? bench->block_bytes : sizeof stamp);
}

// ---- phases ----

static int pass_chars(struct io_bench *bench, struct io_outcome *outcome, bool read_it)
{
    unsigned char *buffer = bench->buffer;
    int64_t at_ns = clock_ns();
    int error = 0;
    for (uint64_t at = 0; at < bench->char_bytes && error == 0; at++) {
        // The file's position moves along, as Bonnie's does.
        unsigned char *place = buffer + at % bench->block_bytes;
        const ssize_t moved = read_it ? read(bench->fd, place, 1) : write(bench->fd, place, 1);
        if (moved != 1)
            error = moved < 0 ? errno : EIO;
        count(outcome, &at_ns);
    }
    outcome->bytes = outcome->moved = outcome->operations;
    return error;
}

// ---- seeks ----

struct seeker {
    pthread_t thread;
    struct io_bench bench; // with a buffer and random numbers of its own
    struct io_outcome outcome;
    uint64_t seeks;
    int error;
};

// Memory for one block, aligned for O_DIRECT, with random data; for free(). NULL: out of
// memory.
static unsigned char *new_buffer(uint64_t bytes)
{
    const uint64_t whole = (bytes + 4095) / 4096 * 4096;
    uint64_t random = io_salt();
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, whole) != 0)
        return NULL;
    random_fill(&random, memory, whole / sizeof(uint64_t));
    return memory;
}

static void *seeker_main(void *argument)
{
    struct seeker *seeker = argument;
    struct io_bench *bench = &seeker->bench;
    const uint64_t block = bench->block_bytes, blocks = bench->file_bytes / block;
    int64_t at_ns = clock_ns();
    for (uint64_t i = 0; i < seeker->seeks && seeker->error == 0; i++) {
        const uint64_t offset = random_below(&bench->random, blocks) * block;
        seeker->error = io_transfer(bench->direct_fd, true, bench->buffer, block, offset);
        seeker->outcome.moved += block;
        if (i % REWRITE_EVERY == 0 && seeker->error == 0) {
            change(bench);
            seeker->error = io_transfer(bench->direct_fd, false, bench->buffer, block, offset);
            seeker->outcome.moved += block;
        }
        count(&seeker->outcome, &at_ns);
    }
    return NULL;
}

static int pass_seeks(struct io_bench *bench, struct io_outcome *outcome)
{
    const unsigned threads = bench->run->threads;
    struct seeker *seekers = calloc(threads, sizeof *seekers);
    unsigned started = 0;
    int error = seekers ? 0 : ENOMEM;
    for (; started < threads && error == 0; started++) {
        struct seeker *seeker = &seekers[started];
        seeker->bench = *bench;
        seeker->bench.random = random_next(&bench->random);
        seeker->bench.buffer = new_buffer(bench->block_bytes);
        seeker->seeks =
            bench->set->seeks * (started + 1) / threads - bench->set->seeks * started / threads;
        error = seeker->bench.buffer ? pthread_create(&seeker->thread, NULL, seeker_main, seeker)
                                     : ENOMEM;
        if (error != 0)
            break;
    }
    for (unsigned i = 0; i < started; i++) {
        const struct io_outcome *part = &seekers[i].outcome;
        pthread_join(seekers[i].thread, NULL);
        outcome->operations += part->operations;
        outcome->moved += part->moved;
        outcome->slowest_ns =
            part->slowest_ns > outcome->slowest_ns ? part->slowest_ns : outcome->slowest_ns;
        if (error == 0)
            error = seekers[i].error;
    }
    outcome->bytes = outcome->moved;
    for (unsigned i = 0; seekers && i < threads; i++)
        free(seekers[i].bench.buffer);
    free(seekers);
    return error;
}

// ---- what is said of each phase, and in the end of all ----

struct io_phase {
    const char *name;  // for people
    const char *field; // the fields of the summary begin with it
    bool by_byte;      // not possible past the page cache
    bool makes;        // begins with an empty file
    bool reads;        // begins with a read, of what the page cache must not have
    bool writes;
    bool seeks; // counted in operations a second, not in bytes
};

static double rate_of_phase(const struct io_phase *phase, const struct io_outcome *outcome)
{
    const double amount = (double)(phase->seeks ? outcome->operations : outcome->bytes);
    return outcome->elapsed_ns > 0 ? amount * 1e9 / (double)outcome->elapsed_ns : NAN;
}

static double cpu_percent(const struct io_outcome *outcome)
{
    return outcome->elapsed_ns > 0 ? 100 * (double)outcome->cpu_ns / (double)outcome->elapsed_ns
                                   : NAN;
}

// A phase is over: an event, or a line for people.
static void report_phase(const struct io_bench *bench, const struct io_phase *phase,
                         const struct io_outcome *outcome)
{
    struct run *run = bench->run;
    struct line line;
    char rate[48], slowest[24], share[128] = "";
    if (run->report.json) {
        report_open(&line, "phase");
        line_text(&line, "phase", phase->name);
        line_count(&line, "operations", outcome->operations);
        line_count(&line, "bytes", outcome->bytes);
        line_fixed(&line, "elapsed_s", (double)outcome->elapsed_ns / 1e9, 6);
        line_fixed(&line, "cpu_s", (double)outcome->cpu_ns / 1e9, 6);
        line_integer(&line, "max_ns", outcome->slowest_ns);
        line_fixed(&line, "reached_ratio", outcome->reached_ratio, 6);
        report_write(&run->report, &line);
        return;
    }
    units_format_rate(rate_of_phase(phase, outcome), phase->seeks ? UNIT_OPS : UNIT_BYTES, rate,
                      sizeof rate);
    units_format_time((double)outcome->slowest_ns, slowest, sizeof slowest);
    if (isfinite(outcome->reached_ratio))
        snprintf(share, sizeof share, ", %.0f %% of it reached %s",
                 100 * fmin(1, outcome->reached_ratio), io_state_of(run)->device.counter);
    report_print(&run->report, "  %-11s %s, %.0f %% CPU, slowest %s%s\n", phase->name, rate,
                 cpu_percent(outcome), slowest, share);
}

static void add_phase(struct line *line, const struct io_phase *phase,
                      const struct io_outcome *outcome)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", phase->field, phase->seeks ? "per_s" : "bytes_per_s");
    line_fixed(line, name, rate_of_phase(phase, outcome), 6);
    snprintf(name, sizeof name, "%s_cpu_percent", phase->field);
    line_fixed(line, name, cpu_percent(outcome), 6);
    snprintf(name, sizeof name, "%s_max_ns", phase->field);
    line_integer(line, name, outcome->slowest_ns);
    snprintf(name, sizeof name, "%s_reached_ratio", phase->field);
    line_fixed(line, name, outcome->reached_ratio, 6);
}

// One line for programs with everything, each name once. Phases without a time are left
// out.
static void report_summary(const struct io_bench *bench, const struct io_phase *phases,
                           const struct io_outcome *outcomes, size_t count)
{
    struct run *run = bench->run;
    struct line line;
    if (!run->report.json)
        return;
    report_open(&line, "summary");
    line_text(&line, "load", "io-phases");
    line_text(&line, "device", io_state_of(run)->device.counter);
    line_bool(&line, "direct", bench->direct_fd != bench->fd);
    line_bool(&line, "cached", bench->set->cached);
    line_count(&line, "file_bytes", bench->file_bytes);
    line_count(&line, "char_bytes", bench->char_bytes);
    line_count(&line, "block_bytes", bench->block_bytes);
    line_count(&line, "seeks", bench->set->seeks);
    line_count(&line, "threads", run->threads);
    for (size_t i = 0; i < count; i++)
        if (outcomes[i].elapsed_ns > 0)
            add_phase(&line, &phases[i], &outcomes[i]);
    report_write(&run->report, &line);
}

static const struct io_phase phases[] = {
    {.name = "char write", .field = "char_write", .by_byte = true, .makes = true, .writes = true},
    {.name = "block write", .field = "block_write", .makes = true, .writes = true},
    {.name = "rewrite", .field = "rewrite", .reads = true, .writes = true},
    {.name = "char read", .field = "char_read", .by_byte = true, .reads = true},
    {.name = "block read", .field = "block_read", .reads = true},
    {.name = "seeks", .field = "seeks", .reads = true, .seeks = true},
};
enum { PHASES = sizeof phases / sizeof phases[0] };

// ---- one phase, measured ----

// What the block layer did for this process (/proc/self/io; no operation counts).
static double self_bytes(void)
{
    return fmax(process_io("read_bytes"), 0) + fmax(process_io("write_bytes"), 0);
}

// From the beginning of the file to its end. 0, or errno.
static int pass(struct io_bench *bench, const struct io_phase *phase, struct io_outcome *outcome)
{
    if (phase->seeks)
        return pass_seeks(bench, outcome);
    if (phase->by_byte)
        return pass_chars(bench, outcome, phase->reads);
    // All blocks of the file, read, written, or one after the other.
    const uint64_t block = bench->block_bytes, blocks = bench->file_bytes / block;
    int64_t at_ns = clock_ns();
    int error = 0;
    for (uint64_t i = 0; i < blocks && error == 0; i++) {
        if (phase->reads)
            error = io_transfer(bench->direct_fd, true, bench->buffer, block, i * block);
        if (phase->writes && error == 0) {
            change(bench);
            error = io_transfer(bench->direct_fd, false, bench->buffer, block, i * block);
        }
        count(outcome, &at_ns);
    }
    outcome->bytes = outcome->operations * block;
    outcome->moved = outcome->bytes * ((uint64_t)phase->reads + (uint64_t)phase->writes);
    return error;
}

static int measure(struct io_bench *bench, const struct io_phase *phase, struct io_outcome *outcome)
{
    const struct device *device = &io_state_of(bench->run)->device;
    struct device_counters before = {0}, after;
    int error = 0;
    if ((phase->makes && ftruncate(bench->fd, 0) != 0) || lseek(bench->fd, 0, SEEK_SET) != 0)
        error = errno;
    else if (phase->reads && !bench->set->cached)
        error = posix_fadvise(bench->fd, 0, 0, POSIX_FADV_DONTNEED);
    if (error != 0)
        return error;
    (void)device_count(device, &before);
    const double self_before = self_bytes();
    const int64_t start_ns = clock_ns();
    const int64_t cpu_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    error = pass(bench, phase, outcome);
    if (error == 0 && fsync(bench->fd) != 0)
        error = errno;
    outcome->elapsed_ns = clock_ns() - start_ns;
    outcome->cpu_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    // The part of what was moved that the device and this process have seen.
    const double self = grown_by(self_bytes() - self_before);
    outcome->reached_ratio = NAN;
    if (device_count(device, &after) && outcome->moved > 0) {
        const double seen = grown_by((double)after.read_bytes - (double)before.read_bytes) +
                            grown_by((double)after.write_bytes - (double)before.write_bytes);
        outcome->reached_ratio = isnan(seen) ? NAN : fmin(seen, self) / (double)outcome->moved;
    }
    return error;
}

// ---- the file ----

// Empty, and without a name: the run's own, which its cleanup closes. 0, or errno.
static int open_bench(struct io_bench *bench)
{
    struct io_file *file = &io_state_of(bench->run)->file;
    bench->fd = bench->direct_fd = io_file_create(file);
    if (bench->fd < 0)
        return errno;
    bench->buffer = new_buffer(bench->block_bytes);
    if (!bench->buffer)
        return ENOMEM;
    if (bench->set->sync == IO_SYNC_DIRECT)
        bench->direct_fd = io_file_reopen(file, O_RDWR | O_DIRECT);
    return bench->direct_fd >= 0 ? 0 : errno;
}

// One exit for all that can go wrong.
static int failed(const struct io_bench *bench, const char *what, int error)
{
    char text[512];
    snprintf(text, sizeof text, "%s in %s: %s: %s", what, io_state_of(bench->run)->file.folder,
             strerror(error),
             error == ENOSPC || error == EDQUOT ? "give a smaller --file-size or another --dir"
                                                : "give another --dir");
    report_say(&bench->run->report, "error", text);
    return 1;
}

int io_phases(struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;
    // No more than the phases by block leave, whole blocks: char read is of their file.
    const uint64_t most = plan->file_bytes / plan->block_bytes * plan->block_bytes;
    const uint64_t wanted = settings_of(run)->char_bytes;
    struct io_outcome outcomes[PHASES] = {0};
    struct io_bench bench = {.run = run,
                             .set = settings_of(run),
                             .file_bytes = plan->file_bytes,
                             .char_bytes = wanted < most ? wanted : most,
                             .block_bytes = plan->block_bytes,
                             .random = io_salt()};
    int error = open_bench(&bench), status = 0;
    if (error != 0)
        status = failed(&bench, "cannot make a work file", error);
    for (int i = 0; i < PHASES && status == 0; i++) {
        if (phases[i].by_byte && bench.direct_fd != bench.fd)
            continue;
        error = measure(&bench, &phases[i], &outcomes[i]);
        if (error != 0)
            status = failed(&bench, phases[i].name, error);
        else
            report_phase(&bench, &phases[i], &outcomes[i]);
    }
    if (status == 0)
        report_summary(&bench, phases, outcomes, PHASES);
    if (bench.direct_fd >= 0 && bench.direct_fd != bench.fd)
        close(bench.direct_fd);
    free(bench.buffer);
    return run->report.broken ? 1 : status;
}
