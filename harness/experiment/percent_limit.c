#include "percent_limit.h"

#include <string.h>

#define EXEC  "exec:"
#define LIMIT "--limit"

/* The value of --limit at words[i]; NULL: there is another word. */
static const char *limit_at(const char *const *words, size_t count, size_t i)
{
    const size_t length = strlen(LIMIT);
    if (strncmp(words[i], LIMIT, length) != 0)
        return NULL;
    if (words[i][length] == '=')
        return words[i] + length + 1;
    return words[i][length] == '\0' && i + 1 < count ? words[i + 1] : NULL;
}

bool has_percent_limit(const char *const *words, size_t count)
{
    bool percent = false;
    if (count == 0 || strncmp(words[0], EXEC, strlen(EXEC)) == 0)
        return false;
    /* The last one counts, as for loadgen. */
    for (size_t i = 1; i < count && strcmp(words[i], "--") != 0; i++) {
        const char *value = limit_at(words, count, i);
        if (value != NULL)
            percent = value[0] != '\0' && value[strlen(value) - 1] == '%';
    }
    return percent;
}
