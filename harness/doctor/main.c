// doctor: what makes results wrong on this machine, and what to do about it.

#include "doctor.h"

#include "common/child.h"
#include "common/counters.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "common/text.h"
#include "harness/stats/json.h"

#include <stdlib.h>
#include <unistd.h>

#define EXIT_DIRTY 3

struct choices {
    bool quick, strict, json, gate, noise;
    int64_t seconds_ns;
};

#define ROW(name, argument, type, member) OPTION_ROW(struct choices, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("quick", NULL, OPTION_FLAG, quick), .help = "leave the noise floor out: about a second"},
    {ROW("seconds", "TIME", OPTION_TIME, seconds_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .preset = "6s", .help = "how long to do fixed work for the noise floor"},
    {ROW("noise", NULL, OPTION_FLAG, noise),
     .help = "instead: what the kernel and others take of each CPU (OS noise), for --seconds"},
    {ROW("strict", NULL, OPTION_FLAG, strict), .help = "exit 3 when something warns"},
    {ROW("json", NULL, OPTION_FLAG, json),
     .help = "print a jostle.doctor/1 (or jostle.os-noise/1), not lines"},
    // For jostle run --strict.
    {ROW("gate", NULL, OPTION_FLAG, gate), .hidden = true,
     .help = "say on one line why this machine is not fit to measure on, and exit 1"},
    {0},
};

static void parse(struct choices *choices, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = choices}};
    const struct program program = {
        .name = "jostle doctor",
        .intro = "Checks this machine, and the current folder, for what makes measurements wrong: "
                 "CPU frequency and heat, other load, stolen time, swapping, memory settings, "
                 "clocks, limits, disks, virtual machines, containers, schedulers. Then does the "
                 "same work again and again and shows how much its times differ: the noise floor "
                 "for CPU, memory and the disk of the current folder (32 MiB, without a trace).\n\n"
                 "A line for each finding: ok; warn, with what to do; unknown, where this machine "
                 "does not show it.",
        .details = "Exit status:\n"
                   "  0  checked    1  failure    2  wrong use    3  a warning, with --strict",
        .groups = groups,
        .group_count = 1,
    };
    *choices = (struct choices){0};
    options_free(options_parse(&program, argc, argv, NULL));
}

// Every check that does no work of its own, in the order of their lines.
static const struct check *const checks[] = {checks_of_machine, checks_of_system, checks_of_limits,
                                             checks_of_build};

static void make_checks(struct findings *findings, bool gates_alone)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (findings->check = checks[i]; findings->check->name; findings->check++)
            if (findings->check->gates || !gates_alone)
                findings->check->make(findings);
}

// Whether a measurement would be worth nothing now.
static int gate(const struct watch *watch)
{
    struct findings findings = {.watch = watch};
    char reasons[2048] = "";
    make_checks(&findings, true);
    for (size_t i = 0; i < findings.count; i++)
        if (findings.finding[i].status == STATUS_WARN)
            text_append(reasons, sizeof reasons, "; ", "%s: %s", findings.finding[i].check,
                        findings.finding[i].text);
    if (reasons[0] == '\0')
        return EXIT_SUCCESS;
    complain("--strict: this machine is not fit to measure on (%s): see jostle doctor, or leave "
             "--strict out",
             reasons);
    return EXIT_FAILURE;
}

static bool print_json(const struct findings *findings, json_t *noise)
{
    struct counters counters;
    counters_read(&counters);
    json_auto_t *record = json_pack(
        "{s:s, s:o, s:o, s:o, s:i, s:i, s:O}", "schema", SCHEMA_DOCTOR, "environment",
        environment_to_json(&counters), "counters", counters_to_json(&counters), "findings",
        findings_to_json(findings), "warnings", (int)findings_count(findings, STATUS_WARN),
        "unknown", (int)findings_count(findings, STATUS_UNKNOWN), "noise_floor", noise);
    return record && json_print(record, stdout, RECORD_FORMAT);
}

static int examine(const struct choices *choices, const struct watch *watch)
{
    struct findings findings = {.watch = watch};
    json_auto_t *noise = json_null();
    bool written = true;
    make_checks(&findings, false);
    if (!choices->quick) {
        noise = noise_measure(choices->seconds_ns);
        if (!noise)
            return EXIT_FAILURE;
        check_noise(&findings, noise);
    }
    if (choices->json)
        written = print_json(&findings, noise);
    else
        findings_print(&findings);
    if (!written || fflush(stdout) != 0)
        return EXIT_FAILURE;
    return choices->strict && findings_count(&findings, STATUS_WARN) > 0 ? EXIT_DIRTY
                                                                         : EXIT_SUCCESS;
}

static int show_noise(const struct choices *choices)
{
    json_auto_t *noise = detours_measure(choices->seconds_ns);
    if (!noise)
        return EXIT_FAILURE;
    const bool written = choices->json ? output_json(noise, "-", stdout) : detours_print(noise);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The noise floor needs another program.
static bool has_meter(void)
{
    char path[PATH_MAX];
    return access(child_path("meter", path), X_OK) == 0 ||
           complain("%s is missing: run make, or use --quick", path);
}

int main(int argc, char **argv)
{
    streams_open();
    struct choices choices;
    struct watch watch;
    parse(&choices, argc, argv);
    if (choices.noise && (choices.quick || choices.strict))
        usage_error("--noise and --%s: OS noise is nothing that is warned of: give one of them",
                    choices.quick ? "quick" : "strict");
    if (choices.noise)
        return show_noise(&choices);
    if (!choices.gate && !choices.quick && !has_meter())
        return EXIT_FAILURE;
    watch_machine(&watch);
    const int code = choices.gate ? gate(&watch) : examine(&choices, &watch);
    watch_free(&watch);
    return code;
}
