// jostle protect: finds the settings that can be tried for each load, and adds them as loads.

#include "experiment.h"

#include "common/child.h"
#include "common/cpus.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// One --load of protect: what is known of it before any setting, and what it is tried with.
struct neighbour {
    const char *text;            // as it was given
    struct condition parts;      // its loads
    const char *why_none;        // why no setting can be set for it; NULL: some can
    struct description *of_part; // each load's own word; NULL: it has none
    bool disk, fills_memory;
    double memory_bytes;         // that its loads hold together
    struct option_list settings; // SETTINGS that it is measured with
};

// All that is tried.
struct tries {
    struct plan_request *experiment;
    struct neighbour *neighbour;
    size_t count;
    struct cpu_list target, load; // the CPUs that what is protected, and the loads, have
};

static struct adjustment adjustment_of(const struct tries *tries, const char *text)
{
    struct plan_request *experiment = tries->experiment;
    struct adjustment adjustment;
    (void)adjustment_read(&adjustment, &experiment->arena, text,
                          arena_format(&experiment->arena, "[%s]", text),
                          &experiment->settings.setting);
    return adjustment;
}

// neighbour NULL: for all of them. What the program start says begins with the setting itself.
static void leave_out(struct tries *tries, const struct neighbour *neighbour, const char *text,
                      const char *why)
{
    struct arena *arena = &tries->experiment->arena;
    const char *name = neighbour ? neighbour->parts.name : NULL,
               *of_start = text_after(why, "setting ");
    const char *what = name ? arena_format(arena, "%s for %s", text, name) : text;
    json_array_append_new(
        tries->experiment->left_out,
        json_pack("{s:s, s:s*, s:o}", "setting", text, "load", name, "why",
                  text_to_json(of_start ? of_start : arena_format(arena, "%s: %s", what, why))));
}

// A load of this node that jostle starts says itself what it is.
static void describe_neighbour(struct tries *tries, struct neighbour *neighbour, const char *text)
{
    struct plan_request *experiment = tries->experiment;
    struct arena *arena = &experiment->arena;
    static const struct option_list none = {0};
    const struct load_context context = {.settle_ns = experiment->settings.settle_ns,
                                         .pause = experiment->settings.pause,
                                         .own = &experiment->settings.setting};
    struct conditions conditions = {0};
    const struct option_list plain =
        load_surroundings(arena, &experiment->settings, experiment->placed.load_cpus, &none);
    conditions_add_load(&conditions, arena, text, &context);
    conditions_describe(&conditions, arena, &experiment->asked_loads, &plain);
    *neighbour = (struct neighbour){.text = text, .parts = conditions.condition[0]};
    const size_t count = neighbour->parts.load_count;
    neighbour->of_part = arena_take(arena, count * sizeof *neighbour->of_part);
    if (!adjustment_is_none(&neighbour->parts.adjustment))
        usage_error("--load %s: protect adds the settings itself: give them with --try", text);
    for (size_t i = 0; i < count; i++) {
        struct description *one = &neighbour->of_part[i];
        const struct load *load = &neighbour->parts.load[i];
        const char *why = load_unsettable(load);
        *one = load->description;
        if (why)
            neighbour->why_none = why;
        else if (one->planned) {
            neighbour->disk = neighbour->disk || one->disk;
            neighbour->fills_memory = neighbour->fills_memory || one->fills_memory;
            neighbour->memory_bytes += one->memory_bytes;
        } else
            usage_error("load %s: %s", load->name, one->said);
    }
}

// Whether a program on these CPUs can be given it (NULL: wherever it may). False with a reason.
static bool program_takes(const struct tries *tries, const char *cpus,
                          const struct option_list *settings, const char **why)
{
    struct arena *arena = &tries->experiment->arena;
    static const struct settings plain = {.load_nice = OPTION_NOT_GIVEN};
    char path[PATH_MAX];
    struct option_list words = {0};
    // As meter does it: it binds the program, which then sets what it is told.
    static const struct option_list none = {0};
    const struct option_list pinned = load_surroundings(arena, &plain, cpus, &none),
                             set = load_surroundings(arena, &plain, NULL, settings);
    list_add_all(&words, arena, pinned.item, pinned.count);
    list_add_all(&words, arena, set.item, set.count);
    list_add(&words, arena, child_path("start", path));
    list_add(&words, arena, "--sweep");
    return settings->count == 0 || words_try(arena, &words, why);
}

static bool target_takes(const struct tries *tries, const struct option_list *settings,
                         const char **why)
{
    return program_takes(tries, tries->experiment->placed.target_cpus, settings, why);
}

static bool service_takes(const struct tries *tries, const struct option_list *settings,
                          const char **why)
{
    if (settings->count > 0 && tries->experiment->settings.keep_service) {
        *why = "--keep-service has one server for all runs";
        return false;
    }
    return program_takes(tries, tries->experiment->placed.service_cpus, settings, why);
}

static bool limits_memory(const struct option_list *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        if (text_after(settings->item[i], "memory."))
            return true;
    return false;
}

// Whether the load can be given it where it runs, and is still the same load. False with a reason.
static bool load_takes(const struct tries *tries, const struct neighbour *neighbour,
                       const struct option_list *settings, const char **why)
{
    struct plan_request *experiment = tries->experiment;
    struct arena *arena = &experiment->arena;
    *why = neighbour->why_none;
    if (settings->count == 0)
        return true;
    if (*why)
        return false;
    const struct option_list words =
        load_surroundings(arena, &experiment->settings, experiment->placed.load_cpus, settings);
    for (size_t i = 0; i < neighbour->parts.load_count; i++) {
        struct load load = neighbour->parts.load[i];
        const struct description *plain = &neighbour->of_part[i];
        struct description now;
        struct option_list same = {0};
        list_add_all(&same, arena, load.words.item, load.words.count);
        list_add_all(&same, arena, plain->same.item, plain->same.count);
        load.words = same;
        const bool good = load_describe(&experiment->asked_loads, arena, &load, &words, &now);
        *why = now.said;
        if (!good)
            return false;
        // Some percent of the memory are rounding: each CPU has its part.
        if (now.threads == plain->threads && !(now.memory_bytes < 0.95 * plain->memory_bytes) &&
            !(now.memory_bytes > 1.05 * plain->memory_bytes)) {
            // Too little memory is found out by those who use it. What is not calibrated yet cannot
            // run yet.
            if (limits_memory(settings) && !plain->percent && !load_runs(arena, &load, &words, why))
                return false;
            continue;
        }
        *why = arena_format(arena,
                            "%s would be another load with it: it sizes itself by what it "
                            "is given",
                            load.name);
        return false;
    }
    return true;
}

// Adds it for each neighbour that can have it here; else it is among what was left out, with the
// reason. Whether any can.
static bool consider(struct tries *tries, const char *text, bool needs(const struct neighbour *))
{
    struct plan_request *experiment = tries->experiment;
    struct arena *arena = &experiment->arena;
    const struct adjustment adjustment = adjustment_of(tries, text);
    const char **why = arena_take(arena, tries->count * sizeof *why), *first = NULL;
    bool several = false; // reasons
    size_t asked = 0, taken = 0;
    for (size_t i = 0; i < tries->count; i++) {
        struct neighbour *neighbour = &tries->neighbour[i];
        why[i] = NULL;
        if (needs && !needs(neighbour))
            continue;
        asked++;
        if (target_takes(tries, &adjustment.target, &why[i]) &&
            service_takes(tries, &adjustment.service, &why[i]) &&
            load_takes(tries, neighbour, &adjustment.load, &why[i])) {
            why[i] = NULL;
            list_add(&neighbour->settings, arena, text);
            taken++;
            continue;
        }
        several = several || (first && strcmp(first, why[i]) != 0);
        first = first ? first : why[i];
    }
    if (first && asked > 0 && taken == 0 && !several)
        leave_out(tries, NULL, text, first);
    for (size_t i = 0; i < tries->count && (taken > 0 || several); i++)
        if (why[i])
            leave_out(tries, &tries->neighbour[i], text, why[i]);
    return taken > 0;
}

static void part_text(const struct cpu_list *all, size_t first, size_t count, char *text,
                      size_t size)
{
    struct cpu_list part = {0};
    for (size_t i = first; i < first + count; i++)
        cpus_add(&part, all->cpu[i]);
    (void)cpus_format(&part, text, size);
}

// The CPUs that the target, or the service, and loads have: where only one of them was given some,
// these are both's.
static void find_cpus(struct tries *tries)
{
    const struct placed *placed = &tries->experiment->placed;
    const char *own =
        tries->experiment->settings.service ? placed->service_cpus : placed->target_cpus;
    const char *target = own ? own : placed->load_cpus,
               *load = placed->load_cpus ? placed->load_cpus : own;
    if (!target || cpus_parse(target, &tries->target) != 0 || cpus_parse(load, &tries->load) != 0) {
        if (cpus_allowed(&tries->target) != 0)
            tries->target.count = 0;
        tries->load = tries->target;
    }
}

static bool has_cpu(const struct cpu_list *list, int cpu)
{
    struct cpu_list one = {0};
    cpus_add(&one, cpu);
    return cpus_overlap(list, &one);
}

// CPUs of their own, of those that they have: each keeps what the other has not, and of the others
// the target has the first half. Where they share none, or one has nothing left, there is nothing
// to split.
static void consider_cpus(struct tries *tries, const char *who)
{
    struct cpu_list of_target = {0}, shared = {0}, of_load = {0};
    char first[CPUS_TEXT], second[CPUS_TEXT];
    for (unsigned i = 0; i < tries->target.count; i++)
        cpus_add(has_cpu(&tries->load, tries->target.cpu[i]) ? &shared : &of_target,
                 tries->target.cpu[i]);
    for (unsigned i = 0; i < tries->load.count; i++)
        if (!has_cpu(&tries->target, tries->load.cpu[i]))
            cpus_add(&of_load, tries->load.cpu[i]);
    unsigned half = shared.count / 2;
    if (half == 0 && of_target.count == 0)
        half = shared.count;
    for (unsigned i = 0; i < shared.count; i++)
        cpus_add(i < half ? &of_target : &of_load, shared.cpu[i]);
    if (shared.count == 0 || of_target.count == 0 || of_load.count == 0)
        return;
    part_text(&of_target, 0, of_target.count, first, sizeof first);
    part_text(&of_load, 0, of_load.count, second, sizeof second);
    (void)consider(tries,
                   arena_format(&tries->experiment->arena, "%scpus=%s cpus=%s", who, first, second),
                   NULL);
}

static bool needs_disk(const struct neighbour *neighbour)
{
    return neighbour->disk;
}

static bool needs_memory(const struct neighbour *neighbour)
{
    return neighbour->fills_memory;
}

// Half of what a load holds; where nobody knows what it holds there is no limit to try.
static void consider_memory(struct tries *tries, const char *who)
{
    struct arena *arena = &tries->experiment->arena;
    for (size_t i = 0; i < tries->count; i++) {
        struct tries one = *tries;
        const double bytes = tries->neighbour[i].memory_bytes;
        one.neighbour = &tries->neighbour[i];
        one.count = 1;
        if (isfinite(bytes))
            (void)consider(&one,
                           arena_format(arena, "memory.high=%.0fM", ceil(bytes / 2 / 1048576)),
                           needs_memory);
    }
    // As much as the target uses is kept for it.
    (void)consider(tries, arena_format(arena, "%smemory.low=1T", who), needs_memory);
}

// What there is to try on any machine.
static void consider_all(struct tries *tries)
{
    struct arena *arena = &tries->experiment->arena;
    // What is protected.
    const char *who = tries->experiment->settings.service ? SERVICE_PREFIX : TARGET_PREFIX;
    (void)consider(tries, "nice=19", NULL);
    (void)consider(tries, "sched=idle", NULL);
    (void)consider(tries, "group=cgroup", NULL);
    (void)consider(tries, "cpu.weight=10", NULL);
    (void)consider(tries, arena_format(arena, "cpu.max=%u%%", tries->load.count * 50), NULL);
    (void)consider(tries, "ionice=idle", needs_disk);
    (void)consider(tries, "io.weight=10", needs_disk);
    consider_memory(tries, who);
    (void)consider(tries, "resctrl=MB:0=20", NULL);
    (void)consider(tries, arena_format(arena, "%snice=-10", who), NULL);
    consider_cpus(tries, who);
}

static void take_given(struct tries *tries)
{
    struct plan_request *experiment = tries->experiment;
    const struct option_list *given = &experiment->session.tries;
    for (size_t i = 0; i < given->count; i++) {
        struct adjustment adjustment;
        const char *text = given->item[i];
        const char *rest = adjustment_read(&adjustment, &experiment->arena, "with --try",
                                           arena_format(&experiment->arena, "[%s]", text),
                                           &experiment->settings.setting);
        if (adjustment_is_none(&adjustment) || *rest != '\0')
            usage_error("--try '%s': no setting: give one such as --try nice=19", text);
        for (size_t k = 0; k < i; k++)
            if (strcmp(given->item[k], text) == 0)
                usage_error("--try '%s' is given twice: leave one of them out", text);
        adjustment_try(&adjustment, "with --try");
        if (adjustment.target.count > 0 && experiment->settings.service &&
            !experiment->session.quiet)
            complain("--try '%s': with --service " TARGET_PREFIX
                     " is the client: for the server write " SERVICE_PREFIX "%s",
                     text, adjustment.target.item[0]);
        if (consider(tries, text, NULL) || given->count > 1)
            continue;
        const json_t *last =
            json_array_get(experiment->left_out, json_array_size(experiment->left_out) - 1);
        usage_error("--try '%s': %s", text, json_text_or_empty(last, "why"));
    }
}

// A setting as a part of the name of a condition.
static const char *label(struct arena *arena, const char *text)
{
    char *name = arena_take(arena, strlen(text) + 1);
    size_t length = 0;
    for (const char *at = text; *at != '\0' && length < 60; at++)
        name[length++] = strchr("=: ,/;", *at) ? '-' : *at;
    name[length] = '\0';
    return name;
}

static const char *with_prefix(struct arena *arena, const char *before, const char *prefix,
                               const struct option_list *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        before = arena_format(arena, "%s%s%s%s", before ?: "", before ? " " : "", prefix,
                              settings->item[i]);
    return before;
}

// The settings of the target and of the service alone, as they are written; NULL: there are none.
static const char *without_load(struct arena *arena, const char *text,
                                const struct option_list *own)
{
    struct adjustment adjustment;
    (void)adjustment_read(&adjustment, arena, text, arena_format(arena, "[%s]", text), own);
    const char *all = with_prefix(arena, NULL, TARGET_PREFIX, &adjustment.target);
    return with_prefix(arena, all, SERVICE_PREFIX, &adjustment.service);
}

// Adds a condition of the target alone with each of its own settings that is measured.
static void add_alone(const struct tries *tries, struct option_list *loads)
{
    struct arena *arena = &tries->experiment->arena;
    struct option_list done = {0};
    for (size_t i = 0; i < tries->count; i++)
        for (size_t k = 0; k < tries->neighbour[i].settings.count; k++) {
            const char *target = without_load(arena, tries->neighbour[i].settings.item[k],
                                              &tries->experiment->settings.setting);
            bool is_new = target != NULL;
            for (size_t m = 0; m < done.count && is_new; m++)
                is_new = strcmp(done.item[m], target) != 0;
            if (!is_new)
                continue;
            list_add(&done, arena, target);
            list_add(loads, arena,
                     arena_format(arena, "alone.%s=[%s]", label(arena, target), target));
        }
}

struct option_list protect_loads(struct plan_request *experiment, const struct option_list *given)
{
    struct arena *arena = &experiment->arena;
    struct tries tries = {.experiment = experiment, .count = given->count};
    struct option_list loads = {0};
    if (given->count == 0)
        usage_error("against which neighbour? Give --load NAME=SPEC, such as --load 'cpu "
                    "--percent 100'");
    experiment->left_out = json_array();
    tries.neighbour = arena_take(arena, given->count * sizeof *tries.neighbour);
    for (size_t i = 0; i < given->count; i++)
        describe_neighbour(&tries, &tries.neighbour[i], given->item[i]);
    find_cpus(&tries);
    if (experiment->session.tries.count > 0)
        take_given(&tries);
    else
        consider_all(&tries);
    for (size_t i = 0; i < given->count; i++) {
        const struct neighbour *neighbour = &tries.neighbour[i];
        const char *name, *spec = load_name_read(arena, given->item[i], &name);
        list_add(&loads, arena, given->item[i]);
        for (size_t k = 0; k < neighbour->settings.count; k++)
            list_add(&loads, arena,
                     arena_format(arena, "%s.%s=[%s] %s", name,
                                  label(arena, neighbour->settings.item[k]),
                                  neighbour->settings.item[k], spec));
    }
    add_alone(&tries, &loads);
    return loads;
}
