#include "blame.h"

#include <math.h>

// Less is no answer to "why is it slow".
#define LEAST_FACTOR 1.05
// Above that, what threads have not shown is too much of it: samples decide.
#define MUCH_UNSEEN 0.2
// Others' part of what all moved to and from disks, from which on they may be to blame.
#define MUCH_OF_DISK 0.1
// From then on it is said that nothing is known of its sleep.
#define MUCH_SLEEP 0.2
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

// What of the time the victim wanted CPUs, and what of that it would not have wanted alone.
struct wanting {
    double run_s, wait_s;            // of all threads
    double active_s, active_error_s; // one of them ran or waited
};

static struct wanting wanting_of(struct judgement *verdict, const struct sampler *sampler,
                                 const struct facts *facts, const struct rows *rows)
{
    const double n = fmax(sampler->samples, 1), s = facts->duration_s;
    const double active = sampler->active / n;
    struct wanting wanting = {.run_s = (double)sampler->run_ns / 1e9,
                              .wait_s = (double)sampler->wait_ns / 1e9,
                              .active_s = active * s,
                              .active_error_s = 2 * s * sqrt(active * (1 - active) / n)};
    verdict->sampled = !sampler->schedstat || sampler->left_out > 0 || rows->unseen > MUCH_UNSEEN;
    if (verdict->sampled) {
        wanting.run_s = rows->victim_cpus * s;
        wanting.wait_s = fmax(sampler->runnable / n * s - wanting.run_s, 0);
        return wanting;
    }
    verdict->at_least = sampler->gone > 0 && sampler->threads > 1;
    const double wanted_s = wanting.run_s + wanting.wait_s;
    // Never two at a time: what the kernel counted is the time itself.
    if (sampler->threads <= 1 || sampler->runnable <= sampler->active) {
        wanting.active_s = fmin(wanted_s, s);
        wanting.active_error_s = 0;
    } else {
        wanting.active_s = fmin(wanting.active_s, wanted_s);
    }
    return wanting;
}

// Without the waiting behind others each moment in which it wanted a CPU is so much shorter.
static void judge_cpu(struct judgement *verdict, const struct sampler *sampler,
                      const struct facts *facts, const struct rows *rows)
{
    const double s = facts->duration_s;
    const struct wanting wanting = wanting_of(verdict, sampler, facts, rows);
    const double throttled_s = isnan(facts->throttled) ? 0 : facts->throttled * s;
    const double wait_s = fmax(wanting.wait_s - throttled_s, 0);
    const double others_s = wait_s * (1 - rows->own_blame);
    const double wanted_s = fmax(wanting.run_s + wait_s, 1e-9);
    const double part = fmin(others_s / wanted_s, 0.999);
    const double error =
        verdict->sampled ? 2 * sqrt(fmax(part * (1 - part), 0) / fmax(sampler->active, 1)) : 0;
    const double lost = fmin(part * wanting.active_s / s, 0.999);
    const double spread = hypot(error * wanting.active_s / s, part * wanting.active_error_s / s);
    verdict->ran = wanting.run_s / s;
    verdict->waited_others = lost;
    verdict->waited_own = wait_s * rows->own_blame / wanted_s * wanting.active_s / s;
    verdict->factor = 1 / (1 - lost);
    verdict->low = 1 / (1 - fmax(lost - spread, 0));
    verdict->high = 1 / (1 - fmin(lost + spread, 0.999));
}

// Of the whole node: how many programs waited on average, beside those that ran.
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
                 "this node: nobody is slowed down: %.2f of %.0f CPUs busy for %s%s", verdict->ran,
                 facts->cpus, time, waiting);
        return;
    }
    verdict->resource = RESOURCE_CPU;
    snprintf(verdict->text, sizeof verdict->text,
             "this node: beside %.2f programs that ran %.2f waited for a CPU, on average over %s: "
             "each is %s times slower because of the others",
             verdict->ran, verdict->waited_others, time, times_text(verdict->factor, times));
}

// What cost most decides.
static enum resource worst_of(struct judgement *verdict, const struct sampler *sampler,
                              const struct facts *facts, const struct rows *rows)
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
    if (verdict->waited_own > most && sampler->samples >= LEAST_SAMPLES)
        return RESOURCE_OWN;
    // At most all that it waited, for disks and for CPUs, is the others' doing.
    if (found == RESOURCE_DISK)
        most = fmin(most + verdict->waited_others, 0.999);
    if (found != RESOURCE_NONE && found != RESOURCE_CPU) {
        verdict->factor = verdict->high = 1 / (1 - fmin(most, 0.999));
        verdict->low = found == RESOURCE_DISK ? 1 : verdict->factor;
        verdict->sampled = found == RESOURCE_DISK;
    }
    return found;
}

static void say(struct judgement *verdict, const char *who, const struct facts *facts,
                const struct rows *rows)
{
    char time[32], times[32], without[32], low[32], high[32], range[160] = "";
    const double lost = 1 - 1 / verdict->factor;
    seconds_text(facts->duration_s, time);
    times_text(verdict->factor, times);
    seconds_text(verdict->without_s, without);
    if (verdict->high > 1.01 * verdict->low && verdict->resource == RESOURCE_CPU)
        snprintf(range, sizeof range, "about %s to ", times_text(verdict->low, low));
    times_text(range[0] == '\0' ? verdict->factor : verdict->high, high);
    switch (verdict->resource) {
    case RESOURCE_CPU:
        snprintf(verdict->text, sizeof verdict->text,
                 "%s waited for a CPU %s%.0f %% of %s: %s%s times slower because of other "
                 "programs (%s without them)",
                 who, verdict->at_least ? "at least " : "", 100 * lost, time, range, high, without);
        break;
    case RESOURCE_OWN:
        if (verdict->factor >= LEAST_FACTOR)
            snprintf(range, sizeof range, "others make it %s times slower", times);
        snprintf(verdict->text, sizeof verdict->text,
                 "%s waited for a CPU %.0f %% of %s behind threads of its own (%s): start "
                 "fewer, or allow it more CPUs",
                 who, 100 * verdict->waited_own, time,
                 *range == '\0' ? "nobody else is to blame" : range);
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
                 who, 100 * lost, time, times);
        break;
    case RESOURCE_NONE:
        if (verdict->asleep > MUCH_SLEEP)
            snprintf(range, sizeof range,
                     ", and slept %.0f %%: for a timer, a lock or the network, and the kernel does "
                     "not say whose doing that is",
                     100 * verdict->asleep);
        snprintf(verdict->text, sizeof verdict->text,
                 "%s is not slowed down by others%s: of %s it ran %.0f %%, and waited for a CPU "
                 "%.1f %% and for a disk %.1f %%%s%s",
                 who, *range == '\0' ? "" : " on CPUs and disks", time, 100 * verdict->ran,
                 100 * verdict->waited_others, 100 * verdict->at_disk,
                 verdict->at_disk > 0.05 && rows->victim_bytes_per_s > 0 ? ", which is its own"
                                                                         : "",
                 range);
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
    judge_cpu(verdict, sampler, facts, rows);
    const bool group = victim->kind == VICTIM_CGROUP || victim->kind == VICTIM_JOB;
    verdict->at_disk = group && !isnan(facts->group_io)
                           ? facts->group_io
                           : sampler->at_disk / fmax(sampler->samples, 1);
    verdict->asleep = fmax(1 - (sampler->active + sampler->at_disk) / fmax(sampler->samples, 1), 0);
    verdict->quota = isnan(facts->throttled) ? 0 : facts->throttled;
    verdict->stolen = fmin(verdict->ran, 1) * stolen / (busy + stolen);
    verdict->resource = worst_of(verdict, sampler, facts, rows);
    verdict->without_s = facts->duration_s / verdict->factor;
    say(verdict, who, facts, rows);
}
