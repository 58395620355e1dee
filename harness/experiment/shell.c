#include "shell.h"

#include "common/messages.h"
#include "common/words.h"

#include <string.h>

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
    if (split == NULL || count == 0)
        usage_error("--shell %s: %s: give a shell such as bash, or none", text,
                    split == NULL ? error : "no shell");
    arena_keep(arena, split);
    const char **words = arena_take(arena, (count + 1) * sizeof *words);
    memcpy(words, split, count * sizeof *words);
    words[count] = "-c";
    return (struct shell){.name = text, .words = words, .word_count = count + 1};
}

bool shell_is_name(const char *word)
{
    static const char *const names[] = {"sh",   "bash", "dash", "zsh",      "ksh",        "mksh",
                                        "fish", "ash",  "yash", SHELL_NONE, SHELL_DEFAULT};
    const size_t length = strcspn(word, " ");
    const char *slash = memrchr(word, '/', length), *base = slash == NULL ? word : slash + 1;
    const size_t base_length = (size_t)(word + length - base);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == base_length && memcmp(base, names[i], base_length) == 0)
            return true;
    return false;
}
