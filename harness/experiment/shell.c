// Decides which shell runs a command, and whether a word is a program.

#include "experiment.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT "sh"

struct shell shell_read(struct arena *arena, const char *text)
{
    const char *error = NULL;
    size_t count = 0;
    if (strcmp(text, SHELL_NONE) == 0)
        return (struct shell){0};
    if (strcmp(text, SHELL_DEFAULT) == 0)
        text = DEFAULT;
    char **split = words_split(text, &count, &error);
    if (!split || count == 0)
        usage_error("--shell %s: %s: give a shell such as bash, or none", text,
                    !split ? error : "no shell");
    struct shell shell = {text, {.count = count, .item = arena_keep(arena, split)}};
    list_add(&shell.words, arena, "-c");
    return shell;
}

bool names_program(const char *word)
{
    char path[PATH_MAX];
    return strchr(word, '/') ? access(word, X_OK) == 0 : child_find(word, path);
}

bool is_command_line(const char *word)
{
    return strpbrk(word, " \t\n|&;<>") && !names_program(word);
}

bool shell_is_name(const char *word)
{
    static const char *const names[] = {"sh",   "bash", "dash", "zsh",      "ksh",        "mksh",
                                        "fish", "ash",  "yash", SHELL_NONE, SHELL_DEFAULT};
    const size_t length = strcspn(word, " ");
    const char *slash = memrchr(word, '/', length), *base = !slash ? word : slash + 1;
    const size_t base_length = (size_t)(word + length - base);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == base_length && memcmp(base, names[i], base_length) == 0)
            return true;
    return false;
}
