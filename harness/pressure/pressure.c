#include "pressure.h"

#include "common/caches.h"
#include "common/device.h"
#include "common/memory.h"
#include "common/units.h"
#include "harness/record/settings.h"
#include "harness/stats/json.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// The load's words end where the percentage begins: a spec is them and "55%".
const struct kind_row kinds[KINDS] = {
    [KIND_CPU] = {.name = "cpu", .words = "cpu --percent"},
    [KIND_MEM] = {.name = "mem", .words = "mem --limit"},
    [KIND_CACHE] = {.name = "cache", .words = "cache --size"},
    [KIND_IO] = {.name = "io", .words = "io --limit"},
    [KIND_NET] = {.name = "net", .words = "net --limit"},
    [KIND_ALLOC] = {.name = "alloc", .words = "alloc --limit"},
};

enum kind kind_find(const char *name)
{
    enum kind kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

const char *kind_spec(enum kind kind, double level, char *text, size_t size)
{
    snprintf(text, size, "%s %g%%", kinds[kind].words, round(level * 1000) / 10);
    return text;
}

// The reverse of kind_spec: the kind and the level of a load's words. False: it is no load of such
// a kind and level alone.
static bool kind_of_spec(const char *spec, enum kind *kind, double *level)
{
    double percent;
    for (*kind = 0; *kind < KINDS; (*kind)++) {
        const size_t length = strlen(kinds[*kind].words);
        if (strncmp(spec, kinds[*kind].words, length) != 0 || spec[length] != ' ')
            continue;
        if (units_percent(spec + length + 1, &percent) != 0)
            return false;
        // Of a rate, "50" are 50 a second, of a size bytes.
        if (*kind != KIND_CPU && !strchr(spec, '%'))
            return false;
        *level = percent / 100;
        return true;
    }
    return false;
}

static bool no_disk(char *text, size_t size)
{
    struct device device;
    const char *temporary = getenv("TMPDIR");
    const char *folder = temporary && *temporary ? temporary : "/var/tmp"; // as loadgen io has it
    if (!device_of(folder, &device) || access(folder, W_OK | X_OK) != 0) {
        snprintf(text, size, "%s: %s", folder, strerror(errno));
        return true;
    }
    snprintf(text, size, "%s is in memory (%s)", folder, device.file_system);
    return device.memory;
}

bool kind_impossible(enum kind kind, char *text, size_t size)
{
    struct caches caches;
    if (kind == KIND_IO)
        return no_disk(text, size);
    if (kind != KIND_CACHE)
        return false;
    caches_read(-1, &caches);
    if (caches.l3_bytes > 0)
        return false;
    snprintf(text, size, "this machine states no L3 cache");
    return true;
}

// A text with all that counts has room here; longer ones would be told apart by their start.
enum { MOST = 2048 };

static const char *text(const json_t *environment, const char *name)
{
    const char *value = json_string_value(json_object_get(environment, name));
    return value ? value : "?";
}

void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1])
{
    char all[MOST];
    const double gib = json_number_value(json_object_get(environment, "memory_bytes")) / (1 << 30);
    const int length =
        snprintf(all, sizeof all, "%s\n%s\n%s\n%lld\n%s\n%lld\n%.0f\n", text(environment, "host"),
                 text(environment, "architecture"), text(environment, "cpu"),
                 (long long)json_integer_value(json_object_get(environment, "cpus_online")),
                 text(environment, "smt"),
                 (long long)json_integer_value(json_object_get(environment, "numa_nodes")), gib);
    sha256_hex(all, length < 0 ? 0 : strnlen(all, sizeof all), digits);
}

// Sensitivity: how much a program slows down by kind and level of load.

// No figure, at level 0.
static struct sensitivity_point no_point(void)
{
    return (struct sensitivity_point){.level = 0,
                                      .achieved = NAN,
                                      .slowdown = NAN,
                                      .low = NAN,
                                      .high = NAN,
                                      .sd = NAN,
                                      .load_cpus = NAN,
                                      .cpu_ratio = NAN,
                                      .fit = NAN,
                                      .fit_low = NAN,
                                      .fit_high = NAN};
}

const struct sensitivity_curve *sensitivity_find(const struct sensitivity *sensitivity,
                                                 const char *kind)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        if (strcmp(sensitivity->curve[i].kind, kind) == 0)
            return &sensitivity->curve[i];
    return NULL;
}

// NULL: there is no room.
static struct sensitivity_curve *curve_for(struct sensitivity *sensitivity, const char *kind)
{
    struct sensitivity_curve *curve =
        (struct sensitivity_curve *)sensitivity_find(sensitivity, kind);
    if (curve || sensitivity->count == SENSITIVITY_KINDS || strlen(kind) >= SENSITIVITY_NAME)
        return curve;
    curve = &sensitivity->curve[sensitivity->count++];
    *curve = (struct sensitivity_curve){0};
    strcpy(curve->kind, kind);
    return curve;
}

// Adds a point to the curve of that kind, in its place; `sd` is made of the interval where it
// is NAN. False: no room, or the level is not above 0 or is there already, or the slowdown is
// no number.
static bool sensitivity_add(struct sensitivity *sensitivity, const char *kind,
                            const struct sensitivity_point *point)
{
    struct sensitivity_curve *curve = NULL;
    if (!(point->level > 0) || !isfinite(point->slowdown) || !(point->slowdown > 0) ||
        (curve = curve_for(sensitivity, kind)) == NULL || curve->count == SENSITIVITY_POINTS)
        return false;
    size_t at = 0;
    while (at < curve->count && curve->point[at].level < point->level)
        at++;
    if (at < curve->count && curve->point[at].level == point->level)
        return false;
    memmove(&curve->point[at + 1], &curve->point[at], (curve->count - at) * sizeof *point);
    curve->count++;
    struct sensitivity_point *own = &curve->point[at];
    *own = *point;
    own->fit = own->fit_low = own->fit_high = NAN;
    if (!isfinite(own->sd) && own->n > 1 && own->low > 0 && own->high >= own->low)
        own->sd = (log(own->high) - log(own->low)) /
                  (2 * gsl_cdf_tdist_Pinv(0.5 + sensitivity->confidence / 2, (double)own->n - 1));
    return true;
}

// One without variation weighs much, not all.
static double variance(const struct sensitivity_point *point)
{
    static const double least_sd = 1e-4;
    const double sd = fmax(point->sd, least_sd);
    return sd * sd;
}

// Neighbours that share one value.
struct pool {
    double sum, weight; // of value / variance, of 1 / variance
    size_t first, count;
};

static double pool_mean(const struct pool *pool)
{
    return pool->sum / pool->weight;
}

// Fits the points, by level, of which the first is above 0: neighbours are pooled until their means
// rise.
static void fit_rising(struct sensitivity_point *const *point, size_t count)
{
    struct pool pool[SENSITIVITY_POINTS];
    size_t pools = 0;
    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / variance(point[i]);
        pool[pools++] = (struct pool){log(point[i]->slowdown) / variance(point[i]), weight, i, 1};
        while (pools > 1 && pool_mean(&pool[pools - 1]) < pool_mean(&pool[pools - 2])) {
            const struct pool *last = &pool[--pools];
            pool[pools - 1].sum += last->sum;
            pool[pools - 1].weight += last->weight;
            pool[pools - 1].count += last->count;
        }
    }
    // On the wrong side of 0 it is pooled with the 0, which has all weight.
    for (size_t i = 0; i < pools; i++)
        for (size_t k = pool[i].first; k < pool[i].first + pool[i].count; k++)
            point[k]->fit = exp(fmax(pool_mean(&pool[i]), 0));
}

static void fit_curve(struct sensitivity_curve *curve)
{
    struct sensitivity_point *point[SENSITIVITY_POINTS];
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (isfinite(curve->point[i].sd) && curve->point[i].low > 0 &&
            isfinite(curve->point[i].high))
            point[count++] = &curve->point[i];
    fit_rising(point, count);
    double low = 1, high = INFINITY;
    for (size_t i = 0; i < count; i++)
        point[i]->fit_low = low = fmax(low, point[i]->low);
    for (size_t i = count; i-- > 0;)
        point[i]->fit_high = high = fmin(high, fmax(point[i]->high, 1));
    for (size_t i = 0; i < count; i++) { // where bounds of neighbours exclude each other
        point[i]->fit_low = fmin(point[i]->fit_low, point[i]->fit);
        point[i]->fit_high = fmax(point[i]->fit_high, point[i]->fit);
    }
}

// The monotone curves: slowdown never falls with the level, and is 1 at level 0. Isotonic
// regression of log(slowdown), weighted by 1 / sd^2, by pooling adjacent violators (R. E.
// Barlow et al., "Statistical inference under order restrictions", Wiley 1972). The interval
// of a point is that of all points which order says it cannot be outside of: the highest lower
// bound of the levels up to it, the lowest upper bound of those from it on. Points without an
// interval are in no curve: they keep a fit of NAN.
static void sensitivity_fit(struct sensitivity *sensitivity)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        fit_curve(&sensitivity->curve[i]);
}

void sensitivity_merge(struct sensitivity *into, const struct sensitivity *from)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t k = 0; k < from->curve[i].count; k++)
            (void)sensitivity_add(into, from->curve[i].kind, &from->curve[i].point[k]);
    sensitivity_fit(into);
}

bool sensitivity_is_known(const struct sensitivity *sensitivity, const char *kind)
{
    const struct sensitivity_curve *curve = sensitivity_find(sensitivity, kind);
    for (size_t i = 0; curve && i < curve->count; i++)
        if (isfinite(curve->point[i].fit))
            return true;
    return false;
}

// Sensitivity in records: of a profile, and of any result whose loads are kinds at levels.

static json_t *point_to_json(const struct sensitivity_point *point)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "level", number_to_json(point->level),
        "achieved", number_to_json(point->achieved), "slowdown", number_to_json(point->slowdown),
        "ci", bounds_to_json(point->low, point->high), "sd", number_to_json(point->sd), "n",
        (json_int_t)point->n, "load_cpus", number_to_json(point->load_cpus), "cpu_ratio",
        number_to_json(point->cpu_ratio), "fit", number_to_json(point->fit), "fit_ci",
        bounds_to_json(point->fit_low, point->fit_high));
}

json_t *sensitivity_to_json(const struct sensitivity *sensitivity)
{
    json_t *array = must(json_array());
    for (size_t i = 0; i < sensitivity->count; i++) {
        const struct sensitivity_curve *curve = &sensitivity->curve[i];
        json_t *points = must(json_array());
        for (size_t k = 0; k < curve->count; k++)
            json_add(points, point_to_json(&curve->point[k]));
        json_add(array, json_pack("{s:s, s:o}", "kind", curve->kind, "points", points));
    }
    return array;
}

static bool add_point(struct sensitivity *sensitivity, const char *kind, const json_t *json)
{
    struct sensitivity_point point = no_point();
    point.level = json_number_at(json, "level");
    point.achieved = json_number_at(json, "achieved");
    point.slowdown = json_number_at(json, "slowdown");
    point.low = json_bound_at(json, 0);
    point.high = json_bound_at(json, 1);
    point.sd = json_number_at(json, "sd");
    point.n = (size_t)json_integer_value(json_object_get(json, "n"));
    point.load_cpus = json_number_at(json, "load_cpus");
    point.cpu_ratio = json_number_at(json, "cpu_ratio");
    return sensitivity_add(sensitivity, kind, &point);
}

bool sensitivity_from_json(struct sensitivity *sensitivity, const json_t *array, double confidence)
{
    size_t i, k;
    const json_t *curve, *point;
    *sensitivity = (struct sensitivity){.confidence = confidence};
    if (!json_is_array(array))
        return false;
    json_array_foreach(array, i, curve)
    {
        const char *kind = json_string_value(json_object_get(curve, "kind"));
        json_array_foreach(json_object_get(curve, "points"), k, point)
        {
            if (!kind || !add_point(sensitivity, kind, point))
                return false;
        }
    }
    sensitivity_fit(sensitivity);
    return true;
}

// The kind and level of a load that is made by a kind's own command line.
static bool recognise(const json_t *load, char name[SENSITIVITY_NAME], double *level)
{
    const char *spec = json_string_value(json_object_get(load, "spec"));
    enum kind kind;
    if (!spec || json_array_size(json_object_get(load, "parts")) != 1 ||
        !kind_of_spec(spec, &kind, level))
        return false;
    snprintf(name, SENSITIVITY_NAME, "%s", kinds[kind].name);
    return true;
}

static double mean_of(const json_t *condition, const char *metric)
{
    return json_number_at(json_object_get(condition, metric), "mean");
}

static double cpu_s(const json_t *condition)
{
    return mean_of(condition, "user_s") + mean_of(condition, "system_s");
}

// What is known of a load beside its slowdown.
static void take_load(struct sensitivity_point *point, const json_t *result, const char *name)
{
    const json_t *conditions = json_object_get(result, "conditions");
    const json_t *condition = json_named(conditions, "name", name);
    const json_t *load = json_array_get(json_object_get(condition, "load"), 0);
    const json_t *alone = json_array_get(conditions, 0);
    point->achieved = json_number_at(load, "achieved") / json_number_at(load, "offered");
    point->load_cpus = json_number_at(load, "cpu_s") / mean_of(condition, "wall_s");
    point->cpu_ratio = cpu_s(alone) > 0 ? cpu_s(condition) / cpu_s(alone) : NAN;
}

// The slowdown of the wall time of one variant under one load.
static void take_slowdown(struct sensitivity *sensitivity, const json_t *result,
                          const json_t *slowdown)
{
    const char *metric = json_string_value(json_object_get(slowdown, "metric"));
    const char *name = json_string_value(json_object_get(slowdown, "condition"));
    char kind[SENSITIVITY_NAME];
    struct sensitivity_point point = no_point();
    if (!metric || !name || strcmp(metric, "wall_s") != 0 ||
        !recognise(json_named(json_object_get(result, "loads"), "name", name), kind, &point.level))
        return;
    point.slowdown = json_number_at(slowdown, "ratio");
    point.low = json_bound_at(slowdown, 0);
    point.high = json_bound_at(slowdown, 1);
    point.n = (size_t)json_integer_value(json_object_get(slowdown, "pairs"));
    take_load(&point, result, name);
    (void)sensitivity_add(sensitivity, kind, &point);
}

void sensitivity_from_result(struct sensitivity *sensitivity, const json_t *result)
{
    const json_t *slowdowns = json_object_get(result, "slowdowns");
    *sensitivity = (struct sensitivity){
        .confidence = settings_confidence(node_of_json(json_object_get(result, "settings")))};
    for (size_t i = 0; i < json_array_size(slowdowns); i++)
        take_slowdown(sensitivity, result, json_array_get(slowdowns, i));
    sensitivity_fit(sensitivity);
}
