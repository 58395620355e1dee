// Asks loads what their command lines mean (loadgen --describe), so that nobody else reads them.

#include "describe.h"

#include "loads.h"
#include "try.h"

#include "common/child.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct option_list load_surroundings(struct arena *arena, const struct settings *settings,
                                     const char *cpus, const struct option_list *set)
{
    struct option_list words = {0};
    char path[PATH_MAX];
    if (settings->load_nice != OPTION_NOT_GIVEN) {
        list_add(&words, arena, "nice");
        list_add(&words, arena, "-n");
        list_add(&words, arena, arena_format(arena, "%" PRId64, settings->load_nice));
    }
    // A setting of the load's CPUs comes in the place of where all loads are put.
    for (size_t i = 0; i < set->count; i++)
        cpus = text_after(set->item[i], "cpus=") ? NULL : cpus;
    if (!cpus && set->count == 0)
        return words;
    list_add(&words, arena, arena_format(arena, "%s", child_path("start", path)));
    if (cpus) {
        list_add(&words, arena, "--cpus");
        list_add(&words, arena, cpus);
    }
    for (size_t i = 0; i < set->count; i++) {
        list_add(&words, arena, "--set");
        list_add(&words, arena, set->item[i]);
    }
    list_add(&words, arena, "--");
    return words;
}

// The command line of a load in these surroundings, with one more option.
static struct option_list loadgen_words(struct arena *arena, const struct load *load,
                                        const struct option_list *surroundings, const char *option)
{
    char path[PATH_MAX];
    const char *const loadgen[] = {arena_format(arena, "%s", child_path("loadgen", path)),
                                   load->words.item[0], option};
    struct option_list words = {0};
    list_add_all(&words, arena, surroundings->item, surroundings->count);
    list_add_all(&words, arena, loadgen, sizeof loadgen / sizeof loadgen[0]);
    list_add_all(&words, arena, load->words.item + 1, load->words.count - 1);
    return words;
}

bool load_runs(struct arena *arena, const struct load *load, const struct option_list *surroundings,
               const char **said)
{
    const struct option_list words = loadgen_words(arena, load, surroundings, "--control");
    struct option_list lines = {0};
    return words_run(arena, "{ echo resume; sleep 1; } | { \"$@\" 2>&1; }", &words, &lines, said);
}

// What the words of the load say on any machine.
static void take_words(struct description *description, struct arena *arena, const json_t *words)
{
    const char *by_hand = json_text_at(words, "by_hand");
    description->known = true;
    description->by_hand = !by_hand ? NULL : arena_format(arena, "%s", by_hand);
    description->listens = json_is_true(json_object_get(words, "listens"));
    description->percent = json_is_number(json_object_get(words, "percent"));
}

static void add_same(struct description *description, struct arena *arena, const char *option,
                     const char *value)
{
    list_add(&description->same, arena, option);
    list_add(&description->same, arena, arena_format(arena, "%s", value));
}

// What the load would be in its surroundings.
static void take_plan(struct description *description, struct arena *arena, const json_t *plan)
{
    const json_t *threads = json_object_get(plan, "threads_to_give"),
                 *bytes = json_object_get(plan, "memory_bytes");
    description->planned = true;
    description->threads = json_integer_value(json_object_get(plan, "threads"));
    description->disk = !json_is_false(json_object_get(plan, "disk"));
    description->memory_bytes = json_is_null(bytes) ? INFINITY : json_number_value(bytes);
    description->fills_memory = !json_is_false(json_object_get(plan, "fills_memory"));
    description->percent = json_is_number(json_object_get(plan, "percent"));
    if (json_is_integer(threads))
        add_same(description, arena, "--threads",
                 arena_format(arena, "%lld", (long long)json_integer_value(threads)));
    const char *of = json_text_or_empty(plan, "percent_of"),
               *on = json_text_or_empty(plan, "percent_on");
    if (description->percent && *of != '\0')
        add_same(description, arena, "--percent-of", of);
    if (description->percent && *on != '\0')
        add_same(description, arena, "--percent-on", on);
}

// Asks by that command line.
static void ask(struct description *description, struct arena *arena,
                const struct option_list *words)
{
    struct option_list lines = {0};
    *description = (struct description){.said = NULL};
    const bool good = words_run(arena, "exec \"$@\" 2>&1", words, &lines, &description->said);
    for (size_t i = 0; i < lines.count; i++) {
        json_auto_t *line = json_loads(lines.item[i], 0, NULL);
        if (json_text_is(line, "event", "words"))
            take_words(description, arena, line);
        else if (good && json_text_is(line, "event", "plan"))
            take_plan(description, arena, line);
    }
    description->other = good && !description->known;
}

// The same question has the same answer: each is asked once.
static const struct description *answer(struct asked_loads *asked, struct arena *arena,
                                        const struct option_list *words)
{
    OWNED char *key = must(words_quote(words->item, words->count));
    for (size_t i = 0; i < asked->count; i++)
        if (strcmp(asked->item[i].key, key) == 0)
            return &asked->item[i].description;
    asked->item = arena_more(arena, asked->item, asked->count, sizeof *asked->item);
    struct asked_load *one = &asked->item[asked->count++];
    one->key = arena_format(arena, "%s", key);
    ask(&one->description, arena, words);
    return &one->description;
}

bool load_describe(struct asked_loads *asked, struct arena *arena, const struct load *load,
                   const struct option_list *surroundings, struct description *description)
{
    const struct option_list words = loadgen_words(arena, load, surroundings, "--describe");
    *description = *answer(asked, arena, &words);
    return description->planned;
}

// What is for jostle to give its loads, or makes none of it, is not for a spec.
static void check_described(const struct load *load)
{
    const struct description *description = &load->description;
    if (description->by_hand)
        usage_error("load '%s': --%s: jostle begins and ends its loads itself: leave it out",
                    load->spec, description->by_hand);
    if (description->other)
        usage_error("load '%s': an option such as --help makes no load: jostle begins and ends its "
                    "loads itself: leave it out",
                    load->spec);
}

void conditions_describe(struct conditions *conditions, struct arena *arena,
                         struct asked_loads *asked, const struct option_list *surroundings)
{
    static const struct option_list none = {0};
    for (size_t i = 0; i < conditions->count; i++)
        for (size_t k = 0; k < conditions->condition[i].load_count; k++) {
            struct load *load = &conditions->condition[i].load[k];
            // Programs that run already have no options; another node may be another machine.
            const bool all = surroundings && !load->node;
            const struct option_list words = loadgen_words(arena, load, all ? surroundings : &none,
                                                           all ? "--describe" : "--only-words");
            if (load_is_running(load))
                continue;
            load->description = *answer(asked, arena, &words);
            check_described(load);
        }
}

bool load_has_percent(const struct load *load)
{
    // A load that this machine refuses may be one of the other machine.
    return load->description.known ? load->description.percent
                                   : load->node && !load_is_running(load);
}

bool spec_has_percent(struct arena *arena, const char *spec, struct option_list *words)
{
    static const struct option_list none = {0};
    struct asked_loads asked = {0};
    struct load load = {.spec = spec};
    if (!load_words_read(arena, &load, spec_without_settings(spec)))
        return false;
    *words = load.words;
    const struct option_list ask_words = loadgen_words(arena, &load, &none, "--only-words");
    const struct description *description = answer(&asked, arena, &ask_words);
    // Whoever calibrates a load that is refused says why.
    return description->known ? description->percent : !description->other;
}

// Keeps a load the same under settings: it counts the CPUs that it has, and a percentage is
// of what these reach. What describes nothing is refused when it starts.
static void keep_same(struct arena *arena, struct load *load)
{
    static const struct option_list none = {0};
    if (!load->description.planned)
        return;
    load->calibrated_by = load->description.percent ? load->words : none;
    const struct option_list words = load->words;
    const struct option_list *same = &load->description.same;
    // Before what an exec: load runs: its command has none of these.
    load->words = (struct option_list){0};
    list_add_all(&load->words, arena, words.item, words.count);
    list_add_all(&load->words, arena, same->item, same->count);
}

void conditions_keep_loads(struct conditions *conditions, struct arena *arena)
{
    for (size_t i = 0; i < conditions->count; i++) {
        struct condition *condition = &conditions->condition[i];
        for (size_t k = 0; k < condition->load_count && condition->adjustment.load.count > 0; k++)
            keep_same(arena, &condition->load[k]);
    }
}
