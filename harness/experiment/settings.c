// The options of an experiment: their rows, and what goes together.

#include "settings.h"

#include "common/child.h"
#include "common/messages.h"
#include "common/ready.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/record/defaults.h"
#include "harness/record/objective.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ONCE            "it is for all variants, {variant} in it is the name of one"
#define ALL_FAILURES    "all-non-zero"
#define FEWEST          DEFAULT_TEXT(DEFAULT_MIN_RUNS)
#define MOST_RUNS       DEFAULT_TEXT(DEFAULT_MAX_RUNS)
#define GATE_NS         (60LL * NS_PER_S) // a gate without limits ends neither before this time
#define MOST            (NO_RUN_LIMIT - 1)
#define UNLIMITED_LOOKS 1000
#define NO_PROBE        "JOSTLE_NO_PROBE" // not empty: as --no-probe
#define NS_PER_US       1000
#define NS_PER_S        1000000000

static const char *const engines[] = {"meter", "hyperfine", NULL};
static const char *const places[] = {"core", "smt", "l3", "node", "other-node", "machine", NULL};

// The exit code at *text, which is moved behind it and its comma; -1: there is none.
static int next_code(const char **text)
{
    char *end;
    const long code = strtol(*text, &end, 10);
    if (**text < '0' || **text > '9' || code > 255 || (*end != ',' && *end != '\0'))
        return -1;
    *text = end + (*end == ',');
    return (int)code;
}

static bool check_codes(const char *text, char *error, size_t size)
{
    const char *at = text;
    size_t count = 0;
    while (strcmp(text, ALL_FAILURES) != 0 && (*at != '\0' || at == text)) {
        if (next_code(&at) >= 0 && ++count <= IGNORED_MOST)
            continue;
        snprintf(error, size, "not a list of exit codes: give one such as 1,2, or " ALL_FAILURES);
        return false;
    }
    return true;
}

// `ignore_codes` of experiment.json: the exit codes that --ignore-failure names; null: all.
static json_t *settings_ignored(const struct settings *settings)
{
    const char *at = settings->ignore_failure;
    if (!at || strcmp(at, ALL_FAILURES) == 0)
        return json_null();
    json_t *codes = json_array();
    while (*at != '\0')
        json_array_append_new(codes, json_integer(next_code(&at)));
    return codes;
}

static bool check_service(const char *text, char *error, size_t size)
{
    const char *why = "it has no word";
    size_t count = 0;
    OWNED char **words = words_split(text, &count, &why);
    if (words && count > 0)
        return true;
    snprintf(error, size, "not a command (%s): give one such as 'redis-server --port 7000'", why);
    return false;
}

#define ROW(name, argument, type, member) OPTION_ROW(struct settings, name, argument, type, member)

const struct option_row settings_rows[] = {
    {ROW("error", "E", OPTION_FRACTION, error), .maximum = 1, .exclusive = true,
     .preset = DEFAULT_TEXT(DEFAULT_ERROR),
     .usual = "measure until the range is within E of the figure (default: 5%)",
     .change = CHANGES_LIMIT,
     .help = "stop when the relative error (half-width of the confidence interval / mean) is at "
             "most E"},
    {ROW("confidence", "C", OPTION_FRACTION, confidence), .maximum = 1, .exclusive = true,
     .preset = DEFAULT_TEXT(DEFAULT_CONFIDENCE), .change = CHANGES_LIMIT,
     .help = "confidence of every interval"},
    {ROW("min-runs", "N", OPTION_COUNT, min_runs), .letter = 'm', .minimum = 1, .maximum = MOST,
     .change = CHANGES_LIMIT,
     .help = "runs of each condition at least (default: " FEWEST ", or --max-runs where that is "
             "less)"},
    {ROW("max-runs", "N", OPTION_COUNT, max_runs), .letter = 'M', .minimum = 1, .maximum = MOST,
     .change = CHANGES_LIMIT,
     .help = "runs of each condition at most (default: " MOST_RUNS "; with --max-time no limit; of "
             "--at-most and --same-within " MOST_RUNS " or as many as a minute has, whichever are "
             "more)"},
    {ROW("runs", "N", OPTION_COUNT, runs), .letter = 'r', .minimum = 1, .maximum = MOST,
     .apart = true, .help = "exactly N runs of each condition: --min-runs N --max-runs N"},
    {ROW("max-time", "TIME", OPTION_TIME, max_time_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .usual = "start no further run after this time", .change = CHANGES_LIMIT,
     .help = "start no further run after TIME"},
    {ROW("warmup", "N", OPTION_COUNT, warmup), .letter = 'w', .maximum = MOST, .preset = "0",
     .help = "runs of each condition before the measurement; recorded as block 0, not used"},
    {ROW("metric", "METRIC", OPTION_LIST, metric), .check = metrics_check,
     .wrong = "no-such-metric",
     .usual = "what is measured: a counter, a figure of the output, @ADAPTER (default: wall_s)",
     .change = CHANGES_LIMIT, .apart = true,
     .help = "what is measured, must converge, and pass --at-most (default: wall_s); may be given "
             "again: names joined by commas, such as wall_s,cpu_s,context_switches, or all "
             "(wall_s, user_s, system_s, max_rss_bytes); or a figure that the target prints, "
             "NAME=stdout:/REGEX/ (also stderr:, file:PATH:, jq:EXPRESSION), with "
             ",unit=U,better=higher,take=first|sum|mean|max appended (NAME@VARIANT=... where one "
             "variant prints it otherwise); or what is counted, perf:EVENT[/EVENT] (names as perf "
             "list has them, IPC, MPKI) and energy:package; or @ADAPTER, which knows "
             "a program's output (jostle adapters lists them). The slowdown of the wall time is "
             "shown in any case"},
    {ROW("decide", "LIST", OPTION_TEXT, decide), .change = CHANGES_LIMIT, .apart = true,
     .help = "of the metrics only these must converge and pass --at-most; the others are reported "
             "(default: all)"},
    {ROW("statistic", "NAME", OPTION_CHOICE, statistic), .choices = statistic_names,
     .preset = "typical", .change = CHANGES_LIMIT,
     .help = "what a condition is summarised by, and whose ratio a slowdown is: typical (the "
             "middle of the ratios of paired runs, which stragglers hardly move; of a condition "
             "its median), mean, median, trimmed (mean of the middle 60 %), p90 or p99 "
             "(percentiles)"},
    {ROW("discard-warmup", "N", OPTION_COUNT, discard_warmup), .maximum = MOST, .preset = "0",
     .help = "leave the first N runs of each condition out of the result; they stay recorded"},
    {ROW("variant", "NAME=CMD", OPTION_LIST, variant),
     .usual = "a program to be compared with the others, in place of TARGET", .apart = true,
     .help = "a program to be measured against the others, in place of TARGET; give two or more, "
             "the first is the reference; without NAME= it is named by its words"},
    {ROW("parameter-list", "VAR VALUES", OPTION_LIST, parameter_list), .letter = 'L', .more = 1,
     .check = parameters_check_list, .wrong = "x", .apart = true,
     .help = "a variant for each of VALUES (with commas between), which replaces {VAR} in the "
             "command and in --setup, --prepare, --conclude, --cleanup; several options: every "
             "combination; also as VAR=VALUES"},
    {ROW("parameter-scan", "VAR MIN MAX", OPTION_LIST, parameter_scan), .letter = 'P', .more = 2,
     .check = parameters_check_scan, .wrong = "x=1..y", .apart = true,
     .help = "as --parameter-list, for the numbers from MIN to MAX; also as VAR=MIN..MAX or "
             "VAR=MIN..MAX..STEP"},
    {ROW("parameter-step-size", "STEP", OPTION_TEXT, parameter_step), .letter = 'D',
     .check = parameters_check_step, .wrong = "x", .apart = true,
     .help = "step of --parameter-scan (default: 1, where MIN and MAX are whole)"},
    {ROW("shell", "SHELL", OPTION_TEXT, shell), .letter = 'S', .bare = "default",
     .help = "have SHELL (sh) run TARGET, which is one word then, and each --variant; its start is "
             "part of the figure; none: never (default: only where TARGET is one word, or a "
             "--variant, with something that only a shell understands)"},
    {ROW("input", "FILE", OPTION_TEXT, input),
     .help =
         "the target's stdin, opened anew for each run (default: /dev/null); jostle's own stdin "
         "is never the target's"},
    {ROW("stdout", "WHERE", OPTION_TEXT, out),
     .help = "the target's stdout: null (the default: discarded, by /dev/zero, as some programs do "
             "less where it is /dev/null), pipe (one that meter empties), inherit (the terminal), "
             "or a file, which has that of "
             "the last run"},
    {ROW("stderr", "FILE", OPTION_TEXT, errors),
     .help = "the target's stderr goes to FILE (default: the end of it is kept where a run fails)"},
    {ROW("setup", "CMD", OPTION_TEXT, setup), .again = ONCE, .letter = 's',
     .help = "run CMD with bash once for each variant, before the first run"},
    {ROW("prepare", "CMD", OPTION_LIST, prepare), .letter = 'p',
     .usual = "run CMD before each run, unmeasured",
     .help = "run CMD with bash before each run, unmeasured; {variant} in it, and in --setup, "
             "--conclude and --cleanup, is the variant's name"},
    {ROW("conclude", "CMD", OPTION_LIST, conclude), .letter = 'C',
     .help = "run CMD with bash after each run, unmeasured"},
    {ROW("cleanup", "CMD", OPTION_TEXT, cleanup), .again = ONCE, .letter = 'c',
     .help = "run CMD with bash once for each variant, after the last run, also where that has "
             "failed"},
    {ROW("service", "CMD", OPTION_TEXT, service), .check = check_service, .wrong = "'",
     .help = "start this server before the runs; the target is then its client. A shell runs it "
             "only where CMD has something that only a shell understands; it is started anew for "
             "each block, and ended after the last run"},
    {ROW("ready", "SIGN", OPTION_TEXT, ready), .check = ready_check, .wrong = "port:x",
     .help = "what shows that the service can be used: port:6379, http:URL, match:/REGEX/ in its "
             "output, or a command that succeeds"},
    {ROW("ready-timeout", "TIME", OPTION_TIME, ready_timeout_ns), .minimum = 1e6,
     .maximum = OPTION_TIME_MOST, .preset = "30s", .change = CHANGES_NOTHING,
     .help = "give up when the service is not ready after TIME"},
    {ROW("stop-signal", "SIGNAL", OPTION_TEXT, stop_signal), .check = signal_check,
     .wrong = "NOSIGNAL", .preset = "TERM",
     .help = "what ends the service; SIGKILL does 10 s later"},
    {ROW("keep-service", NULL, OPTION_FLAG, keep_service),
     .help = "one service for all runs, not a new one for each block"},
    {ROW("service-warmup", "N", OPTION_COUNT, service_warmup), .maximum = MOST, .preset = "1",
     .help = "unmeasured runs of the client after each start of the service, without a load: a "
             "service that has just started is often slower; recorded as block 0, not used"},
    {ROW("service-cpus", "LIST", OPTION_CPUS, service_cpus),
     .help = "pin the service to these CPUs"},
    {ROW("cold", NULL, OPTION_FLAG, cold),
     .help = "empty the page cache before each run: all of it as root, otherwise only what "
             "--cold-path names"},
    {ROW("cold-path", "PATH", OPTION_LIST, cold_path),
     .help = "file or folder to drop from the page cache without root; may be given again"},
    {ROW("timeout", "TIME", OPTION_TIME, timeout_ns), .minimum = 1e6, .maximum = OPTION_TIME_MOST,
     .help = "end a run, and its whole process tree, after TIME"},
    {ROW("ignore-failure", "CODES", OPTION_TEXT, ignore_failure), .letter = 'i',
     .bare = ALL_FAILURES, .check = check_codes, .wrong = "1,x", .apart = true,
     .help = "continue when the target fails, and use such runs: those that the time-out ended "
             "as lower bounds, those that were not started never; with CODES (exit codes with "
             "commas between; 128 + N for signal N) only those that end with one of them"},
    {ROW("in", "IMAGE", OPTION_TEXT, in), .check = container_check, .wrong = "image",
     .help = "run TARGET in a container: podman:IMAGE or docker:IMAGE; starting it is part of each "
             "run"},
    {ROW("account", "GROUP", OPTION_TEXT, account), .check = account_check, .wrong = "group",
     .help =
         "the target is a client: CPU time, memory and stalls are those of the container or job "
         "that does the work: podman:NAME, docker:NAME, job (this one, on this node), or "
         "cgroup:PATH"},
    {ROW("target-cpus", "LIST", OPTION_CPUS, target_cpus), .help = "pin the target to these CPUs"},
    {ROW("load-cpus", "LIST", OPTION_CPUS, load_cpus), .help = "pin the loads to these CPUs"},
    {ROW("place", "core|smt|l3|node|other-node|machine", OPTION_TEXT, place), .as = OPTION_CHOICE,
     .choices = places,
     .help = "where the loads run, seen from the target; pins both. With --service it is seen from "
             "the service, and the target has "
             "the CPUs that are left"},
    {ROW("place-cpus", "N[:M]", OPTION_TEXT, place_cpus), .check = option_check_cores,
     .wrong = "1:",
     .help = "with --place: cores for the target, and for the loads (default: 1, and as many)"},
    {ROW("nice", "N", OPTION_INTEGER, nice), .minimum = -20, .maximum = 19,
     .help = "priority of the target, the same in every condition"},
    {ROW("load-nice", "N", OPTION_INTEGER, load_nice), .minimum = -20, .maximum = 19,
     .help = "priority of the loads"},
    {ROW("setting", "NAME=CMDS", OPTION_LIST, setting), .check = adjustment_check_own, .wrong = "x",
     .help = "a setting of your own, NAME='on: COMMAND; off: COMMAND', for --load '[NAME] SPEC': "
             "bash runs the one before each run of that condition, the other after it, whatever "
             "ends the run; a second jostle with the same setting waits"},
    {ROW("pause", NULL, OPTION_FLAG, pause), .change = CHANGES_NOTHING,
     .help =
         "a load pid:N, cgroup:PATH or job:ID, which runs already, may be stopped (SIGSTOP) and "
         "continued, again and again: what it costs the target is what the target gains "
         "without it"},
    {ROW("settle", "TIME", OPTION_TIME, settle_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .preset = "1s", .help = "how long an exec: load runs before a run starts"},
    {ROW("seed", "N", OPTION_INTEGER, seed), .maximum = OPTION_SEED_MOST,
     .help = "seed of the random order (default: taken from the clock, and recorded)"},
    {ROW("engine", "NAME", OPTION_CHOICE, engine), .choices = engines, .preset = "meter",
     .help = "what measures a run: meter or hyperfine"},
    {ROW("no-probe", NULL, OPTION_FLAG, no_probe), .change = CHANGES_NOTHING, .apart = true,
     .help = "do not look first who uses the machine, nor measure before each block what it "
             "reaches on the target's CPUs (0.1 s at most, a tenth of the block's time); so does "
             "JOSTLE_NO_PROBE=1 in the environment"},
    {ROW("strict", NULL, OPTION_FLAG, strict), .change = CHANGES_NOTHING,
     .help = "refuse to measure on a machine with other load, swapping, throttling or memory "
             "pressure"},
    {0},
};

const struct option_row slowdown_rows[] = {
    {ROW("aa", NULL, OPTION_FLAG, aa),
     .help = "measure the baseline twice: the apparent slowdown of the second is the noise floor"},
    {ROW("at-most", "R", OPTION_REAL, at_most), .maximum = 1e6, .exclusive = true,
     .usual = "a gate for scripts: exit 3 when a slowdown is surely above R",
     .change = CHANGES_LIMIT,
     .help =
         "a gate: exit 0 when every slowdown (with variants: every ratio to the first "
         "variant), of each metric that decides, is surely below R, 3 when one is above, 4 when "
         "undecided"},
    {ROW("same-within", "P", OPTION_FRACTION, same_within), .maximum = 1, .exclusive = true,
     .change = CHANGES_LIMIT,
     .help = "variants that surely differ by less than P, such as 2%, are the same: stop when each "
             "is faster, slower or the same as the first; exit 4 when undecided"},
    {ROW("washout", "RUNS|TIME", OPTION_TEXT, washout), .check = washout_check, .wrong = "soon",
     .preset = "auto",
     .help = "what comes between a loaded run and the next of another condition: so many runs "
             "without load, recorded and not used; or a pause; or auto: as many as the baseline "
             "shows to be needed"},
    {0},
};

const struct option_row protect_rows[] = {
    {ROW("until", "X", OPTION_REAL, until), .minimum = 1, .maximum = 1e6, .exclusive = true,
     .usual = "find the weakest setting that keeps the slowdown below X, such as 1.05",
     .help = "find the weakest setting that keeps the slowdown below X, such as 1.05: the one with "
             "which the neighbour achieves most"},
    {0},
};

const struct option_row capacity_rows[] = {
    {ROW("slo", "OBJECTIVE", OPTION_TEXT, slo), .check = objectives_check, .wrong = "p99",
     .usual = "what a run has to keep, such as p99_ms<2",
     .help = "what a run has to keep: METRIC<VALUE, or with <=, > or >=, in the metric's unit; "
             "several joined by commas must all be kept"},
    {ROW("vary", "NAME=LOW..HIGH", OPTION_TEXT, vary), .check = vary_check, .wrong = "rate",
     .usual = "what is varied, such as rate=1000..200000",
     .help = "what is varied, and within which limits: {NAME} in the target's words is replaced by "
             "a value, an integer where both limits are. The highest value that keeps the "
             "objective is found; ,unit=U appended to it names the unit"},
    {0},
};

const char *const service_settings[] = {
    "ready",          "ready-timeout", "stop-signal", "keep-service",
    "service-warmup", "service-cpus",  NULL};

// Those of experiment.json, in its order; those of a campaign are the first two.
static const struct option_row *const tables[] = {settings_rows, slowdown_rows, protect_rows, NULL};

const struct option_row *setting_find(const char *name)
{
    const struct option_row *row = option_find(settings_rows, name);
    return row ? row : option_find(slowdown_rows, name);
}

void experiment_settings_begin(struct settings *settings)
{
    *settings = (struct settings){
        .nice = OPTION_NOT_GIVEN, .load_nice = OPTION_NOT_GIVEN, .seed = OPTION_NOT_GIVEN};
    options_presets(settings_rows, settings);
    options_presets(slowdown_rows, settings);
}

// The environment may say that there is to be no probe, as a flag of a campaign file does.
static void take_no_probe(struct settings *settings)
{
    static const struct option_row row = {.name = NO_PROBE, .type = OPTION_FLAG};
    const char *text = getenv(NO_PROBE);
    char error[64];
    bool wanted = false;
    if (text && *text != '\0' && !option_set(&row, &wanted, text, error, sizeof error))
        usage_error(NO_PROBE "=%s: %s", text, error);
    settings->no_probe = settings->no_probe || wanted;
}

// A command of --ready that is not there would only be found out when nothing is ready: most often
// it is a word such as prot:6379. What has a path, --setup may make.
static void check_ready_command(const char *text)
{
    struct ready ready;
    char error[256], path[PATH_MAX];
    const char *why;
    size_t count = 0;
    const bool command =
        ready_parse(&ready, text, error, sizeof error) && ready.kind == READY_COMMAND;
    OWNED char **words = command ? words_split(text, &count, &why) : NULL;
    if (words && !strchr(words[0], '/') && !child_find(words[0], path))
        usage_error("--ready %s: there is no program '%s': give port:6379, http:URL, match:/REGEX/ "
                    "or a command",
                    text, words[0]);
}

// A limit that the user gave is the only one. A gate without any has one that can decide.
static void set_limits(struct settings *settings)
{
    const bool gate = settings->at_most > 0 || settings->same_within > 0;
    if (settings->max_runs > 0)
        return;
    settings->max_runs = NO_RUN_LIMIT;
    if (settings->max_time_ns > 0)
        return;
    if (gate) {
        settings->max_time_ns = GATE_NS;
        settings->runs_before_time = DEFAULT_MAX_RUNS;
    } else {
        settings->max_runs =
            settings->min_runs > DEFAULT_MAX_RUNS ? settings->min_runs : DEFAULT_MAX_RUNS;
    }
}

json_t *settings_looks(const struct settings *settings)
{
    const uint64_t least =
        settings->min_runs > UNLIMITED_LOOKS ? settings->min_runs : UNLIMITED_LOOKS;
    const bool unlimited = settings->max_runs == NO_RUN_LIMIT;
    json_t *looks = must(json_pack("{s:I, s:I}", "from", (json_int_t)settings->min_runs, "to",
                                   (json_int_t)(unlimited ? least : settings->max_runs)));
    if (unlimited && settings->max_time_ns > 0)
        json_object_set_new(looks, "for_s", json_real((double)settings->max_time_ns / NS_PER_S));
    return looks;
}

void settings_complete(struct settings *settings)
{
    struct timespec now;
    if (settings->runs > 0 && settings->min_runs > 0)
        usage_error("--runs %ju and --min-runs %ju: give one of them", (uintmax_t)settings->runs,
                    (uintmax_t)settings->min_runs);
    if (settings->runs > 0)
        settings->min_runs = settings->max_runs = settings->runs;
    set_limits(settings);
    if (settings->out && strcmp(settings->out, "null") == 0)
        settings->out = NULL;
    if (settings->engine == ENGINE_HYPERFINE && (settings->out || settings->errors))
        usage_error("--stdout and --stderr: hyperfine keeps the output to itself: leave out "
                    "--engine hyperfine");
    if (settings->min_runs == 0)
        settings->min_runs =
            settings->max_runs < DEFAULT_MIN_RUNS ? settings->max_runs : DEFAULT_MIN_RUNS;
    if (settings->max_runs < settings->min_runs)
        usage_error("--max-runs %ju is below --min-runs %ju: swap them",
                    (uintmax_t)settings->max_runs, (uintmax_t)settings->min_runs);
    if (settings->service && !settings->ready)
        usage_error("--service: how is it known that it is up? Give --ready, such as --ready "
                    "port:6379");
    if (settings->service && !settings->setup)
        check_ready_command(settings->ready);
    take_no_probe(settings);
    if (settings->seed == OPTION_NOT_GIVEN) {
        clock_gettime(CLOCK_REALTIME, &now);
        settings->seed = (now.tv_sec * (NS_PER_S / NS_PER_US) + now.tv_nsec / NS_PER_US) %
                         (int64_t)OPTION_SEED_MOST;
    }
}

void settings_check_variants(const struct settings *settings, bool has_variants)
{
    if (settings->same_within > 0 && !has_variants)
        usage_error("--same-within compares variants, and there are none: give two --variant, or "
                    "--at-most for a load");
}

json_t *cell_read(const char *file)
{
    json_error_t error;
    json_t *cell = json_read_record(file, 0, &error);
    if (!cell)
        usage_error(
            "--cell %s: it is no JSON file that can be read (%s): give a cell of a campaign", file,
            error.text);
    if (!json_is_string(json_object_get(cell, "name")))
        usage_error("--cell %s: it has no name: give a cell of a campaign", file);
    return cell;
}

static void set_from_cell(const struct option_row *row, struct settings *settings, const char *text)
{
    char error[512];
    if (!option_set(row, settings, text, error, sizeof error))
        usage_error("--cell: %s %s: %s", row->name, text, error);
}

void cell_apply(const json_t *cell, struct arena *arena, struct settings *settings,
                const struct options *given)
{
    json_t *texts = json_object_get(cell, "settings"), *value;
    const char *name;
    json_object_foreach(texts, name, value)
    {
        const struct option_row *row = setting_find(name);
        const char *text = json_string_value(value);
        if (!text)
            usage_error("--cell: %s: not a text: write settings as they are on a command line",
                        name);
        if (options_given(given, name))
            continue;
        if (!row)
            usage_error("--cell: %s %s: no such setting: see the options of jostle slowdown --help",
                        name, text);
        if (row->type != OPTION_LIST) {
            set_from_cell(row, settings, text);
            continue;
        }
        // A list has an item a line.
        char *rest = NULL, *lines = arena_format(arena, "%s", text);
        for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            set_from_cell(row, settings, line);
    }
}

struct option_list cell_command(const json_t *cell, struct arena *arena)
{
    struct option_list words = {0};
    JSON_EACH (word, json_object_get(cell, "command")) {
        if (!json_is_string(word))
            usage_error("--cell: command: not all words are texts: write them as strings");
        list_add(&words, arena, json_string_value(word));
    }
    return words;
}

struct option_list cell_loads(const json_t *cell, struct arena *arena)
{
    const json_t *loads = json_object_get(cell, "loads");
    const char *node = json_string_value(json_object_get(cell, "node"));
    struct option_list list = {0};
    JSON_EACH (load, loads) {
        const char *name = json_string_value(json_object_get(load, "name"));
        const char *spec = json_string_value(json_object_get(load, "spec"));
        if (!name || !spec)
            usage_error("--cell: loads: give each a name and a spec");
        list_add(&list, arena, arena_format(arena, "%s%s=%s", name, !node ? "" : node, spec));
    }
    return list;
}

// A text for all variants, an array of one for each, or null.
static json_t *hooks_to_json(const struct option_list *list)
{
    return list->count > 1 ? texts_to_json(list->item, list->count)
                           : text_to_json(list->count == 1 ? list->item[0] : NULL);
}

json_t *settings_to_json(const struct settings *settings)
{
    json_t *object = json_object();
    for (size_t i = 0; tables[i]; i++)
        options_to_json(tables[i], settings, object);
    json_put(object, "prepare", hooks_to_json(&settings->prepare));
    json_put(object, "conclude", hooks_to_json(&settings->conclude));
    // They have presets, and say nothing without a service.
    if (!settings->service) {
        json_put(object, "ready_timeout_s", json_null());
        json_put(object, "stop_signal", json_null());
        json_put(object, "service_warmup", json_null());
    }
    json_put(object, "ignore_failure", json_boolean(settings->ignore_failure != NULL));
    json_put(object, "ignore_codes", settings_ignored(settings));
    json_put(object, "probe", json_boolean(!settings->no_probe));
    if (settings->max_runs == NO_RUN_LIMIT)
        json_put(object, "max_runs", json_null());
    json_put(object, "capacity",
             settings->slo ? json_pack("{s:s, s:s}", "slo", settings->slo, "vary", settings->vary)
                           : json_null());
    return object;
}

bool settings_may_change(const char *name)
{
    const struct option_row *row = NULL;
    for (size_t i = 0; tables[i] && !row; i++)
        row = option_recorded(tables[i], name);
    return (row && row->change != CHANGES_EXPERIMENT) || strcmp(name, "probe") == 0;
}

// Whether every record has all metrics of a --metric LIST, or of several, a line each. Those
// of the program's output, and counters, are only in records of runs that looked for them.
static bool always_measured(const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",\n");
        bool known = length == strlen("all") && strncmp(at, "all", length) == 0;
        for (size_t i = 0; i < METRICS_ALWAYS && !known; i++)
            known = length == strlen(builtin_metrics[i].name) &&
                    strncmp(at, builtin_metrics[i].name, length) == 0;
        if (!known)
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

bool setting_is_limit(const char *name, const char *text)
{
    const struct option_row *row = setting_find(name);
    return row && row->change == CHANGES_LIMIT &&
           (strcmp(name, "metric") != 0 || always_measured(text));
}

json_t *settings_limits(const json_t *settings)
{
    json_t *found = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)settings, name,
                        value) if (setting_is_limit(name, json_string_value(value)))
        json_object_set(found, name, value);
    return found;
}
