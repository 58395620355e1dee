#include "common/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

// Of a variable.
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// Characters that no shell reads anything into.
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// Adds a character to a word; with *out NULL the word is only walked over.
static void put(char **out, char character)
{
    if (*out)
        *(*out)++ = character;
}

// Copies what a quote encloses; text is behind the opening one. Returns what
// follows the closing one, or NULL.
static const char *copy_quoted(const char *text, char quote, char **out)
{
    while (*text != quote) {
        if (*text == '\0')
            return NULL;
        if (quote == '"' && text[0] == '\\' && text[1] == '\n') {
            text += 2; // a line that continues on the next
            continue;
        }
        if (quote == '"' && *text == '\\' && text[1] != '\0' && strchr("\"\\$`", text[1]))
            text++;
        put(out, *text++);
    }
    return text + 1;
}

// Blanks, and lines that continue on the next.
static const char *skip_blanks(const char *text)
{
    for (;;) {
        text += strspn(text, BLANKS);
        if (text[0] != '\\' || text[1] != '\n')
            return text;
        text += 2;
    }
}

// Copies one word, ends it with 0; returns what follows, or NULL with *error.
static const char *copy_word(const char *text, char **out, const char **error)
{
    while (*text != '\0' && !strchr(BLANKS, *text)) {
        if (*text == '\'' || *text == '"') {
            text = copy_quoted(text + 1, *text, out);
            if (!text) {
                *error = "a quote is not closed";
                return NULL;
            }
        } else if (text[0] == '\\' && text[1] == '\0') {
            *error = "nothing follows the backslash at the end";
            return NULL;
        } else if (text[0] == '\\' && text[1] == '\n') {
            text += 2;
        } else {
            text += *text == '\\';
            put(out, *text++);
        }
    }
    put(out, '\0');
    return text;
}

char **words_split(const char *text, size_t *count, const char **error)
{
    const size_t length = strlen(text), most = length / 2 + 2; // words, and the NULL behind
    char **words = malloc(most * sizeof *words + length + 1);
    *count = 0;
    if (!words) {
        *error = "out of memory: free some";
        return NULL;
    }
    char *out = (char *)(words + most);
    for (text = skip_blanks(text); *text != '\0'; text = skip_blanks(text)) {
        words[(*count)++] = out;
        text = copy_word(text, &out, error);
        if (!text) {
            free(words);
            return NULL;
        }
    }
    words[*count] = NULL;
    return words;
}

size_t words_until_joint(const char *text, const char **rest)
{
    const char *word = skip_blanks(text), *last = text, *error, *end;
    char *nowhere = NULL;
    *rest = NULL;
    for (; *word != '\0'; word = skip_blanks(end)) {
        end = copy_word(word, &nowhere, &error);
        if (!end)
            break;
        if (*word == '+' && end == word + 1) {
            *rest = end;
            return (size_t)(last - text);
        }
        last = end;
    }
    return strlen(text);
}

const char *words_operator(const char *text)
{
    char *nowhere = NULL;
    while (text && *text != '\0') {
        if (strchr("|&;<>()", *text))
            return text;
        if (*text == '\'' || *text == '"')
            text = copy_quoted(text + 1, *text, &nowhere);
        else
            text += *text == '\\' && text[1] != '\0' ? 2 : 1;
    }
    return NULL;
}

// An expansion before the end of a double quote.
static bool expands_in_quotes(const char *text)
{
    for (; *text != '\0' && *text != '"'; text++) {
        if (*text == '$' || *text == '`')
            return true;
        if (*text == '\\' && text[1] != '\0')
            text++;
    }
    return false;
}

bool words_need_shell(const char *text)
{
    char *nowhere = NULL;
    for (bool begins = true; text && *text != '\0';) {
        if (strchr("|&;<>()$`*?[", *text) || (begins && strchr("~#!", *text)))
            return true;
        if (*text == '"' && expands_in_quotes(text + 1))
            return true;
        begins = strchr(BLANKS, *text) != NULL;
        if (*text == '\'' || *text == '"')
            text = copy_quoted(text + 1, *text, &nowhere);
        else
            text += *text == '\\' && text[1] != '\0' ? 2 : 1;
    }
    return false;
}

bool words_builtin(const char *word)
{
    static const char *const names[] = {
        ".",      ":",    "alias", "bg",     "cd",    "command", "eval",     "exec",   "exit",
        "export", "fc",   "fg",    "hash",   "jobs",  "read",    "readonly", "return", "set",
        "times",  "trap", "type",  "ulimit", "umask", "unalias", "unset",    "wait"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

bool words_assignment(const char *word)
{
    const size_t digits = strspn(word, "0123456789");
    const size_t length = strspn(word, NAME_CHARACTERS);
    return digits == 0 && length > 0 && word[length] == '=';
}

static bool is_plain(const char *word)
{
    return *word != '\0' && word[strspn(word, PLAIN)] == '\0';
}

static char *append(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

static char *append_quoted(char *out, const char *word)
{
    *out++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            out = append(out, "'\\''", 4);
        else
            *out++ = *word;
    }
    *out++ = '\'';
    return out;
}

char *words_quote(const char *const *words, size_t count)
{
    size_t most = 1;
    for (size_t i = 0; i < count; i++)
        most += 4 * strlen(words[i]) + 3;
    char *text = malloc(most), *out = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *out++ = ' ';
        out = is_plain(words[i]) ? append(out, words[i], strlen(words[i]))
                                 : append_quoted(out, words[i]);
    }
    *out = '\0';
    return text;
}
