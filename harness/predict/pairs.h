// Measured pairs: how much one program slows down beside another, jostle.pair/1 in a pairs.jsonl.
#ifndef PREDICT_PAIRS_H
#define PREDICT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

struct pair_measure {
    double slowdown;
    double low, high; // its interval; NAN: none
    double sd;        // of the log ratio of single blocks; NAN: not known
    size_t n;         // blocks
    size_t start_count;
    char **starts; // when each run began that was used: no profile may have used it, too
};

struct pair_truth {
    char *a, *b, *place, *host; // a beside b; host: NULL where it is not known
    struct pair_measure first;
    bool repeated;
    struct pair_measure repeat; // the same, measured again
};

struct pair_list {
    struct pair_truth *pair;
    size_t count, capacity;
};

// Adds the pairs of a file. A pair that is there already, of the same host, becomes the repeat of
// it; a third measurement is left out. False after a message.
bool pair_list_read(struct pair_list *pairs, const char *path);

// Adds the pairs of a campaign whose targets and loads are programs of the same names: each cell
// of its folder that is done is the target beside the load. *left: cells without a
// result. False after a message, also where there is no cell.
bool pair_list_collect(struct pair_list *pairs, const char *folder, size_t *left);

// Writes them to a file ("-": stdout), a line each. False after a message.
bool pair_list_write(const struct pair_list *pairs, const char *path);

void pair_list_free(struct pair_list *pairs);

#endif
