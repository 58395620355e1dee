#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

/* What follows the prefix, in text itself; NULL: it does not begin so. */
const char *text_after(const char *text, const char *prefix);

#endif
