// Compiles regular expressions that somebody else wrote, and refuses those that would take
// minutes.
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Behind the bracket expression that begins at text, whose ] may be its first character or
// part of a class such as [:digit:].
static const char *after_bracket(const char *text)
{
    text += text[1] == '^' ? 2 : 1;
    for (const char *first = text; *text != '\0' && (*text != ']' || text == first); text++) {
        const char kind = text[0] == '[' ? text[1] : '\0';
        if (kind != ':' && kind != '.' && kind != '=')
            continue;
        const char *end = strstr(text + 2, (const char[]){kind, ']', '\0'});
        if (end)
            text = end + 1;
    }
    return *text == ']' ? text + 1 : text;
}

// How often what is in front of text is repeated at most, where text is an operator for that;
// *after is what follows. 0: it is none.
static double repetition(const char *text, const char **after)
{
    char *end;
    *after = text + 1;
    if (*text == '*' || *text == '?')
        return 1;
    if (*text == '+')
        return 2;
    if (*text != '{')
        return 0;
    const double least = strtod(text + 1, &end);
    const double most = *end == ',' ? strtod(end + 1, &end) : least;
    *after = *end == '}' ? end + 1 : text + 1;
    return *end != '}' ? 0 : least >= most ? least + 1 : most;
}

// Whether it has PATTERN_PARTS at most.
static bool is_small(const char *text)
{
    double total = 0, atom = 0, opened[PATTERN_PARTS];
    size_t depth = 0;
    while (*text != '\0' && total <= PATTERN_PARTS) {
        const char *after;
        const double times = repetition(text, &after);
        if (times > 0) {
            // An operator is a part, too.
            total += atom * (times - 1) + 1;
            atom = atom * times + 1;
        } else if (*text == '(') {
            // So are both ends of a group, which therefore cannot be nested more deeply.
            opened[depth++] = total;
            total += 2;
        } else if (*text == ')' && depth > 0) {
            atom = total - opened[--depth];
        } else {
            total += atom = 1;
        }
        text = *text == '[' ? after_bracket(text) : *text == '\\' && text[1] ? text + 2 : after;
    }
    return total <= PATTERN_PARTS;
}

bool pattern_compile(regex_t *regex, const char *text, int flags, char *why, size_t size)
{
    if (!is_small(text)) {
        snprintf(why, size,
                 "it has more than %d parts, repetitions written out: write a shorter one",
                 PATTERN_PARTS);
        return false;
    }
    const int code = regcomp(regex, text, REG_EXTENDED | flags);
    if (code != 0)
        (void)regerror(code, regex, why, size);
    return code == 0;
}
