#include "varied.h"

#include <stdlib.h>
#include <string.h>

// copy: the word with the value in the place of {NAME}; returns what follows in `to`. With
// `to` NULL only the size counts.
static size_t copy(char *to, const char *word, const char *name, const char *value)
{
    const size_t name_length = strlen(name), value_length = strlen(value);
    size_t size = 0;
    while (*word != '\0') {
        const bool is_it = *word == '{' && strncmp(word + 1, name, name_length) == 0 &&
                           word[name_length + 1] == '}';
        const char *from = is_it ? value : word;
        const size_t length = is_it ? value_length : 1;
        if (to != NULL)
            memcpy(to + size, from, length);
        size += length;
        word += is_it ? name_length + 2 : 1;
    }
    if (to != NULL)
        to[size] = '\0';
    return size + 1;
}

bool varied_take(struct varied *varied, const struct target *target, const char *name,
                 const char *value)
{
    size_t count = 0, size = 0;
    varied_free(varied);
    for (; target->words[count] != NULL; count++)
        size += copy(NULL, target->words[count], name, value);
    char **words = malloc((count + 1) * sizeof *words);
    varied->block = malloc(size);
    varied->target = *target;
    varied->target.words = words;
    if (words == NULL || varied->block == NULL)
        return false;
    char *at = varied->block;
    for (size_t i = 0; i < count; i++) {
        words[i] = at;
        at += copy(at, target->words[i], name, value);
    }
    words[count] = NULL;
    return true;
}

void varied_free(struct varied *varied)
{
    free(varied->target.words);
    free(varied->block);
    *varied = (struct varied){.block = NULL};
}
