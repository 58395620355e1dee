#include "inferred.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* The number that ends text after an optional separator: its length, or 0. */
static size_t number_at_end(const char *text, const char **start)
{
    if (*text != '\0' && strchr("._+-", *text) != NULL)
        text++;
    *start = text;
    size_t length = strspn(text, "0123456789");
    if (length == 0)
        return 0;
    if (text[length] == '.' && strspn(text + length + 1, "0123456789") > 0)
        length += 1 + strspn(text + length + 1, "0123456789");
    const char *end = text + length + (text[length] == '%');
    return *end == '\0' ? length : 0;
}

/* "--limit=10%" -> "10%": what follows the = of an option. */
static const char *value_of(const char *word)
{
    const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    return length > 0 && name[length] == '=' ? name + length + 1 : name;
}

/* The word of spec that is this number, with or without %, to be freed. */
static char *word_of_level(const char *spec, const char *level, size_t length)
{
    char *words = must(strdup(spec)), *rest = words, *found = NULL;
    for (char *word = strsep(&rest, " "); word != NULL && found == NULL;
         word = strsep(&rest, " ")) {
        const char *value = value_of(word);
        if (strncmp(value, level, length) == 0 &&
            strcmp(value[length] == '%' ? value + length + 1 : value + length, "") == 0)
            found = must(strdup(value));
    }
    free(words);
    return found;
}

void inferred_level(const char *condition, const char *spec, char **load, char **level)
{
    *load = *level = NULL;
    if (condition == NULL)
        return;
    for (size_t i = 0; condition[i] != '\0' && spec != NULL && *level == NULL; i++) {
        const char *number = NULL;
        if (strchr("0123456789._+-", condition[i]) != NULL)
            continue;
        const size_t length = number_at_end(condition + i + 1, &number);
        if (length == 0)
            continue;
        *level = word_of_level(spec, number, length);
        if (*level == NULL)
            break;
        *load = must(strndup(condition, i + 1));
    }
    if (*load == NULL)
        *load = must(strdup(condition));
}
