/* The phases of Bonnie: one run of `loadgen io --phases` measures all of them, as does one of
 * bonnie++, which cannot measure them one by one. */
#include "disk.h"

#include "common/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first has the row of the cell itself, and decides when that has converged. `field` is that of
 * the summary of `loadgen io --phases`, `column` that of the line of bonnie++ 2.00: K/sec, or
 * seeks/sec. */
struct phase {
    const char *name, *label, *field, *column;
    bool by_byte, reads;
};

/* The first n fields of a line with commas, and the next. */
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

/* The sizes of a run of all phases. bonnie++ prints "+++" for a phase of less than half a second
 * (its MinTime), so a run beside it takes long. */
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

/* What a figure of a phase is called in the runs: the first phase has the cell's own row. */
static const char *figure_name(const struct phase *phase, const char *figure,
                               char text[2 * NAME_SIZE])
{
    if (phase == phases)
        return figure;
    snprintf(text, (size_t)2 * NAME_SIZE, "%s_%s", phase->field, figure);
    return text;
}

/* The sources of a phase's figures in our summary. */
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

/* With -D, bonnie++ 2.00 opens the file with O_DIRECT where it creates it, and without for all that
 * follows (strace). Without, reads of blocks are over too soon for it to show a figure. */
static bool compares(const struct phase *phase, bool is_direct)
{
    return is_direct ? phase == phases : !phase->reads || phase->by_byte;
}

/* bonnie++ -r: it takes the file's size for twice the memory, so that without -D what it reads
 * is in the page cache, which is why ours leaves it there, too. */
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

/* What a row of a phase has beside its figures. */
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
