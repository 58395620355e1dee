#include "reproduce.h"

#include "capacity.h"

#include "common/memory.h"
#include "common/text.h"
#include "common/words.h"

#include <stdlib.h>
#include <string.h>

struct words {
    const char **item;
    size_t count, allocated;
};

/* Takes text. */
static void add(struct words *words, char *text)
{
    words->item = grown(words->item, words->count, &words->allocated, sizeof *words->item);
    words->item[words->count++] = text;
}

static char *plain_text(const struct value *value)
{
    return view_is(value, VIEW_STRING) ? must(view_string(value)) : must(view_copy(value));
}

static char *joined(const struct value *list)
{
    char *all = must(strdup(""));
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        char *text = plain_text(item),
             *more = text_of("%s%s%s", all, *all == '\0' ? "" : ",", text);
        free(text);
        free(all);
        all = more;
    }
    return all;
}

/* "load_cpus" -> --load-cpus, "settle_s" -> --settle; what is --conclude now was --cleanup in
 * older records. */
static char *option_name(const struct value *settings, const struct value *setting)
{
    const bool old = view_get(settings, "conclude") == NULL;
    if (old && view_get(settings, "cleanup") == setting)
        return must(strdup("--conclude"));
    char *name = text_of("--%.*s", (int)setting->key_length, setting->key);
    name[text_before(name, "_s")] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return name;
}

/* Not given, or what is so without it. */
static bool preset(const char *option, const struct value *setting)
{
    const char *text = setting->text;
    const size_t length = setting->length;
    const bool nothing = setting->type == VIEW_NULL || setting->type == VIEW_FALSE ||
                         (length == 2 && (*text == '"' || *text == '[')) ||
                         (setting->type == VIEW_NUMBER && view_number(setting, 0) == 0);
    return nothing || (strcmp(option, "--engine") == 0 && view_equals(setting, "meter")) ||
           (strcmp(option, "--washout") == 0 && view_equals(setting, "auto")) ||
           (strcmp(option, "--settle") == 0 && view_number(setting, 0) == 1);
}

/* What is given in another way: how a variant's words are read is in its words. */
static bool is_apart(const char *option)
{
    static const char *const names[] = {"--metric",         "--metrics",      "--decide",
                                        "--shell",          "--command",      "--kind",
                                        "--ignore-failure", "--ignore-codes", NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

static void add_setting(struct words *words, const struct value *settings,
                        const struct value *setting)
{
    char *option = option_name(settings, setting);
    if (setting->type == VIEW_OBJECT) /* of capacity: its members are options */
        for (const struct value *item = view_first(setting); item != NULL;
             item = view_next(setting, item))
            add_setting(words, setting, item);
    if (is_apart(option) || preset(option, setting) || setting->type == VIEW_OBJECT) {
        free(option);
        return;
    }
    if (strcmp(option, "--cold-path") == 0) {
        for (const struct value *path = view_first(setting); path != NULL;
             path = view_next(setting, path)) {
            add(words, must(strdup(option)));
            add(words, plain_text(path));
        }
        free(option);
        return;
    }
    const bool percent = strcmp(option, "--same-within") == 0;
    add(words, option);
    if (setting->type == VIEW_ARRAY)
        add(words, joined(setting));
    else if (percent)
        add(words, text_of("%.6g%%", 100 * view_number(setting, 0)));
    else if (setting->type != VIEW_TRUE)
        add(words, plain_text(setting));
}

static void add_ignored(struct words *words, const struct value *settings)
{
    const struct value *codes = view_get(settings, "ignore_codes");
    if (!view_true(view_get(settings, "ignore_failure")))
        return;
    char *list = joined(codes);
    add(words, text_of("--ignore-failure%s%s", *list == '\0' ? "" : "=", list));
    free(list);
}

/* "p99_ms=stdout:/.../,unit=ms", as --metric takes it (common/metric.h). */
static char *definition_text(const struct value *metric)
{
    static const char *const options[] = {"take", "scale", "unit",    "better",
                                          "role", "loop",  "quantile"};
    char *name = plain_text(view_get(metric, "name")),
         *source = plain_text(view_get(metric, "source"));
    char *variant = view_string(view_get(metric, "variant"));
    char *text = text_of("%s%s%s=%s", name, variant == NULL ? "" : "@",
                         variant == NULL ? "" : variant, source);
    free(name);
    free(variant);
    free(source);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct value *value = view_get(metric, options[i]);
        if (value == NULL || value->type == VIEW_NULL || view_equals(value, "") ||
            view_equals(value, "last") || view_equals(value, "lower") ||
            view_equals(value, "result"))
            continue;
        char *plain = plain_text(value), *more = text_of("%s,%s=%s", text, options[i], plain);
        free(plain);
        free(text);
        text = more;
    }
    return text;
}

static bool has_definition(const struct value *settings, const struct value *name)
{
    const struct value *all = view_get(settings, "metrics");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_same(view_get(item, "name"), name))
            return true;
    return false;
}

/* Names that are built in, and definitions. */
static void add_metrics(struct words *words, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"), *own = view_get(settings, "metrics"),
                       *decide = view_get(settings, "decide");
    char *names = must(strdup(""));
    for (const struct value *item = view_first(chosen); item != NULL;
         item = view_next(chosen, item)) {
        if (has_definition(settings, item))
            continue;
        char *name = plain_text(item),
             *more = text_of("%s%s%s", names, *names == '\0' ? "" : ",", name);
        free(name);
        free(names);
        names = more;
    }
    if (*names != '\0' && (view_first(own) != NULL || strcmp(names, "wall_s") != 0)) {
        add(words, must(strdup("--metric")));
        add(words, must(strdup(names)));
    }
    free(names);
    for (const struct value *item = view_first(own); item != NULL; item = view_next(own, item)) {
        add(words, must(strdup("--metric")));
        add(words, definition_text(item));
    }
    if (view_first(decide) != NULL && !view_same(decide, chosen)) {
        add(words, must(strdup("--decide")));
        add(words, joined(decide));
    }
}

static void add_loads(struct words *words, const struct value *loads)
{
    for (const struct value *load = view_first(loads); load != NULL;
         load = view_next(loads, load)) {
        char *name = view_string(view_get(load, "name")),
             *spec = view_string(view_get(load, "spec"));
        if (name != NULL && spec != NULL) {
            add(words, must(strdup("--load")));
            add(words, text_of("%s=%s", name, spec));
        }
        free(name);
        free(spec);
    }
}

/* What was built from a revision is built again. */
static void add_variants(struct words *words, const struct value *record)
{
    const struct value *variants = view_get(record, "variants");
    char *build = view_string(view_get(record, "build"));
    for (const struct value *item = view_first(variants); item != NULL;
         item = view_next(variants, item)) {
        char *name = plain_text(view_get(item, "name")),
             *commit = view_string(view_path(item, "revision", "commit"));
        char *command = command_text(view_get(item, "command"));
        add(words, must(strdup(commit == NULL ? "--variant" : "--revision")));
        add(words, text_of("%s=%s", name, commit == NULL ? command : commit));
        free(name);
        free(commit);
        free(command);
    }
    if (build != NULL) {
        add(words, must(strdup("--build")));
        add(words, build);
    }
}

static void add_command(struct words *words, const struct value *command)
{
    add(words, must(strdup("--")));
    for (const struct value *word = view_first(command); word != NULL;
         word = view_next(command, word))
        add(words, plain_text(word));
}

static const char *command_name(const struct cell *cell)
{
    if (capacity_searched(cell->of))
        return "capacity";
    return cell->loaded == NULL && cell->variant == NULL ? "run" : "slowdown";
}

char *reproduce_command(const struct cell *cell)
{
    const struct value *record = cell->of->record.top, *settings = cell->of->settings,
                       *variants = view_get(record, "variants");
    const bool built = view_is(view_path(view_first(variants), "revision", "commit"), VIEW_STRING);
    struct words words = {0};
    add(&words, must(strdup("jostle")));
    add(&words, must(strdup(command_name(cell))));
    add_variants(&words, record);
    add_loads(&words, view_get(record, "loads"));
    add_metrics(&words, settings);
    for (const struct value *setting = view_first(settings); setting != NULL;
         setting = view_next(settings, setting))
        add_setting(&words, settings, setting);
    add_ignored(&words, settings);
    if (view_first(variants) == NULL || built)
        add_command(&words, view_get(record, "command"));
    char *text = must(words_quote(words.item, words.count));
    for (size_t i = 0; i < words.count; i++)
        free((char *)(uintptr_t)words.item[i]);
    free(words.item);
    return text;
}
