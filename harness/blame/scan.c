#include "harness/blame/scan.h"

#include "common/file.h"
#include "common/machine.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_S (PROCESS_TICK_US / 1e6)
/* From then on what a process used between the last look and its end is given to it. */
#define LONG_S 1.0

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What it moved since the last look; only of processes that we may look into. With what its
 * children that have ended had moved. */
static void read_disk(struct who *who, bool first)
{
    char inner[64], path[PATH_MAX], text[512];
    uint64_t read = 0, written = 0;
    snprintf(inner, sizeof inner, "/proc/%d/io", (int)who->pid);
    if (who->kernel || !file_read(AT_FDCWD, machine_path(inner, path), text, sizeof text) ||
        !file_number(text, "\nread_bytes: ", &read) ||
        !file_number(text, "\nwrite_bytes: ", &written))
        return;
    const uint64_t bytes = read + written;
    if (who->io_seen || !first)
        who->bytes += (double)(bytes - (who->io_seen ? who->io_bytes : 0));
    who->io_bytes = bytes;
    who->io_seen = true;
}

static void meet(struct scan *scan, struct who *who)
{
    const struct who *parent = who_find(&scan->whos, who->parent);
    who->own = who->pid == getpid();
    who->victim = !who->own && victim_has(scan->victim, who, parent);
    if (who->victim && scan->victim->folder[0] == '\0') {
        who_ask(who);
        victim_find_folder(scan->victim, who);
    }
}

static void look_at(struct scan *scan, const struct process *process, double boot_s)
{
    const bool first = scan->whos.scan == 1;
    bool added;
    struct who *who = who_of(&scan->whos, process, &added);
    /* Who is seen later than at the first look was born after it. */
    const long long ticks = who->scanned ? who->ticks : first ? process->ticks : 0;
    const long long waited = who->scanned ? who->waited : first ? process->waited : 0;
    if (added)
        meet(scan, who);
    who->cpu_s += (double)(process->ticks - ticks) * TICK_S;
    who->children_s += (double)(process->waited - waited) * TICK_S;
    who->hot = process->ticks > ticks || process->state == 'R' || process->state == 'D';
    who->age_s = fmax(boot_s - (double)process->started * TICK_S, 0);
    who->ticks = process->ticks;
    who->waited = process->waited;
    who->scan = scan->whos.scan;
    if (first || who->hot || process->waited > waited || !who->scanned)
        read_disk(who, first);
    if ((who->hot || process->waited > waited) && !who->own)
        who_ask(who);
    who->scanned = true;
    if (who->pid == scan->victim->pid && process->state == 'Z')
        scan->ended = true;
}

/* What has a row of its own, or was used before we looked, is not the family's. */
static void take_off(struct scan *scan, const struct who *who)
{
    struct who *parent = who_parent(&scan->whos, who);
    if (parent == NULL || !who->scanned)
        return;
    parent->children_s -= (double)(who->ticks + who->waited) * TICK_S;
    if (who->io_seen && parent->io_seen)
        parent->bytes -= (double)who->io_bytes;
}

/* And what it used after that look is its own, as far as its parent was told so. */
static void give_rest(struct scan *scan, struct who *who, double elapsed_s)
{
    struct who *parent = who_parent(&scan->whos, who);
    if (parent == NULL || !who->scanned || !who->hot || who->age_s < LONG_S)
        return;
    const double rest_s = fmin(fmax(parent->children_s, 0), elapsed_s);
    who->cpu_s += rest_s;
    parent->children_s -= rest_s;
}

static bool has_just_ended(const struct scan *scan, const struct who *who)
{
    return !who->ended && who->scan != scan->whos.scan &&
           (who->scanned || who->scan + 1 < scan->whos.scan);
}

static void bury(struct scan *scan, double elapsed_s)
{
    struct who *who;
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;)
        if (has_just_ended(scan, who))
            who->ended = true; /* all of them, before anybody's parent is looked for */
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;)
        if (who->ended && who->scan != 0)
            take_off(scan, who);
    for (who = NULL; (who = who_next(&scan->whos, who)) != NULL;) {
        if (!who->ended || who->scan == 0)
            continue;
        give_rest(scan, who, elapsed_s);
        who_fold(&scan->whos, who);
        who->scan = 0; /* once */
        if (who->pid == scan->victim->pid && who->scanned)
            scan->ended = true;
    }
}

/* Where numbers began anew, a child comes before its parent. */
static void spread_victims(struct scan *scan)
{
    bool more = scan->victim->kind == VICTIM_PID || scan->victim->kind == VICTIM_PROGRAM;
    while (more) {
        more = false;
        for (struct who *who = NULL; (who = who_next(&scan->whos, who)) != NULL;) {
            const struct who *parent =
                who->victim || who->own ? NULL : who_find(&scan->whos, who->parent);
            if (parent != NULL && parent->victim)
                more = who->victim = true;
        }
    }
}

void scan_take(struct scan *scan)
{
    const double now_s = clock_s(CLOCK_MONOTONIC), boot_s = clock_s(CLOCK_BOOTTIME);
    scan->whos.scan++;
    processes_read(&scan->now);
    for (size_t i = 0; i < scan->now.count; i++)
        look_at(scan, &scan->now.process[i], boot_s);
    spread_victims(scan);
    if (scan->whos.scan > 1)
        bury(scan, now_s - scan->last_s);
    scan->last_s = now_s;
}

void scan_free(struct scan *scan)
{
    processes_free(&scan->now);
    whos_free(&scan->whos);
}
