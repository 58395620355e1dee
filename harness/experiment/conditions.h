// The conditions of an experiment, and the loads of each.
#ifndef EXPERIMENT_CONDITIONS_H
#define EXPERIMENT_CONDITIONS_H

#include "settings.h"

// What a load says of its own command line (loadgen --describe).
struct description {
    const char *said;        // the last line that it wrote: where it is refused, why
    bool known;              // it understands its words, by which the next three are known
    const char *by_hand;     // an option that only who starts a load by hand can give; NULL: none
    bool listens;            // others connect to it, so it must be there before them
    bool percent;            // its rate is in percent of a calibration
    bool other;              // it prints something else and ends: --help, --version
    bool planned;            // it is not refused here, and the rest is known
    json_int_t threads;      // 0: it has no workers
    bool disk, fills_memory; // it uses a disk, takes memory from others; true also: nobody knows
    double memory_bytes;     // INFINITY: nobody knows
    struct option_list same; // what makes it the same load on other CPUs, or under a quota
};

// The answers of loads to what they were asked.
struct asked_loads {
    struct asked_load {
        const char *key; // the command line that asks
        struct description description;
    } * item;
    size_t count;
};

// One load: a loadgen of its own.
struct load {
    const char *name;               // "half"; of several: "both.cpu", "both.cpu@node2"
    const char *spec;               // as it was given
    const char *node;               // NULL: this one
    struct option_list words;       // loadgen's: "cpu" "--percent" "50"
    struct description description; // after conditions_describe()
    // The words without settings by which it is calibrated, if it has settings and a limit in
    // percent.
    struct option_list calibrated_by;
};

struct condition {
    const char *name;
    const char *spec;  // as it was given; NULL: no load
    const char *bare;  // without its settings, and with what `imitate FILE` stands for
    const char *meant; // `bare`, where an `imitate FILE` in it stands for something; NULL
    const char *title; // what its sentence begins with; NULL: nothing of its own
    bool by_cpu_time;  // its effect is what the target's CPU time grows by
    struct adjustment adjustment;
    struct load *load;
    size_t load_count;
};

struct conditions {
    struct condition *condition;
    size_t count;
};

// A condition without loads; spec: see there.
struct condition *conditions_add(struct conditions *conditions, struct arena *arena,
                                 const char *name, const char *spec);
#define NEIGHBOUR "neighbour" // the load of loadgen that such a program is
// Whether it is a program that runs already: pid:N and the like.
bool load_is_running(const struct load *load);
// Ends the program where the settings of a condition are for a load that cannot have some: one of
// another node, or one that runs already and so is not started by us.
void conditions_check_settings(const struct condition *condition);
// Why no setting can be set for a load; NULL: it can.
const char *load_unsettable(const struct load *load);
bool conditions_have(const struct conditions *conditions, const char *name);
// Whether one of them has settings of the service.
bool conditions_set_service(const struct conditions *conditions);
// Which of those that have some it is, from 1 on; 0: it has none.
size_t conditions_service_number(const struct conditions *conditions,
                                 const struct condition *condition);
// Whether one of them has a load that runs already, pid:N and the like.
bool conditions_have_neighbour(const struct conditions *conditions);
// `loads` of experiment.json.
json_t *conditions_to_json(const struct conditions *conditions);

#endif
