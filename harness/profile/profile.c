// Reads a profile, and judges whether its runs are enough for an effect.

#include "profile.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/file.h"
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

static bool say(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

bool profile_from_json(struct program_profile *profile, json_t *record, char *why, size_t size)
{
    const json_t *pressure = json_object_get(record, "pressure"),
                 *program = json_object_get(record, "program"),
                 *machine = json_object_get(record, "machine"),
                 *alone = json_object_get(record, "alone"),
                 *noise = json_object_get(record, "noise");
    const char *schema = json_text_at(record, "schema");
    const double n = json_number_at(noise, "n");
    *profile = (struct program_profile){
        .name = json_text_or_empty(program, "name"),
        .made = json_text_or_empty(record, "made"),
        .version = json_text_or_empty(record, "jostle"),
        .sha256 = json_text_or_empty(program, "sha256"),
        .host = json_text_or_empty(machine, "host"),
        .place = json_text_or_empty(record, "place"),
        .machine = json_text_or_empty(machine, "hash"),
        .alone_s = json_number_at(json_object_get(alone, "wall_s"), "mean"),
        .cpus_used = json_number_at(alone, "cpus_used"),
        .noise_sd = json_number_at(noise, "sd"),
        .noise_n = n > 0 ? (size_t)n : 0,
        .confidence = json_confidence_at(record),
    };
    if (!schema || strncmp(schema, "jostle.program/", 15) != 0)
        return say(why, size, "holds no profile: give a file that jostle profile has made");
    if (strcmp(schema, SCHEMA_PROGRAM) != 0)
        return say(why, size, "is of another version of jostle: make it again with jostle profile");
    if (!sensitivity_from_json(&profile->sensitivity, json_object_get(record, "sensitivity"),
                               profile->confidence) ||
        json_array_size(json_object_get(pressure, "reporters")) > PROFILE_REPORTERS ||
        json_array_size(json_object_get(pressure, "beside_loads")) > PROFILE_BESIDE ||
        profile->name[0] == '\0' || !isfinite(profile->alone_s))
        return say(why, size, "is an incomplete profile: make it again with jostle profile");
    profile->record = json_incref(record);
    return true;
}

bool profile_read(struct program_profile *profile, const char *path, char *why, size_t size)
{
    json_error_t error;
    *profile = (struct program_profile){0};
    FILE *file = file_open_record(path);
    if (!file) {
        snprintf(why, size, "cannot be read (%s): give a file that jostle profile has made",
                 file_why(errno));
        return false;
    }
    json_t *record = json_loadf(file, 0, &error);
    (void)fclose(file);
    if (!record) {
        snprintf(why, size, "is no JSON (line %d): give a file that jostle profile has made",
                 error.line);
        return false;
    }
    const bool good = profile_from_json(profile, record, why, size);
    json_decref(record);
    return good;
}

void profile_free(struct program_profile *profile)
{
    json_decref(profile->record);
    profile->record = NULL;
}

static void add_words(json_t *words, const char *const *more)
{
    for (; *more != NULL; more++)
        json_add(words, json_text(*more));
}

// What a lap does around the program: --prepare, --input, --conclude, and a failure that is to be
// ignored.
static const char lap[] = "[[ ! $1 ]] || bash -c \"$1\" || exit; "
                          "\"${@:5}\" <\"$2\"; code=$?; "
                          "[[ ! $4 ]] || bash -c \"$4\" || exit; "
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
        add_words(loop,
                  (const char *const[]){"bash", "-c", lap, "bash", prepare ? prepare : "",
                                        input ? input : "/dev/null", ignored ? ignored : "none",
                                        conclude ? conclude : "", NULL});
    // As an experiment has it: one word that only a shell understands.
    if (json_array_size(words) == 1 && words_need_shell(first))
        add_words(loop, (const char *const[]){"sh", "-c", NULL});
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
