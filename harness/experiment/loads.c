// Reads what each --load says: the loads of a condition, by their names, nodes and words.

#include "loads.h"

#include "nodes.h"
#include "try.h"

#include "common/child.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/processes.h"
#include "common/text.h"
#include "harness/imitate/imitate.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%-"
#define EXEC            "exec:"
#define NAME_MOST       100 // it becomes part of names of files

// What the loads of one --load share while it is parsed.
struct parser {
    struct arena *arena;
    const struct load_context *context;
    const struct conditions *conditions;
    struct condition *condition;
    struct option_list nodes;
};

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
static size_t add_split_words(struct arena *arena, struct load *load, const char *spec,
                              const char *line)
{
    const char *error = NULL;
    size_t count = 0;
    char **words = words_split(line, &count, &error);
    if (!words)
        usage_error("load '%s': %s: check its quotes", spec, error);
    list_add_all(&load->words, arena, arena_keep(arena, words), count);
    return count;
}

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

// A spec has to name a load.
static void check_load(const struct load *load, const char *spec)
{
    if (load_is_running(load))
        usage_error("load '%s': write pid:N, cgroup:PATH or job:ID, and --pause", spec);
    if (load->words.item[0][0] == '-')
        usage_error("load '%s': %s is no load: give one such as cpu --percent 50", spec,
                    load->words.item[0]);
    refuse_program(load, spec);
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

// What names a program that runs already: pid, cgroup, job; NULL: the spec is another load.
static const char *running_kind(const char *spec)
{
    static const char *const kinds[] = {"pid", "cgroup", "job"};
    const size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && spec[length] == ':'; i++)
        if (strlen(kinds[i]) == length && strncmp(spec, kinds[i], length) == 0)
            return kinds[i];
    return NULL;
}

// A load that is there already: pid:N, cgroup:PATH, job:ID. False: it is none.
static bool read_neighbour(const struct parser *parser, struct load *load, const char *spec)
{
    const char *kind = running_kind(spec);
    if (!kind)
        return false;
    const size_t length = strlen(kind);
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
    if (add_split_words(parser->arena, load, spec, spec + length + 1) != 1)
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
        if (add_split_words(parser->arena, load, spec, command) == 0)
            usage_error("load '%s': no command: write %s COMMAND", spec,
                        exec_count == 4 ? EXEC : "podman IMAGE:");
        return;
    }
    (void)add_split_words(parser->arena, load, spec, text);
    check_load(load, spec);
}

bool load_words_read(struct arena *arena, struct load *load, const char *spec)
{
    const char *text = spec + strspn(spec, BLANKS), *engine, *image;
    const bool program = strncmp(text, EXEC, strlen(EXEC)) == 0 ||
                         container_load(arena, text, &engine, &image) != NULL;
    return !program && !running_kind(text) && add_split_words(arena, load, spec, text) > 0;
}

// "half"; of several joined loads "half.cpu"; on other nodes "half.cpu@node2"; a
// + for each one that is named so already.
static const char *name_load(const struct parser *parser, const struct load *load)
{
    const struct condition *condition = parser->condition;
    const char *rest;
    words_until_joint(condition->bare, &rest);
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
        struct load load = {.node = places.item[i], .spec = spec};
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

// One part with what it stands for in its place, on the same nodes; the part itself, unless it is
// `imitate FILE`.
static const char *expand_part(struct arena *arena, const char *part)
{
    const char *begin = part + strspn(part, BLANKS);
    const size_t length = *begin == '@' ? strcspn(begin, BLANKS) : 0;
    const char *bare = begin + length + (length > 0 ? strspn(begin + length, BLANKS) : 0);
    const char *meant = imitate_spec(arena, bare);
    if (meant == bare)
        return part;
    return length == 0 ? meant
                       : put_on_nodes(
                             arena, arena_format(arena, "%.*s", (int)length - 1, begin + 1), meant);
}

// Puts what each `imitate FILE` of a condition stands for in its place.
static void expand_imitations(struct arena *arena, struct condition *condition)
{
    const char *text = "";
    bool any = false;
    for (const char *rest = condition->bare; rest != NULL;) {
        const char *part = next_part(arena, &rest), *meant = expand_part(arena, part);
        any = any || meant != part;
        text = arena_format(arena, "%s%s%s", text, *text == '\0' ? "" : " + ", meant);
    }
    if (any)
        condition->meant = condition->bare = text;
}

const char *spec_without_settings(const char *spec)
{
    const char *end = spec[0] == '[' ? strchr(spec, ']') : NULL;
    return end ? end + 1 + strspn(end + 1, BLANKS) : spec;
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
        const char *word = spec_without_settings(text);
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
    if (has_load)
        expand_imitations(arena, condition);
    for (const char *rest = has_load ? condition->bare : NULL; rest != NULL;)
        add_part(&parser, next_part(arena, &rest));
    conditions_check_settings(condition);
}
