// arguments: what the commands in bash need of common/: options, the nearest name,
// words split or quoted as a shell does, files written whole, locks, and commands that run to their
// end.

#include "plain.h"
#include "undo.h"

#include "common/away.h"
#include "common/cpus.h"
#include "common/lock.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/save.h"
#include "common/text.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_COUNT 999999999

// A command in bash has its options as texts, NAME|ARGUMENT|KIND|DEFAULT|HELP. Kinds: flag, text,
// count (from 1), time (above 0), size, list, or A,B,... to choose from.
struct table {
    struct arena arena;
    struct option_row *rows; // ended by one without a name
    union option_value *values;
    size_t count;
};

static bool put(const char *text)
{
    return fputs(text, stdout) != EOF && putchar('\0') != EOF;
}

// A check of the kind "first,newest" takes a text that is one of these.
static void set_choices(struct option_row *row, struct arena *arena, char *kind)
{
    struct option_list names = {0};
    while (kind)
        list_add(&names, arena, strsep(&kind, ","));
    row->type = OPTION_TEXT;
    row->as = OPTION_CHOICE;
    row->choices = names.item;
}

static void set_kind(struct option_row *row, const char *kind)
{
    static const struct {
        const char *name;
        enum option_type type, as;
        double minimum, maximum;
    } kinds[] = {
        {.name = "flag", .type = OPTION_FLAG},
        {.name = "text", .type = OPTION_TEXT},
        {.name = "list", .type = OPTION_LIST},
        {.name = "count", .type = OPTION_COUNT, .minimum = 1, .maximum = MOST_COUNT},
        {.name = "time", .type = OPTION_TIME, .minimum = 1, .maximum = OPTION_TIME_MOST},
        {.name = "size", .type = OPTION_TEXT, .as = OPTION_SIZE, .minimum = 1, .maximum = 9e18},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof kinds[0] && strcmp(kinds[i].name, kind) != 0)
        i++;
    if (i == sizeof kinds / sizeof kinds[0])
        usage_error("arguments: --%s: %s is no kind of option: see harness/lib/options.bash",
                    row->name, kind);
    row->type = kinds[i].type;
    row->as = kinds[i].as;
    row->minimum = kinds[i].minimum;
    row->maximum = kinds[i].maximum;
}

// The default is bash's.
static void add_row(struct table *table, const char *row_text)
{
    char *text = arena_format(&table->arena, "%s", row_text);
    struct option_row *row = &table->rows[table->count];
    row->name = strsep(&text, "|");
    char *argument = strsep(&text, "|"), *kind = strsep(&text, "|");
    (void)strsep(&text, "|");
    if (!text)
        usage_error("arguments: %s: not a row of five fields: see harness/lib/options.bash",
                    row->name);
    row->argument = *argument == '\0' ? NULL : argument;
    row->help = text;
    row->offset = table->count++ * sizeof *table->values;
    if (strchr(kind, ','))
        set_choices(row, &table->arena, kind);
    else
        set_kind(row, kind);
    if (text_after(argument, "[=") && row->choices) {
        row->argument = argument + strlen("[=");
        argument[strcspn(argument, "]")] = '\0';
        row->bare = row->choices[0];
    }
}

// Whether --help is among the options: the command in bash answers it.
static bool wants_help(const struct table *table, bool mixed, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-' && !mixed)
            break;
        if (argv[i][0] != '-')
            continue;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--help-all") == 0 ||
            strcmp(argv[i], "-h") == 0)
            return true;
        const struct option_row *row = option_find(table->rows, argv[i] + strspn(argv[i], "-"));
        i += row && row->argument; // its value
    }
    return false;
}

// Name and value, each ended by NUL: flags 1, times in seconds; of a list +NAME, and a line for
// each item.
static void print_option(const struct option_row *row, const union option_value *value)
{
    printf("%s%s", row->type == OPTION_LIST ? "+" : "", row->name);
    putchar('\0');
    switch (row->type) {
    case OPTION_FLAG:
        fputs(value->flag ? "1" : "", stdout);
        break;
    case OPTION_COUNT:
        printf("%" PRIu64, value->count);
        break;
    case OPTION_TIME:
        printf("%.6f", (double)value->integer / 1e9);
        break;
    case OPTION_LIST:
        for (size_t i = 0; i < value->list.count; i++)
            printf("%s\n", value->list.item[i]);
        break;
    default:
        fputs(value->text, stdout);
        break;
    }
    putchar('\0');
}

static int read_words(int argc, char **argv, bool mixed)
{
    struct table table = {0};
    int end = 1, rest;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (end == argc)
        usage_error("arguments: no -- after the rows: harness/lib/options.bash writes it");
    table.rows = arena_take(&table.arena, (size_t)end * sizeof *table.rows);
    table.values = arena_take(&table.arena, (size_t)end * sizeof *table.values);
    for (int i = 1; i < end; i++)
        if (!text_after(argv[i], "help|")) // every program has that one
            add_row(&table, argv[i]);
    const struct option_group group = {.rows = table.rows, .values = table.values};
    const struct program program = {.name = arena_format(&table.arena, "jostle %s", argv[0]),
                                    .usage = "[ARGUMENT...]",
                                    .intro = "",
                                    .groups = &group,
                                    .group_count = 1,
                                    .stop_at_operand = !mixed};
    char **words = argv + end;
    const int count = argc - end;
    if (wants_help(&table, mixed, count, words)) {
        (void)(put("help") && put("1") && put(""));
    } else {
        struct options *options = options_parse(&program, count, words, &rest);
        for (size_t i = 0; i < table.count; i++)
            if (options_given(options, table.rows[i].name))
                print_option(&table.rows[i], &table.values[i]);
        (void)put("");
        for (int i = rest; i < count; i++)
            (void)put(words[i]);
        options_free(options);
    }
    arena_free(&table.arena);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// options NAME ROW... -- ARGUMENT...: the options that were given, a name and a
// value in turn, then an empty string, then what is left of the arguments.
static int read_options(int argc, char **argv)
{
    return read_words(argc, argv, false);
}

// mixed ...: the same, with options before and after operands.
static int read_mixed(int argc, char **argv)
{
    return read_words(argc, argv, true);
}

// nearest WORD NAME...: " (did you mean NAME?)", or nothing.
static int print_nearest(int argc, char **argv)
{
    const char *near = argc < 1 ? NULL : nearest_name(argv[0], (const char *const *)argv + 1);
    if (near)
        printf(" (did you mean %s?)", near);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// fold [COLUMNS]: what comes on stdin, as wide as the terminal that stdout is, or as so many
// columns at most.
static int fold(const char *most)
{
    char *text = NULL;
    size_t size = 0;
    size_t columns = fold_columns(STDOUT_FILENO);
    const size_t given = !most ? 0 : strtoul(most, NULL, 10);
    if (given > 0 && (columns == 0 || columns > given))
        columns = given;
    while (getline(&text, &size, stdin) > 0) {
        char *folded = fold_text(text, columns);
        const bool put_it = fputs(folded ? folded : text, stdout) != EOF;
        free(folded);
        if (!put_it)
            break;
    }
    free(text);
    return !ferror(stdout) && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A line of stdin without its end, to be freed; NULL: there is none. One that is too long for
// people is several, and none of them ends within a character (UTF-8).
static char *read_line(void)
{
    enum { LONGEST = 1 << 16 };
    char *text = malloc(LONGEST + 8);
    size_t length = 0;
    int next = EOF;
    while (text && length < LONGEST + 4 && (next = getchar()) != EOF && next != '\n') {
        if (length >= LONGEST && (next & 0xc0) != 0x80) {
            (void)ungetc(next, stdin);
            break;
        }
        if (next != '\0')
            text[length++] = (char)next;
    }
    if (!text || (next == EOF && length == 0)) {
        free(text);
        return NULL;
    }
    length -= length > 0 && next == '\n' && text[length - 1] == '\r';
    text[length] = '\0';
    return text;
}

// Prints a line as text that moves no cursor; its tabs stay.
static bool put_visible(char *line)
{
    bool written = true;
    for (char *rest = line, *part; written && (part = strsep(&rest, "\t"));) {
        char *text = visible_copy(part);
        written = text && fputs(text, stdout) != EOF && putchar(rest ? '\t' : '\n') != EOF;
        free(text);
    }
    return written && fflush(stdout) == 0;
}

// visible: what comes on stdin, each line as soon as it is there, as visible text.
static int make_visible(void)
{
    bool written = true;
    for (char *line; written && (line = read_line());) {
        written = put_visible(line);
        free(line);
    }
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// split TEXT: its words, each ended by NUL.
static int print_words(int argc, char **argv)
{
    const char *error;
    size_t count;
    char **words = argc == 1 ? words_split(argv[0], &count, &error) : NULL;
    if (!words)
        return 2;
    bool written = true;
    for (size_t i = 0; i < count; i++)
        written = put(words[i]) && written;
    free(words);
    return written && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// quote WORD...: one line that a shell reads as these words.
static int print_quoted(int argc, char **argv)
{
    char *text = words_quote((const char *const *)argv, (size_t)argc);
    if (!text || fputs(text, stdout) == EOF || fflush(stdout) != 0)
        return EXIT_FAILURE;
    free(text);
    return EXIT_SUCCESS;
}

// save [--record] FILE: what comes on stdin, to a file that the user named, or to one of a folder
// of records, where a link is replaced; whole or not at all (common/save.h). A NUL behind it says
// that it is complete: without one whoever writes has failed, and said why.
static int save_input(int argc, char **argv)
{
    struct save save;
    const bool is_record = argc == 2 && strcmp(argv[0], "--record") == 0;
    const char *path = argv[is_record];
    int held = getchar(), next;
    if (argc != 1 + is_record || held == EOF)
        return EXIT_FAILURE;
    bool written = save_begin(&save, path, is_record ? SAVE_RECORD : SAVE_OUTPUT);
    int error = errno;
    const bool begun = written;
    // To the end, also where nothing can be written: the writer has nothing to complain about.
    for (; (next = getchar()) != EOF; held = next)
        if (written && putc(held, save.file) == EOF) {
            written = false;
            error = errno;
        }
    const bool complete = held == '\0';
    errno = error;
    if (begun)
        written = save_end(&save, written && complete);
    if (!written && complete)
        save_complain(path);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// lock KIND FILE: takes the lock of FILE, or of the open descriptor of that number, which then
// belongs to all who have the descriptor; that of a FILE ends with us. KIND: exclusive or shared,
// which do not wait, or wait-exclusive or wait-shared. Status 3: somebody else has it; 1: it
// cannot be had, which is said.
static int take_lock(int argc, char **argv)
{
    enum { HELD = 3 };
    static const char wait[] = "wait-";
    if (argc != 2)
        return 2;
    const bool waits = strncmp(argv[0], wait, strlen(wait)) == 0;
    const bool shared = strcmp(argv[0] + (waits ? strlen(wait) : 0), "shared") == 0;
    char *end;
    const long number = strtol(argv[1], &end, 10);
    const int file = end != argv[1] && *end == '\0' && number >= 0 && number <= INT_MAX
                         ? (int)number
                         : open(argv[1], O_RDWR | O_CLOEXEC);
    const enum lock_state state = file < 0 ? LOCK_IMPOSSIBLE
                                  : waits  ? lock_wait(file, shared)
                                           : lock_take(file, shared, 0);
    if (state == LOCK_IMPOSSIBLE)
        complain("lock of %s: %s: is it on a file system with locks?", argv[1], strerror(errno));
    return state == LOCK_TAKEN ? EXIT_SUCCESS : state == LOCK_HELD ? HELD : EXIT_FAILURE;
}

// pin PID CPUS: keeps a process on these CPUs, and what it starts from now on.
static int pin(int argc, char **argv)
{
    struct cpu_list list;
    uint64_t pid;
    if (argc != 2 || units_count(argv[0], &pid) != 0 || pid > INT_MAX ||
        cpus_parse(argv[1], &list) != 0)
        return 2;
    return cpus_pin_process((pid_t)pid, &list) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// fifos FOLDER NAME...: makes them in FOLDER, and FOLDER where it is not there: for our user
// alone. Prints the reason where that fails.
static int make_fifos(int argc, char **argv)
{
    struct stat status;
    bool good = mkdir(argv[0], S_IRWXU) == 0 || errno == EEXIST;
    const int folder = good ? open(argv[0], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    good = folder >= 0 && fstat(folder, &status) == 0;
    if (good && status.st_uid != geteuid()) {
        good = false;
        errno = EPERM;
    }
    for (int i = 1; good && i < argc; i++)
        good = mkfifoat(folder, argv[i], S_IRUSR | S_IWUSR) == 0;
    if (!good)
        puts(strerror(errno));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

// return FOLDER...: puts records back that grew elsewhere (common/away.h). What cannot be put back
// is said, and stays where the link leads to.
static int return_folders(int argc, char **argv)
{
    int status = EXIT_SUCCESS;
    for (int i = 0; i < argc; i++) {
        if (away_return(argv[i]))
            continue;
        complain("%s stays a link to where its records are (%s): to move them, run jostle with "
                 "--resume --output %s again, or mv",
                 argv[i], strerror(errno), argv[i]);
        status = EXIT_FAILURE;
    }
    return status;
}

int main(int argc, char **argv)
{
    streams_open();
    static const struct {
        const char *word;
        int (*answer)(int argc, char **argv);
    } questions[] = {{"options", read_options},  {"mixed", read_mixed},
                     {"nearest", print_nearest}, {"split", print_words},
                     {"quote", print_quoted},    {"save", save_input},
                     {"lock", take_lock},        {"pin", pin},
                     {"fifos", make_fifos},      {"undo", undo},
                     {"plain", plain},           {"return", return_folders}};
    for (size_t i = 0; argc > 2 && i < sizeof questions / sizeof questions[0]; i++)
        if (strcmp(questions[i].word, argv[1]) == 0)
            return questions[i].answer(argc - 2, argv + 2);
    if (argc >= 2 && argc <= 3 && strcmp(argv[1], "fold") == 0)
        return fold(argv[2]);
    if (argc == 2 && strcmp(argv[1], "visible") == 0)
        return make_visible();
    if (argc == 2 && strcmp(argv[1], "--list-options") == 0)
        return options_list(&(struct program){.name = "arguments"}) ? EXIT_SUCCESS : EXIT_FAILURE;
    usage_error("arguments: give options, mixed, nearest, split, quote, save, lock, pin, fifos, "
                "undo, return, "
                "fold or visible, and their words: jostle's commands do");
}
