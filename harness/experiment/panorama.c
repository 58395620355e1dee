// `jostle slowdown -- COMMAND` without a load: where target and neighbours sit, which neighbours
// there are, and for how long they are measured.
//
// There is one placement for all conditions, the baseline, too, so that all slowdowns are of the
// same target on the same CPUs: one that the kernel may move shares no CPU with a single busy
// program as long as another CPU is free, and a baseline that may move beside conditions that may
// not would differ by that alone.
#include "experiment.h"

#include "common/child.h"
#include "common/counters.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/interval.h"
#include "harness/stats/json.h"
#include "harness/stats/shares.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000LL

// Fewer runs of a condition have no interval of signed ranks (stats/interval.h).
enum { FEWEST_RUNS = 6, MOST_RUNS = 100, LONG_S = 60, QUICK_S = 15 };

// What a loaded run takes besides the target: the load is resumed, steady, marked and paused.
static const double around_run_s = 0.15;
// A target that keeps so much of one more CPU busy uses that, too.
static const double one_more_cpu = 0.05;

// In order: what is measured where there is no time for all. A sequential work file of this size
// is written within a second or two, and longer than what the caches of a disk hold.
static const struct neighbour {
    const char *name, *spec;
    const char *apart;    // what its sentence begins with, where it has CPUs of its own; NULL:
                          // its CPUs are the target's
    const char *together; // and where the target leaves it none
    bool busy;            // it takes CPU time, so what it costs by its resource shows in the
                          // target's CPU time alone where they share CPUs
    bool of_network;      // what uses no network is not slowed by it
} neighbours[] = {
    {.name = "sharing", .spec = "cpu"},
    {.name = "memory",
     .spec = "mem --limit 50%",
     .busy = true,
     .apart = "Beside memory traffic on other cores",
     .together = "Its CPU time beside memory traffic on its own CPUs, waiting left out"},
    {.name = "cache",
     .spec = "cache --size 50",
     .busy = true,
     .apart = "Beside a program that fills half of a cache, on another core",
     .together =
         "Its CPU time beside a program that fills half of a cache on its own CPUs, waiting "
         "left out"},
    {.name = "disk",
     .spec = "io --sequential --limit 50% --file-size 512M",
     .apart = "Beside disk traffic from another core",
     .together = "Beside disk traffic"},
    {.name = "network",
     .spec = "net --tcp --limit 50%",
     .busy = true,
     .of_network = true,
     .apart = "Beside loopback traffic on other cores",
     .together = "Its CPU time beside loopback traffic on its own CPUs, waiting left out"},
};

enum { NEIGHBOURS = sizeof neighbours / sizeof neighbours[0] };

bool panorama_wanted(const struct plan_request *experiment, const struct option_list *loads)
{
    const struct session *session = &experiment->session;
    const bool wanted = loads->count == 0 && !experiment->cell &&
                        experiment->settings.variant.count < 2 && session->revisions.count < 2 &&
                        experiment->settings.parameter_list.count == 0 &&
                        experiment->settings.parameter_scan.count == 0;
    if (!wanted && (session->quick || session->for_ns > 0))
        usage_error("--%s is for a slowdown without --load and --variant: give --max-time",
                    session->quick ? "quick" : "for");
    if (session->quick && session->for_ns > 0)
        usage_error("--quick is --for %ds: give one of them", QUICK_S);
    return wanted;
}

// Whether loadgen takes it on this machine: a work file needs room on a disk.
static bool is_possible(struct arena *arena, const char *spec)
{
    char path[PATH_MAX];
    const char *why;
    size_t count;
    OWNED char **words = words_split(spec, &count, &why), *output = NULL;
    struct option_list argv = {0};
    list_add(&argv, arena, child_path("loadgen", path));
    list_add_all(&argv, arena, (const char *const *)words, count);
    list_add(&argv, arena, "--dry-run");
    return child_run(argv.item, -1, &output) == 0;
}

// ---- the first run

// A target that uses the network moves so much more than what goes over it anyway, which is
// measured for this time.
static const double least_bytes_per_s = 100e3, times_background = 2, background_s = 0.2;

// What a run has shown of the target.
struct look {
    bool known;
    bool network;       // it seems to use one
    double bytes_per_s; // that went over networks meanwhile, by whomever
    double wall_s, cpu_s;
    double busy;            // CPUs that it keeps busy while it does not wait; 1 or more
    struct cpu_list end_on; // the CPUs that it was bound to at its end; none: not known
};

// How many CPUs it would keep busy if nobody else used them. Beside other programs the other tasks
// are taken to have waited as long as its main thread; tasks that may have had work at the same
// time use two CPUs at least.
static double busy_cpus(const struct times *times, const struct threads *threads)
{
    const double waited = 1 + times->main_delay_s / times->main_s,
                 alike = times->main_s > 0 && isfinite(waited)
                             ? times->cpu_s * waited / times->wall_s
                             : 1;
    if (!threads->several || isfinite(times->alone_wait_s))
        return 1;
    return fmax(fmax(threads->busy, alike), 1 + 2 * one_more_cpu);
}

// What goes over the networks without the target.
static double background_bytes_per_s(void)
{
    const struct timespec while_looking = {.tv_nsec = (long)(background_s * NS_PER_S)};
    char path[PATH_MAX];
    const struct network before = network_read(machine_path("/proc/net/dev", path));
    (void)nanosleep(&while_looking, NULL);
    const struct network after = network_read(machine_path("/proc/net/dev", path));
    return (double)(after.bytes - before.bytes + after.loopback_bytes - before.loopback_bytes) /
           background_s;
}

// The kernel counts bytes of a network, and not of a program. An image has a network of its own or
// not: what is counted is that of jostle.
static void look_at_network(struct look *look, const json_t *record)
{
    const json_t *machine = json_object_get(record, "machine");
    const double bytes =
        json_number_at(machine, "network_bytes") + json_number_at(machine, "loopback_bytes");
    look->bytes_per_s = bytes / look->wall_s;
    look->network = look->bytes_per_s >= least_bytes_per_s &&
                    look->bytes_per_s > times_background * background_bytes_per_s();
}

// The folder of the first run, which the loop has made, and whether it says anything.
static struct look look_read(struct arena *arena, const char *folder)
{
    struct look look = {0};
    json_auto_t *record =
        json_load_file(arena_format(arena, "%s/runs.jsonl", folder), JSON_DISABLE_EOF_CHECK, NULL);
    const struct account account = account_of(record, 1);
    const struct account *const run = &account;
    if (!(account.times.wall_s > 0 && account.times.cpu_s >= 0))
        return look;
    const struct sums sums = times_sum(&run, 1);
    const struct threads threads = threads_of(&sums);
    const char *end_on = json_text_at(record, "end_cpus");
    look = (struct look){.known = true,
                         .wall_s = account.times.wall_s,
                         .cpu_s = account.times.cpu_s,
                         .busy = busy_cpus(&account.times, &threads)};
    look_at_network(&look, record);
    // Each of several threads may be bound to other CPUs than the first.
    if (end_on && !threads.several)
        (void)cpus_parse(end_on, &look.end_on);
    return look;
}

// Options of slowdown that the first run has, too: what the target needs, and where it is.
static const char *const of_look[] = {
    "--input",     "--setup",          "--prepare",       "--conclude",
    "--cleanup",   "--shell",          "--no-shell",      "--service",
    "--ready",     "--ready-timeout",  "--stop-signal",   "--service-cpus",
    "--in",        "--account",        "--target-cpus",   "--nice",
    "--timeout",   "--ignore-failure", "--stdout",        "--stderr",
    "--place",     "--place-cpus",     "--load-cpus",     "--cold",
    "--cold-path", "--variant",        "--parameter-list"};

static void put_words(const json_t *words)
{
    JSON_EACH (word, words)
        pair_put("look_word", json_string_value(word));
}

bool panorama_write_look(const struct plan_request *experiment)
{
    JSON_EACH (option, json_object_get(experiment->asked, "options")) {
        const char *first = json_string_value(json_array_get(option, 0));
        const size_t length = first ? strcspn(first, "=") : 0;
        for (size_t i = 0; i < sizeof of_look / sizeof *of_look; i++)
            if (strlen(of_look[i]) == length && strncmp(of_look[i], first, length) == 0)
                put_words(option);
    }
    if (json_is_true(json_object_get(experiment->asked, "dashes")))
        pair_put("look_word", "--");
    put_words(json_object_get(experiment->asked, "target"));
    if (!experiment->session.quiet)
        pair_put("look_text", experiment->variants.variant[0].text);
    OWNED char *busy = experiment->busy ? must(json_dumps(experiment->busy, JSON_COMPACT)) : NULL;
    pair_put("look_busy", busy ? busy : "null");
    return fflush(stdout) == 0;
}

json_t *panorama_was_busy(struct arena *arena)
{
    const char *folder = getenv("JOSTLE_LOOK");
    return !folder ? NULL
                   : json_load_file(arena_format(arena, "%s/../busy.json", folder), JSON_DECODE_ANY,
                                    NULL);
}

// ---- where they sit

// The first CPU of those that share the core, or the last-level cache, with it; itself where the
// kernel does not say.
static int64_t core_of(int cpu)
{
    const int64_t first =
        machine_number("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    return first >= 0 ? first : cpu;
}

static int64_t cache_of(int cpu)
{
    const int64_t first =
        machine_number("/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list", cpu);
    return first >= 0 ? first : 0;
}

static bool shares_core(const struct cpu_list *list, int cpu)
{
    for (unsigned i = 0; i < list->count; i++)
        if (core_of(list->cpu[i]) == core_of(cpu))
            return true;
    return false;
}

// Adds up to `most` of the allowed CPUs, one for each core that is in neither list: first those of
// the last-level cache of `near`.
static void take_cores(struct cpu_list *list, const struct cpu_list *allowed,
                       const struct cpu_list *without, int near, unsigned most)
{
    for (int same_cache = 1; same_cache >= 0; same_cache--)
        for (unsigned i = 0; i < allowed->count && list->count < most; i++) {
            const int cpu = allowed->cpu[i];
            if ((cache_of(cpu) == cache_of(near)) == same_cache && !shares_core(list, cpu) &&
                !(without && shares_core(without, cpu)))
                cpus_add(list, cpu);
        }
}

struct seats {
    struct cpu_list target, others; // no others: the target leaves none
    bool pin;                       // nobody else has bound the target to its CPUs
};

// The neighbours have half of the cores that the target leaves, one worker on each: half of a
// machine is what a neighbour of equal right would have, and the others stay free for all that is
// not measured. Another thread of a core of the target is none that it leaves.
static struct seats seat_all(const struct settings *settings, const struct look *look)
{
    struct seats seats = {0};
    struct cpu_list allowed, cores = {0};
    if (cpus_allowed(&allowed) != 0 || allowed.count == 0)
        return seats;
    take_cores(&cores, &allowed, NULL, allowed.cpu[0], allowed.count);
    if (settings->target_cpus)
        (void)cpus_parse(settings->target_cpus, &seats.target);
    else if (look->end_on.count > 0 && look->end_on.count < allowed.count)
        seats.target = look->end_on;
    else if (look->known && ceil(look->busy - one_more_cpu) < cores.count) {
        seats.pin = true;
        take_cores(&seats.target, &allowed, NULL, allowed.cpu[0],
                   (unsigned)ceil(look->busy - one_more_cpu));
    } else
        seats.target = allowed;
    cores.count = 0;
    take_cores(&cores, &allowed, &seats.target, seats.target.cpu[0], allowed.count);
    // Beyond a quota of CPU time they would throttle each other, wherever they are.
    const double left = floor(cpus_quota() - seats.target.count);
    const double most = fmax(fmin((cores.count + 1) / 2, left), 0);
    take_cores(&seats.others, &allowed, &seats.target, seats.target.cpu[0], (unsigned)most);
    return seats;
}

// ---- which there are

struct panorama {
    struct plan_request *experiment;
    const struct look *look;
    struct seats seats;
    struct option_list loads;
    bool shares[NEIGHBOURS]; // of each load: it computes on CPUs of the target
    bool placed;             // by us: not where the user has said where loads are, nor of a service
};

// Adds to the options that a command line made of this one has.
static void ask(struct plan_request *experiment, const char *option, const char *value)
{
    json_array_append_new(json_object_get(experiment->asked, "options"),
                          json_pack("[s, s]", option, value));
}

static void describe(struct panorama *panorama, const struct neighbour *neighbour)
{
    struct plan_request *experiment = panorama->experiment;
    struct titled description = {.name = neighbour->name};
    const unsigned shared = panorama->seats.target.count;
    const bool apart = panorama->seats.others.count > 0;
    if (!neighbour->apart && shared == 1)
        description.title = "Sharing its CPU with one busy program";
    else if (!neighbour->apart)
        description.title = arena_format(&experiment->arena,
                                         "Sharing its %u CPUs with a busy thread on each", shared);
    else
        description.title = apart ? neighbour->apart : neighbour->together;
    description.by_cpu_time = neighbour->busy && !apart;
    experiment->descriptions.item[experiment->descriptions.count++] = description;
}

static void add_neighbour(struct panorama *panorama, const struct neighbour *neighbour)
{
    struct plan_request *experiment = panorama->experiment;
    const struct seats *seats = &panorama->seats;
    const struct cpu_list *cpus =
        neighbour->apart && seats->others.count > 0 ? &seats->others : &seats->target;
    char text[CPUS_TEXT];
    const char *spec = !panorama->placed
                           ? neighbour->spec
                           : arena_format(&experiment->arena, "%s --cpus %s", neighbour->spec,
                                          cpus_format(cpus, text, sizeof text));
    if (!is_possible(&experiment->arena, spec)) {
        if (!experiment->session.quiet)
            complain("%s is left out: this machine has no such load, as loadgen has just said",
                     neighbour->name);
        return;
    }
    // Where loads are is then the user's choice, and may be beside the target.
    const char *name = panorama->placed || neighbour != neighbours ? neighbour->name : "cpu";
    panorama->shares[panorama->loads.count] =
        !neighbour->apart || (neighbour->busy && seats->others.count == 0);
    list_add(&panorama->loads, &experiment->arena,
             arena_format(&experiment->arena, "%s=%s", name, spec));
    if (panorama->placed)
        describe(panorama, neighbour);
}

// ---- for how long

// What a block takes that has a run of the baseline and of each of so many neighbours: who shares
// a CPU computes half as fast. The runs of the client after a start of its service are as long as
// the others.
static double block_s(const struct panorama *panorama, size_t loads)
{
    const struct look *look = panorama->look;
    const struct settings *settings = &panorama->experiment->settings;
    const double computing_s = fmin(look->cpu_s / look->busy, look->wall_s);
    const double warmups =
        settings->service && !settings->keep_service ? (double)settings->service_warmup : 0;
    double sum_s = look->wall_s;
    for (size_t i = 0; i < loads; i++)
        sum_s += look->wall_s + around_run_s + (panorama->shares[i] ? computing_s : 0);
    return sum_s + warmups * sum_s / (double)(loads + 1);
}

static void set_limits(struct plan_request *experiment)
{
    struct settings *settings = &experiment->settings;
    const struct session *session = &experiment->session;
    const struct options *given = experiment->given;
    if (!options_given(given, "runs") && !options_given(given, "min-runs"))
        settings->min_runs = settings->max_runs > 0 && settings->max_runs < FEWEST_RUNS
                                 ? settings->max_runs
                                 : FEWEST_RUNS;
    if (options_given(given, "max-time"))
        return;
    if (!options_given(given, "runs") && !options_given(given, "max-runs"))
        settings->max_runs = MOST_RUNS;
    settings->max_time_ns = (session->quick ? QUICK_S : LONG_S) * NS_PER_S;
    experiment->panorama = true;
    // An interval needs six runs, however long they are; only the user's own time is kept.
    settings->runs_before_time = settings->min_runs;
    if (session->for_ns > 0) {
        settings->max_time_ns = session->for_ns;
        settings->runs_before_time = 0;
    }
}

// A duration, as text of the arena.
static const char *duration(struct arena *arena, double seconds)
{
    char text[NUMBER_SIZE];
    return arena_format(arena, "%s", number_duration(seconds, text));
}

// The command line that measures the loads of the list from the `first` on.
static const char *rest_text(const struct panorama *panorama, size_t first)
{
    static const char *const never[] = {"--quick", "--for", "--max-time"};
    struct plan_request *experiment = panorama->experiment;
    struct arena *arena = &experiment->arena;
    struct option_list words = {0};
    list_add(&words, arena, "jostle");
    list_add(&words, arena, "slowdown");
    JSON_EACH (option, json_object_get(experiment->asked, "options")) {
        const char *name = json_string_value(json_array_get(option, 0));
        bool left_out = false;
        for (size_t i = 0; name && i < sizeof never / sizeof *never; i++)
            left_out = left_out || strncmp(name, never[i], strlen(never[i])) == 0;
        JSON_EACH (word, left_out ? NULL : option)
            list_add(&words, arena, json_string_value(word));
    }
    for (size_t i = first; i < panorama->loads.count; i++) {
        list_add(&words, arena, "--load");
        list_add(&words, arena, panorama->loads.item[i]);
    }
    list_add(&words, arena, "--");
    list_add_all(&words, arena, (const char *const *)experiment->target.item,
                 experiment->target.count);
    OWNED char *text = must(words_quote(words.item, words.count));
    return arena_format(arena, "%s", text);
}

// "memory, cache and disk", of the names of the loads from the `first` on.
static const char *names_text(const struct panorama *panorama, size_t first)
{
    struct arena *arena = &panorama->experiment->arena;
    const struct option_list *loads = &panorama->loads;
    const char *text = "";
    for (size_t i = first; i < loads->count; i++)
        text = arena_format(arena, "%s%s%.*s", text,
                            i == first              ? ""
                            : i + 1 == loads->count ? " and "
                                                    : ", ",
                            (int)strcspn(loads->item[i], "="), loads->item[i]);
    return text;
}

// Where the user's time is too short for six runs of each: fewer neighbours.
static void fit(struct panorama *panorama)
{
    struct plan_request *experiment = panorama->experiment;
    const double time_s = (double)experiment->settings.max_time_ns / NS_PER_S;
    const double runs = (double)experiment->settings.min_runs;
    size_t count = panorama->loads.count;
    if (!panorama->look->known || experiment->settings.runs_before_time > 0 || !(time_s > 0))
        return;
    while (count > 1 && runs * block_s(panorama, count) > time_s)
        count--;
    // What remains has its six runs, also where it was thought to be a little faster.
    const double least_s = runs * block_s(panorama, count);
    if (least_s <= time_s)
        experiment->settings.runs_before_time = experiment->settings.min_runs;
    else if (!experiment->session.quiet)
        complain("6 runs alone and beside one neighbour take about %s: in %s there is no interval",
                 duration(&experiment->arena, least_s), duration(&experiment->arena, time_s));
    if (count < panorama->loads.count && !experiment->session.quiet)
        complain("in %s there is no time for 6 runs beside %s: for these: %s",
                 duration(&experiment->arena, time_s), names_text(panorama, count),
                 rest_text(panorama, count));
    panorama->loads.count = count;
}

// "; about 16 runs of each: where single runs vary by 10 %, expect ranges of ± 9 %", as far as
// Student's t of pairs tells; "" where nobody knows.
static const char *range_text(struct arena *arena, double runs, double confidence)
{
    struct critical critical;
    if (!(runs >= 2))
        return "";
    critical_init(&critical, confidence);
    const double range = 10 * critical_t(&critical, runs - 1) * sqrt(2 / runs);
    critical_free(&critical);
    return arena_format(arena,
                        "; about %.0f runs of each: where single runs vary by 10 %%, expect ranges "
                        "of ± %.0f %%",
                        runs, range);
}

static void say(const struct panorama *panorama)
{
    struct plan_request *experiment = panorama->experiment;
    const struct settings *settings = &experiment->settings;
    struct arena *arena = &experiment->arena;
    const double block = panorama->look->known ? block_s(panorama, panorama->loads.count) : 0;
    double total_s =
        settings->max_time_ns > 0 ? (double)settings->max_time_ns / NS_PER_S : INFINITY;
    if (block > 0) {
        const double most = settings->max_runs > 0 ? (double)settings->max_runs : INFINITY;
        total_s = fmin(fmax((double)settings->runs_before_time * block, total_s), most * block);
    }
    if (experiment->session.quiet || !isfinite(total_s))
        return;
    if (panorama->look->network && panorama->placed)
        complain(
            "while it ran, %.3g MB/s went over the network or the loopback of this machine: so "
            "it is measured beside such traffic, too",
            panorama->look->bytes_per_s / 1e6);
    complain(
        "measuring %s alone and beside each of these: %s, for about %s (change with --quick or "
        "--for TIME)%s",
        experiment->target.count > 0 ? experiment->target.item[0] : "the target",
        names_text(panorama, 0), duration(arena, total_s),
        range_text(arena,
                   block > 0 ? fmax(floor(total_s / block), (double)settings->runs_before_time)
                             : NAN,
                   settings->confidence));
}

// ---- all of it

// A session that continues has the neighbours of the one before it.
static bool take_earlier(struct panorama *panorama, const json_t *old)
{
    struct plan_request *experiment = panorama->experiment;
    const char *cpus = json_text_at(json_object_get(old, "settings"), "target_cpus");
    if (cpus && !experiment->settings.target_cpus)
        experiment->settings.target_cpus = arena_format(&experiment->arena, "%s", cpus);
    JSON_EACH (load, json_object_get(old, "loads")) {
        const char *name = json_text_at(load, "name"), *spec = json_text_at(load, "spec"),
                   *title = json_text_at(load, "title");
        if (!name || !spec)
            continue;
        list_add(&panorama->loads, &experiment->arena,
                 arena_format(&experiment->arena, "%s=%s", name, spec));
        if (title && experiment->descriptions.count < DESCRIPTIONS)
            experiment->descriptions.item[experiment->descriptions.count++] =
                (struct titled){.name = arena_format(&experiment->arena, "%s", name),
                                .title = arena_format(&experiment->arena, "%s", title),
                                .by_cpu_time = json_is_true(json_object_get(load, "by_cpu_time"))};
    }
    return panorama->loads.count > 0;
}

struct option_list panorama_metrics(struct plan_request *experiment)
{
    static const char both[] = "wall_s,cpu_s";
    struct option_list metrics = {0};
    bool wanted = false;
    for (size_t i = 0; i < experiment->descriptions.count; i++)
        wanted = wanted || experiment->descriptions.item[i].by_cpu_time;
    if (!wanted || experiment->settings.metric.count > 0)
        return experiment->settings.metric;
    list_add(&metrics, &experiment->arena, both);
    ask(experiment, "--metric", both);
    // Two that decide would widen all intervals, and six runs would have none.
    if (!experiment->settings.decide) {
        experiment->settings.decide = "wall_s";
        ask(experiment, "--decide", "wall_s");
    }
    return metrics;
}

struct option_list panorama_loads(struct plan_request *experiment, const json_t *old)
{
    const char *folder = getenv("JOSTLE_LOOK");
    struct settings *settings = &experiment->settings;
    const bool chosen = settings->load_cpus || settings->place || settings->place_cpus;
    struct look look = {0};
    struct panorama panorama = {.experiment = experiment,
                                .look = &look,
                                .placed = !chosen && !settings->service &&
                                          settings->engine == ENGINE_METER};
    set_limits(experiment);
    experiment->look_wanted = !old && !folder;
    if (old && take_earlier(&panorama, old)) {
        say(&panorama);
        return panorama.loads;
    }
    if (folder)
        look = look_read(&experiment->arena, folder);
    panorama.seats = seat_all(settings, &look);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        if (settings->service || look.network || !neighbours[i].of_network)
            add_neighbour(&panorama, &neighbours[i]);
    if (panorama.placed && panorama.seats.pin) {
        char text[CPUS_TEXT];
        settings->target_cpus = arena_format(
            &experiment->arena, "%s", cpus_format(&panorama.seats.target, text, sizeof text));
        ask(experiment, "--target-cpus", settings->target_cpus);
    }
    if (experiment->look_wanted)
        return panorama.loads;
    fit(&panorama);
    say(&panorama);
    return panorama.loads;
}

void panorama_describe(const struct plan_request *experiment)
{
    const struct descriptions *all = &experiment->descriptions;
    for (size_t i = 0; i < experiment->conditions.count; i++)
        for (size_t k = 0; k < all->count; k++) {
            struct condition *condition = &experiment->conditions.condition[i];
            if (strcmp(condition->name, all->item[k].name) != 0)
                continue;
            condition->title = all->item[k].title;
            condition->by_cpu_time = all->item[k].by_cpu_time;
        }
}
