// Puts processes together into the rows of the answer: users, commands and families.

#include "blame.h"
#include "common/machine.h"

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

// What is busy without being seen: other containers, who is hidden, who came and went unseen: the
// last row. More than the kernel counted as busy nobody can have used: ticks are samples.
static void close_sum(struct rows *rows, const struct facts *facts, double victim_s)
{
    const double busy_s = (facts->busy_cpus - facts->own_cpus) * facts->duration_s - victim_s;
    double seen_s = 0;
    for (size_t i = 0; i < rows->count; i++)
        seen_s += rows->row[i].did.cpu_s;
    rows->others_cpus = (isnan(busy_s) ? seen_s : fmax(busy_s, 0)) / facts->duration_s;
    struct row *unseen = &rows->row[rows->count++];
    *unseen = (struct row){0};
    if (isnan(busy_s))
        return;
    if (seen_s > busy_s && seen_s > 0)
        for (size_t i = 0; i < rows->count; i++)
            rows->row[i].did.cpu_s *= fmax(busy_s, 0) / seen_s;
    if (busy_s - seen_s > 0.02 + 0.02 * facts->duration_s)
        unseen->did.cpu_s = busy_s - seen_s;
}

// Who was on the victim's CPU while it ran or waited there, by the time that he got there; where no
// sample has seen anybody, by the CPU time that each used. Returns the victim's own part.
static double score_by_samples(struct rows *rows, const struct sampler *sampler,
                               const struct facts *facts)
{
    const double period_s = facts->duration_s / fmax(sampler->samples, 1);
    const double own_eff = rows->victim_cpus * sampler->samples / fmax(sampler->runnable, 1);
    const double own_s = 2 * sampler->beside * fmin(own_eff, 1) * period_s;
    bool met = own_s > 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        const double got = row->did.cpu_s / fmax(row->did.runnable * period_s, 1e-9);
        row->score = row->did.beside * fmin(got, 1) * period_s;
        met = met || row->score > 0;
    }
    for (size_t i = 0; i < rows->count && !met; i++)
        rows->row[i].score = rows->row[i].did.cpu_s;
    return own_s;
}

// Raises the scores to rest_s more in all, none above what its CPU time allows. Returns what is
// left.
static double raise_scores(struct rows *rows, double rest_s, double crowd)
{
    // Each time somebody reaches his bound, the others take what he leaves.
    for (unsigned turn = 0; turn < 8 && rest_s > 1e-6; turn++) {
        double sum = 0, taken = 0;
        for (size_t i = 0; i < rows->count; i++)
            sum += rows->row[i].score < crowd * rows->row[i].did.cpu_s ? rows->row[i].score : 0;
        for (size_t i = 0; i < rows->count && sum > 0; i++) {
            struct row *row = &rows->row[i];
            const double room = fmax(crowd * row->did.cpu_s - row->score, 0);
            const double more = room > 0 ? fmin(room, rest_s * row->score / sum) : 0;
            row->score += more;
            taken += more;
        }
        rest_s -= taken;
    }
    return fmax(rest_s, 0);
}

// Nobody is to blame for more than he ran, once for each of the victim's threads that waited
// meanwhile; what that leaves of its waiting is whoever's cannot be seen. Returns the victim's own.
static double bound_scores(struct rows *rows, const struct sampler *sampler, double waited_s,
                           double own_s)
{
    const double crowd = fmax(sampler->runnable / fmax(sampler->occupied, 1), 1);
    struct row *unseen = &rows->row[rows->count - 1];
    double sum = own_s = fmin(own_s, waited_s);
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        row->score = fmin(row->score, crowd * row->did.cpu_s);
        sum += row->score;
    }
    double rest_s = fmax(waited_s - sum, 0);
    const double hidden_s = fmin(rest_s, fmax(crowd * unseen->did.cpu_s - unseen->score, 0));
    unseen->score += hidden_s;
    rest_s = raise_scores(rows, rest_s - hidden_s, crowd);
    // Its own threads have no row that could be raised.
    if (sum <= own_s)
        own_s += rest_s * (own_s > 0);
    else
        unseen->score += rest_s;
    return own_s;
}

// Threads that are no more than their CPUs wait behind each other because others have the rest of
// these: by the CPU time that each used. Returns how long.
static double blame_for_displacing(struct rows *rows, const struct wanting *wanting, double own_s)
{
    double all_s = 0;
    for (size_t i = 0; i < rows->count; i++)
        all_s += rows->row[i].did.cpu_s;
    const double displaced_s = wanting->crowded ? 0 : fmin(own_s, all_s);
    for (size_t i = 0; i < rows->count && displaced_s > 0; i++)
        rows->row[i].score += displaced_s * rows->row[i].did.cpu_s / all_s;
    return displaced_s;
}

// Shares the victim's waiting for CPUs out among the rows.
static void share_out(struct rows *rows, const struct sampler *sampler, const struct facts *facts)
{
    const struct wanting wanting = wanting_of(sampler, facts, rows);
    const double waited_s = wanting.wait_s;
    struct row *unseen = &rows->row[rows->count - 1];
    double own_s;
    // A CPU that was taken from it is most of its waiting, where that is known.
    rows->exact = sampler->preempted_s > 0.5 * waited_s;
    if (rows->exact) {
        own_s = rows->own_preempted_s;
        for (size_t i = 0; i < rows->count; i++)
            rows->row[i].score = rows->row[i].did.preempted_s;
        unseen->score = sampler->unseen_s;
    } else {
        own_s = score_by_samples(rows, sampler, facts);
        if (waited_s > 0)
            own_s = bound_scores(rows, sampler, waited_s, own_s);
    }
    if (!wanting.several) // it has moved from a CPU to the other one
        own_s = 0;
    const double displaced_s = blame_for_displacing(rows, &wanting, own_s);
    own_s -= displaced_s;
    double sum = own_s;
    for (size_t i = 0; i < rows->count; i++)
        sum += rows->row[i].score;
    rows->displaced = sum > 0 ? displaced_s / sum : 0;
    for (size_t i = 0; i < rows->count; i++)
        rows->row[i].blame = sum > 0 ? rows->row[i].score / sum : 0;
    rows->own_blame = sum > 0 ? own_s / sum : 0;
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

static bool is_nothing(const struct row *row)
{
    return row->cpus < LEAST_CPUS && row->blame < 0.01 && row->bytes_per_s < 1e4;
}

static void rows_finish(struct rows *rows, const struct sampler *sampler, const struct facts *facts)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        row->cpus = row->did.cpu_s / facts->duration_s;
        row->bytes_per_s = row->did.bytes / facts->duration_s;
        row->beside = fmin(row->did.beside / fmax(sampler->runnable, 1), 1);
        row->at_disk = fmin(row->did.at_disk / fmax(sampler->samples, 1),
                            disk_most(facts) * fmax(row->processes, 1));
        if (row->lead)
            who_user(row->lead->user, row->user, sizeof row->user);
    }
    if (is_nothing(&rows->row[rows->count - 1])) // nobody is unseen
        rows->count--;
    qsort(rows->row, rows->count, sizeof *rows->row, by_blame);
    while (rows->count > 0 && is_nothing(&rows->row[rows->count - 1]))
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

// It has a namespace of processes of its own, whose number is not the first one's.
bool is_in_container(void)
{
    char name[64] = "";
    return readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0 &&
           strcmp(name, "pid:[4026531836]") != 0;
}

static const char *unseen_text(void)
{
    char path[PATH_MAX];
    if (is_in_container())
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
