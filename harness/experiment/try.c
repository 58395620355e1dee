// Runs a command line to its end, and keeps what it said.

#include "try.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

bool words_run(struct arena *arena, const char *script, const struct option_list *words,
               struct option_list *lines, const char **said)
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
        list_add(lines, arena, arena_format(arena, "%s", line));
        ours = text_after(line, "jostle: ") ?: ours;
    }
    *said = arena_format(arena, "%s", good && last ? last : ours ? ours : "it is killed with it");
    return good;
}

bool words_try(struct arena *arena, const struct option_list *words, const char **said)
{
    struct option_list lines = {0};
    return words_run(arena, "exec \"$@\" 2>&1", words, &lines, said);
}
