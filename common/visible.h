#ifndef COMMON_VISIBLE_H
#define COMMON_VISIBLE_H

/* Text of users and of records for people: what would move the cursor, ring a bell, hide or turn
 * text around becomes visible, such as \n, \e or \u{202e}. lib/visible.jq does the same. */

/* A copy, to be freed; NULL: out of memory. */
char *visible_copy(const char *text);
/* The character at *text, which is UTF-8 and not at its end; moves on to the next. One that is cut
 * off is U+FFFD, and ends where it was cut: it never moves beyond the end. */
unsigned long visible_next(const unsigned char **text);

#endif
