/* arguments: what the commands in bash need of common/: options, the nearest name,
 * and words split or quoted as a shell does. */

#include "table.h"

#include "common/messages.h"
#include "common/options.h"
#include "common/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put(const char *text)
{
    return fputs(text, stdout) != EOF && putchar('\0') != EOF;
}

/* options NAME ROW... -- ARGUMENT...: the options that were given, a name and a
 * value in turn, then an empty string, then what is left of the arguments. */
static int read_options(int argc, char **argv)
{
    struct table table;
    int end = 1, rest;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (end == argc)
        usage_error("arguments: no -- after the rows: harness/lib/options.bash writes it");
    table_open(&table, argv[0], argv + 1, (size_t)end - 1);
    char **words = argv + end;
    const int count = argc - end;
    bool written = true;
    if (table_wants_help(&table, count, words)) {
        written = put("help") && put("1") && put("");
    } else {
        struct options *options = options_parse(&table.program, count, words, &rest);
        written = table_print(&table, options) && put("");
        for (int i = rest; i < count; i++)
            written = put(words[i]) && written;
        options_free(options);
    }
    table_close(&table);
    return written && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* nearest WORD NAME...: " (did you mean NAME?)", or nothing. */
static int print_nearest(int argc, char **argv)
{
    const char *near = argc < 1 ? NULL : nearest_name(argv[0], (const char *const *)argv + 1);
    if (near != NULL)
        printf(" (did you mean %s?)", near);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* split TEXT: its words, each ended by NUL. */
static int print_words(int argc, char **argv)
{
    const char *error;
    size_t count;
    char **words = argc == 1 ? words_split(argv[0], &count, &error) : NULL;
    if (words == NULL)
        return 2;
    bool written = true;
    for (size_t i = 0; i < count; i++)
        written = put(words[i]) && written;
    free(words);
    return written && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* quote WORD...: one line that a shell reads as these words. */
static int print_quoted(int argc, char **argv)
{
    char *text = words_quote((const char *const *)argv, (size_t)argc);
    if (text == NULL || fputs(text, stdout) == EOF || fflush(stdout) != 0)
        return EXIT_FAILURE;
    free(text);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*answer)(int argc, char **argv);
    } questions[] = {{"options", read_options},
                     {"nearest", print_nearest},
                     {"split", print_words},
                     {"quote", print_quoted}};
    for (size_t i = 0; argc > 2 && i < sizeof questions / sizeof questions[0]; i++)
        if (strcmp(questions[i].word, argv[1]) == 0)
            return questions[i].answer(argc - 2, argv + 2);
    usage_error("arguments: give options, nearest, split or quote, and their words: jostle's "
                "commands do");
}
