/* The command line of `jostle bench`. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "common/options.h"
#include "part.h"

#include <jansson.h>

struct part {
    const char *name, *title;
    void (*make)(struct matrix *matrix, const struct choice *choice);
};

enum { MOST_THREADS = 1024, MOST_SAMPLES = 2000, MOST_BLOCK = 1 << 30 };

struct request {
    bool quick, peers, retry_failed, dry_run, verbose, quiet;
    const char *threads, *blocks, *output, *only, *dir, *format, *duration;
    const char *peer, *rsh, *peer_address, *peer_facts;
    uint64_t port;
    const char *programs, *derive, *expand, *forecast, *show, *workloads, *address;
    const char *error, *confidence, *max_time;
    struct option_list set, peaks;
    int table;
    const char *rows; /* the cells of the table, as a pattern; NULL: all */
    uint64_t file_bytes;
    uint64_t samples, min_runs, max_runs;
    int64_t every_ns;
    bool part[8];   /* of parts, which are chosen */
    bool is_asked;  /* the command line says what to measure, not only where */
    char **operand; /* what follows the options, ended by NULL */
    struct options *given;
    char *series;     /* options of loadgen for a series; NULL: there is none */
    char *folder;     /* --dir, absolute */
    char *work;       /* folder of the bench's own in --dir */
    unsigned *thread; /* --threads, ascending, each once */
    size_t thread_count;
    uint64_t *block; /* --blocks, ascending, each once */
    size_t block_count;
};

/* Reads the command line; --help and wrong use end the program. */
void bench_request_read(struct request *request, int argc, char **argv);
void bench_request_free(struct request *request);

/* The choice that the parts read: parts of it belong to the settings. */
struct choice request_choice(const struct request *request);

/* Room for the cells; `workloads` is the folder of jostle's. To be freed. */
struct matrix *matrix_new(const struct choice *choice, const char *workloads);

void matrix_free(struct matrix *matrix);

/* Adds the cells of a part. A part that makes two cells of one name, a cell without a
 * command or the like ends the program: that is a mistake of the part. */
void matrix_make(struct matrix *matrix, const struct part *part);

/* [{part, title, cells, charts}], as bench-plan.json has them. Belongs to the matrix. */
const json_t *matrix_parts(const struct matrix *matrix);

/* In the order of the tables; a nameless row ends it. */
extern const struct part parts[];

#endif
