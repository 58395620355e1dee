// Tells programs that run for a fixed time, by their options or by what they do beside a load.
#include "fixed_time.h"

#include "json.h"
#include "messages.h"
#include "shares.h"

#include "common/memory.h"
#include "common/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- by its options ----

enum { OPTIONS_MOST = 4 };

static const struct {
    const char *name, *test;           // test: a word that has to be there, too; NULL: none
    const char *adapter;               // NULL: there is none
    bool usually;                      // its time is fixed also where no option says so
    const char *time[OPTIONS_MOST];    // options that fix its time; with 0 they do not
    const char *needed[OPTIONS_MOST];  // one of these has to be there, too; none: nothing has
    const char *instead[OPTIONS_MOST]; // options that fix its work, unless they are 0
} programs[] = {
    {"sysbench", "cpu", "@sysbench-cpu", true, {"--time"}, {"run"}, {"--events"}},
    {"sysbench", "threads", "@sysbench-cpu", true, {"--time"}, {"run"}, {"--events"}},
    {"sysbench", "fileio", "@sysbench-fileio", true, {"--time"}, {"run"}, {"--events"}},
    {.name = "sysbench",
     .test = "memory",
     .adapter = "@sysbench-memory",
     .time = {"--time"},
     .needed = {"run"},
     .instead = {"--memory-total-size", "--events"}},
    {"wrk", NULL, "@wrk2", true, {"-d", "--duration"}, {"-R", "--rate"}, {NULL}},
    {"wrk", NULL, "@wrk", true, {"-d", "--duration"}, {NULL}, {NULL}},
    {"wrk2", NULL, "@wrk2", true, {"-d", "--duration"}, {NULL}, {NULL}},
    {"pgbench", NULL, "@pgbench", false, {"-T", "--time"}, {NULL}, {NULL}},
    {"fio", NULL, "@fio", false, {"--runtime"}, {"--time_based"}, {NULL}},
    {.name = "iperf3",
     .adapter = "@iperf3",
     .usually = true,
     .time = {"-t", "--time"},
     .needed = {"-c", "--client"},
     .instead = {"-n", "--bytes", "-k", "--blockcount"}},
    {"stress-ng", NULL, NULL, false, {"-t", "--timeout"}, {NULL}, {NULL}},
    {"hey", NULL, "@hey", false, {"-z"}, {NULL}, {NULL}},
    {"ab", NULL, "@ab", false, {"-t"}, {NULL}, {NULL}},
    {"vegeta", "attack", "@vegeta", false, {"-duration", "--duration"}, {NULL}, {NULL}},
    {"schbench", NULL, "@schbench", true, {"-r", "--runtime"}, {NULL}, {NULL}},
    {"openloop", NULL, "@openloop", true, {NULL}, {NULL}, {NULL}}, // its rate fixes it
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

// What runs the program that follows it.
static const char *const wrappers[] = {"env",     "nice",    "ionice", "taskset", "chrt",
                                       "numactl", "setarch", "stdbuf", "time",    "timeout"};
enum { WRAPPERS = sizeof wrappers / sizeof *wrappers };

// Some of the words of a command line.
struct words {
    const char *const *word;
    size_t count;
};

static const char *base_name(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash ? slash + 1 : word;
}

static bool is_wrapper(const char *name)
{
    for (size_t i = 0; i < WRAPPERS; i++)
        if (strcmp(name, wrappers[i]) == 0)
            return true;
    return false;
}

// The words from the program on that assignments and wrappers, with their options and numbers, run.
static struct words without_wrappers(struct words words)
{
    bool wrapped = false;
    while (words.count > 0) {
        const char *word = words.word[0];
        const bool is_theirs = wrapped && (*word == '-' || isdigit((unsigned char)*word));
        if (!is_theirs && !words_assignment(word) && !is_wrapper(base_name(word)))
            break;
        wrapped = wrapped || is_wrapper(base_name(word));
        words.word++;
        words.count--;
    }
    return words;
}

// The value of an option, as --time=5, --time 5, -T5; "" where it has none; NULL: it is not there.
static const char *value_of(struct words words, const char *option)
{
    const size_t length = strlen(option);
    const bool is_letter = length == 2 && option[1] != '-';
    for (size_t i = 1; i < words.count; i++) {
        const char *word = words.word[i];
        if (strncmp(word, option, length) != 0)
            continue;
        if (word[length] == '\0')
            return i + 1 < words.count ? words.word[i + 1] : "";
        if (word[length] == '=')
            return word + length + 1;
        if (is_letter && isdigit((unsigned char)word[length]))
            return word + length;
    }
    return NULL;
}

// Whether one of the options is there; with another value than 0 where that is asked.
static bool has_one(struct words words, const char *const *options, bool above_zero)
{
    for (size_t i = 0; i < OPTIONS_MOST && options[i]; i++) {
        const char *value = value_of(words, options[i]);
        if (value && !(above_zero && strcmp(value, "0") == 0))
            return true;
    }
    return false;
}

static bool is_fixed(struct words all, const char **adapter)
{
    const struct words words = without_wrappers(all);
    for (size_t i = 0; i < PROGRAMS && words.count > 0; i++) {
        if (strcmp(base_name(words.word[0]), programs[i].name) != 0 ||
            (programs[i].test && !value_of(words, programs[i].test)) ||
            (programs[i].needed[0] && !has_one(words, programs[i].needed, false)))
            continue;
        const bool is_endless =
            has_one(words, programs[i].time, false) && !has_one(words, programs[i].time, true);
        *adapter = programs[i].adapter;
        return !is_endless && !has_one(words, programs[i].instead, true) &&
               (programs[i].usually || has_one(words, programs[i].time, true));
    }
    return false;
}

// A pipeline takes as long as the one of its programs whose time is fixed. What else a shell obeys
// is not understood.
static bool line_is_fixed(const char *line, const char **adapter)
{
    size_t count = 0, from = 0;
    const char *error = NULL;
    OWNED char **words = words_split(line, &count, &error);
    bool found = false;
    for (size_t i = 0; words && i <= count; i++) {
        if (i < count && strcmp(words[i], "|") != 0) {
            const char *obeyed = words_operator(words[i]);
            if (obeyed && *obeyed != '>' && *obeyed != '<')
                return false;
            continue;
        }
        found =
            found || is_fixed((struct words){(const char *const *)words + from, i - from}, adapter);
        from = i + 1;
    }
    return found;
}

bool fixed_time_by_options(const json_t *command, const char **adapter)
{
    const size_t count = json_array_size(command);
    OWNED const char **words = must(calloc(count + 1, sizeof *words));
    *adapter = NULL;
    for (size_t i = 0; i < count; i++)
        words[i] = json_string_value(json_array_get(command, i)) ?: "";
    const bool is_shell =
        count == 3 && strcmp(words[1], "-c") == 0 &&
        (strcmp(base_name(words[0]), "sh") == 0 || strcmp(base_name(words[0]), "bash") == 0);
    return is_shell ? line_is_fixed(words[2], adapter)
                    : is_fixed((struct words){words, count}, adapter);
}

static const json_t *command_of(const struct session *session, size_t condition)
{
    const json_t *json = session->experiment ? session->experiment->json : NULL;
    const json_t *variants = json_object_get(json, "variants");
    const size_t variant = settings_variant(session->settings, condition);
    return json_object_get(json_array_size(variants) > 0 ? json_array_get(variants, variant) : json,
                           "command");
}

bool fixed_time_of_condition(const struct session *session, size_t condition, const char **adapter)
{
    return fixed_time_by_options(command_of(session, condition), adapter);
}

// ---- by what it does ----

// A program that has the same work to do has no less CPU time for it beside a load. One that has
// less than this part of it, and whose wall time changes by less than this part of the loss, does
// less. One that mostly sleeps may have less because the load keeps the clock of the CPU high.
static const double less_cpu = 0.9, same_wall = 0.2, mostly_busy = 0.5;
enum { PAIRS_TO_TELL = 5 };

// What is known of one variant of the target.
struct fixed {
    bool by_options, by_cpu;
    const char *adapter;
    double cpu_ratio; // beside the load that shows it; NAN: none does
};

static void look_beside(struct session *session, size_t condition, struct fixed *fixed)
{
    struct pairs cpu = {0}, wall = {0};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const int base = run->condition == (int)condition ? session_partner(session, run) : -1;
        if (base < 0)
            continue;
        const struct times *after = &session->facts[run->fact].account.times,
                           *before = &session->facts[session->runs[base].fact].account.times;
        pairs_sum(&cpu, before->cpu_s, after->cpu_s);
        pairs_sum(&wall, before->wall_s, after->wall_s);
    }
    if (cpu.count < PAIRS_TO_TELL || !(cpu.mean_x >= mostly_busy * wall.mean_x))
        return;
    const double t = critical_t(&session->critical, (double)cpu.count - 1);
    const struct interval ratio = interval_ratio(&cpu, t, t);
    if (ratio.high < less_cpu &&
        fabs(wall.mean_y - wall.mean_x) <= same_wall * (cpu.mean_x - cpu.mean_y)) {
        fixed->by_cpu = true;
        fixed->cpu_ratio = ratio.center;
    }
}

static struct fixed fixed_of(struct session *session, size_t variant)
{
    const struct settings *settings = session->settings;
    struct fixed fixed = {.cpu_ratio = NAN};
    fixed.by_options = fixed_time_of_condition(session, variant, &fixed.adapter);
    if (!fixed.by_options)
        fixed.adapter = NULL;
    for (size_t i = 0; i < settings->condition_count; i++)
        if (!fixed.by_cpu && settings_variant(settings, i) == variant &&
            settings_is_loaded(settings, (int)i))
            look_beside(session, i, &fixed);
    return fixed;
}

// ---- records ----

static json_t *fixed_json(const struct fixed *fixed)
{
    if (!fixed->by_options && !fixed->by_cpu)
        return json_null();
    char *text = text_of("it runs for a fixed time, so what changes is what it gets done: %s%s",
                         fixed->adapter ? "measure that with --metric " : "give a --metric",
                         fixed->adapter ? fixed->adapter : " that it prints");
    return json_pack("{s:s, s:s?, s:o, s:o}", "why", fixed->by_options ? "options" : "cpu-time",
                     "adapter", fixed->adapter, "cpu_ratio", json_figure(fixed->cpu_ratio), "text",
                     json_owned_text(text));
}

static void warn(const struct session *session, size_t condition, size_t metric,
                 const struct fixed *fixed, json_t *warnings)
{
    const struct settings *settings = session->settings;
    struct message message = {.flag = FLAG_FIXED_TIME,
                              .condition = settings->conditions[condition],
                              .metric = settings->metrics.item[metric].name};
    message_detail(&message, "how", "%s",
                   fixed->by_options ? "" : " (beside a load it took as long, with less CPU time)");
    message_detail(&message, "remedy", "%s%s", fixed->adapter ? "measure with --metric " : "",
                   fixed->adapter ? fixed->adapter
                                  : "measure what it gets done, with a --metric that it prints");
    message_add(warnings, &message);
}

// Adds it to the records of ratios, by the variants that these are of.
static void add_to_ratios(const struct session *session, json_t *ratios, const struct fixed *fixed)
{
    const struct settings *settings = session->settings;
    JSON_EACH (ratio, ratios) {
        const int condition = settings_condition(settings, json_text_at(ratio, "condition")),
                  reference = settings_condition(settings, json_text_at(ratio, "reference"));
        const struct fixed *its = NULL;
        for (size_t m = 0; m < settings->metrics.count; m++) {
            if (!json_text_is(ratio, "metric", settings->metrics.item[m].name) ||
                !metrics_is_time(&settings->metrics, m) || condition < 0 || reference < 0)
                continue;
            its = &fixed[settings_variant(settings, (size_t)condition)];
            if (!its->by_options && !its->by_cpu)
                its = &fixed[settings_variant(settings, (size_t)reference)];
        }
        json_object_set_new(ratio, "fixed_time", its ? fixed_json(its) : json_null());
    }
}

void fixed_time_add(struct session *session, json_t *summary)
{
    const struct settings *settings = session->settings;
    json_t *conditions = json_object_get(summary, "conditions");
    struct fixed fixed[MAX_CONDITIONS];
    for (size_t i = 0; i < settings->condition_count; i++) {
        const size_t variant = settings_variant(settings, i);
        if (variant == i)
            fixed[i] = fixed_of(session, i);
        json_object_set_new(json_array_get(conditions, i), "fixed_time",
                            fixed_json(&fixed[variant]));
    }
    add_to_ratios(session, json_object_get(summary, "slowdowns"), fixed);
    add_to_ratios(session, json_object_get(summary, "comparisons"), fixed);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_variant(settings, i) == i && settings->condition_count > 1 &&
                !settings_has_capacity(settings) && (fixed[i].by_options || fixed[i].by_cpu) &&
                settings->metrics.item[m].decides && metrics_is_time(&settings->metrics, m))
                warn(session, i, m, &fixed[i], json_object_get(summary, "warnings"));
}
