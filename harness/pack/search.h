/* Which numbers of copies are measured: all of them where there is time, else those between
 * which the answer lies. Pure: a function of its input. */
#ifndef PACK_SEARCH_H
#define PACK_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SEARCH_COUNTS_MOST = 60 }; /* of one stage, as a block has at most 64 conditions */

/* Of the time that is left, what the first stage gets where others may follow. */
static const double search_first_share = 0.5;

struct search {
    size_t least, most; /* numbers of copies, without the reference: least is 2, of a mix more */
    double trial_s;     /* how long the reference takes */
    size_t room;        /* copies that have CPUs of their own */
    double left_s;      /* to measure in */
    size_t min_runs;    /* blocks that are wanted */
};

/* Of a number that has been measured. */
struct search_point {
    size_t copies;
    bool below;   /* its slowdown is surely below the limit */
    bool in_knee; /* it may be the knee */
    double slowdown_low, slowdown_high;
};

/* Numbers of copies for the first stage, ascending, into count[SEARCH_COUNTS_MOST]; returns how
 * many. *stages: how many stages there may be; 1: these are all. */
size_t search_first(const struct search *search, size_t *count, size_t *stages);

/* Those for a further one, from what the points (ascending, without the reference) say: at most
 * three between the last that fits and the next, and one on each side of the knee. Where the
 * points are not smooth all that are left, as far as time allows. None: the answer is known. */
size_t search_more(const struct search *search, const struct search_point *point, size_t points,
                   size_t *count);

/* Whether the slowdown never surely falls from one number to a larger one. Only then a number
 * between two others says nothing that these do not. */
bool search_is_smooth(const struct search_point *point, size_t points);

/* How many blocks of these numbers fit into so many seconds. */
double search_blocks(const struct search *search, const size_t *count, size_t counts,
                     double seconds);

#endif
