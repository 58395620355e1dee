// The search of a pack: which numbers of copies are measured next, and how long.

#ifndef PACK_SEARCH_H
#define PACK_SEARCH_H

#include "pack.h"

enum { COUNTS_MOST = 60 }; // of one stage, as a block has at most 64 conditions

struct counts {
    size_t count, item[MAX_CONDITIONS]; // ascending
};

struct search {
    size_t least, most; // numbers of copies, without the reference: least is 2, of a mix more
    double trial_s;     // how long the reference takes
    double room;        // copies that have CPUs of their own
    double left_s;      // to measure in
};

// The share of the time that the first stage gets where others may follow.
#define FIRST_SHARE 0.5

// ---- search.c

// How many blocks of these numbers fit into so many seconds.
double search_blocks(const struct search *search, const struct counts *counts, double seconds);
// Numbers of copies for the first stage. *stages: how many stages there may be; 1: these are all.
struct counts first_counts(const struct search *search, double min_runs, size_t *stages);
// Returns the numbers for a further stage, by what the rows say: at most three between the last
// that fits and the next, and one on each side of the knee. Where the points are not smooth these
// are all that are left, as far as time allows. There are none where the answer is known.
struct counts more_counts(const struct search *search, const struct rows *rows);

// ---- stage_cell.c

// What the launcher prints, an item a line; of a mix the time of each program, too. To be freed.
char *pack_metric_list(const json_t *plan);
// The settings that an experiment has by the same name, the hooks first.
enum { PASSED = 6, PASSED_HOOKS = 4 };
extern const char *const passed_settings[PASSED];
// Writes DIR/stages/NUMBER/cell.json: these numbers of copies against the reference, for so many
// seconds; its path, to be freed. NULL after a message.
char *stage_write(const json_t *plan, const char *dir, size_t number, const struct search *search,
                  const struct counts *counts, double seconds);

#endif
