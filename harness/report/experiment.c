// What a report knows of one experiment: its conditions, loads, levels, metrics and limits.

#include "experiment.h"

#include "common/text.h"

// The number that a condition's name ends with after an optional separator, "10" of "disk-10%", and
// how long it and what is in front of it are; NULL: none.
static const char *level_in(const char *condition, size_t *load, size_t *length)
{
    static const char digits[] = "0123456789";
    const char *end = condition + text_before(condition, "%"), *number = end;
    while (number > condition && strchr("0123456789._+-", number[-1]))
        number--;
    *load = (size_t)(number - condition);
    if (number < end && strchr("._+-", *number))
        number++;
    const size_t whole = strspn(number, digits);
    const size_t decimals = number[whole] == '.' ? 1 + strspn(number + whole + 1, digits) : 0;
    *length = (size_t)(end - number);
    return *load > 0 && whole > 0 && decimals != 1 && whole + decimals == *length ? number : NULL;
}

// "--limit=10%" -> "10%": what follows the = of an option.
static const char *value_of(const char *word)
{
    const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    return length > 0 && name[length] == '=' ? name + length + 1 : name;
}

// The word of spec that is this number, with or without %; NULL: it has none.
static const char *word_of_level(struct arena *texts, const char *spec, const char *level,
                                 size_t length)
{
    OWNED char *words = must(strdup(spec));
    char *rest = words;
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        const char *value = value_of(word);
        if (strncmp(value, level, length) == 0 &&
            strcmp(value + length + (value[length] == '%'), "") == 0)
            return kept(texts, value);
    }
    return NULL;
}

// Load and level of a condition that no campaign names: "disk10" with "--limit 10%" is disk at 10
// %; anything else is a load without a level. NULL: none.
static void inferred_level(struct cell *cell, const char *condition)
{
    size_t before = 0, length = 0;
    const char *number = condition && cell->spec ? level_in(condition, &before, &length) : NULL;
    cell->level = number ? word_of_level(cell->of->texts, cell->spec, number, length) : NULL;
    cell->load = cell->level ? said(cell->of->texts, "%.*s", (int)before, condition) : condition;
}

// Memory is rounded: equal machines differ by what their firmware keeps.
const char *node_kind(struct arena *texts, const struct value *environment)
{
    const struct value *cpus = view_get(environment, "cpus_online");
    const double memory = view_number(view_get(environment, "memory_bytes"), 0);
    return said(texts, "%s, %s CPUs, %.0f GiB, %s", view_text(environment, "cpu") ?: "unknown CPU",
                !cpus || cpus->type == VIEW_NULL ? "?" : view_copy(texts, cpus),
                round(memory / 1073741824), view_text(environment, "kernel") ?: "unknown kernel");
}

// As it was noted, else as the records say; NULL: not known.
static const char *state_of(const struct experiment *experiment)
{
    static const char *const known[] = {"done", "failed", "running", "interrupted"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (view_matches(experiment->status.top, "state", known[i]))
            return known[i];
    if (!experiment->result.top)
        return NULL;
    if (view_matches(experiment->record.top, "stopped", "interrupted") ||
        view_entry(experiment->conditions, "stop_reason", "interrupted"))
        return "interrupted";
    return view_entry(experiment->conditions, "stop_reason", "failure") ? "failed" : "done";
}

#define MEMBER(of, name, type, member)                                                             \
    {                                                                                              \
        name, of, VIEW_##type, offsetof(struct experiment, member)                                 \
    }
enum { RECORD, RESULT };
// What is of another type is as good as not there. The cell is that of the record, else that of the
// result.
static const struct {
    const char *name;
    int of;
    enum view_type type;
    size_t at;
} members[] = {
    MEMBER(RECORD, "settings", OBJECT, settings),
    MEMBER(RECORD, "environment", OBJECT, environment),
    MEMBER(RECORD, "command", ARRAY, command),
    MEMBER(RECORD, "loads", ARRAY, loads),
    MEMBER(RECORD, "variants", ARRAY, variants),
    MEMBER(RECORD, "conditions", ARRAY, planned),
    MEMBER(RESULT, "cell", OBJECT, cell),
    MEMBER(RECORD, "cell", OBJECT, cell),
    MEMBER(RESULT, "conditions", ARRAY, conditions),
    MEMBER(RESULT, "slowdowns", ARRAY, slowdowns),
    MEMBER(RESULT, "comparisons", ARRAY, comparisons),
    MEMBER(RESULT, "interactions", ARRAY, interactions),
    MEMBER(RESULT, "warnings", ARRAY, warnings),
    MEMBER(RESULT, "intervals", OBJECT, intervals),
    MEMBER(RESULT, "noise_floor", ARRAY, noise_floor),
    MEMBER(RESULT, "capacity", OBJECT, capacity),
    MEMBER(RESULT, "protection", OBJECT, protection),
    MEMBER(RESULT, "machine", OBJECT, machine),
    MEMBER(RESULT, "gate", OBJECT, gate),
    MEMBER(RESULT, "verdict", STRING, verdict),
    MEMBER(RESULT, "washout", OBJECT, washout),
};
#undef MEMBER

void experiment_settle(struct experiment *experiment)
{
    const struct value *top[] = {experiment->record.top, experiment->result.top};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct value *value = view_get(top[members[i].of], members[i].name);
        if (view_is(value, members[i].type))
            *(const struct value **)(void *)((char *)experiment + members[i].at) = value;
    }
    if (!view_first(experiment->variants))
        experiment->variants = NULL;
    experiment->session = view_count(view_get(experiment->cell, "session"), 1);
    experiment->baseline = view_first(experiment->conditions);
    experiment->reference = view_text(experiment->baseline, "name") ?: "baseline";
    experiment->metrics = metric_list(experiment->texts, experiment->conditions,
                                      experiment->slowdowns, experiment->settings);
    experiment->state = state_of(experiment);
    experiment->reason = view_text(experiment->status.top, "reason") ?: experiment->runs.failure;
}

void experiment_free(struct experiment *experiment)
{
    document_free(&experiment->status);
    document_free(&experiment->record);
    document_free(&experiment->result);
    runs_free(&experiment->runs);
    free(experiment->metrics.item);
    arena_free(experiment->texts);
    free(experiment->texts);
}

const char *word_quoted(struct arena *texts, const char *word)
{
    return arena_keep(texts, words_quote(&word, 1));
}

const char *command_text(struct arena *texts, const struct value *command)
{
    const char *text = "";
    EACH_VALUE (item, command)
        if (item->string)
            text = joined(texts, text, " ", word_quoted(texts, item->string));
    return text;
}

// The name of a condition's load; NULL: it has none.
static const char *conditions_load(const struct experiment *experiment, const char *condition)
{
    return experiment->variants ? view_text(experiment_condition(experiment, condition), "load")
                                : condition;
}

// What is known of a target that no campaign names.
static void name_alone(struct cell *cell)
{
    const struct experiment *of = cell->of;
    const char *program = view_string(view_first(of->command)),
               *last = program ? strrchr(program, '/') : NULL,
               *condition = cell->condition
                                ?: cell->variant ? cell->reference
                                                 : NULL,
               *at = said(of->texts, "@%s", condition ?: "");
    cell->name =
        !condition || text_ends(of->name, at) ? of->name : said(of->texts, "%s%s", of->name, at);
    cell->target = !program ? of->name : !last ? program : last + 1;
    cell->label = command_text(of->texts, cell->command);
    if (cell->variant)
        cell->label = said(of->texts, "%s: %s", cell->variant, cell->label);
    inferred_level(cell, conditions_load(of, cell->condition));
}

// What the campaign calls it.
static void name_of_campaign(struct cell *cell)
{
    const struct value *entry = cell->of->cell;
    struct arena *texts = cell->of->texts;
    cell->sessions = view_text(entry, "of");
    cell->name = (cell->of->sessions > 0 ? cell->sessions : NULL) ?: view_text(entry, "name")
                                                                  ?: cell->name;
    cell->target = view_text(entry, "target") ?: cell->target;
    cell->label = view_text(entry, "label") ?: cell->label;
    cell->load = view_text(entry, "load") ?: cell->load;
    cell->level = view_text(entry, "level");
    cell->parameters = view_get(entry, "parameters") ?: cell->parameters;
    size_t count = 0;
    EACH_VALUE (load, cell->of->loads)
        count++;
    if ((count > 2 && cell->condition) || cell->variant)
        cell->name = said(texts, "%s@%s", cell->name, cell->condition ?: cell->reference);
    if (cell->variant)
        cell->label = said(texts, "%s, %s", cell->label, cell->variant);
}

const struct value *rated_load(const struct value *loads)
{
    EACH_VALUE (load, loads)
        if (view_is(view_get(load, "offered"), VIEW_NUMBER))
            return load;
    return NULL;
}

// They stay sorted, each once.
static void add_flag(struct cell *cell, const char *flag)
{
    size_t at = 0;
    while (at < cell->flag_count && strcmp(cell->flags[at], flag) < 0)
        at++;
    if (cell->flag_count == sizeof cell->flags / sizeof *cell->flags ||
        (at < cell->flag_count && strcmp(cell->flags[at], flag) == 0))
        return;
    memmove(&cell->flags[at + 1], &cell->flags[at], (cell->flag_count - at) * sizeof *cell->flags);
    cell->flags[at] = flag;
    cell->flag_count++;
}

// Each metric has a mean and, where it has one, a variance: numbers both.
static bool has_numbers(const struct cell *cell, const struct value *condition)
{
    if (!view_is(condition, VIEW_OBJECT))
        return false;
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        const struct value *figure = metric_figure(condition, &cell->of->metrics.item[i]),
                           *variance = view_get(figure, "variance");
        if (!figure || figure->type == VIEW_NULL)
            continue;
        if (!view_is(view_get(figure, "mean"), VIEW_NUMBER) ||
            (variance && variance->type != VIEW_NULL && variance->type != VIEW_NUMBER))
            return false;
    }
    return view_is(view_get(condition, "runs"), VIEW_NUMBER);
}

// The conditions, and what the experiment says of them. False: a name is missing.
static bool find_conditions(struct cell *cell, struct pairing pairing)
{
    const struct experiment *of = cell->of;
    const struct value *loads = of->loads;
    cell->baseline = pairing.baseline;
    cell->loaded = pairing.loaded;
    cell->reference = view_text(pairing.baseline, "name");
    cell->condition = view_text(pairing.loaded, "name");
    if (!cell->reference || (pairing.loaded && !cell->condition))
        return false;
    const struct value *entry = experiment_condition(of, cell->reference);
    const char *named = view_text(entry, "variant"), *load = conditions_load(of, cell->condition);
    const struct value *variant = named ? view_entry(of->variants, "name", named) : NULL;
    cell->variant = view_text(variant, "name");
    cell->command = view_get(!variant ? of->record.top : variant, "command");
    cell->line = view_text(!variant ? of->record.top : variant, "line");
    cell->title = view_text(variant, "title");
    cell->named = view_text(variant, "named");
    cell->parameters = view_get(variant, "parameters");
    cell->spec = load ? view_text(view_entry(loads, "name", load), "spec") : NULL;
    return true;
}

bool cell_make(struct cell *cell, const struct experiment *experiment, struct pairing pairing)
{
    *cell = (struct cell){.of = experiment, .main = main_metric(experiment), .noise_floor = NAN};
    if (!find_conditions(cell, pairing) || !has_numbers(cell, cell->baseline) ||
        (cell->loaded && !has_numbers(cell, cell->loaded)))
        return false;
    cell->slowdown = slowdown_of(experiment, cell->condition, cell->main->name);
    name_alone(cell);
    if (experiment->cell)
        name_of_campaign(cell);
    cell->row = experiment->cell || strcmp(experiment->name, cell->target) == 0
                    ? cell->label
                    : said(experiment->texts, "%s: %s", experiment->name, cell->label);
    cell->host = view_text(experiment->environment, "host");
    cell->kind = node_kind(experiment->texts, experiment->environment);
    cell->noise_floor =
        view_real(view_entry(experiment->noise_floor, "metric", cell->main->name), "floor");
    EACH_VALUE (item, experiment->warnings)
        if (warning_is_of(item, cell->reference, cell->condition, true))
            add_flag(cell, view_text(item, "flag"));
    const struct value *loads = view_get(cell->loaded, "load");
    cell->load_entry = rated_load(loads) ?: view_first(loads);
    cell->is_short = view_holds(cell->load_entry, "short");
    if (view_is(view_get(cell->slowdown, "distinguishable"), VIEW_FALSE))
        add_flag(cell, "noise");
    if (strcmp(experiment->state, "done") != 0)
        add_flag(cell, experiment->state);
    return true;
}

struct origin cell_origin(const struct cell *cell)
{
    const struct experiment *of = cell->of;
    if (of->sessions > 0)
        return (struct origin){.session = NAN, .sessions = of->sessions};
    return (struct origin){.session =
                               of->is_session ? view_number(view_get(of->cell, "session"), 1) : NAN,
                           .sessions = 1,
                           .host = cell->host};
}

bool warning_is_of(const struct value *warning, const char *condition, const char *other,
                   bool general)
{
    const char *of = view_text(warning, "condition");
    if (!view_has_text(warning, "flag") || !of)
        return general && view_has_text(warning, "flag");
    return (condition && strcmp(of, condition) == 0) || (other && strcmp(of, other) == 0);
}

bool warning_is_problem(const struct value *warning)
{
    const struct value *severity = view_get(warning, "severity");
    return !severity || view_equals(severity, "problem");
}

const char *warning_text(struct arena *texts, const struct value *warning)
{
    const char *message = view_text(warning, "message") ?: "",
               *advice = view_text(warning, "advice");
    return advice ? said(texts, "%s: %s", message, advice) : message;
}

static const struct {
    const char *setting, *words, *unit;
    double factor; // from the record to the unit
} limits[LIMITS] = {
    [LIMIT_AT_MOST] = {"at_most", "at most", "", 1},
    [LIMIT_SAME] = {"same_within", "same within", " %", 100},
};

double limit_of(const struct experiment *experiment, enum limit limit)
{
    return view_real(experiment->settings, limits[limit].setting);
}

const char *limits_text(const struct experiment *experiment)
{
    struct arena *texts = experiment->texts;
    const char *text = NULL;
    for (enum limit i = 0; i < LIMITS; i++)
        if (!isnan(limit_of(experiment, i)))
            text = joined(texts, text, ", ",
                          said(texts, "%s %.10g%s", limits[i].words,
                               limits[i].factor * limit_of(experiment, i), limits[i].unit));
    return text;
}

bool limit_is_share(const char *setting)
{
    bool share = false;
    for (enum limit i = 0; i < LIMITS; i++)
        share = share || (limits[i].factor > 1 && strcmp(limits[i].setting, setting) == 0);
    return share;
}

const struct quantity *main_metric(const struct experiment *experiment)
{
    return &experiment->metrics.item[experiment->metrics.main];
}

const struct value *condition_named(const struct experiment *experiment, const char *name)
{
    return name ? view_entry(experiment->conditions, "name", name) : NULL;
}

const struct value *slowdown_of(const struct experiment *experiment, const char *condition,
                                const char *metric)
{
    const struct value *slowdowns = experiment->slowdowns;
    for (const struct value *item = NULL; condition && view_each(slowdowns, &item);)
        if (view_matches(item, "condition", condition) && view_matches(item, "metric", metric))
            return item;
    return NULL;
}

bool comparison_is_of(const struct value *comparison, const struct value *variant,
                      const struct value *load)
{
    const struct value *own = view_get(comparison, "load");
    return view_same(view_get(comparison, "variant"), variant) &&
           (view_is(load, VIEW_STRING) ? view_same(own, load) : !view_is(own, VIEW_STRING));
}

const struct value *comparison_of(const struct value *list, const struct value *variant,
                                  const struct value *load, const char *metric)
{
    EACH_VALUE (item, list)
        if (comparison_is_of(item, variant, load) && view_matches(item, "metric", metric))
            return item;
    return NULL;
}

const struct value *experiment_condition(const struct experiment *experiment, const char *name)
{
    return name ? view_entry(experiment->planned, "name", name) : NULL;
}

// The condition of the same variant without load; NULL: there is none.
static const struct value *alone_of(const struct experiment *experiment,
                                    const struct value *variant)
{
    EACH_VALUE (item, experiment->planned) {
        if (!view_same(view_get(item, "variant"), variant) || view_has_text(item, "load"))
            continue;
        return condition_named(experiment, view_text(item, "name"));
    }
    return NULL;
}

// A cell for each variant under each load, or for each variant alone. False: this condition
// is of no cell of its own.
static bool pair_variant(const struct experiment *experiment, const struct value *condition,
                         struct pairing *pairing)
{
    const struct value *entry = experiment_condition(experiment, view_text(condition, "name"));
    const bool loaded = view_has_text(entry, "load");
    if (loaded)
        *pairing = (struct pairing){alone_of(experiment, view_get(entry, "variant")), condition};
    else
        *pairing = (struct pairing){condition, NULL};
    EACH_VALUE (item, experiment->planned)
        if (!loaded && view_has_text(item, "load"))
            return false; // any variant was measured under a load
    return true;
}

// A cell for each load. The baseline again is compared with itself.
static bool pair_load(const struct experiment *experiment, const struct value *condition,
                      struct pairing *pairing)
{
    const bool twice = view_holds(experiment->settings, "aa");
    *pairing = (struct pairing){experiment->baseline, condition};
    return condition != experiment->baseline && !(twice && view_matches(condition, "name", "aa"));
}

bool experiment_pairing(const struct experiment *experiment, size_t number, struct pairing *pairing)
{
    const bool variants = experiment->variants;
    size_t seen = 0;
    EACH_VALUE (item, experiment->conditions)
        if ((variants ? pair_variant : pair_load)(experiment, item, pairing) && seen++ == number)
            return true;
    *pairing = (struct pairing){experiment->baseline, NULL};
    return seen == 0 && number == 0;
}
