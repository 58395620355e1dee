// What a setting of an experiment is where nobody has given it: in options and their help, and for
// records that do not say.
#ifndef RECORD_DEFAULTS_H
#define RECORD_DEFAULTS_H

#define DEFAULT_ERROR      0.05 // relative half-width that the intervals must reach
#define DEFAULT_CONFIDENCE 0.95 // two-sided, of every interval
#define DEFAULT_MIN_RUNS   15   // of each condition
#define DEFAULT_MAX_RUNS   30

// One of them as a text, for the row of an option: DEFAULT_TEXT(DEFAULT_ERROR) is "0.05".
#define DEFAULT_TEXT(value)   DEFAULT_QUOTED(value)
#define DEFAULT_QUOTED(value) #value

// The most that can be asked for.
enum {
    MAX_CONDITIONS = 64,
    MAX_RUNS_LIMIT = 1000000, // of a condition; as a limit: there is none
    IGNORED_MOST = 64,        // exit codes of --ignore-failure
};

#endif
