#ifndef COMMON_WORDS_H
#define COMMON_WORDS_H

// Command lines as text: split as a shell would, and quoted for one.

#include <stdbool.h>
#include <stddef.h>

// Splits text at blanks; quotes and backslashes mean what they mean to a POSIX
// shell, nothing is expanded. Returns the words, ended by NULL, in one block to
// be freed; NULL with *error set to what is wrong ("a quote is not closed").
char **words_split(const char *text, size_t *count, const char **error);

// The first character of a command line that a shell would obey (a pipe, a redirection, a
// list), as it is not quoted; NULL: there is none.
const char *words_operator(const char *text);

// Whether a shell would do more with a command line than split it: an operator, an
// expansion or a pattern that is not quoted.
bool words_need_shell(const char *text);

// Whether a word is a command that every POSIX shell has in itself, such as `exit`: mostly there is
// no program of that name.
bool words_builtin(const char *word);

// Whether a word is an assignment such as LD_PRELOAD=lib.so, which a shell puts into the
// environment of the command behind it.
bool words_assignment(const char *word);

// Several command lines may be joined by a word `+`; one in quotes, or with a
// backslash, is a word like any other. Returns the length of what is in front of the
// first joint, up to its last word; *rest is what follows it, or NULL where there is none.
size_t words_until_joint(const char *text, const char **rest);

// The words with a blank between them, each quoted where a shell needs it; to
// be freed. NULL: out of memory.
char *words_quote(const char *const *words, size_t count);

#endif
