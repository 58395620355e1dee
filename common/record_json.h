#ifndef COMMON_RECORD_JSON_H
#define COMMON_RECORD_JSON_H

#include "common/metric.h"
#include "common/options.h"

#include <jansson.h>
#include <time.h>

// Values as the records of the harness have them.

// A member of an object; NULL, NAN and false where it is not there, or of another type.
const char *json_text_at(const json_t *object, const char *key);
double json_number_at(const json_t *object, const char *key);
// Whether a member is that text.
bool json_text_is(const json_t *object, const char *key, const char *text);
// As json_text_at, but "" in place of NULL.
const char *json_text_or_empty(const json_t *object, const char *key);
// Gives the member whose key is the first length bytes of a text; jansson has that since 2.14.
json_t *json_at(const json_t *object, const char *key, size_t length);
// A text into a buffer, cut off behind a whole character where it is too long, as half of one
// would be in no record; "" where there is none.
void json_copy_text(const json_t *object, const char *key, char *text, size_t size);
bool json_has(const json_t *object, const char *key); // and is not null
// The first object of an array whose member of that key is that text; NULL: there is none, or no
// text.
json_t *json_named(const json_t *array, const char *key, const char *text);
// The head of a loop over the elements of a list, with one of that name; break and continue are as
// in any loop.
#define JSON_EACH(one, elements)                                                                   \
    for (struct json_each one##_each = {.list = (elements)}; json_step(&one##_each);)              \
        for (json_t *one = one##_each.at; one; one = one##_each.at = NULL)
struct json_each {
    const json_t *list;
    json_t *at; // still there where a loop was left by break
    size_t next;
};
bool json_step(struct json_each *each);
// A bound of an interval, the member "ci": 0 the lower, 1 the upper; NAN where it has none.
double json_bound_at(const json_t *object, size_t index);

// Reads a record, as every program does, for a stranger may have made its folder: what is no
// regular file is not waited for. A new reference, or NULL with *error (which may be NULL).
json_t *json_read_record(const char *path, size_t flags, json_error_t *error);
// A line of a file of records, of that many bytes: a new reference, or NULL: it is none. A NUL,
// which a power cut leaves in lines, and a name that is there twice make it none.
json_t *json_read_line(const char *line, size_t length);

// New references, or NULL when memory runs out.
// A string; bytes that are not UTF-8 become \xNN, so that other bytes are another string. NULL:
// null.
json_t *text_to_json(const char *text);
// The bytes of such a string, to be freed: of a text that had \xNN in it already, other ones. NULL:
// no memory is left.
char *text_recorded(const char *text);
// A list of such strings.
json_t *texts_to_json(const char *const *texts, size_t count);
// A number, whole ones as integers; not finite: null.
json_t *number_to_json(double number);
// [low, high]; null where one of them is not finite.
json_t *bounds_to_json(double low, double high);

// The same, where memory that runs out ends the program. json_number() and json_figure(): with the
// 12 digits that a computed double surely holds.
json_t *json_text(const char *value);
json_t *json_owned_text(char *value); // which is freed
json_t *json_date(time_t time);       // RFC 3339, see date_utc()
json_t *json_number(double value);
json_t *json_figure(double value);
json_t *json_bounds(double low, double high);
// Puts the values of all rows (but those .apart) into an object, under the names that they have in
// records: "max_time_s" of --max-time, times in seconds. What was not given is null; of a flag
// false.
void options_to_json(const struct option_row *rows, const void *values, json_t *object);
// The row whose name in records that is; NULL: there is none.
const struct option_row *option_recorded(const struct option_row *rows, const char *name);
// The member of that name, or null.
json_t *json_member(const json_t *object, const char *name);
// A list of words, quoted for a shell; to be freed.
char *json_words_quoted(const json_t *words);
// Both take over the value.
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

enum { RECORD_WHY = 200, FIGURE_DIGITS = 12, RECORD_DIGITS = 15 };

// The record of that schema ("jostle.pack/1") that a file is, a new reference. NULL: it is none,
// and why says in what way: it cannot be read, is empty or half-written, or is something else.
json_t *record_read(const char *path, const char *schema, char why[RECORD_WHY]);

// How records are written: numbers with the digits that they were given with.
#define RECORD_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(RECORD_DIGITS))
#define LINE_FORMAT   (JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS))

// Whether two sessions measured the same program with the same variables, by the
// `program` and `variables` that their records have.

// 1 and 1.0 are the same number, which json_equal() does not think; no value and null
// are the same.
bool changes_same(const json_t *a, const json_t *b);

// Appends {what, a, b} to `changes` where the two programs are not the same: one of them
// has another content; where that is not known, another size or time of change. False:
// one of them is not recorded.
bool changes_of_program(const json_t *a, const json_t *b, json_t *changes);

// Does the same for the programs of variants by their names, of two arrays of `variants`; the first
// one's is the experiment's own `program`, and left out. Revisions are left out, too: each
// session builds its own files of them.
void changes_of_variants(const json_t *a, const json_t *b, json_t *changes);

// Does the same for the files that both sessions know to be read, by the words that name them: the
// first as they were at its end. False: one of them has none recorded.
bool changes_of_inputs(const json_t *a, const json_t *b, json_t *changes);

// The `inputs` of the last session of an experiment.json that has some; NULL.
json_t *changes_last_inputs(const json_t *experiment);

// Whether a file of `inputs` was another one when the session ended.
bool changes_in_session(const json_t *file);

// Does the same for each variable whose value differs; null: not set.
bool changes_of_variables(const json_t *a, const json_t *b, json_t *changes);

// "the program (A sha256 ..., B sha256 ...), OMP_NUM_THREADS (A 1, B 4)" with names for A
// and B; to be freed. NULL: no changes.
char *changes_text(const json_t *changes, const char *a, const char *b);

// A defined metric as settings.metrics of experiment.json has it: {name, variant, source, take,
// scale, unit, better, role, quantile, loop, adapter}; the last four are null where not given,
// variant and scale are left out: records from before they were there shall be the same. A new
// reference; NULL: out of memory.
json_t *metric_to_json(const struct metric *metric);

#endif
