#ifndef COMMON_JSON_H
#define COMMON_JSON_H

// Writes JSON into a buffer that grows. Each value takes the name of its member,
// or NULL inside an array and at the top. Commas, quoting and closing brackets
// come by themselves.
//
//     struct line line = {0};
//     line_object(&line, NULL);
//     line_text(&line, "event", "ready");
//     line_close(&line);
//     const char *line = line_end(&line);    -> {"event":"ready"}\n, or NULL
//     line_free(&line);

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    char *text; // ended by 0 once anything was written; NULL: nothing yet
    size_t used, size;
    uint64_t arrays; // a bit for each open level: it is an array
    unsigned depth;
    bool failed; // out of memory: everything after it is ignored
};

// Length of the UTF-8 sequence at text, of at most left bytes; 0: it is none (or
// overlong, a surrogate, above U+10FFFF: RFC 3629).
size_t utf8_length(const char *text, size_t left);
// Whether all of a text is UTF-8, which JSON has to be.
bool utf8_is_valid(const char *text);

void line_object(struct line *line, const char *name);
void line_array(struct line *line, const char *name);
// Closes the innermost object or array that is open.
void line_close(struct line *line);

// NULL becomes null; bytes that are not UTF-8 become \xNN, as in all records
// (common/record_json.h).
void line_text(struct line *line, const char *name, const char *value);
void line_count(struct line *line, const char *name, uint64_t value);
void line_integer(struct line *line, const char *name, int64_t value);
// With as many digits as bring back the same double; not finite: null.
void line_real(struct line *line, const char *name, double value);
// With so many decimals; not finite: null.
void line_fixed(struct line *line, const char *name, double value, int decimals);
// Nanoseconds as seconds with so many decimals (0 to 9), cut off, not rounded.
void line_seconds(struct line *line, const char *name, int64_t time_ns, int decimals);
void line_bool(struct line *line, const char *name, bool value);
void line_null(struct line *line, const char *name);
// A value that is JSON already.
void line_raw(struct line *line, const char *name, const char *value);

// Closes what is open and adds a newline; the text, line->used bytes of it, is
// line's. NULL: out of memory.
const char *line_end(struct line *line);
void line_free(struct line *line);

#endif
