// The figures of records as people see them: which member of which record is shown in which form.
#include "figures.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

// A member of an object; its unit is that of the nearest object around it that names one.
struct place {
    const json_t *object, *member;
    double value; // NAN: it is no number
    const char *unit;
};

typedef const char *(*writer)(const struct place *place, char *text);

// The members of a record that have a text, and how that is called, where not as the member.
struct form {
    const char *member;
    writer write;
    const char *name;
};

static const char *as_time(const struct place *place, char *text)
{
    return number_scaled(place->value, "s", text);
}

static const char *as_duration(const struct place *place, char *text)
{
    return number_duration(place->value, text);
}

static const char *as_size(const struct place *place, char *text)
{
    return number_scaled(place->value, "B", text);
}

static const char *in_its_unit(const struct place *place, char *text)
{
    return strcmp(place->unit, "ops/s") == 0 ? number_operations(place->value, text)
                                             : number_scaled(place->value, place->unit, text);
}

static const char *as_percent(const struct place *place, char *text)
{
    return number_percent(place->value, text);
}

static char *followed_by(const char *what, char *text)
{
    const size_t used = strlen(text);
    if (strcmp(text, "-") != 0)
        snprintf(text + used, NUMBER_SIZE - used, "%s", what);
    return text;
}

static const char *as_whole_percent(const struct place *place, char *text)
{
    number_fixed(100 * place->value, 0, text);
    return followed_by(" %", text);
}

// Of a number that is percent already.
static const char *with_percent(const struct place *place, char *text)
{
    number_fixed(place->value, 1, text);
    return followed_by(" %", text);
}

static const char *as_points(const struct place *place, char *text)
{
    return number_fixed(100 * place->value, 1, text);
}

// In percent, without the sign, which is in the title of the column.
static const char *as_share(const struct place *place, char *text)
{
    return number_fixed(100 * place->value, place->value < 0.1 ? 1 : 0, text);
}

static const char *as_level(const struct place *place, char *text)
{
    return number_level(place->value, text);
}

// The level of what is left of a level: of a false discovery rate.
static const char *as_rest(const struct place *place, char *text)
{
    return number_level(1 - place->value, text);
}

static const char *as_two_decimals(const struct place *place, char *text)
{
    return number_fixed(place->value, 2, text);
}

static const char *as_three_decimals(const struct place *place, char *text)
{
    return number_fixed(place->value, 3, text);
}

static const char *as_times(const struct place *place, char *text)
{
    number_fixed(place->value, 2, text);
    return followed_by("×", text);
}

// Exactly as it was given, without what a binary fraction adds.
static const char *as_given(const struct place *place, char *text)
{
    snprintf(text, NUMBER_SIZE, "%.10g", place->value);
    return text;
}

// "5 %" of a limit of 1.05, "2.5 times" of one of 2.5.
static const char *as_limit(const struct place *place, char *text)
{
    if (place->value < 2)
        snprintf(text, NUMBER_SIZE, "%.10g %%", 100 * (place->value - 1));
    else
        snprintf(text, NUMBER_SIZE, "%.10g times", place->value);
    return text;
}

static const char *as_ratio(const struct place *place, char *text)
{
    return number_ratio(place->value, json_bound_at(place->object, 0),
                        json_bound_at(place->object, 1), text);
}

static const char *as_change(const struct place *place, char *text)
{
    return number_percent(fabs(place->value - 1), text);
}

static double bound_of(const json_t *bounds, size_t index)
{
    const json_t *bound = json_array_get(bounds, index);
    return json_is_number(bound) ? json_number_value(bound) : NAN;
}

static const char *as_ratio_of_reference(const struct place *place, char *text)
{
    const json_t *ci = json_object_get(place->object, "of_reference_ci");
    return number_ratio(place->value, bound_of(ci, 0), bound_of(ci, 1), text);
}

// "1.037, 1.041", of several.
static const char *as_ratios(const struct place *place, char *text)
{
    size_t used = 0;
    *text = '\0';
    JSON_EACH (one, place->member) {
        char number[NUMBER_SIZE];
        number_fixed(json_is_number(one) ? json_number_value(one) : NAN, 3, number);
        used +=
            (size_t)snprintf(text + used, NUMBER_SIZE - used, "%s%s", used > 0 ? ", " : "", number);
        if (used > NUMBER_SIZE - 32)
            break;
    }
    return text;
}

// "[1.02, 1.10]"; "at least 1.02": the upper one is not known; "": neither is.
static const char *as_bounds(const struct place *place, char *text)
{
    char number[NUMBER_SIZE];
    const double low = bound_of(place->member, 0), high = bound_of(place->member, 1);
    if (isnan(low))
        *text = '\0';
    else if (isnan(high))
        snprintf(text, NUMBER_SIZE, "at least %.60s", number_fixed(low, 2, number));
    else
        number_interval(low, high, 2, text);
    return text;
}

static const char *as_mean_time(const struct place *place, char *text)
{
    const double low = json_bound_at(place->object, 0), high = json_bound_at(place->object, 1);
    return isnan(low) ? number_scaled(place->value, "s", text)
                      : number_with_interval(place->value, low, high, "s", text);
}

// A fraction with its interval, in percent.
static const char *as_percent_bounds(const struct place *place, char *text)
{
    const double low = 100 * json_bound_at(place->object, 0),
                 high = 100 * json_bound_at(place->object, 1);
    if (isnan(low) || isnan(place->value))
        return number_percent(place->value, text);
    return number_with_bounds(100 * place->value, low, high, "%", text);
}

// With its interval; where that is as wide on both sides, with its error.
static const char *as_center(const struct place *place, char *text)
{
    char error[NUMBER_SIZE];
    const double low = json_bound_at(place->object, 0), high = json_bound_at(place->object, 1),
                 relative = json_number_at(place->object, "error");
    if (!isnan(relative) && fabs(low + high - 2 * place->value) > 0.05 * (high - low))
        return number_with_bounds(place->value, low, high, place->unit, text);
    in_its_unit(place, text);
    return isnan(relative) ? text
                           : followed_by(number_percent(relative, error), followed_by(" ± ", text));
}

// The ratio that a logarithm is of.
static const char *as_growth(const struct place *place, char *text)
{
    return number_fixed(exp(place->value), 2, text);
}

static const char *as_growth_bounds(const struct place *place, char *text)
{
    const double low = bound_of(place->member, 0), high = bound_of(place->member, 1);
    if (isnan(low) || isnan(high))
        return strcpy(text, "(no interval)");
    return number_interval(exp(low), exp(high), 2, text);
}

static const char *estimate(double low_s, double high_s, char *text)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    if (isnan(low_s) || isnan(high_s))
        strcpy(text, "?");
    else if (high_s - low_s <= 0.1 * high_s)
        snprintf(text, NUMBER_SIZE, "about %.60s", number_duration((low_s + high_s) / 2, low));
    else
        snprintf(text, NUMBER_SIZE, "%.60s to %.60s", number_duration(low_s, low),
                 number_duration(high_s, high));
    return text;
}

static const char *as_estimate(const struct place *place, char *text)
{
    return estimate(json_number_at(place->member, "low"), json_number_at(place->member, "high"),
                    text);
}

static const char *as_total(const struct place *place, char *text)
{
    return estimate(place->value, json_number_at(place->object, "high_s"), text);
}

// "12 s"; "12 s to 3 min" where the most is another.
static const char *as_least_to_most(const struct place *place, char *text)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_duration(place->value, low);
    number_duration(json_number_at(place->object, "most_s"), high);
    snprintf(text, NUMBER_SIZE, strcmp(low, high) == 0 ? "%.60s" : "%.60s to %.60s", low, high);
    return text;
}

// How long one operation takes each worker, of a calibration; "-" where that means nothing, as an
// operation is some chunk of bytes.
static const char *as_operation(const struct place *place, char *text)
{
    const json_t *record = place->object, *ready = json_object_get(record, "ready");
    const double depth = json_number_at(ready, "depth"), rate = place->value,
                 at_once = json_number_at(record, "threads") * (isnan(depth) ? 1 : depth),
                 load_ns = json_number_at(json_object_get(record, "summary"), "ns_per_load");
    double each_s = NAN;
    if (!isnan(load_ns))
        each_s = load_ns * 1e-9;
    else if (rate > 0 && json_text_is(record, "unit", "ops/s"))
        each_s = at_once / rate;
    else if (rate > 0 &&
             (json_text_is(record, "load", "io") || json_text_is(ready, "protocol", "udp")))
        each_s = at_once / json_number_at(record, "operations_per_s");
    return number_scaled(each_s, "s", text);
}

static const struct form calibration[] = {{"rate", in_its_unit, "rate"},
                                          {"rate", as_operation, "operation"},
                                          {"spread_percent", with_percent, NULL},
                                          {"slope_percent_per_s", with_percent, NULL},
                                          {"device_ratio", as_three_decimals, NULL},
                                          {0}};

static const struct form comparison[] = {{"center", in_its_unit, NULL},
                                         {"noise_floor", as_percent, NULL},
                                         {"ratio", as_change, "change"},
                                         {"of_reference", as_change, "change_of_reference"},
                                         {"of_reference", as_ratio_of_reference, NULL},
                                         {"ratios", as_ratios, NULL},
                                         {"confidence", as_level, NULL},
                                         {"confidence", as_rest, "false_discovery"},
                                         {"interval_level", as_level, NULL},
                                         {0}};

static const struct form pack[] = {
    {"confidence", as_level, NULL},    {"confidence_each", as_level, NULL},
    {"at_most", as_given, NULL},       {"at_most", as_limit, "limit"},
    {"duration_s", as_duration, NULL}, {0}};

static const struct form prediction[] = {{"slowdown", as_times, NULL},
                                         {"ci", as_bounds, NULL},
                                         {"alone_s", as_time, NULL},
                                         {"alone_sd", as_percent, NULL},
                                         {"confidence", as_level, NULL},
                                         {"error", as_points, NULL},
                                         {"cpus_used", as_two_decimals, NULL},
                                         {"noise", as_points, NULL},
                                         {"skill", as_two_decimals, NULL},
                                         {"skill_most", as_two_decimals, NULL},
                                         {0}};

static const struct form program[] = {{"mean", as_mean_time, NULL},
                                      {"cpus_used", as_two_decimals, NULL},
                                      {"sd", as_percent, NULL},
                                      {"correlation", as_two_decimals, NULL},
                                      {"lap_s", as_time, NULL},
                                      {"level", as_whole_percent, NULL},
                                      {"achieved", as_whole_percent, NULL},
                                      {"slowdown", as_ratio, NULL},
                                      {"log_ratio", as_growth, "growth"},
                                      {"ci", as_growth_bounds, "growth_bounds"},
                                      {"confidence", as_level, NULL},
                                      {0}};

static const struct form noise[] = {{"mean_s", as_time, NULL},
                                    {"value", as_percent_bounds, NULL},
                                    {"correlation", as_two_decimals, NULL},
                                    {"ratio", as_ratio, NULL},
                                    {"half_width", as_whole_percent, NULL},
                                    {0}};

static const struct form blame_history[] = {{"factor", as_two_decimals, NULL},
                                            {"most", as_two_decimals, NULL},
                                            {"others_cpus", as_two_decimals, NULL},
                                            {"cpu_some", as_share, NULL},
                                            {"io_some", as_share, NULL},
                                            {"steal", as_share, NULL},
                                            {"throttled", as_share, NULL},
                                            {"blame", as_share, NULL},
                                            {0}};

static const struct form bench[] = {
    {"duration_s", as_duration, NULL}, {"memory_bytes", as_size, NULL}, {0}};
static const struct form bench_plan[] = {{"least_s", as_least_to_most, "time"}, {0}};

static const struct form plan[] = {{"estimate_s", as_estimate, NULL},
                                   {"low_s", as_total, "time"},
                                   {"spent_s", as_duration, NULL},
                                   {0}};

static const struct form campaign_status[] = {{"error", as_percent, NULL},
                                              {"asked_error", as_level, NULL},
                                              {"age_s", as_duration, NULL},
                                              {"left_s", as_duration, NULL},
                                              {0}};

static const struct form result[] = {
    {"center", as_center, NULL}, {"ratio", as_ratio, NULL}, {"memory_bytes", as_size, NULL}, {0}};

static const struct {
    const char *schema;
    const struct form *forms;
} known[] = {{SCHEMA_BENCH, bench},
             {SCHEMA_BENCH_PLAN, bench_plan},
             {SCHEMA_BLAME_HISTORY, blame_history},
             {SCHEMA_CALIBRATION, calibration},
             {SCHEMA_CAMPAIGN_STATUS, campaign_status},
             {SCHEMA_COMPARISON, comparison},
             {SCHEMA_NOISE, noise},
             {SCHEMA_PACK, pack},
             {SCHEMA_PLAN, plan},
             {SCHEMA_PREDICTION, prediction},
             {SCHEMA_PROGRAM, program},
             {SCHEMA_RESULT, result}};

static const struct form *forms_of(const json_t *record)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (json_text_is(record, "schema", known[i].schema))
            return known[i].forms;
    return NULL;
}

// The texts of an object's own members; nothing where it has none, and of a member that is a text.
static void put_texts(json_t *object, const struct form *forms, const char *unit)
{
    json_t *texts = json_object_get(object, "texts");
    for (const struct form *form = forms; form->member; form++) {
        char text[NUMBER_SIZE];
        const json_t *member = json_object_get(object, form->member);
        const double value = json_is_number(member) ? json_number_value(member) : NAN;
        const struct place place = {object, member, value, unit};
        if (!member || json_is_string(member) || json_is_boolean(member))
            continue;
        if (!json_is_object(texts)) {
            texts = must(json_object());
            json_put(object, "texts", texts);
        }
        json_put(texts, form->name ? form->name : form->member,
                 json_text(form->write(&place, text)));
    }
}

// The unit of what has that name, where the name says one.
static const char *unit_of_name(const char *name, const char *unit)
{
    return text_ends(name, "_s") ? "s" : text_ends(name, "_bytes") ? "B" : unit;
}

static void add_texts(json_t *value, const struct form *forms, const char *unit)
{
    const char *key;
    json_t *member;
    JSON_EACH (one, value)
        add_texts(one, forms, unit);
    if (!json_is_object(value))
        return;
    const char *own = json_text_at(value, "unit");
    own = own ? own : unit;
    json_object_foreach(value, key, member) if (strcmp(key, "texts") != 0)
        add_texts(member, forms, unit_of_name(key, own));
    put_texts(value, forms, own);
}

// Whether another value follows; blanks before it are read.
static bool is_more(FILE *from)
{
    int letter;
    do
        letter = fgetc(from);
    while (letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t');
    return letter != EOF && ungetc(letter, from) != EOF;
}

bool figures_copy(FILE *from, FILE *to)
{
    enum { DIGITS = 17 };
    bool good = true;
    while (good && is_more(from)) {
        json_error_t error;
        json_auto_t *record = json_loadf(from, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
        if (!record) {
            complain("a record cannot be laid out (%s): see --format json", error.text);
            return false;
        }
        const struct form *forms = forms_of(record);
        if (forms)
            add_texts(record, forms, "");
        good = json_dumpf(record, to, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) == 0 &&
               fputc('\n', to) != EOF;
    }
    return good && fflush(to) == 0;
}
