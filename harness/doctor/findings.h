#ifndef DOCTOR_FINDINGS_H
#define DOCTOR_FINDINGS_H

/* What the doctor has found: one line for each check. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum status {
    STATUS_OK,
    STATUS_WARN,   /* it can make results wrong */
    STATUS_UNKNOWN /* this machine does not show it: never guessed */
};

struct finding {
    const char *check;
    enum status status;
    char text[512];
    char advice[256]; /* what to do; "": nothing */
};

struct findings {
    size_t count;
    struct finding finding[40];
};

/* advice: what to do, NULL where nothing is wrong. */
void findings_add(struct findings *findings, const char *check, enum status status,
                  const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
size_t findings_count(const struct findings *findings, enum status status);
/* A line for each, and how many there are, on stdout. */
void findings_print(const struct findings *findings);
/* "CHECK: TEXT; CHECK: TEXT" of those that warn into text, cut off where it is too
 * long. False: none warns. */
bool findings_join_warnings(const struct findings *findings, char *text, size_t size);
/* `findings` of jostle.doctor/1. A new reference. */
json_t *findings_to_json(const struct findings *findings);

#endif
