#include "settings.h"

#include "common/child.h"
#include "common/file.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/processes.h"
#include "common/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACEHOLDER "{node"
#define BLANKS      " \t\n"
#define ALL_OTHERS  "all-others"

// Where a load runs: "@WHERE SPEC" puts it on other nodes of the job that we are
// in, or on a host that ssh reaches. Nodes are counted from 1, where the target is; WHERE is a
// node (2), some (2-4), all-others, or the name of a host. {node2} in a SPEC is the name of
// node 2. Wrong use ends the program.

// The nodes of the job, from JOSTLE_JOB_HOSTS, the target's first; none: we are in no job.
static struct option_list nodes_of_job(struct arena *arena)
{
    const char *hosts = getenv("JOSTLE_JOB_HOSTS");
    struct option_list nodes = {0};
    char *rest = NULL, *text = arena_format(arena, "%s", hosts ? hosts : "");
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        list_add(&nodes, arena, line);
    return nodes;
}

static void need_job(const struct option_list *nodes, const char *spec)
{
    if (nodes->count == 0)
        usage_error("load '%s': other nodes are those of a job: submit it with jostle submit or "
                    "your scheduler, or name a host that ssh reaches: @HOST",
                    spec);
}

// A node's number at *text, which is moved behind it; 0: there is none.
static size_t scan_node(const char **text)
{
    char *end;
    if (**text < '1' || **text > '9')
        return 0;
    const unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    return number;
}

// "2", "2-4": false when it is neither.
static bool scan_range(const char *where, size_t *first, size_t *last)
{
    const char *at = where;
    *first = *last = scan_node(&at);
    if (*first > 0 && *at == '-') {
        at++;
        *last = scan_node(&at);
    }
    return *first > 0 && *last > 0 && *at == '\0';
}

// Those of the job that "@2", "@2-4" and "@all-others" mean.
static struct option_list places_in_job(const struct option_list *nodes, const char *where,
                                        const char *spec)
{
    size_t first = 2, last = nodes->count;
    need_job(nodes, spec);
    if (strcmp(where, ALL_OTHERS) != 0 && !scan_range(where, &first, &last))
        usage_error("load '%s': @%s names no node: give @2, @2-4, @" ALL_OTHERS
                    " or the name of a host",
                    spec, where);
    if (first > last || last > nodes->count)
        usage_error("load '%s': @%s, but the job has %zu node%s: submit it with more", spec, where,
                    nodes->count, nodes->count == 1 ? "" : "s");
    return (struct option_list){.count = last - first + 1, .item = nodes->item + first - 1};
}

// Skips "@WHERE " at the start of spec; *places are then the nodes that it names, else this one.
static const char *nodes_select(const struct option_list *nodes, struct arena *arena,
                                const char *spec, struct option_list *places)
{
    const char *text = spec + strspn(spec, BLANKS);
    const size_t length = strcspn(text, BLANKS);
    *places = (struct option_list){0};
    list_add(places, arena, NULL);
    if (text[0] != '@' || length == 1 || text[length] == '\0')
        return spec;
    const char *where = arena_format(arena, "%.*s", (int)length - 1, text + 1);
    // A host is reached by ssh, which would take a - for an option.
    const bool host = isalpha((unsigned char)*where) && strcmp(where, ALL_OTHERS) != 0 &&
                      strspn(where, HOST_CHARACTERS) == length - 1;
    if (host)
        places->item[0] = where;
    else
        *places = places_in_job(nodes, where, spec);
    return text + length + strspn(text + length, BLANKS);
}

// The spec with the names of nodes for {nodeN}.
static const char *nodes_fill(const struct option_list *nodes, struct arena *arena,
                              const char *spec)
{
    const char *filled = "";
    for (const char *at = spec;;) {
        const char *next = strstr(at, PLACEHOLDER);
        if (!next)
            return arena_format(arena, "%s%s", filled, at);
        const char *end = next + sizeof PLACEHOLDER - 1;
        const size_t number = scan_node(&end);
        if (number == 0 || *end != '}') {
            filled = arena_format(arena, "%s%.*s" PLACEHOLDER, filled, (int)(next - at), at);
            at = next + sizeof PLACEHOLDER - 1;
            continue;
        }
        need_job(nodes, spec);
        if (number > nodes->count)
            usage_error("load '%s': {node%zu}, but the job has %zu node%s: submit it with more",
                        spec, number, nodes->count, nodes->count == 1 ? "" : "s");
        filled =
            arena_format(arena, "%s%.*s%s", filled, (int)(next - at), at, nodes->item[number - 1]);
        at = end + 1;
    }
}

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%-"
#define EXEC            "exec:"
#define NEIGHBOUR       "neighbour"
#define NAME_MOST       100 // it becomes part of names of files

// What the loads of one --load share while it is parsed.
struct parser {
    struct arena *arena;
    const struct load_context *context;
    const struct conditions *conditions;
    struct condition *condition;
    struct option_list nodes;
};

bool conditions_have(const struct conditions *conditions, const char *name)
{
    for (size_t i = 0; i < conditions->count; i++)
        if (strcmp(conditions->condition[i].name, name) == 0)
            return true;
    return false;
}

bool conditions_have_neighbour(const struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        for (size_t k = 0; k < conditions->condition[i].load_count; k++)
            if (strcmp(conditions->condition[i].load[k].words.item[0], NEIGHBOUR) == 0)
                return true;
    return false;
}

struct condition *conditions_add(struct conditions *conditions, struct arena *arena,
                                 const char *name, const char *spec)
{
    conditions->condition =
        arena_more(arena, conditions->condition, conditions->count, sizeof *conditions->condition);
    struct condition *condition = &conditions->condition[conditions->count++];
    *condition = (struct condition){.name = name, .spec = spec, .bare = spec};
    return condition;
}

// Whether any load is named so; the loads of a record differ by their names.
static bool is_taken(const struct conditions *conditions, const char *name)
{
    for (size_t i = 0; i < conditions->count; i++)
        for (size_t j = 0; j < conditions->condition[i].load_count; j++)
            if (strcmp(conditions->condition[i].load[j].name, name) == 0)
                return true;
    return false;
}

// Adds the words of a command line; how many they are.
static size_t add_split_words(const struct parser *parser, struct load *load, const char *spec,
                              const char *line)
{
    const char *error = NULL;
    size_t count = 0;
    char **words = words_split(line, &count, &error);
    if (!words)
        usage_error("load '%s': %s: check its quotes", spec, error);
    list_add_all(&load->words, parser->arena, arena_keep(parser->arena, words), count);
    return count;
}

// Whether a word is the option, in full or shortened to three letters at least.
static bool is_option(const char *word, const char *option)
{
    const size_t length = strcspn(word, "=");
    return length <= strlen(option) && length >= strlen("--dur") &&
           strncmp(word, option, length) == 0;
}

static bool has_option(const struct load *load, const char *option)
{
    for (size_t i = 1; i < load->words.count; i++)
        if (is_option(load->words.item[i], option))
            return true;
    return false;
}

// What a load has from us, or what makes none of it, is not for its spec.
// A load that is the command line of a program says `exec:` in front of it.
static void refuse_program(const struct load *load, const char *spec)
{
    char path[PATH_MAX], found[PATH_MAX];
    const char *name = load->words.item[0];
    const char *const ask[] = {child_path("loadgen", path), "--list-options", NULL};
    OWNED char *known = NULL, *line = text_of("command\t%s\n", name);
    if (!strchr(name, '/') &&
        (!child_find(name, found) || child_run(ask, -1, &known) != 0 || strstr(known, line)))
        return;
    OWNED char *command = must(words_quote(load->words.item, load->words.count));
    usage_error("load '%s': %s is a program: write exec: %s", spec, name, command);
}

static void check_words(const struct load *load, const char *spec)
{
    static const char *const own[] = {"--control", "--duration",    "--dry-run",     "--help",
                                      "--version", "--show-device", "--list-options"};
    if (strcmp(load->words.item[0], NEIGHBOUR) == 0)
        usage_error("load '%s': write pid:N, cgroup:PATH or job:ID, and --pause", spec);
    if (load->words.item[0][0] == '-')
        usage_error("load '%s': %s is no load: give one such as cpu --percent 50", spec,
                    load->words.item[0]);
    refuse_program(load, spec);
    for (size_t i = 1; i < load->words.count && strcmp(load->words.item[i], "--") != 0; i++) {
        const char *word = load->words.item[i];
        if (strcmp(load->words.item[0], "exec") == 0 && word[0] != '-')
            return; // the command of another program
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
            if (is_option(word, own[k]))
                usage_error("load '%s': %s: jostle begins and ends its loads itself: leave it out",
                            spec, own[k]);
    }
}

// When that process began: with it, another one that got its number later is another one.
static const char *started(struct arena *arena, const char *pid)
{
    char path[64], text[1024];
    struct process process;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    return file_read(AT_FDCWD, path, text, sizeof text) && process_parse(text, &process)
               ? arena_format(arena, "%lld", process.started)
               : NULL;
}

// Another load has the same programs as its neighbour, which either may have stopped when the other
// one looks: that they run is seen here, before any load starts.
static void share(const struct parser *parser, struct load *first, struct load *load)
{
    static const char shared[] = "--shared";
    struct option_list *own = &first->words;
    if (strcmp(own->item[own->count - 1], shared) != 0) {
        char path[PATH_MAX];
        const char *why;
        struct option_list words = {0};
        list_add(&words, parser->arena, child_path("loadgen", path));
        list_add_all(&words, parser->arena, own->item, own->count);
        list_add(&words, parser->arena, "--dry-run");
        if (!words_try(parser->arena, &words, &why))
            usage_error("load %s: %s", first->name, why);
        list_add(own, parser->arena, shared);
    }
    list_add(&load->words, parser->arena, shared);
}

static void share_neighbour(const struct parser *parser, struct load *load)
{
    const struct conditions *conditions = parser->conditions;
    for (size_t i = 0; i < conditions->count; i++)
        for (size_t k = 0; k < conditions->condition[i].load_count; k++) {
            struct load *first = &conditions->condition[i].load[k];
            const struct option_list *words = &first->words;
            size_t same = 0;
            while (same < words->count && same < load->words.count &&
                   strcmp(words->item[same], load->words.item[same]) == 0)
                same++;
            if (same == load->words.count) {
                share(parser, first, load);
                return;
            }
        }
}

// A load that is there already: pid:N, cgroup:PATH, job:ID. False: it is none.
static bool read_neighbour(const struct parser *parser, struct load *load, const char *spec)
{
    static const char *const kinds[] = {"pid", "cgroup", "job"};
    const size_t length = strcspn(spec, ":");
    const char *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && spec[length] == ':'; i++)
        kind = strlen(kinds[i]) == length && strncmp(spec, kinds[i], length) == 0 ? kinds[i] : kind;
    if (!kind)
        return false;
    if (!parser->context->pause)
        usage_error("load '%s': it would be stopped and continued, again and again: give --pause "
                    "if that is what you want",
                    spec);
    if (load->node)
        usage_error("load '%s': only programs of this node can be paused: leave @%s out", spec,
                    load->node);
    const char *began = strcmp(kind, "pid") == 0 ? started(parser->arena, spec + length + 1) : NULL;
    const char *const words[] = {NEIGHBOUR, "--pause", arena_format(parser->arena, "--%s", kind)};
    const char *const since[] = {"--started", began};
    list_add_all(&load->words, parser->arena, words, 3);
    if (add_split_words(parser, load, spec, spec + length + 1) != 1)
        usage_error("load '%s': give one, such as %s:4711", spec, kind);
    list_add_all(&load->words, parser->arena, since, !began ? 0 : 2);
    share_neighbour(parser, load);
    return true;
}

// Sets the words of a load from its spec.
static void read_words(const struct parser *parser, struct load *load, const char *spec)
{
    const char *text = spec + strspn(spec, BLANKS), *engine, *image;
    if (read_neighbour(parser, load, text))
        return;
    const char *command = container_load(parser->arena, text, &engine, &image);
    const char *const exec[] = {
        "exec",
        "--settle",
        arena_format(parser->arena, "%.9gs", (double)parser->context->settle_ns / 1e9),
        "--",
        !command ? NULL : container_program(parser->arena),
        engine,
        image};
    const size_t exec_count = !command ? 4 : sizeof exec / sizeof exec[0];
    if (!command && strncmp(text, EXEC, strlen(EXEC)) == 0)
        command = text + strlen(EXEC);
    if (command) {
        const char *operator= words_operator(command);
        char name[2];
        if (operator!= NULL)
            usage_error("load '%s': no shell reads this, so %s would be a word like any other: "
                        "quote it, or write exec: sh -c '...'",
                        spec, words_operator_name(operator, name));
        list_add_all(&load->words, parser->arena, exec, exec_count);
        if (add_split_words(parser, load, spec, command) == 0)
            usage_error("load '%s': no command: write %s COMMAND", spec,
                        exec_count == 4 ? EXEC : "podman IMAGE:");
        return;
    }
    (void)add_split_words(parser, load, spec, text);
    check_words(load, spec);
    load->listens = strcmp(load->words.item[0], "net") == 0 && has_option(load, "--listen");
}

// "half"; of several joined loads "half.cpu"; on other nodes "half.cpu@node2"; a
// + for each one that is named so already.
static const char *name_load(const struct parser *parser, const struct load *load)
{
    const struct condition *condition = parser->condition;
    const char *rest;
    words_until_joint(condition->spec, &rest);
    const bool joined = rest != NULL;
    const char *name = arena_format(parser->arena, "%s%s%s%s%s", condition->name, joined ? "." : "",
                                    joined ? load->words.item[0] : "", !load->node ? "" : "@",
                                    !load->node ? "" : load->node);
    while (is_taken(parser->conditions, name))
        name = arena_format(parser->arena, "%s+", name);
    return name;
}

// Adds one of the joined loads, as often as there are nodes for it.
static void add_part(const struct parser *parser, const char *part)
{
    struct condition *condition = parser->condition;
    struct option_list places;
    const char *spec = nodes_select(&parser->nodes, parser->arena, part, &places);
    if (spec[strspn(spec, BLANKS)] == '\0')
        usage_error("--load %s=%s: a load is missing: give a load such as cpu --percent 50",
                    condition->name, condition->spec);
    spec = nodes_fill(&parser->nodes, parser->arena, spec);
    for (size_t i = 0; i < places.count; i++) {
        struct load load = {.node = places.item[i]};
        read_words(parser, &load, spec);
        load.name = name_load(parser, &load);
        condition->load = arena_more(parser->arena, condition->load, condition->load_count,
                                     sizeof *condition->load);
        condition->load[condition->load_count++] = load;
    }
}

// The next of several joined loads; *rest becomes NULL behind the last.
static const char *next_part(struct arena *arena, const char **rest)
{
    const char *part = *rest;
    return arena_format(arena, "%.*s", (int)words_until_joint(part, rest), part);
}

// The spec with "@WHERE" in front of each of its loads that has none.
static const char *put_on_nodes(struct arena *arena, const char *where, const char *spec)
{
    const char *text = "";
    for (const char *rest = spec; rest != NULL;) {
        const char *part = next_part(arena, &rest);
        const bool placed = part[strspn(part, BLANKS)] == '@';
        text = arena_format(arena, "%s%s%s%s%s%s", text, *text == '\0' ? "" : " + ",
                            placed ? "" : "@", placed ? "" : where, placed ? "" : " ", part);
    }
    return text;
}

const char *load_name_read(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, NAME_CHARACTERS);
    const char *at = text + length, *where = NULL;
    size_t where_length = 0;
    if (length > 0 && *at == '@') {
        where = at + 1;
        where_length = strspn(where, HOST_CHARACTERS);
        at = where + where_length;
    }
    if (length == 0 || *at != '=' || (where && where_length == 0)) {
        // It is named by its first word, without "[SETTINGS] ", "@WHERE " and the colon of "exec:".
        const char *end = text[0] == '[' ? strchr(text, ']') : NULL;
        const char *word = end ? end + 1 + strspn(end + 1, BLANKS) : text;
        const char *blank = word[0] == '@' ? strchr(word, ' ') : NULL;
        word = blank ? blank + 1 : word;
        *name = arena_format(arena, "%.*s", (int)strcspn(word, ": "), word);
        return text;
    }
    if (length > NAME_MOST)
        usage_error("--load %.*s...: the name is too long: give %d characters at most", NAME_MOST,
                    text, NAME_MOST);
    *name = arena_format(arena, "%.*s", (int)length, text);
    return !where
               ? at + 1
               : put_on_nodes(arena, arena_format(arena, "%.*s", (int)where_length, where), at + 1);
}

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

// Has a shell run words. False: they failed. *said: the last line, of those with "jostle: " in
// front where there are such, without that.
static bool run_words(struct arena *arena, const char *script, const struct option_list *words,
                      const char **said)
{
    const char *const shell[] = {"sh", "-c", script, "sh"};
    OWNED char *output = NULL;
    struct option_list argv = {0};
    list_add_all(&argv, arena, shell, sizeof shell / sizeof shell[0]);
    list_add_all(&argv, arena, words->item, words->count);
    const bool good = child_run(argv.item, -1, &output) == 0;
    const char *last = NULL, *ours = NULL;
    char *rest = NULL;
    for (char *line = output ? strtok_r(output, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        last = line;
        ours = text_after(line, "jostle: ") ?: ours;
    }
    *said = arena_format(arena, "%s", good && last ? last : ours ? ours : "it is killed with it");
    return good;
}

bool words_try(struct arena *arena, const struct option_list *words, const char **said)
{
    return run_words(arena, "exec \"$@\" 2>&1", words, said);
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
    return run_words(arena, "{ echo resume; sleep 1; } | { \"$@\" 2>&1; }", &words, said);
}

bool load_describe(struct arena *arena, const struct load *load,
                   const struct option_list *surroundings, struct description *description)
{
    const struct option_list words = loadgen_words(arena, load, surroundings, "--describe");
    *description = (struct description){.said = NULL};
    if (!words_try(arena, &words, &description->said))
        return false;
    json_auto_t *plan = json_loads(description->said, 0, NULL);
    const json_t *threads = json_object_get(plan, "threads_to_give"),
                 *bytes = json_object_get(plan, "memory_bytes");
    description->threads = json_integer_value(json_object_get(plan, "threads"));
    description->disk = !json_is_false(json_object_get(plan, "disk"));
    description->memory_bytes = json_is_null(bytes) ? INFINITY : json_number_value(bytes);
    description->fills_memory = !json_is_false(json_object_get(plan, "fills_memory"));
    if (json_is_integer(threads)) {
        list_add(&description->same, arena, "--threads");
        list_add(&description->same, arena,
                 arena_format(arena, "%lld", (long long)json_integer_value(threads)));
    }
    description->percent = json_is_number(json_object_get(plan, "percent"));
    for (size_t i = 0; description->percent && i < 2; i++) {
        static const char *const names[][2] = {{"percent_of", "--percent-of"},
                                               {"percent_on", "--percent-on"}};
        const char *text = json_text_or_empty(plan, names[i][0]);
        if (*text == '\0')
            continue;
        list_add(&description->same, arena, names[i][1]);
        list_add(&description->same, arena, arena_format(arena, "%s", text));
    }
    return json_is_object(plan);
}

// The same load under settings as without: a load counts the CPUs that it has, and a percentage is
// of what these reach. What describes nothing is refused when it starts.
static void keep_same(struct arena *arena, struct load *load, const struct settings *settings,
                      const char *cpus)
{
    static const struct option_list none = {0};
    const struct option_list plain = load_surroundings(arena, settings, cpus, &none);
    struct description description;
    if (!load_describe(arena, load, &plain, &description))
        return;
    load->calibrated_by = description.percent ? load->words : none;
    const struct option_list words = load->words;
    const struct option_list *same = &description.same;
    // Before what an exec: load runs: those have none of these.
    load->words = (struct option_list){0};
    list_add_all(&load->words, arena, words.item, words.count);
    list_add_all(&load->words, arena, same->item, same->count);
}

const char *load_unsettable(const struct load *load)
{
    return load->node ? "settings are set on this node alone, and it is on another one"
           : strcmp(load->words.item[0], NEIGHBOUR) == 0 ? "it runs already, as it was started"
                                                         : NULL;
}

// A load of another node, or one that runs already, is not started by us.
static void check_adjusted_loads(const struct condition *condition)
{
    const struct adjustment *adjustment = &condition->adjustment;
    if (condition->load_count == 0 && adjustment->load.count > 0)
        usage_error("--load %s=%s: settings of which load? Give it behind them", condition->name,
                    condition->spec);
    for (size_t i = 0; i < condition->load_count && adjustment->load.count > 0; i++) {
        const struct load *load = &condition->load[i];
        if (load->node)
            usage_error("--load %s: settings are set on this node alone: leave them out, or @%s",
                        condition->name, load->node);
        if (strcmp(load->words.item[0], NEIGHBOUR) == 0)
            usage_error("--load %s: it runs already, as it was started: leave its settings out",
                        condition->name);
    }
}

void conditions_keep_loads(struct conditions *conditions, struct arena *arena,
                           const struct settings *settings, const char *cpus)
{
    for (size_t i = 0; i < conditions->count; i++) {
        struct condition *condition = &conditions->condition[i];
        for (size_t k = 0; k < condition->load_count && condition->adjustment.load.count > 0; k++)
            keep_same(arena, &condition->load[k], settings, cpus);
    }
}

bool conditions_set_service(const struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        if (conditions->condition[i].adjustment.service.count > 0)
            return true;
    return false;
}

size_t conditions_service_number(const struct conditions *conditions,
                                 const struct condition *condition)
{
    size_t number = 0;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *one = &conditions->condition[i];
        number += one->adjustment.service.count > 0;
        if (one == condition)
            return one->adjustment.service.count > 0 ? number : 0;
    }
    return 0;
}

// The condition with the same load and no settings; NULL: there is none, or it has none itself.
static const struct condition *conditions_unprotected(const struct conditions *conditions,
                                                      const struct condition *condition)
{
    if (adjustment_is_none(&condition->adjustment) || condition->load_count == 0)
        return NULL;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *other = &conditions->condition[i];
        if (other->spec && adjustment_is_none(&other->adjustment) &&
            strcmp(other->bare, condition->bare) == 0)
            return other;
    }
    return NULL;
}

void conditions_add_load(struct conditions *conditions, struct arena *arena, const char *text,
                         const struct load_context *context)
{
    const char *name;
    const char *spec = load_name_read(arena, text, &name);
    if (name[0] == '\0' || name[strspn(name, NAME_CHARACTERS)] != '\0')
        usage_error("--load %s: give NAME=SPEC, such as half='cpu --percent 50'", text);
    if (strcmp(name, "baseline") == 0 || conditions_have(conditions, name))
        usage_error("--load %s: the name %s is taken: give each load a NAME= of its own", text,
                    name);
    struct parser parser = {
        .arena = arena,
        .context = context,
        .conditions = conditions,
        .condition = conditions_add(conditions, arena, name, spec),
        .nodes = nodes_of_job(arena),
    };
    struct condition *condition = parser.condition;
    condition->bare = adjustment_read(&condition->adjustment, arena, name, spec, context->own);
    const bool has_load = *condition->bare != '\0' || adjustment_is_none(&condition->adjustment);
    for (const char *rest = has_load ? condition->bare : NULL; rest != NULL;)
        add_part(&parser, next_part(arena, &rest));
    check_adjusted_loads(condition);
}

json_t *conditions_to_json(const struct conditions *conditions)
{
    json_t *loads = json_array();
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        json_t *parts = json_array();
        for (size_t k = 0; k < condition->load_count; k++) {
            const struct load *part = &condition->load[k];
            json_array_append_new(parts,
                                  json_pack("{s:o, s:o, s:o}", "name", text_to_json(part->name),
                                            "node", text_to_json(part->node), "words",
                                            texts_to_json(part->words.item, part->words.count)));
        }
        json_t *load = json_pack("{s:s, s:o, s:o}", "name", condition->name, "spec",
                                 text_to_json(condition->spec), "parts", parts);
        json_array_append_new(loads, load);
        if (condition->title)
            json_object_update_new(load, json_pack("{s:s, s:b}", "title", condition->title,
                                                   "by_cpu_time", condition->by_cpu_time));
        if (adjustment_is_none(&condition->adjustment))
            continue;
        const struct condition *bare = conditions_unprotected(conditions, condition);
        json_object_set_new(load, "settings", adjustment_to_json(&condition->adjustment));
        json_object_set_new(load, "unprotected", text_to_json(!bare ? NULL : bare->name));
    }
    return loads;
}

// Whether a load is told a rate of its own, in full or shortened: the others need not be asked.
static bool sets_rate(const char *const *words, size_t count)
{
    bool sets = false;
    for (size_t i = 1; i < count && strcmp(words[i], "--") != 0; i++)
        sets = sets || text_after(words[i], "--l") || text_after(words[i], "--st");
    return sets && strcmp(words[0], "exec") != 0;
}

bool has_percent_limit(const char *const *words, size_t count)
{
    char path[PATH_MAX];
    struct arena arena = {0};
    struct option_list ask = {0};
    const char *said;
    if (count == 0 || text_after(words[0], EXEC) || !sets_rate(words, count))
        return false;
    const char *const loadgen[] = {child_path("loadgen", path), words[0], "--describe",
                                   "--dry-run"};
    list_add_all(&ask, &arena, loadgen, sizeof loadgen / sizeof loadgen[0]);
    list_add_all(&ask, &arena, words + 1, count - 1);
    bool percent = true; // one that is refused here is asked where it is started
    if (words_try(&arena, &ask, &said)) {
        json_auto_t *plan = json_loads(said, 0, NULL);
        percent = json_is_number(json_object_get(plan, "percent"));
    }
    arena_free(&arena);
    return percent;
}
