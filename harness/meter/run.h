#ifndef METER_RUN_H
#define METER_RUN_H

#include "account.h"
#include "extract.h"
#include "group.h"
#include "launch.h"
#include "settings.h"
#include "signals.h"
#include "system.h"

#include <stdbool.h>
#include <sys/types.h>

// A target whose words have a value in the place of {NAME}, anew for each run.
struct varied {
    struct target target;
    char *block; // what its words are in
};

enum exit_code {
    EXIT_RECORDED = 0,
    EXIT_NOT_RUN = 1,
    EXIT_WRONG_USE = 2,
    EXIT_LOST = 125,
    EXIT_BY_SIGNAL = 128,
};

// What all runs of one command share.
struct runner {
    const struct settings *settings;
    struct signals signals;
    struct system_sources sources;
    struct group group; // of the run that is to come, or of the current one
    struct account account;
    struct launch launch;
    struct varied varied; // its target, with --vary
    struct extractor extractor;
    size_t runs; // that were made
    int own_fd;  // schedstat.h: meter's own; -1: the kernel has none
    int output_fd;
    int hangup_fd; // see supervise.h
};

// run_open_output: where records go; "-": stdout. False after a message.
bool run_open_output(int *fd, const char *path);

// run_begin: gets everything that the first run needs. False after a message.
bool run_begin(struct runner *runner, const struct settings *settings);

// run_once: runs the command and writes its record. Returns how meter should exit
// if it was the only run; EXIT_RECORDED means that another one may follow.
int run_once(struct runner *runner);

// run_again: gets ready for another run, which takes the kernel a while and so is
// done before it is wanted. False after a message.
bool run_again(struct runner *runner);

// run_end: leaves no group behind.
void run_end(struct runner *runner);

// varied_take: makes it of a target, a name (--vary) and a value. False if memory ran out.
bool varied_take(struct varied *varied, const struct target *target, const char *name,
                 const char *value);

#endif
