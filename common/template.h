// Fills in what stands between braces in a text.

#ifndef COMMON_TEMPLATE_H
#define COMMON_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Writes what the `length` bytes between two braces stand for. False: they stand for nothing, and
// the text is left as it is.
typedef bool template_put(FILE *stream, const char *place, size_t length, void *context);

enum template_braces {
    BRACES_ALONE,  // a brace that begins no place is one
    BRACES_DOUBLED // and so are {{ and }}
};

// The text with each {PLACE} filled in, to be freed.
char *template_fill(const char *text, enum template_braces braces, template_put *put,
                    void *context);

// A place of a fixed name.
struct template_name {
    const char *name, *text;
};
// The text with each {NAME} of a list, which a row without a name ends, filled in; to be freed.
char *template_fill_names(const char *text, const struct template_name *names);

#endif
