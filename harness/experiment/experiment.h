// The experiment that a command line describes: all that is known of it before its first run.
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "describe.h"
#include "loads.h"
#include "settings.h"
#include "try.h"

#include "common/metric.h"
#include "common/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// The folder of an experiment's records. Failures end the program with a message.

struct folder {
    const char *path; // absolute
    bool created;     // it was not there before
    bool begun;       // nor was runs.jsonl
    bool has_runs;    // runs.jsonl was there, and is not empty
    bool away;        // path is a link to it as long as we measure (common/away.h)
    int runs;         // runs.jsonl, which is locked while this is open
};

// Where the records go when the user names no folder: jostle-results/TARGET.TIME.PID.
const char *folder_default(struct arena *arena, const char *target);
// Makes the folder if it is not there, and locks it. What holds runs already is wrong use unless
// they are to be resumed; what holds anything else is wrong use unless it is `ours`: an experiment
// that is resumed, or a cell's folder.
void experiment_folder_open(struct folder *folder, struct arena *arena, const char *path,
                            bool resume, bool ours);
// Says that nobody knows of what experiment the runs in it are, and ends.
void folder_unknown(const char *path) __attribute__((noreturn));
// Has the records grow where a target that walks the current folder does not read them, where that
// is possible: those of a folder that the user did not name, also when they are continued later.
// complete: nothing is left to measure.
void folder_take_away(struct folder *folder, bool named, bool complete);
// Replaces a record as a whole: no crash leaves half of one.
void folder_write(const struct folder *folder, struct arena *arena, const char *name,
                  const json_t *record);
void experiment_folder_close(struct folder *folder);

// The text of a name: of a variant, or of a revision.

// Takes "NAME=" off the text; *name is NULL where there is none. Returns the command.
const char *name_read(struct arena *arena, const char *text, const char **name);
// The text with a _ for each run of characters that no name has.
char *name_clean(struct arena *arena, const char *text);

// Continuing an experiment that was interrupted.

// Ends the program with wrong use when the new experiment is not the old one:
// another command, other loads, other settings that change what is measured.
void resume_compare(const struct folder *folder, struct arena *arena, const json_t *old,
                    const json_t *new);
// Warns where the program or a variable is not what it was in the session before: the
// figures then mix two.
void resume_warn(const struct folder *folder, const json_t *old, const json_t *new);
// Whether nothing is left to do: the old one has ended by itself, with a result
// and the same settings.
bool resume_is_complete(const struct folder *folder, const json_t *old, const json_t *new);
// The old experiment with the limits of now and an entry more in `resumed`. A new
// reference.
json_t *resume_note(const json_t *old, const json_t *new);

// --parameter-list and --parameter-scan: what {NAME} stands for in a command line, in every
// combination.

struct parameter {
    const char *name;
    const char **value;
    size_t count;
};

struct parameters {
    struct parameter *parameter;
    size_t count;
    size_t combinations; // 1 without parameters
};

// Reads what the three options say; no step is NULL. Steps of decimals are exact: 0.3 0.5 0.7,
// not 0.7000000000000001. Wrong use ends the program.
void parameters_read(struct parameters *parameters, struct arena *arena,
                     const struct option_list *lists, const struct option_list *scans,
                     const char *step);
// The text with the value of each parameter in the place of its {NAME}. Other braces stay.
const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text);
// "threads=2,size=big"; "" without parameters.
const char *parameters_name(const struct parameters *parameters, struct arena *arena,
                            size_t combination);
// {NAME: VALUE}. A new reference.
json_t *parameters_to_json(const struct parameters *parameters, size_t combination);

// Which shell runs the target: --shell, or sh where only a shell understands a command.

#define SHELL_NONE    "none"
#define SHELL_DEFAULT "default"

// The words in front of a command that a shell is to run: "sh" "-c".
struct shell {
    const char *name; // as it is recorded; NULL: no shell
    struct option_list words;
};

// Whether a word is the name or path of a program that can be run.
bool names_program(const char *word);
// Whether it is no program, but a command line.
bool is_command_line(const char *word);

// Reads the text of --shell: "none", "default" (sh), or a command line. Wrong use ends the
// program.
struct shell shell_read(struct arena *arena, const char *text);
// Whether it is a known shell, which may have options, or "none", or "default".
bool shell_is_name(const char *word);

// The git revisions of --revision. The shell makes a worktree of each and builds there; this
// says which there are, and learns what was made of them.

// Where the shell says what it has made: a line "NAME COMMIT TREE FOLDER" for each, with tabs
// between.
#define REVISIONS_FACTS "JOSTLE_REVISIONS"

struct revision {
    const char *name;   // of the variant
    const char *text;   // as it was given: "main", or "." for the working tree
    const char *commit; // full hash; NULL: the working tree, or not known yet
    const char *tree;   // hash of what it holds
    const char *folder; // where it runs; NULL: not made yet
};

struct revisions {
    struct revision *revision;
    size_t count;
};

// "NAME=REVISION" or "REVISION" of each; what the shell has made of them, where it says so.
// Wrong use ends the program.
void revisions_read(struct revisions *revisions, struct arena *arena,
                    const struct option_list *texts);
// Writes for the shell, as strings ended by NUL, a key and its value in turn: `build COMMAND`,
// `records FOLDER` where --output gives it, and for each `revision NAME`, `revision_text REVISION`,
// and `revision_tree HASH` where the experiment that is resumed has it. False: it could not be
// written.
bool revisions_write(const struct revisions *revisions, const char *build, const char *records,
                     const json_t *old);
// {name, commit, tree}, or null. A new reference.
json_t *revision_to_json(const struct revision *revision);

// The files of an experiment, such as the one that the target's command starts: two results of one
// command line then show whether they are of one program.

// More takes longer to read than anybody wants to wait for the first run: at 0.5 to 2 GB/s this
// is 0.1 to 0.5 s; a usual program of 1 MiB takes 1 ms.
#define PROGRAM_MOST_BYTES (INT64_C(256) << 20)

// {path, sha256, size_bytes, mtime, mtime_ns, reason} of the file at that path: what is not known
// is null, and `reason` says why. A file larger than *budget is not read; what is read is taken off
// the budget. A new reference.
json_t *file_to_json(const char *path, int64_t *budget);
// file_to_json() of the file that `command` names, found in PATH as the shell would: a script is
// its own file, `sh -c` is the shell. A new reference.
json_t *program_to_json(const char *command);

// When it was last changed, since 1970.
int64_t file_mtime_ns(const struct stat *status);

// The programs that are measured: one, or several variants against each other. They come
// from TARGET or each --variant, times every combination of parameters.

struct variant {
    const char *name;         // NULL: the only one, which has none
    const char *given;        // its name without the values of parameters
    const char *title;        // its name as the user wrote it; NULL: none was given
    const char *named;        // by which option: "command-name", "variant", "revision"; or NULL
    const char *line;         // its command as the user wrote it
    struct option_list words; // assignments for its environment, then the command
    const char *text;         // they, quoted as a shell has them
    const char *shell;        // "sh", which is the first word then; NULL: none
    const struct revision *revision; // NULL: none
    const char *folder;              // where it runs; NULL: here
    size_t combination;
    const char *setup, *prepare, *conclude, *cleanup; // NULL: none
};

// The first is the reference.
struct variants {
    struct variant *variant;
    size_t count;
    bool named; // false: one target, without a name
    struct parameters parameters;
};

// The program of a variant: its first word that is no assignment.
const char *variant_program(const struct variant *variant);
// Refuses where the program is not in the folder of a revision.
void variants_check_built(const struct variants *variants, struct arena *arena);
// The file of its program, as file_to_json() has it; that of a revision by its path in there.
json_t *variant_program_to_json(const struct variant *variant, struct arena *arena);
// `variants` of experiment.json; null without names.
json_t *variants_to_json(const struct variants *variants, struct arena *arena);

// What a block consists of: each variant alone and under each load.

struct combination {
    const char *name; // "new@half"; "new" alone; without variants "half"
    size_t variant;
    const struct condition *condition;
    size_t command; // of meter: that of the variant, or one with settings of its own
};

// As many as stats keeps apart.
#define COMBINATIONS_MOST 64

// All variants alone, then all of them under the first load, and so on: the first is what
// the others are compared with.
struct combinations {
    struct combination *combination;
    size_t count;
    size_t commands; // the first are those of the variants, in their order
};

// Wrong use (more than stats can keep apart) ends the program.
void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions);
// `conditions` of experiment.json.
json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants);

// What each run is judged by: the metrics of --metric, and which of them decide (--decide).

struct metrics {
    struct metric_setting *metric; // chosen but for helpers, which say something about the run
    size_t count;
    struct metric *source; // where they are found in the output
    size_t source_count;
    const struct variants *variants;
};

// Reads the texts of --metric, and of --decide (NULL: not given); without one that all variants
// have the wall time decides. Wrong use ends the program. metrics_free() frees them.
void metrics_make(struct metrics *metrics, struct arena *arena, const struct option_list *texts,
                  const char *deciding, const struct variants *variants);
// The first variant that has no source of a metric; NULL: all have one.
const char *metrics_lacking(const struct metrics *metrics, const struct metric_setting *metric);
// Refuses what hyperfine does not measure: it keeps what the target prints, and counts
// nothing. Wrong use ends the program.
void metrics_check_hyperfine(const struct metrics *metrics);
// Adds `metric`, `metrics` and `decide` to the settings of experiment.json.
void metrics_to_json(const struct metrics *metrics, json_t *settings);
// The events that meter has to count for them, as its --counters has it; NULL: its default
// will do.
const char *metrics_counters(const struct metrics *metrics);
// Whether any is found in what the target writes.
bool metrics_need_output(const struct metrics *metrics);
// And in what it writes to stdout.
bool metrics_need_stdout(const struct metrics *metrics);
// Refuses, before anything runs, what would fail in each run: an event that this machine does
// not count, an expression that jq does not understand, a figure of a service where
// has_service is false. Wrong use ends the program.
void metrics_check_machine(struct metrics *metrics, bool has_service);
void metrics_free(struct metrics *metrics);

// Adapters: what the figures of a known program look like in its output, so that nobody
// has to write regular expressions for sysbench again. Each is a file of text in
// harness/adapters, named after the program; harness/adapters/README.md has its syntax.

// The definitions (NAME=SOURCE[,OPTION...]) that `@NAME` or `@NAME:METRIC,METRIC` stands
// for; a NAME with a slash is the path of a file. Without METRICs these are the adapter's
// default ones. Its helpers (metrics with a role=) always come with them. None: error has the
// reason, such as "no adapter has this name (did you mean sysbench?): jostle adapters lists them".
struct option_list adapter_definitions(struct arena *arena, const char *text, char *error,
                                       size_t size);

// The name of the adapter in `@NAME:METRIC,METRIC`; of a path, its last part.
const char *adapter_name(struct arena *arena, const char *text);

// Prints every adapter's name and what it is for; with a name, that adapter's file, or
// ends the program with 2. False: stdout cannot be written to.
bool adapters_print(const char *name);

// All that is known of an experiment before its first run.

// hyperfine's --export-json, csv, markdown, asciidoc, orgmode.
enum { EXPORTS = 5 };
// The values of --style, which are hyperfine's.
enum style { STYLE_AUTO, STYLE_BASIC, STYLE_FULL, STYLE_NOCOLOR, STYLE_COLOR, STYLE_NONE };

// Options of one call of jostle, which are not part of the experiment.
struct session {
    struct option_list loads, names, revisions;
    struct option_list exports[EXPORTS];    // files to be made of the result; see plan.c
    const char *reference, *reference_name; // the first command, as hyperfine has it, or NULL
    int style;                              // enum style
    bool moot; // holds what hyperfine's options that have no use here are given
    const char *moot_text;
    struct option_list tries;              // of protect; see protect_loads()
    const char *build;                     // NULL: none
    const char *output, *cell, *json, *on; // NULL: not given
    bool resume, quiet, verbose, show_output, no_shell;
    bool quick;      // of a panorama: see panorama_loads()
    int64_t for_ns;  // 0: not given
    int64_t wait_ns; // for a quiet machine, at most; 0: not at all
};

// What the sentences of the conditions begin with whose loads are ours.
enum { DESCRIPTIONS = 8 };
struct descriptions {
    struct titled {
        const char *name, *title; // of the condition
        bool by_cpu_time;         // its effect is what the target's CPU time grows by
    } item[DESCRIPTIONS];
    size_t count;
};

struct plan_request {
    struct arena arena;
    struct settings settings;
    struct metrics metrics;
    struct session session;
    struct options *given;
    struct option_list target; // what follows the options: the command to measure
    bool after_dashes;         // it is behind a --
    json_t *asked;             // see arguments_asked(); NULL: a cell asks
    struct revisions revisions;
    struct variants variants; // at least one
    struct conditions conditions;
    struct asked_loads asked_loads;
    struct combinations combinations;
    const char *input; // absolute path of the target's stdin; NULL: /dev/null
    struct placed placed;
    const char *account[2]; // folders of --account
    size_t accounts;
    struct folder folder;
    json_t *cell;     // NULL: none
    bool complete;    // --resume has nothing to do
    json_t *left_out; // [{setting, why}, ...] that protect cannot set here; NULL: it is no protect
    struct descriptions descriptions;
    bool panorama;    // its loads are ours, and its time ends it
    bool look_wanted; // before its loads are known the target has to run once: see panorama_loads()
    json_t *busy;     // what others used before the first run (busy_look()); NULL: it was quiet
};

// Who uses the machine, before anything is measured on it.

// Looks for a second, and where it is busy says so in a line, unless `quiet`; before that waits for
// up to so long until it is quiet. {cpus, of, largest, largest_cpus}, a new reference; NULL: it is
// quiet.
json_t *busy_look(int64_t wait_ns, bool quiet);
// Whether the experiment, whose options are known, is worth a look.
bool busy_look_is_wanted(const struct plan_request *experiment);

// What the target reads on its stdin: the file of --input, opened anew for each run; else
// /dev/null. Never jostle's own stdin: the first run would drain it, and all others would
// measure a target without input.

// The absolute path of --input; NULL: not given. Wrong use ends the program: a file that
// cannot be opened again for each run, or is missing though no --prepare could make it.
const char *input_find(const struct settings *settings, struct arena *arena);
// Whether our stdin is one that may be meant for the target: a file or a device with
// something left to read, a pipe or socket with data in it. A terminal, /dev/null, and a
// pipe that is empty are what callers leave there who mean nothing by it (ssh, a CI, a
// container, a batch system).
bool input_on_stdin(void);

// experiment.json, with the machine as it is now. A new reference.
json_t *experiment_to_json(const struct plan_request *experiment);

// The command lines of jostle run, slowdown and capacity.

// What sets them apart.
struct command {
    const char *word, *name, *intro, *details;
    bool slowdown; // a baseline, and any number of loads
    bool protect;  // and the loads once more, with settings that protect the target
    bool capacity; // and no load, too: a search instead of slowdowns
};

// NULL: no such command.
const struct command *command_find(const char *word);
// For --list-options: a line for each.
bool commands_list(void);
// Fills session, settings (presets first), given and target. Answers --help; wrong
// use ends the program.
void arguments_parse(struct plan_request *experiment, const struct command *command, int argc,
                     char **argv);
// Ends the program, after a message, where what is to be made of the result at the end (--json,
// --export-...) cannot be made: before anything is built or measured.
void session_check_files(const struct session *session);

// The command line that was given, but for where the records go and what is printed:
// {options: [[WORD, ...], ...], target: [WORD, ...], dashes: whether that is behind a --}. A new
// reference.
json_t *arguments_asked(struct plan_request *experiment);

// Makes the variants of what the command line gives (TARGET, --variant, --revision).
// settings.shell becomes the shell that is used; NULL: none. The words of a --variant, or of a
// TARGET that is one word and no program, are split as a shell splits them, or given to a shell.
// Wrong use ends the program.
void variants_make(struct plan_request *experiment);

// `jostle slowdown -- COMMAND` without a load: what it costs the target to share its CPU, and what
// neighbours on other CPUs cost it.

// Whether the command line asks for it. --quick or --for with a load, or without one where
// there are variants, end the program: what they would shorten has limits of its own.
bool panorama_wanted(const struct plan_request *experiment, const struct option_list *loads);

// The loads; those that cannot be had here, and those for which the user's time is too short, are
// left out, and said. Sets where the target is, and how long to measure, where the command line
// does not. What a run of the target has shown is in the folder $JOSTLE_LOOK; without that
// look_wanted is set, and the loads are there for the checks alone. old: experiment.json of the
// session before, whose loads these are; NULL: there is none.
struct option_list panorama_loads(struct plan_request *experiment, const json_t *old);
// The texts of --metric; where none is given and the cost of a neighbour shows in the target's CPU
// time, that, too.
struct option_list panorama_metrics(struct plan_request *experiment);
// Gives the conditions their titles.
void panorama_describe(const struct plan_request *experiment);
// Writes to stdout which run has to be looked at, as plan_write() does: look_word WORD, the
// arguments of `jostle run`; look_text, the target, where that is to be said. False: it could not
// be written.
bool panorama_write_look(const struct plan_request *experiment);
// What busy_look() found before that run; NULL: there was none. A new reference.
json_t *panorama_was_busy(struct arena *arena);

// jostle protect: each load as it is, and with each setting that may protect the target.

// The loads of the command line, each once more for each --try, or for all that this machine and
// user can set; and what settings of the target cost it alone. Sets experiment->left_out. Wrong use
// ends the program.
struct option_list protect_loads(struct plan_request *experiment, const struct option_list *given);

// What jostle capacity needs of its options beyond their form.

// Its limits on the number of runs, where none are given. Before settings_complete().
void capacity_limits(struct settings *settings, const struct options *given);
// Whether the objectives are of metrics that there are, and what is varied is in the words of
// each target. Wrong use ends the program.
void capacity_check(const struct plan_request *experiment);

// The files that an experiment is known to read: those that words of the target's and of the
// service's command name, and --input. What a program opens by itself is not known.

// Of the inputs of the experiment in that folder (of its last session) those that are others by
// now, as they are: a new array.
json_t *inputs_changed(const char *folder);

// Writes to stdout what the shell has to start, as strings ended by NUL: a key
// and its value in turn; a key that comes again adds a value. False: it could not
// be written. Where true, the value is 1.
//
//   - folder PATH, absolute; created: it was not there before; named: by the user; away: it is a
//     link for the time being
//   - quiet, verbose, show_output, show_stdout, cell, resume, complete
//   - json FILE; stderr FILE, of the target; input PATH; max_time_us N
//   - cold; cold_path PATH
//   - program WORD, the first of the target's
//   - extracts: meter searches the output, and says first that the target has ended
//   - command_text QUOTED, of each of meter's commands, in order; behind it, where it has
//     them, command_folder PATH (where it runs), command_setup, command_prepare,
//     command_conclude, command_cleanup COMMAND
//   - condition NAME, one for each, in order; with several commands, behind it
//     condition_variant N, the number of its command (from 0), and condition_load NAME:
//     it runs with the loads whose load_condition that is (else with those of its name)
//   - settings_kept PREFIX, of the files that show which settings are on; setting NAME begins a
//     --setting; then setting_on, setting_off COMMAND, setting_note FILE (there while it is on),
//     setting_lock FILE, in order; behind a condition: condition_setting NAME, in order
//   - meter WORD, the arguments of meter
//   - service QUOTED, service_word WORD (the arguments of its meter), keep_service,
//     service_warmup N (unmeasured runs in each block)
//   - load NAME begins a load, in the order in which they start; then load_condition NAME,
//     load_node NAME or "", load_listens, load_word WORD: the command line
//     load_calib_word WORD: the one by which it is calibrated, where that is another
//   - resume_word WORD, of the command line that continues the experiment
bool plan_write(struct plan_request *experiment);

// Only where the records are, and how the result is wanted: the keys to `json`.
void plan_write_session(const struct plan_request *experiment);

// What the command line lacks to resume the experiment, whose records are in that folder.
void plan_write_resume(const struct plan_request *experiment, const char *folder);

// With --on, writes what the shell needs to have other hosts measure, in the same form; nothing
// without. Makes the folders of the records; wrong use ends the program. For each host on_host NAME
// and on_folder PATH; on_word WORD, of the command line without what is for this machine; then what
// plan_write_session() and plan_write_resume() write.
bool elsewhere_write(struct plan_request *experiment);

#endif
