// What --tables and --units of a report choose.
#include "report.h"

// ---- units

enum { TIME_DECIMALS = 3 };

// factor: from seconds, or bytes.
static const struct mean_unit units[] = {
    {"s", 1, TIME_DECIMALS, false},
    {"ms", 1e3, TIME_DECIMALS, false},
    {"us", 1e6, TIME_DECIMALS, false},
    {"B", 1, 0, true},
    {"kB", 1e-3, 0, true},
    {"KiB", 1 / 1024.0, 0, true},
    {"MB", 1e-6, 3, true},
    {"MiB", 1 / 1048576.0, 3, true},
    {"GB", 1e-9, 3, true},
    {"GiB", 1 / 1073741824.0, 3, true},
};

// Calls take for each part of a list between commas. False: take refused one, which error names.
static bool each_part(const char *list, bool (*take)(void *context, const char *part),
                      void *context, char *error, size_t size)
{
    OWNED char *copy = must(strdup(list));
    char *rest = copy;
    for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ","))
        if (!take(context, part)) {
            snprintf(error, size, "'%.40s'", part);
            return false;
        }
    return true;
}

// One unit of time and one of memory at most.
static bool take_unit(void *context, const char *part)
{
    struct mean_units *to = context;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const struct mean_unit **place = units[i].is_memory ? &to->memory : &to->time;
        if (strcmp(part, units[i].name) != 0)
            continue;
        if (*place)
            return false;
        *place = &units[i];
        return true;
    }
    return false;
}

bool mean_units_check(const char *text, char *error, size_t size)
{
    struct mean_units ignored = {0};
    char part[64] = "";
    if (each_part(text, take_unit, &ignored, part, sizeof part))
        return true;
    snprintf(error, size,
             "%s: give one unit of time (s, ms, us) and one of memory (B, kB, KiB, MB, MiB, GB, "
             "GiB), such as ms,MiB",
             part);
    return false;
}

struct mean_units mean_units_of(const char *text)
{
    struct mean_units chosen = {0};
    char ignored[64];
    if (text)
        each_part(text, take_unit, &chosen, ignored, sizeof ignored);
    if (!chosen.time)
        take_unit(&chosen, "s");
    if (!chosen.memory)
        take_unit(&chosen, "kB");
    return chosen;
}

const struct mean_unit *mean_unit_for(const struct mean_units *chosen, size_t metric)
{
    return metric == METRIC_MEMORY ? chosen->memory : chosen->time;
}

// ---- which tables

static const char *const table_names[] = {"means", "slowdowns", "levels", NULL};

// context: a bit for each table that was named.
static bool take_table(void *context, const char *part)
{
    unsigned *named = context;
    for (unsigned i = 0; table_names[i]; i++)
        if (strcmp(part, table_names[i]) == 0 && !(*named & 1u << i)) {
            *named |= 1u << i;
            return true;
        }
    return false;
}

bool tables_check(const char *text, char *error, size_t size)
{
    unsigned named = 0;
    char part[64] = "";
    if (each_part(text, take_table, &named, part, sizeof part))
        return true;
    snprintf(error, size,
             "%s: give each of means, slowdowns, levels at most once, such as means,levels", part);
    return false;
}

static bool put_name(void *json, const char *part)
{
    line_text(json, NULL, part);
    return true;
}

void tables_put(struct line *json, const char *tables)
{
    char ignored[64];
    LINE_ARRAY (json, "tables")
        each_part(tables, put_name, json, ignored, sizeof ignored);
}
