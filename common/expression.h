// Expressions of numbers, texts and names, as campaign files have them: `threads * 2 > cpus`.

#ifndef COMMON_EXPRESSION_H
#define COMMON_EXPRESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// || && == != <= >= < > + - * / % ! and parentheses as in C; min max if floor ceil power_of_two;
// numbers, and texts in single quotes, which == and != compare. A name may have letters, digits, _
// and -; `a-b` is the name of that spelling where there is one, else a difference.

struct expression_names {
    const json_t *values, *more; // {name: text or number}; more may be NULL
    bool lenient; // a name that is not there is 0, and a text that is not a number is 1
    json_t *used; // {name: true} gets the names that are asked for; NULL: nothing does
};

enum expression_state {
    EXPRESSION_GOOD,
    EXPRESSION_NONE, // the text is not written as an expression
    EXPRESSION_WRONG // a name is unknown, a text is not a number, or the value is not finite
};

struct expression {
    double value;
    size_t names;  // how many the text has
    char why[256]; // what is wrong, and what to do; ""
};

// The value of the first `length` bytes of a text.
enum expression_state expression_find(struct expression *expression, const char *text,
                                      size_t length, const struct expression_names *names);

// NAME = EXPRESSION, as `let` has it: the length of the name, in lower case, and where the
// expression begins. NULL: the text is something else.
const char *expression_let(const char *text, size_t *name);

enum { EXPRESSION_TEXT = 32 };
// A value as a text: whole numbers without a point. Returns text.
const char *expression_text(double value, char text[EXPRESSION_TEXT]);

#endif
