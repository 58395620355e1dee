// The conditions of an experiment, and the loads of each, from what --load says.
#ifndef EXPERIMENT_LOADS_H
#define EXPERIMENT_LOADS_H

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
    const char *bare;  // without its settings
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
// What all --load have.
struct load_context {
    int64_t settle_ns;             // of an exec: load
    bool pause;                    // programs that run already may be paused
    const struct option_list *own; // --setting; see adjustment_check_own()
};
// Takes "NAME=" or "NAME@WHERE=" off the text of a --load. Returns the spec, with @WHERE in front
// of each of its loads; *name is the condition's, without NAME= the first word.
const char *load_name_read(struct arena *arena, const char *text, const char **name);
// Adds what "NAME=SPEC", "NAME@NODES=SPEC" or "SPEC" (named by its first word) describes, with
// settings in brackets in front of SPEC. Wrong use ends the program.
void conditions_add_load(struct conditions *conditions, struct arena *arena, const char *text,
                         const struct load_context *context);
// The spec behind its settings in brackets, if it has some.
const char *spec_without_settings(const char *spec);
// Sets the words of one load that loadgen itself makes. False: the spec, which has no settings, is
// that of a program of the user's. Wrong use ends the program.
bool load_words_read(struct arena *arena, struct load *load, const char *spec);
// Whether it is a program that runs already: pid:N and the like.
bool load_is_running(const struct load *load);
// Ends the program where the settings of a condition are for a load that cannot have some: one of
// another node, or one that runs already and so is not started by us.
void conditions_check_settings(const struct condition *condition);
// Why no setting can be set for a load; NULL: it can.
const char *load_unsettable(const struct load *load);
// The words in front of a load's own that run it with its priority (--load-nice), on the CPUs where
// loads are put (NULL: wherever they may) and with settings.
struct option_list load_surroundings(struct arena *arena, const struct settings *settings,
                                     const char *cpus, const struct option_list *set);
// Runs a command to its end. False: it failed. *said: the last line that it wrote, without "jostle:
// ".
bool words_try(struct arena *arena, const struct option_list *words, const char **said);
// Asks a load of this node what it is in these surroundings, unless that was asked before. False:
// it is refused, and ->said says why.
bool load_describe(struct asked_loads *asked, struct arena *arena, const struct load *load,
                   const struct option_list *surroundings, struct description *description);
// Sets the description of each load: what it would be in these surroundings; NULL, and of a load of
// another node: only what its words say. Options that are not for a spec end the program.
void conditions_describe(struct conditions *conditions, struct arena *arena,
                         struct asked_loads *asked, const struct option_list *surroundings);
// Whether the load, which is described, has a rate in percent of what must be calibrated first.
bool load_has_percent(const struct load *load);
// The same of a spec of one load, which is asked; *words become loadgen's. A load that is refused
// may have one, a program of the user's (exec:) has none, whatever its own words are.
bool spec_has_percent(struct arena *arena, const char *spec, struct option_list *words);
// Runs a load of this node for a second. False: it failed, or was killed, and *said has the reason.
bool load_runs(struct arena *arena, const struct load *load, const struct option_list *surroundings,
               const char **said);
// Makes each load with settings, which is described, the same as it is without them: as many
// workers, and a percentage of the same rate.
void conditions_keep_loads(struct conditions *conditions, struct arena *arena);
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
