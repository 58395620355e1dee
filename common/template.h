// Fills in what stands between braces in a text.

#ifndef COMMON_TEMPLATE_H
#define COMMON_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Writes what the `length` bytes between two braces stand for. False: they stand for nothing, and
// the text is left as it is.
typedef bool template_put(FILE *stream, const char *place, size_t length, void *context);

// The text with each {PLACE} filled in, to be freed; {{ and }} are braces.
char *template_fill(const char *text, template_put *put, void *context);

#endif
