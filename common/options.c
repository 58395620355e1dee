#include "common/options.h"

#include "common/messages.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_KEY     256 /* up to 255 a key is the letter of a short option */
#define VERSION_KEY  257
#define FIRST_KEY    258
#define LONGEST_NAME 64

struct entry {
    struct option_row row; /* a copy: the table need not live as long */
    void *values;
    char *help;
    bool given;
};

struct options {
    const struct program *program;
    size_t count;
    struct entry *entries;
    struct argp_option *shown; /* argp's own table; more rows than entries: titles, --help */
    size_t shown_count;
    char *documentation;
    struct argp argp;
    int *rest;
    char **joined; /* values that were several words */
    size_t joined_count;
    int wrong; /* index of the word after the one that argp refused */
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        complain("out of memory while reading options: free some");
        exit(1);
    }
    return memory;
}

static void set(const struct option_row *row, void *values, const char *text)
{
    char error[512];
    if (option_set(row, values, text, error, sizeof error))
        return;
    if (text == NULL)
        usage_error("--%s: %s", row->name, error);
    usage_error("--%s %s: %s", row->name, text, error);
}

void options_presets(const struct option_row *rows, void *values)
{
    for (; rows->name != NULL; rows++)
        if (rows->preset != NULL)
            set(rows, values, rows->preset);
}

static char *help_of(const struct option_row *row)
{
    const char *words = row->help == NULL ? "" : row->help;
    const size_t size = strlen(words) + (row->preset == NULL ? 0 : strlen(row->preset)) + 32;
    char *help = allocate(1, size);
    if (row->preset == NULL)
        snprintf(help, size, "%s", words);
    else
        snprintf(help, size, "%s (default: %s)", words, row->preset);
    return help;
}

static int flags_of(const struct option_row *row)
{
    return (row->hidden || row->instead != NULL ? OPTION_HIDDEN : 0) |
           (row->bare != NULL ? OPTION_ARG_OPTIONAL : 0);
}

static void show(struct options *options, struct argp_option option)
{
    options->shown[options->shown_count++] = option;
}

static void add_group(struct options *options, const struct option_group *group, int number)
{
    if (group->title != NULL)
        show(options, (struct argp_option){.doc = group->title, .group = number});
    options_presets(group->rows, group->values);
    for (const struct option_row *row = group->rows; row->name != NULL; row++) {
        struct entry *entry = &options->entries[options->count];
        *entry = (struct entry){.row = *row, .values = group->values, .help = help_of(row)};
        const int key = FIRST_KEY + (int)options->count++;
        show(options, (struct argp_option){.name = row->name,
                                           .key = key,
                                           .arg = row->argument,
                                           .flags = flags_of(row),
                                           .doc = entry->help,
                                           .group = number});
        if (row->letter != 0)
            show(options, (struct argp_option){
                              .key = row->letter,
                              .flags = OPTION_ALIAS | (row->instead != NULL ? OPTION_HIDDEN : 0)});
    }
}

/* The entry behind argp's key; NULL: none. */
static struct entry *find_entry(struct options *options, int key)
{
    if (key >= FIRST_KEY)
        return (size_t)(key - FIRST_KEY) < options->count ? &options->entries[key - FIRST_KEY]
                                                          : NULL;
    for (size_t i = 0; i < options->count; i++)
        if (key > 0 && options->entries[i].row.letter == key)
            return &options->entries[i];
    return NULL;
}

static void answer_help(const struct options *options, struct argp_state *state)
{
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s", options->program->name);
    state->name = name;
    state->flags &= ~(unsigned)ARGP_NO_ERRS; /* it silences --help, too */
    argp_state_help(state, stdout,
                    ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG |
                        ARGP_HELP_POST_DOC);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

static void answer_version(const struct options *options)
{
    printf("%s %s\n", options->program->name, JOSTLE_VERSION);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

static void take_operand(struct options *options, struct argp_state *state, const char *text)
{
    if (options->program->usage == NULL)
        usage_error("%s: an argument too many: %s takes options only", text,
                    options->program->name);
    if (*options->rest == state->argc)
        *options->rest = state->next - 1;
    if (options->program->stop_at_operand)
        state->next = state->argc;
}

/* The value and the words behind it as one text: "VAR=MIN..MAX". */
static char *join(struct options *options, const struct option_row *row, const char *value,
                  struct argp_state *state)
{
    size_t size = strlen(value) + 1;
    const unsigned left = (unsigned)(state->argc - state->next);
    if (left < row->more)
        usage_error("--%s %s: words are missing: give --%s %s", row->name, value, row->name,
                    row->argument);
    for (unsigned i = 0; i < row->more; i++)
        size += strlen(state->argv[state->next + (int)i]) + 2;
    char *text = allocate(1, size);
    options->joined = reallocarray(options->joined, options->joined_count + 1, sizeof text);
    if (options->joined == NULL)
        usage_error("out of memory while reading options: free some");
    options->joined[options->joined_count++] = text;
    strcpy(text, value);
    for (unsigned i = 0; i < row->more; i++) {
        strcat(text, i == 0 ? "=" : "..");
        strcat(text, state->argv[state->next++]);
    }
    return text;
}

static error_t parse_one(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    struct entry *entry = find_entry(options, key);
    if (entry != NULL) {
        if (entry->row.instead != NULL)
            usage_error("--%s is not here: %s", entry->row.name, entry->row.instead);
        if (entry->row.again != NULL && entry->given)
            usage_error("--%s is given twice: %s", entry->row.name, entry->row.again);
        if (entry->row.more > 0 && strchr(text, '=') == NULL)
            text = join(options, &entry->row, text, state);
        set(&entry->row, entry->values, text);
        entry->given = true;
        return 0;
    }
    switch (key) {
    case HELP_KEY:
    case 'h':
        answer_help(options, state);
        return 0;
    case VERSION_KEY:
        answer_version(options);
        return 0;
    case ARGP_KEY_ARG:
        take_operand(options, state, text);
        return 0;
    case ARGP_KEY_ERROR:
        options->wrong = state->next; /* argp_parse() itself does not say */
        return 0;
    default:
        return key == ARGP_KEY_ARGS || key < ARGP_KEY_END ? ARGP_ERR_UNKNOWN : 0;
    }
}

/* The row whose name, without dashes and value, is this; NULL: none. */
static const struct option_row *find_named(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_row *row = &options->entries[i].row;
        if (strcmp(row->name, name) == 0 || (name[1] == '\0' && row->letter == name[0]))
            return row;
    }
    return NULL;
}

/* The name nearest to a wrong one; NULL: none. */
static const char *find_near(const struct options *options, const char *name)
{
    const char **names = allocate(options->count + 2, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < options->count; i++)
        if (!options->entries[i].row.hidden && options->entries[i].row.instead == NULL)
            names[count++] = options->entries[i].row.name;
    names[count] = "help";
    const char *near = nearest_name(name, names);
    free(names);
    return near;
}

/* Says what was wrong with a word that argp refused. */
static void refuse(struct options *options, const char *word)
{
    const char *program = options->program->name;
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const struct option_row *row = find_named(options, name);
    const char *known = row == NULL ? NULL : row->name;
    const char *argument = row == NULL ? NULL : row->argument;
    const char *near = find_near(options, name);
    options_free(options); /* a leak checker would not find it any more */
    if (known != NULL && argument == NULL)
        usage_error("--%s takes no value: leave out what follows =", known);
    if (known != NULL)
        usage_error("--%s needs a value: --%s %s", known, known, argument);
    if (near != NULL)
        usage_error("%s: no such option of %s: did you mean --%s?", word, program, near);
    usage_error("%s: no such option of %s: see %s --help", word, program, program);
}

/* argp's remark on short options is longer than what it says. */
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static struct options *prepare(const struct program *program)
{
    struct options *options = allocate(1, sizeof *options);
    size_t rows = 0;
    options->program = program;
    for (size_t i = 0; i < program->group_count; i++)
        for (const struct option_row *row = program->groups[i].rows; row->name != NULL; row++)
            rows++;
    options->entries = allocate(rows + 1, sizeof *options->entries);
    options->shown = allocate(2 * rows + program->group_count + 4, sizeof *options->shown);
    for (size_t i = 0; i < program->group_count; i++)
        add_group(options, &program->groups[i], (int)i + 1);
    show(options, (struct argp_option){
                      .name = "help", .key = HELP_KEY, .doc = "show this help", .group = -1});
    if (find_entry(options, 'h') == NULL)
        show(options, (struct argp_option){.key = 'h', .flags = OPTION_ALIAS});
    show(options,
         (struct argp_option){
             .name = "version", .key = VERSION_KEY, .doc = "show the version", .group = -1});
    return options;
}

static void document(struct options *options)
{
    const struct program *program = options->program;
    const char *details = program->details == NULL ? "" : program->details;
    const size_t size = strlen(program->intro) + strlen(details) + 2;
    options->documentation = allocate(1, size);
    snprintf(options->documentation, size, "%s\v%s", program->intro, details);
    options->argp = (struct argp){.options = options->shown,
                                  .parser = parse_one,
                                  .args_doc = program->usage,
                                  .doc = options->documentation,
                                  .help_filter = filter_help};
}

struct options *options_parse(const struct program *program, int argc, char **argv, int *rest)
{
    struct options *options = prepare(program);
    int unused;
    options->rest = rest == NULL ? &unused : rest;
    *options->rest = argc;
    document(options);
    const unsigned flags =
        ARGP_NO_ERRS | ARGP_NO_HELP | (program->stop_at_operand ? ARGP_IN_ORDER : 0);
    if (argp_parse(&options->argp, argc, argv, flags, NULL, options) != 0)
        refuse(options, argv[options->wrong > 1 ? options->wrong - 1 : 1]);
    options->rest = NULL;
    return options;
}

bool options_given(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->entries[i].row.name, name) == 0)
            return options->entries[i].given;
    return false;
}

void options_free(struct options *options)
{
    if (options == NULL)
        return;
    for (size_t i = 0; i < options->count; i++) {
        const struct entry *entry = &options->entries[i];
        free(entry->help);
        if (entry->row.type != OPTION_LIST)
            continue;
        struct option_list *list = (void *)((char *)entry->values + entry->row.offset);
        free(list->item);
        *list = (struct option_list){0};
    }
    for (size_t i = 0; i < options->joined_count; i++)
        free(options->joined[i]);
    free(options->joined);
    free(options->entries);
    free(options->shown);
    free(options->documentation);
    free(options);
}
