#include "blame.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// Less than this of a CPU is nobody's row.
#define LEAST_CPUS 0.002

// Its command line; its name where it ended before that could be asked for.
static const char *command_of(const struct who *who)
{
    return !who->command ? who->name : who->command;
}

static bool is_same(const struct row *row, const struct row *other)
{
    if (row->label[0] != '\0' || other->label[0] != '\0')
        return strcmp(row->label, other->label) == 0;
    return row->family == other->family &&
           (row->lead == other->lead ||
            (!row->family && row->lead->user == other->lead->user &&
             row->lead->session == other->lead->session &&
             row->lead->kernel == other->lead->kernel &&
             strcmp(command_of(row->lead), command_of(other->lead)) == 0));
}

// The row that it belongs to; of more than there is room for, the last one.
static struct row *row_for(struct rows *rows, const struct row *wanted)
{
    for (size_t i = 0; i < rows->count; i++)
        if (is_same(&rows->row[i], wanted))
            return &rows->row[i];
    if (rows->count < ROWS - 1) // one is left for who was not seen
        rows->row[rows->count++] = *wanted;
    return &rows->row[rows->count - 1];
}

// Adds what was done to the row of `lead`.
static void add_deeds(struct rows *rows, const struct who *lead, bool family,
                      const struct deeds *done, unsigned processes, const char *name)
{
    struct row wanted = {.lead = lead, .family = family};
    who_label(lead, wanted.label, sizeof wanted.label);
    if (strcmp(wanted.label, rows->own_label) == 0)
        wanted.label[0] = '\0';
    struct row *row = row_for(rows, &wanted);
    deeds_add(&row->did, done);
    row->processes += processes;
    if (done->cpu_s > row->most_s) {
        row->most_s = done->cpu_s;
        row->lead = lead;
        row->family = family;
    }
    // The names of short processes: whoever was seen most.
    if (name && *name != '\0' && done->runnable + done->cpu_s > row->named) {
        row->named = done->runnable + done->cpu_s;
        snprintf(row->name, sizeof row->name, "%s", name);
    }
}

static const struct who *owner_of(const struct whos *whos, const struct who *who, bool *family)
{
    for (unsigned depth = 0; depth < 16 && who_is_short(whos, who); depth++) {
        const struct who *parent = who_parent(whos, who);
        if (!parent)
            break;
        who = parent;
        *family = true;
    }
    return who;
}

// What the victim did: of its CPU time short_s are those of its short processes.
struct victim_deeds {
    double cpu_s, short_s, bytes;
};

static void add_who(struct rows *rows, const struct whos *whos, const struct who *who,
                    struct victim_deeds *victim)
{
    bool family = false;
    const struct who *owner = owner_of(whos, who, &family);
    const double children_s = fmax(who->children_s, 0);
    if (owner->victim || who->victim) {
        victim->cpu_s += who->did.cpu_s + children_s;
        victim->short_s += children_s + (family ? who->did.cpu_s : 0);
        victim->bytes += fmax(who->did.bytes + who->family.did.bytes, 0);
        rows->own_preempted_s += who->did.preempted_s + who->family.did.preempted_s;
        return;
    }
    if (who->own || owner->own || who->folded)
        return;
    struct deeds done = who->did, children = who->family.did;
    done.bytes = fmax(done.bytes, 0);
    children.bytes = fmax(children.bytes, 0);
    children.cpu_s = children_s;
    if (done.cpu_s > 0 || done.runnable > 0 || done.bytes > 0 || done.at_disk > 0)
        add_deeds(rows, owner, family, &done, 1, family ? who->name : NULL);
    if (children_s > 0 || children.runnable > 0 || children.preempted_s > 0)
        add_deeds(rows, owner, true, &children, 0, who->family.name);
}

// What is busy without being seen: other containers, who is hidden, who came and went unseen. More
// than the kernel counted as busy nobody can have used: ticks are samples.
static void close_sum(struct rows *rows, const struct facts *facts, double victim_s)
{
    const double busy_s = (facts->busy_cpus - facts->own_cpus) * facts->duration_s - victim_s;
    double seen_s = 0;
    for (size_t i = 0; i < rows->count; i++)
        seen_s += rows->row[i].did.cpu_s;
    rows->others_cpus = (isnan(busy_s) ? seen_s : fmax(busy_s, 0)) / facts->duration_s;
    if (isnan(busy_s))
        return;
    if (seen_s > busy_s && seen_s > 0)
        for (size_t i = 0; i < rows->count; i++)
            rows->row[i].did.cpu_s *= fmax(busy_s, 0) / seen_s;
    if (busy_s - seen_s > 0.02 + 0.02 * facts->duration_s)
        rows->row[rows->count++] = (struct row){.did.cpu_s = busy_s - seen_s};
}

// To blame for the victim's waiting is who was on its CPU while it ran or waited there, by the time
// that he got there. Where no sample has seen anybody, by the CPU time that each used.
static void share_out(struct rows *rows, const struct sampler *sampler, const struct facts *facts)
{
    const double period_s = facts->duration_s / fmax(sampler->samples, 1);
    const double own_eff = rows->victim_cpus * sampler->samples / fmax(sampler->runnable, 1);
    double own = 2 * sampler->beside * fmin(own_eff, 1);
    double sum = own;
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        const double got = row->did.cpu_s / fmax(row->did.runnable * period_s, 1e-9);
        row->score = row->did.beside * fmin(got, 1);
        sum += row->score;
    }
    // A CPU that was taken from it is most of its waiting, where that is known.
    rows->exact = sampler->preempted_s > 0.5 * (double)sampler->wait_ns / 1e9;
    if (rows->exact) {
        own = rows->own_preempted_s;
        sum = own;
        for (size_t i = 0; i < rows->count; i++)
            sum += rows->row[i].score = rows->row[i].did.preempted_s;
    }
    const bool met = sum > 0;
    for (size_t i = 0; i < rows->count && !met; i++)
        sum += rows->row[i].score = rows->row[i].did.cpu_s;
    for (size_t i = 0; i < rows->count; i++)
        rows->row[i].blame = sum > 0 ? rows->row[i].score / sum : 0;
    rows->own_blame = sum > 0 ? own / sum : 0;
}

static int by_blame(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    if (one->blame != other->blame)
        return one->blame < other->blame ? 1 : -1;
    return (one->cpus < other->cpus) - (one->cpus > other->cpus);
}

static int by_disk(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    if (one->bytes_per_s != other->bytes_per_s)
        return one->bytes_per_s < other->bytes_per_s ? 1 : -1;
    return (one->at_disk < other->at_disk) - (one->at_disk > other->at_disk);
}

static void rows_finish(struct rows *rows, const struct sampler *sampler, const struct facts *facts)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        row->cpus = row->did.cpu_s / facts->duration_s;
        row->bytes_per_s = row->did.bytes / facts->duration_s;
        row->beside = fmin(row->did.beside / fmax(sampler->runnable, 1), 1);
        row->at_disk = row->did.at_disk / fmax(sampler->samples, 1);
        if (row->lead)
            who_user(row->lead->user, row->user, sizeof row->user);
    }
    qsort(rows->row, rows->count, sizeof *rows->row, by_blame);
    while (rows->count > 0 && rows->row[rows->count - 1].cpus < LEAST_CPUS &&
           rows->row[rows->count - 1].blame < 0.01 && rows->row[rows->count - 1].bytes_per_s < 1e4)
        rows->count--;
}

void rows_make(struct rows *rows, const struct sampler *sampler, const struct facts *facts)
{
    const struct whos *whos = &sampler->scan->whos;
    struct victim_deeds victim = {0};
    *rows = (struct rows){0};
    struct who *own = who_find(whos, getpid());
    if (own) { // a container that we are in ourselves tells nobody apart
        who_ask(own);
        who_label(own, rows->own_label, sizeof rows->own_label);
    }
    for (const struct who *who = NULL; (who = who_next(whos, who)) != NULL;)
        add_who(rows, whos, who, &victim);
    // Ticks are too coarse for what is short.
    if (victim.short_s <= 0 && sampler->left_out == 0)
        victim.cpu_s = fmax(victim.cpu_s, (double)sampler->run_ns / 1e9);
    close_sum(rows, facts, victim.cpu_s);
    rows->victim_cpus = victim.cpu_s / facts->duration_s;
    rows->victim_bytes_per_s = victim.bytes / facts->duration_s;
    rows->unseen = victim.cpu_s > 0 ? victim.short_s / victim.cpu_s : 0;
    share_out(rows, sampler, facts);
    rows_finish(rows, sampler, facts);
}

void rows_sort_by_disk(struct rows *rows)
{
    qsort(rows->row, rows->count, sizeof *rows->row, by_disk);
}

// A container has a namespace of processes of its own, whose number is not the first one's.
static const char *unseen_text(void)
{
    char name[64] = "", path[PATH_MAX];
    if (readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0 &&
        strcmp(name, "pid:[4026531836]") != 0)
        return "programs outside this container, which cannot be told from here";
    if (access(machine_path("/proc/1/stat", path), R_OK) != 0)
        return "programs that /proc hides here (hidepid): ask root";
    return "programs that came and went unseen, or the kernel";
}

void row_text(const struct row *row, char *text, size_t size)
{
    if (!row->lead) {
        snprintf(text, size, "%s", unseen_text());
        return;
    }
    const char *command = command_of(row->lead);
    if (row->family && row->name[0] != '\0')
        snprintf(text, size, "%s (short processes of %.100s)", row->name, command);
    else if (row->family)
        snprintf(text, size, "short processes of %.100s", command);
    else if (row->processes > 1)
        snprintf(text, size, "%.100s (%u processes)", command, row->processes);
    else
        snprintf(text, size, "%.100s", command);
}
