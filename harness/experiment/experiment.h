#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

/* All that is known of an experiment before its first run. */

#include "arena.h"
#include "folder.h"
#include "loads.h"
#include "metrics.h"
#include "placed.h"
#include "settings.h"
#include "variants.h"

#include "common/options.h"

#include <jansson.h>

/* hyperfine's --export-json, csv, markdown, asciidoc, orgmode. */
enum { EXPORTS = 5 };
/* The formats of jostle report that they are. */
extern const char *const export_formats[EXPORTS];
/* As hyperfine has them. */
enum style { STYLE_AUTO, STYLE_BASIC, STYLE_FULL, STYLE_NOCOLOR, STYLE_COLOR, STYLE_NONE };

/* Options of one call of jostle, which are not part of the experiment. */
struct session {
    struct option_list loads, names, revisions;
    struct option_list exports[EXPORTS];    /* files to be made of the result; see export_formats */
    const char *reference, *reference_name; /* the first command, as hyperfine has it, or NULL */
    int style;                              /* enum style */
    bool moot; /* holds what hyperfine's options that have no use here are given */
    const char *moot_text;
    struct option_list tries;              /* of protect; see protect_loads() */
    const char *build;                     /* NULL: none */
    const char *output, *cell, *json, *on; /* NULL: not given */
    bool resume, quiet, verbose, show_output, no_shell;
    bool quick;     /* of a panorama: see panorama_loads() */
    int64_t for_ns; /* 0: not given */
};

struct experiment {
    struct arena arena;
    struct settings settings;
    struct metrics metrics;
    struct session session;
    struct options *given;
    const char **target; /* what follows the options: the command to measure */
    size_t target_count;
    char *const *argv; /* the command line, whose options end before options_end */
    size_t options_end;
    bool after_dashes; /* they are behind a -- */
    struct revisions revisions;
    struct variants variants; /* at least one */
    struct conditions conditions;
    struct combinations combinations;
    const char *input; /* absolute path of the target's stdin; NULL: /dev/null */
    struct placed placed;
    const char *account[2]; /* folders of --account */
    size_t accounts;
    struct folder folder;
    json_t *cell;  /* NULL: none */
    bool complete; /* --resume has nothing to do */
    json_t
        *left_out; /* [{setting, why}, ...] that protect cannot set here; NULL: it is no protect */
    bool panorama; /* its loads are ours, and --max-time may be exceeded where runs are long */
};

/* experiment.json, with the machine as it is now. A new reference. */
json_t *experiment_to_json(const struct experiment *experiment);

/* The command lines of jostle run, slowdown and capacity. */

/* What sets the two apart. */
struct command {
    const char *word, *name, *intro, *details;
    bool slowdown; /* a baseline, and any number of loads */
    bool protect;  /* and the loads once more, with settings that protect the target */
    bool capacity; /* and no load, too: a search instead of slowdowns */
};

/* NULL: no such command. */
const struct command *command_find(const char *word);
/* For --list-options: a line for each. */
bool commands_list(void);
/* Fills session, settings (presets first), given and target. Answers --help; wrong
 * use ends the program. */
void arguments_parse(struct experiment *experiment, const struct command *command, int argc,
                     char **argv);

/* Makes the variants of what the command line gives (TARGET, --variant, --revision).
 * settings.shell becomes the shell that is used; NULL: none. The words of a --variant, or of a
 * TARGET that is one word and no program, are split as a shell splits them, or given to a shell.
 * Wrong use ends the program. */
void variants_make(struct experiment *experiment);

/* `jostle slowdown -- COMMAND` without a load: what neighbours that use half of the machine cost
 * it. */

/* Whether the command line asks for it. --quick or --for with a load, or without one where
 * there are variants, end the program: what they would shorten has limits of its own. */
bool panorama_wanted(const struct experiment *experiment, const struct option_list *loads);

/* The loads, each with half of what this machine can do; those that cannot be had here are left
 * out, and said. Sets how long to measure where the command line does not. */
struct option_list panorama_loads(struct experiment *experiment);

/* jostle protect: each load as it is, and with each setting that may protect the target. */

/* The loads of the command line, each once more for each --try, or for all that this machine and
 * user can set; and what settings of the target cost it alone. Sets experiment->left_out. Wrong use
 * ends the program. */
struct option_list protect_loads(struct experiment *experiment, const struct option_list *given);

/* What jostle capacity needs of its options beyond their form. */

/* Its limits on the number of runs, where none are given. Before settings_complete(). */
void capacity_limits(struct settings *settings, const struct options *given);
/* Whether the objectives are of metrics that there are, and what is varied is in the words of
 * each target. Wrong use ends the program. */
void capacity_check(const struct experiment *experiment);

/* The files that an experiment is known to read: those that words of the target's and of the
 * service's command name, and --input. What a program opens by itself is not known. */

/* An array of {word, path, sha256, size_bytes, mtime, mtime_ns, reason}, a new reference. */
json_t *inputs_to_json(const struct experiment *experiment);

/* Of the inputs of the experiment in that folder (of its last session) those that are others by
 * now, as they are: a new array. */
json_t *inputs_changed(const char *folder);

/* Writes to stdout what the shell has to start, as strings ended by NUL: a key
 * and its value in turn; a key that comes again adds a value. False: it could not
 * be written. Where true, the value is 1.
 *
 *   - folder PATH, absolute; created: it was not there before; named: by the user
 *   - quiet, verbose, show_output, show_stdout, cell, resume, complete
 *   - json FILE; stderr FILE, of the target; input PATH; max_time_us N
 *   - cold; cold_path PATH
 *   - program WORD, the first of the target's
 *   - extracts: meter searches the output, and says first that the target has ended
 *   - command_text QUOTED, of each of meter's commands, in order; behind it, where it has
 *     them, command_folder PATH (where it runs), command_setup, command_prepare,
 *     command_conclude, command_cleanup COMMAND
 *   - condition NAME, one for each, in order; with several commands, behind it
 *     condition_variant N, the number of its command (from 0), and condition_load NAME:
 *     it runs with the loads whose load_condition that is (else with those of its name)
 *   - meter WORD, the arguments of meter
 *   - service QUOTED, service_word WORD (the arguments of its meter), keep_service
 *   - load NAME begins a load, in the order in which they start; then load_condition NAME,
 *     load_node NAME or "", load_listens, load_word WORD: the command line
 *   - resume_word WORD, of the command line that continues the experiment */
bool plan_write(struct experiment *experiment);

/* Only where the records are, and how the result is wanted: the keys to `json`. */
void plan_write_session(const struct experiment *experiment);

/* What the command line lacks to resume the experiment, whose records are in that folder. */
void plan_write_resume(const struct experiment *experiment, const char *folder);

/* With --on, writes what the shell needs to have other hosts measure, in the same form; nothing
 * without. Makes the folders of the records; wrong use ends the program. For each host on_host NAME
 * and on_folder PATH; on_word WORD, of the command line without what is for this machine; then what
 * plan_write_session() and plan_write_resume() write. */
bool elsewhere_write(struct experiment *experiment);

/* Where the target's stdout goes. */

/* Whether it is /dev/null: nobody wants it. */
bool output_is_null(const struct experiment *experiment);

/* The first program of the variants that does less where its stdout is /dev/null, which it
 * is; NULL: none does. */
const char *output_missed_by(const struct experiment *experiment);

#endif
