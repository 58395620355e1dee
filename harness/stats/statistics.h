// The statistics that --statistic chooses from, by name: in the options, in the records,
// and in words for people.
#ifndef STATS_STATISTICS_H
#define STATS_STATISTICS_H

// What a condition is summarised by, and whose ratio a slowdown is.
enum statistic {
    STATISTIC_MEAN,
    STATISTIC_MEDIAN,
    STATISTIC_TRIMMED,
    STATISTIC_P90,
    STATISTIC_P99,
    STATISTIC_TYPICAL, // of a ratio: typical.h; of a condition its median
    STATISTICS
};

// As options and records have them; NULL after the last.
extern const char *const statistic_names[STATISTICS + 1];

// As people read them, such as "90th percentile".
extern const char *const statistic_words[STATISTICS];

// That of a name; the mean for an unknown one and for NULL, as older records have none.
enum statistic statistic_named(const char *name);

#endif
