#ifndef BLAME_HISTORY_H
#define BLAME_HISTORY_H

// What a watch, or many calls, have written: jostle.blame/1 records in the order of time.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

// NAN: not known.
struct moment {
    time_t made;
    double factor;
    double cpu_some, io_some, steal, throttled; // shares, 0 to 1
    double others_cpus, victim_cpus;
    char resource[32]; // that the verdict is about; "none"
    char culprit[160]; // the first one, where there is a verdict; else ""
};

// Of one host and victim.
struct history {
    char host[256], victim[320];
    size_t count, room;
    struct moment *moment; // by time, rising
};

struct histories {
    size_t count;
    struct history *history; // by host
    bool cut;                // a file ends within a record: a watch was killed while it wrote
};

// Of a file, or of all files of a folder that hold such records. False after a message.
bool histories_read(const char *path, struct histories *histories);
void histories_free(struct histories *histories);

// jostle.blame-history/1: for each host and victim who was to blame how often, and at most `rows`
// rows over the time. A new reference; ends the program where memory runs out.
json_t *histories_to_json(const struct histories *histories, size_t rows);
// Prints it as a line of JSON, for jostle report; page: with more rows. Exit status.
int history_show(const char *path, bool page);

#endif
