#include "profile.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"

const char *const beside_reporters[BESIDE_REPORTERS] = {
    [BESIDE_GAP] = "gap",
    [BESIDE_L2] = "l2",
    [BESIDE_MEMORY] = "memory",
    [BESIDE_FAULTS] = "faults",
};

void profile_begin(struct program_profile *profile)
{
    *profile = (struct program_profile){
        .alone = {NAN, NAN, NAN, NAN, 0, NAN, NAN, NAN},
        .noise = {NAN, NAN, 0},
        .pressure_cpus_used = NAN,
    };
}

static size_t count_at(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (size_t)value : 0;
}

static void take_alone(struct program_profile *profile, const json_t *alone)
{
    const json_t *wall = json_object_get(alone, "wall_s");
    struct profile_alone *to = &profile->alone;
    to->mean_s = json_number_at(wall, "mean");
    to->low_s = json_bound_at(wall, 0);
    to->high_s = json_bound_at(wall, 1);
    to->sd_s = json_number_at(wall, "sd");
    to->n = count_at(wall, "n");
    to->cpus_used = json_number_at(alone, "cpus_used");
    to->threads = json_number_at(alone, "threads");
    to->burst_s = json_number_at(alone, "burst_s");
}

static void take_noise(struct program_profile *profile, const json_t *noise)
{
    profile->noise.sd = json_number_at(noise, "sd");
    profile->noise.correlation = json_number_at(noise, "correlation");
    profile->noise.n = count_at(noise, "n");
}

static void take_head(struct program_profile *profile, const json_t *record)
{
    const json_t *program = json_object_get(record, "program");
    const json_t *machine = json_object_get(record, "machine");
    const json_t *cpus = json_object_get(record, "cpus");
    json_copy_text(record, "made", profile->made, sizeof profile->made);
    json_copy_text(record, "jostle", profile->version, sizeof profile->version);
    json_copy_text(record, "place", profile->place, sizeof profile->place);
    json_copy_text(program, "name", profile->name, sizeof profile->name);
    json_copy_text(program, "sha256", profile->sha256, sizeof profile->sha256);
    json_copy_text(machine, "host", profile->host, sizeof profile->host);
    json_copy_text(machine, "kernel", profile->kernel, sizeof profile->kernel);
    json_copy_text(machine, "hash", profile->machine, sizeof profile->machine);
    json_copy_text(cpus, "target", profile->target_cpus, sizeof profile->target_cpus);
    json_copy_text(cpus, "loads", profile->load_cpus, sizeof profile->load_cpus);
    profile->confidence = json_confidence_at(record);
}

static bool take_reporters(struct program_profile *profile, const json_t *reporters)
{
    size_t i;
    const json_t *one;
    json_array_foreach(reporters, i, one)
    {
        if (i == PROFILE_REPORTERS)
            return false;
        struct profile_reporter *to = &profile->reporter[profile->reporters++];
        json_copy_text(one, "name", to->name, sizeof to->name);
        to->log_ratio = json_number_at(one, "log_ratio");
        to->low = json_bound_at(one, 0);
        to->high = json_bound_at(one, 1);
        to->sd = json_number_at(one, "sd");
        to->n = count_at(one, "n");
    }
    return true;
}

static bool take_besides(struct program_profile *profile, const json_t *besides)
{
    size_t i;
    const json_t *one;
    json_array_foreach(besides, i, one)
    {
        if (i == PROFILE_BESIDE)
            return false;
        struct profile_beside *to = &profile->beside[profile->besides++];
        json_copy_text(one, "kind", to->kind, sizeof to->kind);
        to->level = json_number_at(one, "level");
        for (size_t r = 0; r < BESIDE_REPORTERS; r++)
            to->log_ratio[r] =
                json_number_at(json_object_get(one, "log_ratios"), beside_reporters[r]);
    }
    return true;
}

static bool say(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

bool profile_from_json(struct program_profile *profile, const json_t *record, char *why,
                       size_t size)
{
    const json_t *pressure = json_object_get(record, "pressure");
    const char *schema = json_string_value(json_object_get(record, "schema"));
    profile_begin(profile);
    if (!schema || strncmp(schema, "jostle.program/", 15) != 0)
        return say(why, size, "holds no profile: give a file that jostle profile has made");
    if (strcmp(schema, SCHEMA_PROGRAM) != 0)
        return say(why, size, "is of another version of jostle: make it again with jostle profile");
    take_head(profile, record);
    take_alone(profile, json_object_get(record, "alone"));
    take_noise(profile, json_object_get(record, "noise"));
    profile->pressure_cpus_used = json_number_at(pressure, "cpus_used");
    if (!sensitivity_from_json(&profile->sensitivity, json_object_get(record, "sensitivity"),
                               profile->confidence) ||
        !take_reporters(profile, json_object_get(pressure, "reporters")) ||
        !take_besides(profile, json_object_get(pressure, "beside_loads")) ||
        profile->name[0] == '\0' || !isfinite(profile->alone.mean_s) || !(profile->confidence > 0))
        return say(why, size, "is an incomplete profile: make it again with jostle profile");
    profile->record = must(json_deep_copy(record));
    return true;
}

bool profile_read(struct program_profile *profile, const char *path, char *why, size_t size)
{
    json_error_t error;
    profile_begin(profile);
    if (access(path, R_OK) != 0) {
        snprintf(why, size, "cannot be read (%s): give a file that jostle profile has made",
                 strerror(errno));
        return false;
    }
    json_t *record = json_read_record(path, 0, &error);
    if (!record) {
        snprintf(why, size, "is no JSON (line %d): give a file that jostle profile has made",
                 error.line);
        return false;
    }
    const bool good = profile_from_json(profile, record, why, size);
    json_decref(record);
    return good;
}

static json_t *alone_to_json(const struct profile_alone *alone)
{
    return must(json_pack(
        "{s:{s:o, s:o, s:o, s:I}, s:o, s:o, s:o}", "wall_s", "mean", number_to_json(alone->mean_s),
        "ci", bounds_to_json(alone->low_s, alone->high_s), "sd", number_to_json(alone->sd_s), "n",
        (json_int_t)alone->n, "cpus_used", number_to_json(alone->cpus_used), "threads",
        number_to_json(alone->threads), "burst_s", number_to_json(alone->burst_s)));
}

static json_t *reporters_to_json(const struct program_profile *profile)
{
    json_t *array = must(json_array());
    for (size_t i = 0; i < profile->reporters; i++) {
        const struct profile_reporter *one = &profile->reporter[i];
        json_add(array, must(json_pack("{s:s, s:o, s:o, s:o, s:I}", "name", one->name, "log_ratio",
                                       number_to_json(one->log_ratio), "ci",
                                       bounds_to_json(one->low, one->high), "sd",
                                       number_to_json(one->sd), "n", (json_int_t)one->n)));
    }
    return array;
}

static json_t *besides_to_json(const struct program_profile *profile)
{
    json_t *array = must(json_array());
    for (size_t i = 0; i < profile->besides; i++) {
        const struct profile_beside *one = &profile->beside[i];
        json_t *ratios = must(json_object());
        for (size_t r = 0; r < BESIDE_REPORTERS; r++)
            json_put(ratios, beside_reporters[r], number_to_json(one->log_ratio[r]));
        json_add(array, must(json_pack("{s:s, s:o, s:o}", "kind", one->kind, "level",
                                       number_to_json(one->level), "log_ratios", ratios)));
    }
    return array;
}

static json_t *head_to_json(const struct program_profile *profile)
{
    return json_pack("{s:s, s:o, s:s, s:{s:o, s:o}, s:{s:s, s:s, s:o}, s:s, s:{s:s, s:s}, s:o}",
                     "schema", SCHEMA_PROGRAM, "made", text_to_json(profile->made), "jostle",
                     profile->version, "program", "name", text_to_json(profile->name), "sha256",
                     text_to_json(profile->sha256[0] != '\0' ? profile->sha256 : NULL), "machine",
                     "host", profile->host, "kernel", profile->kernel, "hash",
                     text_to_json(profile->machine[0] != '\0' ? profile->machine : NULL), "place",
                     profile->place, "cpus", "target", profile->target_cpus, "loads",
                     profile->load_cpus, "confidence", number_to_json(profile->confidence));
}

static json_t *body_to_json(const struct program_profile *profile)
{
    const struct profile_noise *noise = &profile->noise;
    return json_pack("{s:o, s:{s:o, s:o, s:I}, s:o, s:{s:o, s:o, s:o}}", "alone",
                     alone_to_json(&profile->alone), "noise", "sd", number_to_json(noise->sd),
                     "correlation", number_to_json(noise->correlation), "n", (json_int_t)noise->n,
                     "sensitivity", sensitivity_to_json(&profile->sensitivity), "pressure",
                     "cpus_used", number_to_json(profile->pressure_cpus_used), "reporters",
                     reporters_to_json(profile), "beside_loads", besides_to_json(profile));
}

json_t *profile_to_json(const struct program_profile *profile)
{
    json_t *head = must(head_to_json(profile)), *body = must(body_to_json(profile));
    json_t *kept = must(profile->record ? json_deep_copy(profile->record) : json_object());
    if (json_object_update(head, body) != 0 || json_object_update_recursive(kept, head) != 0)
        must(NULL);
    json_decref(head);
    json_decref(body);
    return kept;
}

void profile_free(struct program_profile *profile)
{
    json_decref(profile->record);
    profile->record = NULL;
}

// Mean and variance of a reporter over the blocks that have it.
struct moments {
    size_t n;
    double mean, variance; // of one block, with n - 1; NAN below two
};

static double at(const struct pressure_readings *readings, size_t block, size_t reporter)
{
    return readings->log_ratio[block * readings->reporters + reporter];
}

static struct moments moments_of(const struct pressure_readings *readings, size_t reporter)
{
    struct moments moments = {0, 0, NAN};
    double squares = 0;
    for (size_t b = 0; b < readings->blocks; b++) {
        const double value = at(readings, b, reporter), delta = value - moments.mean;
        if (!isfinite(value))
            continue;
        moments.mean += delta / (double)++moments.n;
        squares += delta * (value - moments.mean);
    }
    if (moments.n == 0)
        moments.mean = NAN;
    if (moments.n > 1)
        moments.variance = squares / (double)(moments.n - 1);
    return moments;
}

double pressure_mean(const struct pressure_readings *readings, size_t reporter)
{
    return moments_of(readings, reporter).mean;
}

void pressure_reporters(struct program_profile *profile, const struct pressure_readings *readings)
{
    profile->reporters = 0;
    for (size_t r = 0; r < readings->reporters && r < PROFILE_REPORTERS; r++) {
        const struct moments moments = moments_of(readings, r);
        struct profile_reporter *one = &profile->reporter[profile->reporters++];
        *one = (struct profile_reporter){.log_ratio = moments.mean, .n = moments.n};
        snprintf(one->name, sizeof one->name, "%s", readings->name[r]);
        one->sd = sqrt(moments.variance / (double)moments.n);
        one->low = one->high = NAN;
        if (moments.n > 1) {
            const double t =
                gsl_cdf_tdist_Pinv(0.5 + profile->confidence / 2, (double)moments.n - 1);
            one->low = one->log_ratio - t * one->sd;
            one->high = one->log_ratio + t * one->sd;
        }
    }
}

static void add(json_t *words, const char *const *more)
{
    for (; *more != NULL; more++)
        json_add(words, json_text(*more));
}

// What a lap does around the program: --prepare, --input, --conclude, and a failure that is to be
// ignored.
static const char lap[] = "[[ ! $1 ]] || bash -c \"$1\" >/dev/null || exit; "
                          "\"${@:5}\" <\"$2\"; code=$?; "
                          "[[ ! $4 ]] || bash -c \"$4\" >/dev/null || exit; "
                          "case ,$3, in ,any,|*,$code,*) exit 0;; esac; exit $code";

// The program as a load that is run again and again.
static json_t *loop_words(const json_t *program)
{
    const json_t *words = json_object_get(program, "words");
    const char *input = json_text_at(program, "input"), *prepare = json_text_at(program, "prepare");
    const char *ignored = json_text_at(program, "ignore_failure");
    const char *conclude = json_text_at(program, "conclude");
    const char *first = json_string_value(json_array_get(words, 0));
    json_t *loop = must(json_pack("[s, s, s, s, s]", "exec", "--loop", "--settle", "0.05s", "--"));
    if (input || prepare || ignored || conclude)
        add(loop, (const char *const[]){"bash", "-c", lap, "bash", prepare ? prepare : "",
                                        input ? input : "/dev/null", ignored ? ignored : "none",
                                        conclude ? conclude : "", NULL});
    // As an experiment has it: one word that only a shell understands.
    if (json_array_size(words) == 1 && words_need_shell(first))
        add(loop, (const char *const[]){"sh", "-c", NULL});
    if (json_array_extend(loop, (json_t *)words) != 0)
        must(NULL);
    return loop;
}

// A word + is no joint of two loads.
char *loop_text(const char *name, const json_t *program)
{
    json_t *words = loop_words(program);
    OWNED char *text = NULL;
    JSON_EACH (word, words) {
        const char *one = json_string_value(word);
        OWNED char *quoted = strcmp(one, "+") == 0 ? text_of("'+'") : must(words_quote(&one, 1));
        text = text_joined(text, " ", quoted);
    }
    char *load = text_of("%s=%s", name, text);
    json_decref(words);
    return load;
}

// ---- the gate

static const double z_95 = 1.959964; // two-sided 95 % of the normal distribution

double gate_runs(double sd, double half_width)
{
    return ceil(2 * pow(z_95 * sd / half_width, 2));
}

static void describe(struct gate *gate)
{
    // The figure is not more exact than the sd is.
    const double runs =
        gate->runs_needed < 100 ? gate->runs_needed : round(gate->runs_needed / 10) * 10;
    (void)snprintf(gate->text, sizeof gate->text,
                   "alone-sd %.2g %%, it would take %.0f run%s a side for a half-width of %.2g %%",
                   100 * gate->sd, runs, runs > 1 ? "s" : "", 100 * gate->wanted);
}

struct gate profile_gate_judge(double sd, size_t n, double effect)
{
    struct gate gate = {.sd = NAN, .half_width = NAN, .runs_needed = NAN};
    gate.wanted = fmax(GATE_HALF_WIDTH, fabs(effect) / 4);
    if (!(sd >= 0) || n < GATE_LEAST_RUNS) {
        (void)snprintf(gate.text, sizeof gate.text,
                       "its noise is not known: %zu runs alone, where %d are the least", n,
                       GATE_LEAST_RUNS);
        return gate;
    }
    gate.sd = sd;
    gate.half_width = z_95 * gate.sd * sqrt(2.0 / GATE_RUNS);
    gate.runs_needed = gate_runs(gate.sd, gate.wanted);
    gate.passed = gate.runs_needed <= GATE_RUNS;
    describe(&gate);
    return gate;
}
