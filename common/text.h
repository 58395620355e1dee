#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

// What follows the prefix, in text itself; NULL: it does not begin so.
const char *text_after(const char *text, const char *prefix);
bool text_ends(const char *text, const char *end);
// Whether it is one of the names, which NULL ends; names NULL: there is none.
bool text_is_among(const char *text, const char *const *names);
// An order of texts, for qsort() of pointers to them.
int text_order(const void *a, const void *b);
// The length of what is in front of the end; that of the whole text where it does not end so, or
// is nothing else.
size_t text_before(const char *text, const char *end);

// Puts what printf makes behind the text that is there, in a buffer of that size, with the
// separator between them unless that is ""; what does not fit is left out.
void text_append(char *text, size_t size, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// How many of the first `most` bytes, without the part of a character (UTF-8) at their end, a text
// of at least as many has.
size_t text_whole(const char *text, size_t most);

// How many decimals a number with an interval is printed with.

// So many, and up to 6 where fewer would let an interval that leaves a number out, such as 1 of a
// ratio, look as if it had it: 1.0004 [1.0002, 1.0006], not 1.000 [1.000, 1.001].
int decimals_apart(int decimals, double low, double high, double number);

enum { DATE_SIZE = 32 };

// A time as records have it, 2026-11-22T15:00:00Z (RFC 3339); "" where it has none, in so far a
// year. Returns text.
const char *date_utc(time_t time, char text[DATE_SIZE]);

// Lines for people as wide as their terminal: broken between words, which a terminal does not.

// The columns of the terminal that fd is; 0: it is none, or has as many as one likes.
size_t fold_columns(int fd);

// A copy of the text, to be freed, no line of which has more columns; 0 columns: as it is. What
// follows is indented, as far as the second column in "  name   what it is". A row of a table,
// which has wider gaps more than once, and a word that is too long stay as they are. NULL: out of
// memory.
char *fold_text(const char *text, size_t columns);
// Writes the text of one line that begins behind so many columns; what follows is indented as far.
// 0 columns, or fewer than twice the indent: as it is.
void fold_behind(FILE *out, const char *text, size_t indent, size_t columns);

// Text of users and of records for people: what would move the cursor, ring a bell, hide or turn
// text around becomes visible, such as \n, \e or \u{202e}. lib/text.jq does the same.

// A copy, to be freed; NULL: out of memory.
char *visible_copy(const char *text);
// The number of a signal given as TERM, SIGTERM or 15; 0: there is none of that name.
int signal_number(const char *text);

// A check of an option's row.
bool signal_check(const char *text, char *error, size_t size);

// Command lines as text: split as a shell would, and quoted for one.

// Splits text at blanks; quotes and backslashes mean what they mean to a POSIX
// shell, nothing is expanded. Returns the words, ended by NULL, in one block to
// be freed; NULL with *error set to what is wrong ("a quote is not closed").
char **words_split(const char *text, size_t *count, const char **error);

// The first character of a command line that a shell would obey (a pipe, a redirection, a
// list, a line end between two commands), as it is not quoted; NULL: there is none.
const char *words_operator(const char *text);

// What a message calls an operator: "|", "a line end".
const char *words_operator_name(const char *operator, char name[2]);

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

// Writes a value of a file that git config reads, or the name of a section, in quotes, so that it
// is read as it is; the characters of doubled are written twice.
void config_put(FILE *stream, const char *text, const char *doubled);

#endif
