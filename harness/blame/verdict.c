// Judges from counters and samples by how much a program is slowed down, and by what.

#include "blame.h"

#include <math.h>

// Less is no answer to "why is it slow".
#define LEAST_FACTOR 1.05
// Above that, what threads have not shown is too much of it: samples decide.
#define MUCH_UNSEEN 0.2
// A part of a CPU: who computes less has little use for caches.
#define MUCH_CPU 0.1
// Others' part of what all moved to and from disks, from which on they may be to blame.
#define MUCH_OF_DISK 0.1
// From then on it is said that nothing is known of its sleep.
#define MUCH_SLEEP 0.2
// A shell and the command that it starts are two for a moment; the more so of short ones.
#define SOMETIMES_TWO       1.02
#define OFTEN_TWO_FOR_SHORT 1.2
// Fewer samples tell nothing.
#define LEAST_SAMPLES 8

const char *const resource_names[] = {"none", "cpu", "own", "quota", "hypervisor", "disk"};

// "5.0 s", "0.27 s", "12.3 ms"; returns text.
static const char *seconds_text(double s, char text[32])
{
    if (s >= 0.1)
        snprintf(text, 32, s < 1 ? "%.2f s" : "%.1f s", s);
    else
        snprintf(text, 32, "%.3g ms", 1000 * s);
    return text;
}

static const char *times_text(double factor, char text[32])
{
    snprintf(text, 32, factor < 10 ? "%.2f" : factor < 100 ? "%.1f" : "%.0f", factor);
    return text;
}

// What its quota held back. The kernel adds that up over CPUs, and counts it as waiting of each
// thread there: it is so much less of the time as the victim was on CPUs at once.
static void take_quota(struct wanting *wanting, const struct sampler *sampler,
                       const struct facts *facts)
{
    const double s = facts->duration_s, active = fmax(sampler->active, 1);
    const double throttled_s = isnan(facts->throttled) ? 0 : facts->throttled * s;
    const double cpus = fmax(sampler->occupied / active, 1);
    const double threads = fmax(sampler->runnable / fmax(sampler->occupied, 1), 1);
    // A group around it may hold back others only.
    const double most_s = fmin(wanting->wait_s, fmax(s - wanting->run_s / wanting->width, 0));
    wanting->throttled_s = fmin(throttled_s / cpus, most_s);
    wanting->throttled_least_s = fmin(throttled_s / fmax(wanting->width, cpus), most_s);
    wanting->throttled_most_s = wanting->several ? fmin(throttled_s, most_s) : wanting->throttled_s;
    wanting->wait_s = fmax(wanting->wait_s - threads * throttled_s, 0);
}

struct wanting wanting_of(const struct sampler *sampler, const struct facts *facts,
                          const struct rows *rows)
{
    const double n = fmax(sampler->samples, 1), s = facts->duration_s;
    const double active = sampler->active / n;
    const unsigned allowed = sampler->allowed->count;
    const double cpus = allowed > 0 ? fmin(allowed, facts->cpus) : facts->cpus;
    struct wanting wanting = {.run_s = (double)sampler->run_ns / 1e9,
                              .wait_s = (double)sampler->wait_ns / 1e9,
                              .active_s = active * s,
                              .active_error_s = 2 * s * sqrt(active * (1 - active) / n)};
    wanting.sampled = !sampler->schedstat || sampler->left_out > 0 || rows->unseen > MUCH_UNSEEN;
    wanting.at_once = sampler->runnable / fmax(sampler->active, 1);
    wanting.several = sampler->threads > 1 &&
                      wanting.at_once > (wanting.sampled ? OFTEN_TWO_FOR_SHORT : SOMETIMES_TWO);
    wanting.crowded = wanting.at_once > SOMETIMES_TWO * fmax(cpus, 1);
    wanting.width = wanting.several ? fmin(sampler->threads, fmax(cpus, 1)) : 1;
    if (wanting.sampled) {
        wanting.run_s = rows->victim_cpus * s;
        wanting.wait_s = fmax(sampler->runnable / n * s - wanting.run_s, 0);
    } else {
        wanting.at_least = sampler->gone > 0 && sampler->threads > 1;
        wanting.active_s = fmin(wanting.active_s, wanting.run_s + wanting.wait_s);
    }
    // Never two at a time: what the kernel counted is the time itself.
    if (!wanting.several && !wanting.sampled) {
        wanting.active_s = fmin(wanting.run_s + wanting.wait_s, s);
        wanting.active_error_s = 0;
    }
    take_quota(&wanting, sampler, facts);
    wanting.active_s = fmax(wanting.active_s - wanting.throttled_s, 0);
    return wanting;
}

static double factor_of(double lost)
{
    return 1 / (1 - fmin(fmax(lost, 0), 0.999));
}

// Without the waiting behind others each moment in which it wanted a CPU is so much shorter. Of
// several threads nobody knows whether the others wait for the one that does, and whether they
// would have run at once: at least it is the part of those that waited behind others themselves, at
// most as much as they waited, down to what their CPU time takes where all run at once.
static void judge_cpu(struct judgement *verdict, const struct wanting *wanting,
                      const struct sampler *sampler, const struct facts *facts,
                      const struct rows *rows)
{
    const double s = facts->duration_s, active = wanting->active_s / s;
    const double others_s = wanting->wait_s * (1 - rows->own_blame);
    const double direct_s = others_s - wanting->wait_s * rows->displaced;
    const double wanted_s = fmax(wanting->run_s + wanting->wait_s, 1e-9);
    const double at_once_s = fmax(wanting->active_s - wanting->run_s / wanting->width, 0);
    const double most = wanting->several ? fmin(others_s, at_once_s) / s : active;
    const double part = fmin(others_s / wanted_s, 0.999);
    const double error =
        wanting->sampled ? 2 * sqrt(fmax(part * (1 - part), 0) / fmax(sampler->active, 1)) : 0;
    const double lost = fmin(part * active, fmin(most, 0.999));
    const double least = fmin(direct_s / wanted_s * active, lost);
    const double spread = hypot(error * active, part * wanting->active_error_s / s);
    verdict->sampled = wanting->sampled;
    verdict->at_least = wanting->at_least;
    verdict->ran = wanting->run_s / s;
    verdict->active = active;
    verdict->computed = wanting->run_s / wanted_s * active;
    verdict->waited_others = lost;
    verdict->waited_own = fmin((wanting->wait_s - others_s) / wanted_s * active, active - lost);
    verdict->quota = wanting->throttled_s / s;
    verdict->factor = factor_of(lost);
    verdict->low = factor_of(least - spread);
    verdict->high = factor_of(fmax(lost + spread, wanting->several ? most : 0));
}

// The rest of the time, in which it wanted no CPU: that is counted, and samples only tell its parts
// from each other. In state D is also who waits for a child of vfork, a lock of its memory or a
// file system in a program: the disk has no more of that than some program of the node waited for
// disks, which the kernel counts as a mean over the CPUs that are busy.
static void judge_rest(struct judgement *verdict, const struct sampler *sampler,
                       const struct facts *facts)
{
    const double n = fmax(sampler->samples, 1);
    const double rest = fmax(1 - verdict->active - verdict->quota, 0);
    const double seen = 1 - sampler->active / n, scale = seen > 0 ? rest / seen : 0;
    const double in_d = sampler->at_disk / n * scale;
    const double found = isnan(facts->group_io) ? in_d : facts->group_io;
    verdict->at_disk = fmin(fmin(found, disk_most(facts)), rest);
    verdict->blocked = fmax(in_d - verdict->at_disk, 0);
    verdict->stopped = sampler->stopped / n * scale;
    verdict->asleep = fmax(rest - verdict->at_disk - verdict->blocked - verdict->stopped, 0);
}

// Says of the whole node how many programs waited on average, beside those that ran.
static void judge_node(struct judgement *verdict, const struct sampler *sampler,
                       const struct facts *facts)
{
    const double n = fmax(sampler->samples, 1);
    const double running = sampler->running / n;
    const double busy = fmax(facts->busy_cpus - facts->own_cpus, 1e-3);
    const double error = 2 * sqrt(fmax(sampler->running_squares / n - running * running, 0) / n);
    const double waiting = fmax(running - busy, 0);
    verdict->sampled = true;
    verdict->ran = busy;
    verdict->waited_others = waiting;
    verdict->factor = verdict->low = verdict->high = 1;
    // Where nobody ever waited, as the kernel counts it, samples that say otherwise are chance.
    if (n < LEAST_SAMPLES || waiting < 0.1 || waiting <= error || (facts->cpu_some < 0.05))
        return;
    verdict->factor = running / busy;
    verdict->low = fmax((running - error) / busy, 1);
    verdict->high = (running + error) / busy;
}

static void say_node(struct judgement *verdict, const struct facts *facts, const char *time)
{
    char times[32];
    if (verdict->factor < LEAST_FACTOR && verdict->stolen > 1 - 1 / LEAST_FACTOR) {
        verdict->resource = RESOURCE_HYPERVISOR;
        verdict->factor = verdict->low = verdict->high = 1 / (1 - fmin(verdict->stolen, 0.999));
        snprintf(
            verdict->text, sizeof verdict->text,
            "this node lost %.0f %% of its CPUs' time in %s to other guests of the host (steal)",
            100 * verdict->stolen, time);
        return;
    }
    if (verdict->factor < LEAST_FACTOR && facts->cpu_some >= 0.05) {
        snprintf(
            verdict->text, sizeof verdict->text,
            "this node: some program waited for a CPU %.1f %% of %s; how much slower that made "
            "it is too little to be told, or too short",
            100 * facts->cpu_some, time);
        return;
    }
    if (verdict->factor < LEAST_FACTOR) {
        char waiting[128] = ""; // not every kernel counts it
        if (!isnan(facts->cpu_some))
            snprintf(waiting, sizeof waiting,
                     ", and some program waited for a CPU %.1f %%, for a disk %.1f %% of the time",
                     100 * facts->cpu_some, 100 * facts->io_some);
        snprintf(verdict->text, sizeof verdict->text,
                 "this node: no program was seen to wait long for a CPU: %.2f of %.0f CPUs busy "
                 "for %s%s; whether programs slow each other's caches or memory nobody counts",
                 verdict->ran, facts->cpus, time, waiting);
        return;
    }
    verdict->resource = RESOURCE_CPU;
    snprintf(
        verdict->text, sizeof verdict->text,
        "this node: on average %.2f programs ran and %.2f waited for a CPU (%s): each takes %s "
        "times as long as it would alone",
        verdict->ran, verdict->waited_others, time, times_text(verdict->factor, times));
}

// What cost most decides. Who is held back by a quota gains nothing by fewer threads.
static enum resource worst_of(struct judgement *verdict, const struct wanting *wanting,
                              const struct sampler *sampler, const struct facts *facts,
                              const struct rows *rows)
{
    const double all = fmax(facts->disk_per_s, rows->victim_bytes_per_s);
    const bool shared = !isfinite(all) || all - rows->victim_bytes_per_s > MUCH_OF_DISK * all;
    const struct {
        enum resource resource;
        double lost;
    } costs[] = {{RESOURCE_CPU, verdict->waited_others},
                 {RESOURCE_QUOTA, verdict->quota},
                 {RESOURCE_HYPERVISOR, verdict->stolen},
                 {RESOURCE_DISK, shared ? verdict->at_disk : 0}};
    enum resource found = RESOURCE_NONE;
    double most = 1 - 1 / LEAST_FACTOR;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        if (costs[i].lost > most) {
            most = costs[i].lost;
            found = costs[i].resource;
        }
    }
    if (found != RESOURCE_QUOTA && verdict->waited_own > most && sampler->samples >= LEAST_SAMPLES)
        return RESOURCE_OWN;
    // At most all that it waited, for disks and for CPUs, is the others' doing.
    if (found == RESOURCE_DISK)
        most = fmin(most + verdict->waited_others, 1 - verdict->computed);
    if (found == RESOURCE_NONE || found == RESOURCE_CPU)
        return found;
    verdict->factor = verdict->low = verdict->high = factor_of(most);
    verdict->sampled = found == RESOURCE_DISK;
    if (found == RESOURCE_DISK)
        verdict->low = 1;
    if (found == RESOURCE_QUOTA) {
        verdict->low = factor_of(wanting->throttled_least_s / facts->duration_s);
        verdict->high = factor_of(wanting->throttled_most_s / facts->duration_s);
    }
    return found;
}

// What it did where nobody is to blame, as far as that is much.
static void say_rest(const struct judgement *verdict, char *text, size_t size)
{
    const struct {
        double share;
        const char *words;
    } parts[] = {
        {verdict->stopped,
         "was stopped %.0f %% (by a signal or a debugger: kill -CONT continues it)"},
        {verdict->blocked, "waited %.0f %% in the kernel for something other than a disk (a child "
                           "of vfork, a lock, a file system in a program)"},
        {verdict->asleep, "slept %.0f %%: for a timer, a lock or the network, and the kernel does "
                          "not say whose doing that is"},
    };
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char words[160];
        if (parts[i].share <= MUCH_SLEEP)
            continue;
        snprintf(words, sizeof words, parts[i].words, 100 * parts[i].share);
        used += (size_t)snprintf(text + used, size - used, ", and %s", words);
    }
}

static void say_none(struct judgement *verdict, const char *who, const char *time,
                     const struct rows *rows)
{
    char rest[400];
    say_rest(verdict, rest, sizeof rest);
    const bool rests = *rest != '\0';
    if (verdict->stopped > 1 - MUCH_SLEEP) {
        snprintf(verdict->text, sizeof verdict->text,
                 "%s was stopped for %.0f %% of %s, by a signal or a debugger: kill -CONT "
                 "continues it",
                 who, 100 * verdict->stopped, time);
        return;
    }
    snprintf(
        verdict->text, sizeof verdict->text,
        "%s %s: of %s it ran %.0f %%, and waited for a CPU %.1f %% and for a disk %.1f %%%s%s%s",
        who,
        rests                           ? "is not slowed down by others on CPUs and disks"
        : verdict->waited_others < 0.01 ? "waits for nobody"
                                        : "hardly waits for others",
        time, 100 * verdict->computed, 100 * verdict->waited_others, 100 * verdict->at_disk,
        verdict->at_disk > 0.05 && rows->victim_bytes_per_s > 0 ? ", which is its own" : "", rest,
        verdict->computed < MUCH_CPU ? ""
                                     : "; whether others slow its caches or memory nobody counts");
}

static void say_own(struct judgement *verdict, const char *who, const char *time, const char *times)
{
    char others[128] = "nobody else is to blame";
    if (verdict->factor >= LEAST_FACTOR)
        snprintf(others, sizeof others, "others make it %s times slower", times);
    snprintf(verdict->text, sizeof verdict->text,
             "%s waited for a CPU %.0f %% of %s behind threads of its own (%s): start fewer, or "
             "allow it more CPUs",
             who, 100 * verdict->waited_own, time, others);
}

static void say(struct judgement *verdict, const char *who, const struct facts *facts,
                const struct rows *rows)
{
    char time[32], times[80], without[32], low[32], high[32];
    const double lost = 1 - 1 / verdict->factor;
    seconds_text(facts->duration_s, time);
    seconds_text(verdict->without_s, without);
    times_text(verdict->factor, times);
    if (verdict->high > 1.01 * verdict->low && verdict->resource != RESOURCE_DISK)
        snprintf(times, sizeof times, "about %s to %s", times_text(verdict->low, low),
                 times_text(verdict->high, high));
    switch (verdict->resource) {
    case RESOURCE_CPU:
        snprintf(verdict->text, sizeof verdict->text,
                 "%s waited for a CPU %s%.0f %% of %s: %s times slower because of other "
                 "programs (%s without them)",
                 who, verdict->at_least ? "at least " : "", 100 * lost, time, times, without);
        break;
    case RESOURCE_OWN:
        say_own(verdict, who, time, times);
        break;
    case RESOURCE_QUOTA:
        snprintf(verdict->text, sizeof verdict->text,
                 "%s was held back by the quota of its own control group for %.0f %% of %s: "
                 "%s times slower, and no neighbour is to blame",
                 who, 100 * lost, time, times);
        break;
    case RESOURCE_HYPERVISOR:
        snprintf(verdict->text, sizeof verdict->text,
                 "%s lost %.0f %% of %s to other guests of the host (steal): %s times slower, "
                 "and nobody here is to blame",
                 who, 100 * lost, time, times);
        break;
    case RESOURCE_DISK:
        snprintf(verdict->text, sizeof verdict->text,
                 "%s waited for a disk %.0f %% of %s: at most %s times slower because of "
                 "other programs",
                 who, 100 * verdict->at_disk, time, times);
        break;
    case RESOURCE_NONE:
        say_none(verdict, who, time, rows);
        break;
    }
}

void verdict_make(struct judgement *verdict, const struct victim *victim,
                  const struct sampler *sampler, const struct facts *facts, const struct rows *rows)
{
    char who[300], time[32];
    const double busy = fmax(facts->busy_cpus, 1e-3);
    const double stolen = isnan(facts->steal) ? 0 : facts->steal * facts->cpus;
    *verdict = (struct judgement){0};
    victim_text(victim, who, sizeof who);
    if (victim->kind == VICTIM_NODE) {
        judge_node(verdict, sampler, facts);
        verdict->stolen = isnan(facts->steal) ? 0 : facts->steal;
        verdict->at_disk = isnan(facts->io_some) ? 0 : facts->io_some;
        say_node(verdict, facts, seconds_text(facts->duration_s, time));
        verdict->without_s = facts->duration_s / verdict->factor;
        return;
    }
    const struct wanting wanting = wanting_of(sampler, facts, rows);
    judge_cpu(verdict, &wanting, sampler, facts, rows);
    judge_rest(verdict, sampler, facts);
    verdict->stolen = fmin(verdict->ran, 1) * stolen / (busy + stolen);
    verdict->resource = worst_of(verdict, &wanting, sampler, facts, rows);
    verdict->without_s = facts->duration_s / verdict->factor;
    say(verdict, who, facts, rows);
}
