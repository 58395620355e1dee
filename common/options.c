// Parses a command line by an options table, by argp, and answers --help.
#include "options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "messages.h"
#include "text.h"
#include "version.h"

#define USUAL_COLUMNS 80  // that help is made for
#define HELP_KEY      256 // up to 255 a key is the letter of a short option
#define VERSION_KEY   257
#define LIST_KEY      258
#define HELP_ALL_KEY  259
#define FIRST_KEY     260
#define LONGEST_NAME  64
#define SHOWN_MOST    120 // bytes of a wrong value in a message

struct entry {
    struct option_row row; // a copy: the table need not live as long
    void *values;
    bool given;
};

// One use of an option. Values are set once the command line is known to be well formed.
struct use {
    struct entry *entry;
    const char *text;
};

struct options {
    const struct program *program;
    struct arena arena; // has all of the following
    size_t count;
    struct entry *entries;
    struct argp_option *shown; // argp's own table; more rows than entries: titles, --help
    size_t shown_count;
    struct argp argp;
    int *rest;
    struct {
        size_t count, allocated;
        struct use *item;
    } uses;
    int wrong; // index of the word after the one that argp refused
};

// A wrong value as a message shows it: whole, unless it is very long.
static const char *shorten(const char *text, char shown[SHOWN_MOST + 4])
{
    if (strnlen(text, SHOWN_MOST + 1) <= SHOWN_MOST)
        return text;
    const size_t length = text_whole(text, SHOWN_MOST);
    memcpy(shown, text, length);
    memcpy(shown + length, "...", 4);
    return shown;
}

static void set(const struct option_row *row, void *values, const char *text)
{
    char error[512], shown[SHOWN_MOST + 4];
    if (option_set(row, values, text, error, sizeof error))
        return;
    if (!text || *text == '\0')
        usage_error("--%s: %s", row->name, error);
    usage_error("--%s %s: %s", row->name, shorten(text, shown), error);
}

void options_presets(const struct option_row *rows, void *values)
{
    for (; rows->name; rows++)
        if (rows->preset)
            set(rows, values, rows->preset);
}

static void show(struct options *options, struct argp_option option)
{
    options->shown[options->shown_count++] = option;
}

static void add_group(struct options *options, const struct option_group *group, int number)
{
    if (group->title)
        show(options, (struct argp_option){.doc = group->title, .group = number});
    options_presets(group->rows, group->values);
    for (const struct option_row *row = group->rows; row->name; row++) {
        struct entry *entry = &options->entries[options->count];
        *entry = (struct entry){.row = *row, .values = group->values};
        show(options,
             (struct argp_option){
                 .name = row->name,
                 .key = FIRST_KEY + (int)options->count++,
                 .arg = row->argument,
                 .flags = (row->hidden ? OPTION_HIDDEN : 0) | (row->bare ? OPTION_ARG_OPTIONAL : 0),
                 .doc = arena_format(&options->arena, row->preset ? "%s (default: %s)" : "%s",
                                     row->help ?: "", row->preset),
                 .group = number});
        if (row->letter != 0)
            show(options, (struct argp_option){.key = row->letter, .flags = OPTION_ALIAS});
    }
}

// The entry behind argp's key; NULL: none.
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

static bool has_usual(const struct options *options)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->entries[i].row.usual)
            return true;
    return false;
}

// Of argp's table what a first look needs: the usual options, and what shows the others.
static struct argp_option *usual_of(struct options *options)
{
    struct argp_option *usual =
        arena_take(&options->arena, (options->shown_count + 2) * sizeof *usual);
    size_t count = 0;
    bool keeps = false;
    for (size_t i = 0; i < options->shown_count; i++) {
        struct argp_option option = options->shown[i];
        const struct entry *entry =
            option.key >= FIRST_KEY ? &options->entries[option.key - FIRST_KEY] : NULL;
        if ((option.flags & OPTION_ALIAS) == 0)
            keeps =
                (entry && entry->row.usual) || option.key == HELP_KEY || option.key == HELP_ALL_KEY;
        option.group = !entry ? -1 : 0;
        if (entry && entry->row.usual)
            option.doc = entry->row.usual;
        if (keeps)
            usual[count++] = option;
    }
    return usual;
}

// argp of glibc loses its column where its buffer ends, and may set "-i,    --ignore" far apart.
static void print_close(const char *text)
{
    for (const char *end; *text != '\0'; text = end) {
        end = text + strcspn(text, "\n");
        end += *end != '\0';
        const bool is_row = strncmp(text, "  -", 3) == 0 && text[3] != '\0' && text[4] == ',';
        const char *rest = text + (is_row ? 5 : 0);
        const char *name = rest + (is_row ? strspn(rest, " ") : 0);
        if (is_row && strncmp(name, "--", 2) == 0)
            printf("%.5s ", text);
        else
            name = text;
        fwrite(name, 1, (size_t)(end - name), stdout);
    }
}

static void answer_help(struct options *options, const struct argp_state *state, bool all)
{
    char name[LONGEST_NAME];
    const struct program *program = options->program;
    struct argp argp = options->argp;
    struct argp_state shown = *state;
    snprintf(name, sizeof name, "%s", program->name);
    if (!all && has_usual(options)) {
        const char *examples = !program->details ? NULL : strstr(program->details, "Example");
        argp.options = usual_of(options);
        argp.doc = arena_format(&options->arena, "%s\v%s", program->intro, examples ?: "");
    }
    shown.root_argp = &argp;
    shown.name = name;
    shown.flags &= ~(unsigned)ARGP_NO_ERRS; // it silences --help, too
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    argp_state_help(&shown, stream,
                    ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG |
                        ARGP_HELP_POST_DOC);
    OWNED char *whole = stream_text(stream, &text);
    print_close(whole);
    exit(fflush(stdout) == 0 ? 0 : 1);
}

static void take_operand(struct options *options, struct argp_state *state, const char *text)
{
    char shown[SHOWN_MOST + 4];
    if (!options->program->usage)
        usage_error("%s: an argument too many: %s takes options only", shorten(text, shown),
                    options->program->name);
    if (*options->rest == state->argc)
        *options->rest = state->next - 1;
    if (options->program->stop_at_operand)
        state->next = state->argc;
}

static void take_use(struct options *options, struct entry *entry, const char *text,
                     struct argp_state *state)
{
    const struct option_row *row = &entry->row;
    const char *value = text;
    if (entry->given && row->type != OPTION_LIST && !row->repeats)
        usage_error("--%s is given twice: %s", row->name,
                    !row->again ? "leave one of them out" : row->again);
    // The value and the words behind it as one text: "VAR=MIN..MAX".
    for (unsigned i = 0; i < row->more && *value != '\0' && !strchr(value, '='); i++) {
        if ((unsigned)(state->argc - state->next) < row->more - i)
            usage_error("--%s %s: words are missing: give --%s %s", row->name, value, row->name,
                        row->argument);
        text = arena_format(&options->arena, "%s%s%s", text, i == 0 ? "=" : "..",
                            state->argv[state->next++]);
    }
    entry->given = true;
    MORE(&options->uses) = (struct use){.entry = entry, .text = text};
}

static error_t parse_one(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    struct entry *entry = find_entry(options, key);
    if (entry) {
        take_use(options, entry, text, state);
        return 0;
    }
    switch (key) {
    case LIST_KEY:
        exit(options_list(options->program) ? EXIT_SUCCESS : EXIT_FAILURE);
    case HELP_KEY:
    case 'h':
    case HELP_ALL_KEY:
        answer_help(options, state, key == HELP_ALL_KEY);
        return 0;
    case VERSION_KEY:
        version_print(options->program->name);
        exit(fflush(stdout) == 0 ? 0 : 1);
    case ARGP_KEY_ARG:
        take_operand(options, state, text);
        return 0;
    case ARGP_KEY_ERROR:
        options->wrong = state->next; // argp_parse() itself does not say
        return 0;
    default:
        return key == ARGP_KEY_ARGS || key < ARGP_KEY_END ? ARGP_ERR_UNKNOWN : 0;
    }
}

// The row whose name, without dashes and value, or whose letter is this; NULL: none.
static const struct option_row *find_named(const struct options *options, const char *name,
                                           bool is_long)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_row *row = &options->entries[i].row;
        if (strcmp(row->name, name) == 0 || (!is_long && name[1] == '\0' && row->letter == name[0]))
            return row;
    }
    return NULL;
}

// The name nearest to a wrong one; NULL: none.
static const char *find_near(const struct options *options, const char *name)
{
    OWNED const char **names = must(calloc(options->count + 2, sizeof *names));
    size_t count = 0;
    for (size_t i = 0; i < options->count; i++)
        if (!options->entries[i].row.hidden)
            names[count++] = options->entries[i].row.name;
    names[count] = "help";
    return nearest_name(name, names);
}

// How many names, of all that are shown, begin like this; two of them in *first, *second.
static size_t find_begun(const struct options *options, const char *name, const char **first,
                         const char **second)
{
    size_t count = 0;
    for (size_t i = 0; i < options->count; i++) {
        const struct option_row *row = &options->entries[i].row;
        if (row->hidden || strncmp(row->name, name, strlen(name)) != 0)
            continue;
        *(count == 0 ? first : second) = row->name;
        count++;
    }
    return count;
}

// Whether the value of an option is a text of several words, which a shell splits where it is not
// quoted.
static bool takes_words(const struct option_row *row)
{
    return row->argument && (strstr(row->argument, "CMD") || strstr(row->argument, "SPEC"));
}

// The option of several words whose value is the word in front of this one, which may be the rest
// of it; NULL: there is none.
static const struct use *find_unquoted(const struct options *options, const char *before)
{
    const struct use *last =
        options->uses.count == 0 ? NULL : &options->uses.item[options->uses.count - 1];
    const bool is_before =
        last && last->text && last->text >= before && last->text <= before + strlen(before);
    return is_before && takes_words(&last->entry->row) && !strchr(last->text, ' ') ? last : NULL;
}

// Of a word of short options the letter that ends it: one that nobody knows, or whose value is the
// rest of the word; the end where all are flags.
static const char *last_letter(struct options *options, const char *word)
{
    const char *letter = word + 1;
    for (; *letter != '\0'; letter++) {
        const struct entry *entry = find_entry(options, *letter);
        if (!entry || entry->row.argument)
            break;
    }
    return letter;
}

// Says what was wrong with a word that argp refused; before is the one in front of it.
static void refuse(struct options *options, const char *word, const char *before)
{
    const char *program = options->program->name;
    char name[LONGEST_NAME], shown[SHOWN_MOST + 4];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const bool is_long = strncmp(word, "--", 2) == 0;
    const char *letter = is_long || word[0] != '-' ? NULL : last_letter(options, word);
    const struct option_row *row = find_named(
        options, letter && letter[0] != '\0' && letter[1] == '\0' ? letter : name, is_long);
    const char *known = !row ? NULL : row->name;
    const char *argument = !row ? NULL : row->argument;
    const char *near = find_near(options, name), *first = NULL, *second = NULL;
    const size_t begun = is_long ? find_begun(options, name, &first, &second) : 0;
    const struct use *unquoted = find_unquoted(options, before);
    const char *owner = !unquoted ? NULL : unquoted->entry->row.name;
    const char *value = !unquoted ? NULL : unquoted->text;
    const struct option_row *others = options->program->other_rows;
    const char *other =
        is_long && others && option_find(others, name) ? options->program->other : NULL;
    options_free(options); // a leak checker would not find it any more
    if (known && !argument)
        usage_error("--%s takes no value: leave out what follows =", known);
    if (known)
        usage_error("--%s needs a value: --%s %s", known, known, argument);
    word = shorten(word, shown);
    if (owner)
        usage_error("%s: no such option of %s: if it belongs to --%s, quote all of that: --%s '%s "
                    "%s ...'",
                    word, program, owner, owner, value, word);
    if (other)
        usage_error("%s: no such option of %s: %s has it, and takes the same arguments", word,
                    program, other);
    if (begun > 1)
        usage_error("%s: no such option of %s: write --%s or --%s%s", word, program, first, second,
                    begun > 2 ? ", or another that begins like it" : "");
    if (near)
        usage_error("%s: no such option of %s: did you mean --%s?", word, program, near);
    usage_error("%s: no such option of %s: see %s --help", word, program, program);
}

// A copy, to be freed, in which the lines that begin with blanks are as wide as argp makes others.
static char *fold_indented(const char *text)
{
    const size_t terminal = fold_columns(STDOUT_FILENO);
    const size_t columns = terminal > 0 && terminal < USUAL_COLUMNS ? terminal : USUAL_COLUMNS;
    char *folded;
    size_t size;
    FILE *out = must(open_memstream(&folded, &size));
    for (const char *end; *text != '\0'; text = end) {
        end = text + strcspn(text, "\n");
        end += *end != '\0';
        OWNED char *line = must(strndup(text, (size_t)(end - text)));
        OWNED char *own = *line == ' ' ? must(fold_text(line, columns - 1)) : NULL;
        fputs(own ? own : line, out);
    }
    return stream_text(out, &folded);
}

// What argp breaks continues at the left margin: examples are broken before. Its remark on short
// options is longer than what it says.
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    if (key == ARGP_KEY_HELP_POST_DOC && text)
        return fold_indented(text);
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static struct options *prepare(const struct program *program)
{
    struct options *options = must(calloc(1, sizeof *options));
    size_t rows = 0;
    options->program = program;
    for (size_t i = 0; i < program->group_count; i++)
        for (const struct option_row *row = program->groups[i].rows; row->name; row++)
            rows++;
    options->entries = arena_take(&options->arena, (rows + 1) * sizeof *options->entries);
    options->shown =
        arena_take(&options->arena, (2 * rows + program->group_count + 6) * sizeof *options->shown);
    for (size_t i = 0; i < program->group_count; i++)
        add_group(options, &program->groups[i], (int)i + 1);
    show(options, (struct argp_option){
                      .name = "help", .key = HELP_KEY, .doc = "show this help", .group = -1});
    if (!find_entry(options, 'h'))
        show(options, (struct argp_option){.key = 'h', .flags = OPTION_ALIAS});
    show(options, (struct argp_option){.name = "help-all",
                                       .key = HELP_ALL_KEY,
                                       .flags = has_usual(options) ? 0 : OPTION_HIDDEN,
                                       .doc = "show all options",
                                       .group = -1});
    show(options,
         (struct argp_option){
             .name = "version", .key = VERSION_KEY, .doc = "show the version", .group = -1});
    show(options,
         (struct argp_option){.name = "list-options", .key = LIST_KEY, .flags = OPTION_HIDDEN});
    options->argp = (struct argp){
        .options = options->shown,
        .parser = parse_one,
        .args_doc = program->usage,
        .doc = arena_format(&options->arena, "%s\v%s", program->intro, program->details ?: ""),
        .help_filter = filter_help};
    return options;
}

// argp_parse() as it is without two variables that users set for other programs: with
// POSIXLY_CORRECT the first operand would end the options, and ARGP_HELP_FMT lays out --help.
// What is started later has them again.
static error_t parse_all(struct options *options, int argc, char **argv, unsigned flags)
{
    static const char *const names[] = {"POSIXLY_CORRECT", "ARGP_HELP_FMT"};
    char *values[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        values[i] = !value ? NULL : arena_format(&options->arena, "%s", value);
        (void)unsetenv(names[i]); // fails only for a name that is none
    }
    const size_t columns = fold_columns(STDOUT_FILENO);
    char layout[32];
    snprintf(layout, sizeof layout, "rmargin=%zu", columns - 1);
    if (columns > 0 && columns < USUAL_COLUMNS)
        (void)setenv("ARGP_HELP_FMT", layout, 1);
    const error_t error = argp_parse(&options->argp, argc, argv, flags, NULL, options);
    (void)unsetenv("ARGP_HELP_FMT");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (values[i] && setenv(names[i], values[i], 1) != 0)
            must(NULL);
    return error;
}

// Whether argp can have taken a word: an operand, a value, or options of which it knows each.
static bool can_be_taken(struct options *options, const char *word)
{
    const char *first, *second;
    const char *value =
        options->uses.count == 0 ? NULL : options->uses.item[options->uses.count - 1].text;
    if (word[0] != '-' || (value && value >= word && value <= word + strlen(word)))
        return true;
    if (word[1] == '-') {
        char name[LONGEST_NAME];
        snprintf(name, sizeof name, "%s", word + 2);
        name[strcspn(name, "=")] = '\0';
        const struct option_row *row = find_named(options, name, true);
        return row ? row->argument || !strchr(word, '=')
                   : !strchr(word, '=') && find_begun(options, name, &first, &second) == 1;
    }
    const char *letter = last_letter(options, word);
    return *letter == '\0' || find_entry(options, *letter);
}

static void refuse_word(struct options *options, int argc, char **argv)
{
    int at = options->wrong > 1 ? options->wrong - 1 : 1;
    // Within a word of several short options argp has not gone on to the next word.
    if (at + 1 < argc && argv[at + 1][0] == '-' && argv[at + 1][1] != '-' &&
        can_be_taken(options, argv[at]))
        at++;
    refuse(options, argv[at], argv[at - 1]);
}

struct options *options_parse(const struct program *program, int argc, char **argv, int *rest)
{
    struct options *options = prepare(program);
    int unused;
    options->rest = !rest ? &unused : rest;
    *options->rest = argc;
    const unsigned flags =
        ARGP_NO_ERRS | ARGP_NO_HELP | (program->stop_at_operand ? ARGP_IN_ORDER : 0);
    if (parse_all(options, argc, argv, flags) != 0)
        refuse_word(options, argc, argv);
    for (size_t i = 0; i < options->uses.count; i++) {
        const struct use *use = &options->uses.item[i];
        set(&use->entry->row, use->entry->values, use->text);
    }
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

struct option_list options_words(const struct options *options, const char *const *without,
                                 struct arena *arena)
{
    struct option_list words = {0};
    for (size_t i = 0; i < options->uses.count; i++) {
        const struct use *use = &options->uses.item[i];
        const char *name = use->entry->row.name;
        if (!text_is_among(name, without))
            list_add(&words, arena,
                     arena_format(arena, use->text ? "--%s=%s" : "--%s", name, use->text));
    }
    return words;
}

void options_free(struct options *options)
{
    if (!options)
        return;
    for (size_t i = 0; i < options->count; i++) {
        const struct entry *entry = &options->entries[i];
        if (entry->row.type != OPTION_LIST)
            continue;
        struct option_list *list = option_field(&entry->row, entry->values);
        free(list->item);
        *list = (struct option_list){0};
    }
    free(options->uses.item);
    arena_free(&options->arena);
    free(options);
}

// The options of a program as lines, for the test that walks them.

// What a value has to be.
static const char *name_type(const struct option_row *row)
{
    static const char *const names[] = {
        [OPTION_FLAG] = "flag",     [OPTION_COUNT] = "count",       [OPTION_INTEGER] = "integer",
        [OPTION_REAL] = "real",     [OPTION_FRACTION] = "fraction", [OPTION_PERCENT] = "percent",
        [OPTION_SIZE] = "size",     [OPTION_TIME] = "time",         [OPTION_CPUS] = "cpus",
        [OPTION_RATE] = "rate",     [OPTION_TEXT] = "text",         [OPTION_LIST] = "list",
        [OPTION_CHOICE] = "choice",
    };
    return names[row->as == OPTION_FLAG ? row->type : row->as];
}

// One mark, behind those that are there.
static void put_mark(bool there, const char *mark, unsigned *count)
{
    if (there)
        printf("%s%s", (*count)++ == 0 ? "" : ",", mark);
}

static void put_marks(const struct option_row *row)
{
    char words[32];
    unsigned count = 0;
    snprintf(words, sizeof words, "words=%u", row->more);
    put_mark(row->exclusive, "exclusive", &count);
    put_mark(row->hidden, "hidden", &count);
    put_mark(row->bare != NULL, "bare", &count);
    put_mark(row->repeats, "repeats", &count);
    put_mark(row->may_be_empty, "may-be-empty", &count);
    put_mark(row->more > 0, words, &count);
    put_mark(row->check != NULL, "checked", &count);
    if (count == 0)
        putchar('-');
}

static void put_values(const struct option_row *row)
{
    if (!row->choices) {
        fputs(!row->wrong ? "-" : row->wrong, stdout);
        return;
    }
    for (size_t i = 0; row->choices[i]; i++)
        printf("%s%s", i == 0 ? "" : ",", row->choices[i]);
}

static void put_row(const struct option_row *row)
{
    printf("option\t%s\t%c\t%s\t%s\t", row->name, row->letter == 0 ? '-' : row->letter,
           name_type(row), !row->argument ? "-" : row->argument);
    if (row->minimum < row->maximum)
        printf("%.17g\t%.17g\t", row->minimum, row->maximum);
    else
        fputs("-\t-\t", stdout);
    put_marks(row);
    printf("\t%s\t", !row->preset || *row->preset == '\0' ? "-" : row->preset);
    put_values(row);
    putchar('\n');
}

bool options_list_command(const char *name)
{
    return printf("command\t%s\n", name) > 0 && fflush(stdout) == 0;
}

bool options_list(const struct program *program)
{
    printf("program\t%s\n", program->name);
    for (size_t i = 0; i < program->group_count; i++)
        for (const struct option_row *row = program->groups[i].rows; row->name; row++)
            put_row(row);
    return fflush(stdout) == 0 && ferror(stdout) == 0;
}

// What lists are kept in. A copy of a list has the same block, so that only the list that ends
// where the block does may be continued in it.
struct list_block {
    size_t used, room;
    const char *item[]; // room, and a NULL
};

// Moves the list into a block of its own with room for more than `most`.
static void list_move(struct option_list *list, struct arena *arena, size_t most)
{
    const size_t room = 2 * most + 4;
    struct list_block *block = arena_take(arena, sizeof *block + (room + 1) * sizeof *block->item);
    *block = (struct list_block){.used = list->count, .room = room};
    if (list->count > 0)
        memcpy(block->item, list->item, list->count * sizeof *block->item);
    list->item = block->item;
    list->block = block;
}

void list_add_all(struct option_list *list, struct arena *arena, const char *const *more,
                  size_t count)
{
    const struct list_block *block = list->block;
    if (!block || block->item != list->item || block->used != list->count ||
        block->room - block->used < count)
        list_move(list, arena, list->count + count);
    if (count > 0)
        memcpy(list->item + list->count, more, count * sizeof *more);
    list->count += count;
    list->block->used = list->count;
}

void list_add(struct option_list *list, struct arena *arena, const char *text)
{
    list_add_all(list, arena, &text, 1);
}
