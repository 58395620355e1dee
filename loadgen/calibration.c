// The calibrations that are kept: what each one is of, where it is, and which one fits a run.

#include "frame.h"

#include "common/counters.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/trust.h"

#include <ctype.h>
#include <stdarg.h>

#define OLD_S (30 * 86400.0) // worth a warning

// Appends one more thing that the rate is of.
__attribute__((format(printf, 2, 3))) static void add_subject(struct calibration_key *key,
                                                              const char *format, ...)
{
    const size_t used = strlen(key->subject), size = sizeof key->subject;
    const char *comma = used > 0 ? ", " : "";
    va_list arguments;
    va_start(arguments, format);
    snprintf(key->subject + used, size - used, "%s", comma);
    vsnprintf(key->subject + used + strlen(comma), size - used - strlen(comma), format, arguments);
    va_end(arguments);
}

// Each pinned worker's rate is that of its CPU, and of what it shares with the others'.
static void add_cpus(const struct run *run, struct calibration_key *key)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT], pages[16];
    engine_worker_cpus(run, &cpus);
    add_subject(key, "CPU %s", cpus_format(&cpus, text, sizeof text));
    if (isfinite(run->quota_cpus))
        add_subject(key, "of a quota of %g CPUs", run->quota_cpus);
    // How large the system makes the pages of those who do not say: "madvise" of "always [madvise]
    // never". Without such a file it has only small ones.
    const char *at = machine_line(text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled")
                         ? strchr(text, '[')
                         : NULL;
    if (at && sscanf(at, "[%15[a-z]", pages) == 1)
        add_subject(key, "THP %s", pages);
}

void calibration_key(const struct run *run, struct calibration_key *key)
{
    *key = (struct calibration_key){.load = run->load->name};
    gethostname(key->host, sizeof key->host - 1);
    kept_machine(key->machine, sizeof key->machine);
    if (run->subject[0] != '\0')
        add_subject(key, "%s", run->subject);
    if (run->load->pinned)
        add_cpus(run, key);
    if (!settings_measured(run, key->options, sizeof key->options))
        usage_error("%s: options too long to keep a calibration of: give shorter ones",
                    run->load->name);
    if (!run->common.percent_of)
        return;
    snprintf(key->options, sizeof key->options, "%s", run->common.percent_of);
    snprintf(key->subject, sizeof key->subject, "%s",
             run->common.percent_on ? run->common.percent_on : "");
}

// "jostle calib mem --with '--kernel triad --threads 2'": what makes one; returns text.
static const char *calibration_command(const struct run *run, char *text, size_t size)
{
    const char *name = strcmp(run->load->name, "io") == 0 ? "disk" : run->load->name;
    char options[1024];
    if (settings_canonical(run, options, sizeof options) && options[0] != '\0')
        snprintf(text, size, "jostle calib %s --with '%s'", name, options);
    else
        snprintf(text, size, "jostle calib %s", name);
    return text;
}

// Appends ".VALUE" with everything odd in it as one underscore.
static void append_part(char *name, size_t size, const char *value)
{
    size_t used = strlen(name);
    bool odd = used == 0;
    if (used > 0 && used + 1 < size)
        name[used++] = '.';
    for (value += strspn(value, "-"); *value != '\0' && used + 1 < size; value++) {
        const bool plain = isalnum((unsigned char)*value) ||
                           (*value == '-' && value[-1] != ' ' && value[-1] != '-');
        if (plain || !odd)
            name[used++] = '_';
        if (plain)
            name[used - 1] = *value;
        odd = !plain;
    }
    name[used] = '\0';
}

// FNV-1a: distinguishes the keys whose names became the same, or were cut off.
static uint32_t hash(const char *text, uint32_t value)
{
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619U;
    return value;
}

int calibration_path(const struct calibration_key *key, char path[PATH_MAX])
{
    char name[NAME_MAX - 32] = "", whole[NAME_MAX + 32];
    append_part(name, sizeof name, key->host);
    append_part(name, sizeof name, key->load);
    append_part(name, sizeof name, key->options);
    const uint32_t number = hash(key->machine, hash(key->subject, hash(key->options, 2166136261U)));
    snprintf(whole, sizeof whole, "calibration/%s.%08x.json", name, number);
    return kept_path(whole, path);
}

bool calibration_take(const json_t *record, const struct calibration_key *key,
                      struct calibration_found *found)
{
    const struct {
        const char *name, *value;
    } members[] = {{"schema", SCHEMA_CALIBRATION}, {"host", key->host},
                   {"machine", key->machine},      {"load", key->load},
                   {"options", key->options},      {"subject", key->subject}};
    const double rate = json_number_value(json_object_get(record, "rate"));
    struct tm when = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!json_text_is(record, members[i].name, members[i].value))
            return false;
    if (!(rate > 0) || !isfinite(rate) ||
        !strptime(json_text_or_empty(record, "created"), "%Y-%m-%dT%H:%M:%SZ", &when))
        return false;
    // Records of older versions do not say what others used: 0.
    *found = (struct calibration_found){.rate = rate,
                                        .age_s = difftime(time(NULL), timegm(&when)),
                                        .foreign =
                                            json_number_value(json_object_get(record, "foreign"))};
    return true;
}

// Takes the calibration in the file, if it is one of the key.
static bool take_file(const char *path, const struct calibration_key *key,
                      struct calibration_found *found)
{
    json_t *record = json_read_record(path, 0, NULL);
    const bool good = calibration_take(record, key, found);
    if (good)
        snprintf(found->path, sizeof found->path, "%s", path);
    json_decref(record);
    return good;
}

int calibration_find(const struct run *run, struct calibration_found *found, char *error,
                     size_t size)
{
    const char *file = run->common.calibration;
    struct calibration_key key;
    char path[PATH_MAX], command[1100];
    calibration_key(run, &key);
    calibration_command(run, command, sizeof command);
    const bool kept = !file && calibration_path(&key, path) == 0;
    const bool trusted = kept && trust_path(path);
    if (trusted && take_file(path, &key, found))
        return 0;
    if (kept && !trusted)
        snprintf(error, size,
                 "%.200s: this calibration is not used: others than you can write to it: remove "
                 "it, or set XDG_CACHE_HOME to a folder of your own",
                 path);
    else if (!file)
        snprintf(error, size, "no calibration of this yet: make one: %s", command);
    else if (access(file, R_OK) != 0)
        snprintf(error, size, "--calibration %.200s: %s: name one that was kept", file,
                 strerror(errno));
    else if (take_file(file, &key, found))
        return 0;
    else
        return BECAUSE(error, size, "--calibration %.200s: is not for %s %s%s%s: make one: %s",
                       file, key.load, key.options, *key.subject != '\0' ? " on " : "", key.subject,
                       command);
    return -1;
}

// Says on stderr, for people, what was found and how old it is; an old one, and one of a busy
// machine, is a warning.
static void announce(struct run *run, const struct calibration_found *found)
{
    char age[32], whole[48], command[1100];
    const size_t size = sizeof age;
    if (run->common.if_missing)
        return; // the load that it is for says it
    if (found->age_s < 120)
        snprintf(age, size, "%.0f s", fmax(found->age_s, 0));
    else if (found->age_s < 7200)
        snprintf(age, size, "%.0f minutes", found->age_s / 60);
    else if (found->age_s < 2 * 86400)
        snprintf(age, size, "%.1f hours", found->age_s / 3600);
    else
        snprintf(age, size, "%.0f days", found->age_s / 86400);
    if (found->age_s > OLD_S)
        run_warn(run, "the calibration %s is %s old: make a new one: %s", found->path, age,
                 calibration_command(run, command, sizeof command));
    if (found->foreign > CALIBRATION_BUSY)
        run_warn(run,
                 "100%% was calibrated while other programs used %.0f %% of the CPUs, so the true "
                 "maximum may be higher (%s)",
                 100 * found->foreign, calibration_command(run, command, sizeof command));
    if (!run->report.json)
        fprintf(stderr, "100%% is %s, calibrated %s ago (%s)\n",
                units_format_rate(found->rate, run->unit, whole, sizeof whole), age, found->path);
}

int calibration_use(struct run *run, char *error, size_t size)
{
    if (calibration_find(run, &run->calibration, error, size) != 0)
        return -1;
    announce(run, &run->calibration);
    return 0;
}

double calibration_percent(const struct run *run)
{
    const bool percent = run->limit.kind == RATE_PERCENT && run->limit.value > 0;
    return !run->load->calibrations ? 0 : percent ? run->limit.value : run->stages_percent;
}

bool calibration_is_kept(const struct run *run)
{
    struct calibration_found found;
    char error[2048];
    return calibration_find(run, &found, error, sizeof error) == 0;
}

void calibration_describe(const struct run *run, struct line *line)
{
    if (run->calibration.path[0] == '\0')
        return;
    line_text(line, "calibration", run->calibration.path);
    line_fixed(line, "calibration_age_s", run->calibration.age_s, 6);
}
