#include "bench.h"

#include "common/machine.h"
#include "common/units.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

// What the disk delivers: bandwidth, operations a second and latency, over patterns, block
// sizes and threads, past the page cache and through it; and the phases of Bonnie.
//
// All cells share one work file, in the bench's folder on the disk: the set-up of a cell makes
// it where it is not there yet.

// A pattern and direction, as loadgen and fio name them.
struct access {
    const char *name, *label, *options, *fio;
    bool random, reads, writes;
    uint64_t usual; // the block for curves over threads
};

static const struct access accesses[] = {
    {"read.sequential", "sequential read", "--sequential --read", "read", false, true, false, MIB},
    {"write.sequential", "sequential write", "--sequential --write", "write", false, false, true,
     MIB},
    {"read.random", "random read", "--random --read", "randread", true, true, false, 4 * KIB},
    {"write.random", "random write", "--random --write", "randwrite", true, false, true, 4 * KIB},
    {"mixed.random", "random, half reads", "--random --mix 50", "randrw", true, true, true,
     4 * KIB},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

// What an operation goes through, and when a write counts.
struct way {
    const char *name;           // of the column "through", in which it is told apart
    const char *reads, *writes; // options of loadgen; NULL: not of this way
    const char *fio;
    bool reaches; // the device, before it counts; and in whole logical blocks
};

static const struct way direct = {THROUGH_DIRECT, "", "--sync direct", "--direct=1", true};
static const struct way durable = {"direct, durable", NULL, "--sync dsync",
                                   "--direct=1 --sync=dsync", true};
static const struct way cached = {THROUGH_CACHE, "--cached", "--sync none",
                                  "--direct=0 --invalidate=0", false};

// ---- what is there ----

static bool has_room(const struct choice *choice, double *free_bytes)
{
    struct statvfs space;

    if (statvfs(choice->dir, &space) != 0)
        return false;
    *free_bytes = (double)space.f_bavail * (double)space.f_frsize;
    // The phases have a file of their own, as have their peers; and a disk that is nearly
    // full is another disk.
    return *free_bytes >= 2 * (double)choice->file_bytes;
}

static void look(struct disk *disk)
{
    const struct choice *choice = disk->choice;
    char wanted[NAME_SIZE], left[NAME_SIZE];
    double free_bytes = 0;

    if (strchr(choice->work, '\''))
        snprintf(disk->none, sizeof disk->none, "a folder with ' in its name: give another --dir");
    else if (!device_of(choice->dir, &disk->device))
        snprintf(disk->none, sizeof disk->none, "%.200s cannot be found: give another --dir",
                 choice->dir);
    else if (disk->device.memory)
        snprintf(disk->none, sizeof disk->none,
                 "%.200s is in memory (%s): give a folder on a disk with --dir", choice->dir,
                 disk->device.file_system);
    else if (!has_room(choice, &free_bytes))
        snprintf(disk->none, sizeof disk->none,
                 "no space: %.200s has %s free, and twice the work file of %s is needed: give a "
                 "smaller --file-size, or another --dir",
                 choice->dir, units_format_size(free_bytes, left, sizeof left),
                 units_format_size((double)choice->file_bytes, wanted, sizeof wanted));
    link_speed_of(&disk->device, &disk->link);
    const double stated = peak_stated(choice, "disk", disk->link.source, sizeof disk->link.source);
    if (!isnan(stated))
        disk->link.bytes_per_s = stated;
    if (isnan(disk->link.bytes_per_s))
        snprintf(disk->no_peak, sizeof disk->no_peak, "not known here: %s", disk->link.source);
}

// ---- one cell ----

struct test {
    const struct access *access;
    const struct way *way;
    uint64_t block_bytes;
    unsigned threads;
};

// Whether it can be measured here; otherwise the cell is skipped with the reason.
static bool is_possible(const struct disk *disk, const struct test *test, struct cell *cell)
{
    const uint64_t blocks = test->access->random ? 1 : test->threads;
    char block[NAME_SIZE], file[NAME_SIZE];

    if (disk->none[0] != '\0')
        cell_skip(cell, "%s", disk->none);
    else if (test->way->reaches &&
             test->block_bytes % (disk->device.block_bytes > 0 ? disk->device.block_bytes : 512) !=
                 0)
        cell_skip(cell, "direct is impossible: the logical block of %s has %u bytes",
                  disk->device.name, disk->device.block_bytes);
    else if (blocks * test->block_bytes > disk->choice->file_bytes)
        cell_skip(cell,
                  "%llu block%s of %s: larger than the work file of %s: give a larger --file-size",
                  (unsigned long long)blocks, blocks == 1 ? "" : "s",
                  block_text(test->block_bytes, " ", block),
                  units_format_size((double)disk->choice->file_bytes, file, sizeof file));
    else
        return true;
    return false;
}

static void add_labels(struct cell *cell, const struct test *test)
{
    char block[NAME_SIZE];

    cell_label(cell, "test", "%s", test->access->label);
    cell_label(cell, "through", "%s", test->way->name);
    cell_label(cell, "block", "%s", block_text(test->block_bytes, " ", block));
    cell_label(cell, "threads", "%u", test->threads);
}

static void add_figures(struct cell *cell)
{
    cell_figure(cell, "rate", "B/s", HIGHER, SUMMARY("bytes_per_s"));
    cell_more(cell, "iops", "1/s", HIGHER, SUMMARY("iops"));
    cell_more(cell, "p50", "ns", LOWER, SUMMARY("p50_ns"));
    cell_more(cell, "p90", "ns", LOWER, SUMMARY("p90_ns"));
    cell_more(cell, "p99", "ns", LOWER, SUMMARY("p99_ns"));
    cell_more(cell, "p999", "ns", LOWER, SUMMARY("p999_ns"));
    cell_more(cell, "cpu", "%", LOWER, SUMMARY("cpu_percent"));
}

// What is claimed of the disk has to have reached it. Where the kernel counts nothing (in a
// container, on a network) the figure would be null.
static void add_rules(const struct disk *disk, const struct test *test, struct cell *cell)
{
    if (!test->way->reaches)
        return;
    cell_watch(cell, "allocated", "1", HIGHER, SUMMARY("allocated_ratio"));
    cell_problem_below(cell, "allocated", 0.99, "sparse-file");
    if (disk->device.counter[0] == '\0')
        return;
    cell_watch(cell, "reached", "1", HIGHER, SUMMARY("reached_ratio"));
    cell_problem_below(cell, "reached", 0.95, "above-device");
    cell_problem_below(cell, "reached", 0.05, "cached-as-direct");
}

static void add_peak(const struct disk *disk, const struct test *test, struct cell *cell)
{
    if (!test->way->reaches)
        cell_no_peak(cell, "none: the page cache is memory");
    else if (disk->no_peak[0] != '\0')
        cell_no_peak(cell, disk->no_peak);
    else
        cell_peak_constant(cell, disk->link.bytes_per_s, disk->link.source);
}

// The work file, and for reads of the page cache its content there; after writes into the
// page cache nothing is left for the next run to wait for.
static void add_around(const struct disk *disk, const struct test *test, struct cell *cell)
{
    const bool reads_cache = !test->way->reaches && test->access->reads;
    const bool writes_cache = !test->way->reaches && test->access->writes;
    char setup[PATH_MAX + 256], sync_work[PATH_MAX + 32];

    snprintf(
        setup, sizeof setup,
        "\"$JOSTLE_BIN/loadgen\" io --read%s --keep --dir '%s' --file-size %llu --duration 1ms",
        reads_cache ? " --cached" : "", disk->choice->work,
        (unsigned long long)disk->choice->file_bytes);
    snprintf(sync_work, sizeof sync_work, "sync -f '%s'", disk->choice->work);
    cell_around(cell, setup, writes_cache ? sync_work : NULL);
    cell_seconds(cell,
                 disk->choice->duration_s + 0.3 +
                     (reads_cache ? (double)disk->choice->file_bytes / 3e9 : 0),
                 0.3);
}

// The same of fio: each of its jobs has a part of the file, where ours has.
static void add_fio(const struct disk *disk, const struct test *test, struct cell *cell)
{
    const uint64_t file = disk->choice->file_bytes;
    const uint64_t part = test->access->random ? file : file / test->threads / MIB * MIB;
    struct peer *fio = cell_peer(
        cell, "fio", "fio", "fio",
        "fio --name=f --thread --filename='%s/jostle-workfile.%u' --size=%llu "
        "--offset_increment=%llu "
        "--rw=%s --bs=%llu %s --ioengine=psync --numjobs=%u --group_reporting --time_based "
        "--runtime=%s --randrepeat=0 --norandommap --output-format=json",
        disk->choice->work, (unsigned)geteuid(), (unsigned long long)part,
        (unsigned long long)(test->access->random ? 0 : part), test->access->fio,
        (unsigned long long)test->block_bytes, test->way->fio, test->threads,
        disk->choice->duration);

    // Of reads, writes and trims; what there is none of is 0.
    peer_figure(fio, "rate", "stdout:/\"bw_bytes\" : ([0-9]+)/,take=sum", 1);
    if (part < test->block_bytes)
        peer_skip(fio, "its part of the work file is smaller than a block");
}

// `tail`: how long.
static void add_command(const struct disk *disk, const struct test *test, struct cell *cell,
                        const char *tail)
{
    bench_cell_command(cell,
                       "loadgen io %s %s %s --block-size %llu --threads %u --keep --dir '%s' "
                       "--file-size %llu --json %s",
                       test->access->options, test->access->reads ? test->way->reads : "",
                       test->access->writes ? test->way->writes : "",
                       (unsigned long long)test->block_bytes, test->threads, disk->choice->work,
                       (unsigned long long)disk->choice->file_bytes, tail);
}

static struct cell *add_cell(struct disk *disk, const struct access *access, const struct way *way,
                             uint64_t block_bytes, unsigned threads)
{
    const struct test test = {access, way, block_bytes, threads};
    char block[NAME_SIZE], duration[2 * NAME_SIZE];
    struct cell *cell = matrix_cell(disk->matrix, "disk.%s.%s.%s.t%u", access->name,
                                    way == &direct    ? "direct"
                                    : way == &durable ? "dsync"
                                                      : "cached",
                                    block_text(block_bytes, "", block), threads);

    add_labels(cell, &test);
    if (!is_possible(disk, &test, cell))
        return cell;
    add_figures(cell);
    add_rules(disk, &test, cell);
    add_peak(disk, &test, cell);
    add_around(disk, &test, cell);
    add_fio(disk, &test, cell);
    snprintf(duration, sizeof duration, "--duration %.24s", disk->choice->duration);
    add_command(disk, &test, cell, duration);
    return cell;
}

// ---- the matrix ----

static const char *curve_name(const struct access *access, const struct way *way,
                              char text[2 * NAME_SIZE])
{
    snprintf(text, (size_t)2 * NAME_SIZE, "%s, %s", access->label, way->name);
    return text;
}

// Bandwidth and the latency's tail over the block size, one operation at a time.
static void chart_blocks(struct disk *disk, const struct access *access, const struct way *way,
                         const struct cell *cell, uint64_t block_bytes)
{
    const struct axis block = {"block", "B", true};
    struct chart *rate = matrix_chart(disk->matrix, "blocks", "Bandwidth over block size, 1 thread",
                                      block, (struct axis){"bandwidth", "B/s", true});
    struct chart *tail =
        matrix_chart(disk->matrix, "blocks", "99th percentile of latency over block size, 1 thread",
                     block, (struct axis){"p99 latency", "ns", true});
    char name[2 * NAME_SIZE];

    curve_name(access, way, name);
    chart_point(rate, name, cell, (double)block_bytes);
    chart_point_of(tail, name, cell, (double)block_bytes, "p99");
}

static void chart_threads(struct disk *disk, const struct access *access, const struct way *way,
                          const struct cell *cell, unsigned threads)
{
    const struct axis axis = {"threads", "", true};
    char name[2 * NAME_SIZE];

    curve_name(access, way, name);
    if (access->random)
        chart_point_of(matrix_chart(disk->matrix, "scaling",
                                    "Random operations over threads, 4 KiB", axis,
                                    (struct axis){"operations", "1/s", true}),
                       name, cell, threads, "iops");
    else
        chart_point(matrix_chart(disk->matrix, "scaling",
                                 "Sequential bandwidth over threads, 1 MiB", axis,
                                 (struct axis){"bandwidth", "B/s", true}),
                    name, cell, threads);
}

// With --blocks: each with each number of threads.
static void add_grid(struct disk *disk, const struct access *access, const struct way *way)
{
    const struct choice *choice = disk->choice;
    for (size_t i = 0; i < choice->block_count; i++)
        for (size_t k = 0; k < choice->thread_count; k++) {
            const uint64_t block_bytes = choice->blocks[i];
            const unsigned threads = choice->threads[k];
            struct cell *cell = add_cell(disk, access, way, block_bytes, threads);

            if (threads == 1)
                chart_blocks(disk, access, way, cell, block_bytes);
            if (block_bytes == access->usual)
                chart_threads(disk, access, way, cell, threads);
        }
}

// An access through a way: over blocks with one thread, and over threads with the usual
// block. The cell that both have is made once.
static void add_curves(struct disk *disk, const struct access *access, const struct way *way,
                       const uint64_t *blocks, size_t block_count, const unsigned *threads,
                       size_t thread_count)
{
    for (size_t i = 0; i < block_count; i++) {
        struct cell *cell = add_cell(disk, access, way, blocks[i], 1);

        if (block_count > 1)
            chart_blocks(disk, access, way, cell, blocks[i]);
        if (blocks[i] == access->usual && thread_count > 1)
            chart_threads(disk, access, way, cell, 1);
    }
    for (size_t i = 0; i < thread_count; i++)
        if (threads[i] > 1)
            chart_threads(disk, access, way, add_cell(disk, access, way, access->usual, threads[i]),
                          threads[i]);
}

// A disk's queue is filled by more threads than there are CPUs.
static const unsigned usual_threads[] = {1, 8, 32, 128};

static void add_full(struct disk *disk)
{
    static const uint64_t blocks[] = {KIB, 4 * KIB, 64 * KIB, MIB, 10 * MIB, 100 * MIB};
    static const uint64_t cached_blocks[] = {KIB, 4 * KIB, 64 * KIB, MIB};
    const bool given = disk->choice->threads_given;
    const unsigned *threads = given ? disk->choice->threads : usual_threads;
    const size_t count = given ? disk->choice->thread_count : 4;

    for (size_t i = 0; i < ACCESSES; i++) {
        if (disk->choice->block_count > 0) {
            add_grid(disk, &accesses[i], &direct);
            add_grid(disk, &accesses[i], &cached);
            continue;
        }
        add_curves(disk, &accesses[i], &direct, blocks, 6, threads, count);
        if (!accesses[i].reads)
            add_cell(disk, &accesses[i], &durable, accesses[i].usual, 1);
        add_curves(disk, &accesses[i], &cached, cached_blocks, 4, threads, count < 2 ? count : 2);
    }
}

static void add_quick(struct disk *disk)
{
    static const uint64_t blocks[] = {4 * KIB, 64 * KIB, MIB};
    static const unsigned threads[] = {1, 8};

    add_cell(disk, &accesses[0], &direct, accesses[0].usual, 1);
    add_cell(disk, &accesses[1], &direct, accesses[1].usual, 1);
    add_curves(disk, &accesses[2], &direct, blocks, 3, threads, 2);
    add_cell(disk, &accesses[2], &cached, accesses[2].usual, 1);
    add_cell(disk, &accesses[3], &direct, accesses[3].usual, 1);
}

// --samples: the bandwidth of sequential reads and writes over time.
static void add_series(struct disk *disk, const struct access *access)
{
    const struct test test = {access, &direct, access->usual, 1};
    struct cell *cell = matrix_cell(disk->matrix, "disk.%s.series", access->name);

    add_labels(cell, &test);
    if (!is_possible(disk, &test, cell))
        return;
    cell_figure(cell, "rate", "B/s", HIGHER, SUMMARY("bytes_per_s"));
    add_rules(disk, &test, cell);
    add_peak(disk, &test, cell);
    add_around(disk, &test, cell);
    add_command(disk, &test, cell, disk->choice->series);
    cell_series(cell, "bytes_per_s", 1);
}

void part_disk(struct matrix *matrix, const struct choice *choice)
{
    struct disk disk = {.matrix = matrix, .choice = choice};

    look(&disk);
    if (choice->quick && choice->block_count == 0)
        add_quick(&disk);
    else
        add_full(&disk);
    bonnie_add(&disk, true);
    bonnie_add(&disk, false);
    if (choice->samples > 0)
        for (size_t i = 0; i < 2; i++)
            add_series(&disk, &accesses[i]);
}

// The phases of Bonnie: one run of `loadgen io --phases` measures all of them, as does one of
// bonnie++, which cannot measure them one by one.

// The first has the row of the cell itself, and decides when that has converged. `field` is that of
// the summary of `loadgen io --phases`, `column` that of the line of bonnie++ 2.00: K/sec, or
// seeks/sec.
struct phase {
    const char *name, *label, *field, *column;
    bool by_byte, reads;
};

// The first n fields of a line with commas, and the next.
#define F3       "[^,]*,[^,]*,[^,]*,"
#define F9       F3 F3 F3
#define FIELD(n) "stdout:/^" n "([0-9.]+),/"

static const struct phase phases[] = {
    {"block-write", "block write", "block_write", FIELD(F9 "[^,]*,[^,]*,"), false, false},
    {"char-write", "character write", "char_write", FIELD(F9), true, false},
    {"rewrite", "rewrite", "rewrite", FIELD(F9 F3 "[^,]*,"), false, false},
    {"char-read", "character read", "char_read", FIELD(F9 F3 F3), true, true},
    {"block-read", "block read", "block_read", FIELD(F9 F3 F3 "[^,]*,[^,]*,"), false, true},
    {"seeks", "seeks", "seeks", FIELD(F9 F9 "[^,]*,"), false, true},
};
enum { PHASES = sizeof phases / sizeof *phases };

// The sizes of a run of all phases. bonnie++ prints "+++" for a phase of less than half a second
// (its MinTime), so a run beside it takes long.
struct sizes {
    unsigned file_mib, char_kib, seeks;
    double run_s;
};

static bool is_rotational(const struct disk *disk)
{
    char path[128];

    snprintf(path, sizeof path, "/sys/class/block/%.64s/queue/rotational", disk->device.disks);
    return !disk->device.virtual_disk && machine_number(path) == 1;
}

static struct sizes sizes_of(const struct disk *disk, bool is_direct)
{
    struct sizes sizes =
        is_direct ? (struct sizes){256, 4, 65536, 12} : (struct sizes){1024, 4096, 65536, 16};

    if (disk->choice->quick)
        sizes = (struct sizes){64, 64, 8192, 2};
    if (is_rotational(disk))
        sizes.seeks = 1000;
    if (sizes.file_mib > disk->choice->file_bytes / MIB)
        sizes.file_mib = (unsigned)(disk->choice->file_bytes / MIB);
    return sizes;
}

static bool is_seeks(const struct phase *phase)
{
    return strcmp(phase->field, "seeks") == 0;
}

// What a figure of a phase is called in the runs: the first phase has the cell's own row.
static const char *figure_name(const struct phase *phase, const char *figure,
                               char text[2 * NAME_SIZE])
{
    if (phase == phases)
        return figure;
    snprintf(text, (size_t)2 * NAME_SIZE, "%s_%s", phase->field, figure);
    return text;
}

// The sources of a phase's figures in our summary.
static void add_phase(const struct disk *disk, struct cell *cell, const struct phase *phase,
                      bool is_direct)
{
    const bool own = phase == phases;
    const struct {
        const char *name, *field, *unit;
        enum better better;
        void (*add)(struct cell *cell, const char *name, const char *unit, enum better better,
                    const char *source);
    } figures[] = {{"rate", is_seeks(phase) ? "per_s" : "bytes_per_s",
                    is_seeks(phase) ? "1/s" : "B/s", HIGHER, own ? cell_figure : cell_watch},
                   {"cpu", "cpu_percent", "%", LOWER, own ? cell_more : cell_watch},
                   {"max", "max_ns", "ns", LOWER, own ? cell_more : cell_watch},
                   {"reached", "reached_ratio", "1", HIGHER, cell_watch}};
    char name[2 * NAME_SIZE], source[256];

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (i == 3 && (!is_direct || disk->device.counter[0] == '\0'))
            continue;
        snprintf(source, sizeof source, SUMMARY("%s_%s"), phase->field, figures[i].field);
        figures[i].add(cell, figure_name(phase, figures[i].name, name), figures[i].unit,
                       figures[i].better, source);
    }
}

// With -D, bonnie++ 2.00 opens the file with O_DIRECT where it creates it, and without for all that
// follows (strace). Without, reads of blocks are over too soon for it to show a figure.
static bool compares(const struct phase *phase, bool is_direct)
{
    return is_direct ? phase == phases : !phase->reads || phase->by_byte;
}

// bonnie++ -r: it takes the file's size for twice the memory, so that without -D what it reads
// is in the page cache, which is why ours leaves it there, too.
static void add_bonnie(const struct disk *disk, struct cell *cell, bool is_direct,
                       struct sizes sizes)
{
    char chars[NAME_SIZE];
    char name[2 * NAME_SIZE];
    struct peer *bonnie;

    snprintf(chars, sizeof chars, "-f%u", sizes.char_kib / 1024);
    bonnie = cell_peer(cell, "bonnie", "bonnie++", "bonnie++",
                       "bonnie++ -q -d '%s' %s-r %u -s %u:8192:%u:5 -n 0 %s", disk->choice->work,
                       geteuid() == 0 ? "-u root " : "", sizes.file_mib / 2, sizes.file_mib,
                       sizes.seeks, is_direct ? "-D -f" : chars);
    peer_version(bonnie, "-h");
    for (int i = 0; i < PHASES; i++) {
        if (!compares(&phases[i], is_direct))
            continue;
        peer_figure(bonnie, figure_name(&phases[i], "rate", name), phases[i].column,
                    is_seeks(&phases[i]) ? 1 : 1024);
    }
    if (disk->choice->quick)
        peer_skip(bonnie, "not with --quick: it shows no figure of a phase below half a second");
}

// What a row of a phase has beside its figures.
static void finish_row(const struct disk *disk, struct cell *row, const struct phase *phase,
                       bool is_direct)
{
    char name[2 * NAME_SIZE];

    cell_label(row, "test", "%s", phase->label);
    cell_label(row, "through", "%s", is_direct ? THROUGH_DIRECT : THROUGH_CACHE);
    cell_label(row, "block", "%s", phase->by_byte ? "1 B" : "8 KiB");
    cell_label(row, "threads", "%u", is_seeks(phase) ? 5 : 1);
    cell_no_peak(row, "none: a phase of Bonnie is bound by its system calls");
    if (is_direct && disk->device.counter[0] != '\0')
        cell_problem_below(row, figure_name(phase, "reached", name), 0.95, "above-device");
}

static void add_phase_row(const struct disk *disk, struct cell *of, const struct phase *phase,
                          bool is_direct)
{
    char name[2 * NAME_SIZE];
    struct cell *row =
        matrix_row(disk->matrix, of, figure_name(phase, "rate", name), "disk.bonnie.%s.%s",
                   phase->name, is_direct ? "direct" : "cached");

    if (is_direct && disk->choice->peers)
        cell_mark(row, "not compared: bonnie++ -D does this through the page cache");
    row_more(row, of, figure_name(phase, "cpu", name), "cpu");
    row_more(row, of, figure_name(phase, "max", name), "max");
    finish_row(disk, row, phase, is_direct);
}

void bonnie_add(const struct disk *disk, bool is_direct)
{
    const struct sizes sizes = sizes_of(disk, is_direct);
    struct cell *cell =
        matrix_cell(disk->matrix, "disk.bonnie.block-write.%s", is_direct ? "direct" : "cached");

    if (disk->none[0] != '\0') {
        cell_label(cell, "test", "phases of Bonnie");
        cell_skip(cell, "%s", disk->none);
        return;
    }
    for (int i = 0; i < PHASES; i++)
        if (!is_direct || !phases[i].by_byte)
            add_phase(disk, cell, &phases[i], is_direct);
    finish_row(disk, cell, &phases[0], is_direct);
    cell_seconds(cell, sizes.run_s, 0);
    bench_cell_command(
        cell, "loadgen io --phases %s --file-size %uM --char-size %uk --seeks %u --dir '%s' --json",
        is_direct ? "--sync direct" : "--cached", sizes.file_mib, sizes.char_kib, sizes.seeks,
        disk->choice->work);
    add_bonnie(disk, cell, is_direct, sizes);
    for (int i = 1; i < PHASES; i++)
        if (!is_direct || !phases[i].by_byte)
            add_phase_row(disk, cell, &phases[i], is_direct);
}
