#ifndef EXPERIMENT_VARIANTS_H
#define EXPERIMENT_VARIANTS_H

#include "arena.h"
#include "loads.h"

#include "common/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* --parameter-list and --parameter-scan: what {NAME} stands for in a command line, in every
 * combination. */

struct parameter {
    const char *name;
    const char **value;
    size_t count;
};

struct parameters {
    struct parameter *parameter;
    size_t count;
    size_t combinations; /* 1 without parameters */
};

/* Checks of an option: "VAR=A,B,C", "VAR=MIN..MAX" or "VAR=MIN..MAX..STEP", a step. */
bool parameters_check_list(const char *text, char *error, size_t size);
bool parameters_check_scan(const char *text, char *error, size_t size);
bool parameters_check_step(const char *text, char *error, size_t size);

/* Reads what the three options say; no step is NULL. Steps of decimals are exact: 0.3 0.5 0.7,
 * not 0.7000000000000001. Wrong use ends the program. */
void parameters_read(struct parameters *parameters, struct arena *arena,
                     const struct option_list *lists, const struct option_list *scans,
                     const char *step);
/* The value that a parameter has in a combination; the first parameter changes fastest. */
const char *parameters_value(const struct parameters *parameters, size_t combination,
                             size_t parameter);
/* The text with the value of each parameter in the place of its {NAME}. Other braces stay. */
const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text);
/* "threads=2,size=big"; "" without parameters. */
const char *parameters_name(const struct parameters *parameters, struct arena *arena,
                            size_t combination);
/* {NAME: VALUE}. A new reference. */
json_t *parameters_to_json(const struct parameters *parameters, size_t combination);

/* Which shell runs the target: --shell, or sh where only a shell understands a command. */

#define SHELL_NONE    "none"
#define SHELL_DEFAULT "default"

/* The words in front of a command that a shell is to run: "sh" "-c". */
struct shell {
    const char *name;   /* as it is recorded; NULL: no shell */
    const char **words; /* its own */
    size_t word_count;
};

/* Whether a word is the name or path of a program that can be run. */
bool names_program(const char *word);
/* Whether it is no program, but a command line. */
bool is_command_line(const char *word);

/* Reads the text of --shell: "none", "default" (sh), or a command line. Wrong use ends the
 * program. */
struct shell shell_read(struct arena *arena, const char *text);
/* Whether it is a known shell, which may have options, or "none", or "default". */
bool shell_is_name(const char *word);

/* The git revisions of --revision. The shell makes a worktree of each and builds there; this
 * says which there are, and learns what was made of them. */

/* Where the shell says what it has made: a line "NAME COMMIT TREE FOLDER" for each, with tabs
 * between. */
#define REVISIONS_FACTS "JOSTLE_REVISIONS"

struct revision {
    const char *name;   /* of the variant */
    const char *text;   /* as it was given: "main", or "." for the working tree */
    const char *commit; /* full hash; NULL: the working tree, or not known yet */
    const char *tree;   /* hash of what it holds */
    const char *folder; /* where it runs; NULL: not made yet */
};

struct revisions {
    struct revision *revision;
    size_t count;
};

/* "NAME=REVISION" or "REVISION" of each; what the shell has made of them, where it says so.
 * Wrong use ends the program. */
void revisions_read(struct revisions *revisions, struct arena *arena,
                    const struct option_list *texts);
/* Writes for the shell, as strings ended by NUL, a key and its value in turn: `build COMMAND`,
 * `records FOLDER` where --output gives it, and for each `revision NAME`, `revision_text REVISION`,
 * and `revision_tree HASH` where the experiment that is resumed has it. False: it could not be
 * written. */
bool revisions_write(const struct revisions *revisions, const char *build, const char *records,
                     const json_t *old);
/* {name, commit, tree}, or null. A new reference. */
json_t *revision_to_json(const struct revision *revision);

/* Which file the target's command starts, so that two results of one command line show
 * whether they are of one program. */

/* More takes longer to read than anybody wants to wait for the first run: at 0.5 to 2 GB/s this
 * is 0.1 to 0.5 s; a usual program of 1 MiB takes 1 ms. */
#define PROGRAM_MOST_BYTES (INT64_C(256) << 20)

/* {path, sha256, size_bytes, mtime, mtime_ns, reason} of the file that `command` names, found in
 * PATH as the shell would: a script is its own file, `sh -c` is the shell. What is not
 * known is null, and `reason` says why. A new reference. */
json_t *program_to_json(const char *command);

/* The same of the file at that path. A larger one than *budget is not read, and what is read
 * is taken off. */
json_t *file_to_json(const char *path, int64_t *budget);

/* When it was last changed, since 1970. */
int64_t file_mtime_ns(const struct stat *status);

/* The programs that are measured: one, or several variants against each other. They come
 * from TARGET or each --variant, times every combination of parameters. */

struct variant {
    const char *name;   /* NULL: the only one, which has none */
    const char *given;  /* its name without the values of parameters */
    const char **words; /* assignments for its environment, then the command */
    size_t word_count;
    const char *text;                /* the words, quoted as a shell has them */
    const char *shell;               /* "sh", which is the first word then; NULL: none */
    const struct revision *revision; /* NULL: none */
    const char *folder;              /* where it runs; NULL: here */
    size_t combination;
    const char *setup, *prepare, *conclude, *cleanup; /* NULL: none */
};

/* The first is the reference. */
struct variants {
    struct variant *variant;
    size_t count;
    bool named; /* false: one target, without a name */
    struct parameters parameters;
};

/* The program of a variant: its first word that is no assignment. */
const char *variant_program(const struct variant *variant);
/* Refuses where the program is not in the folder of a revision. */
void variants_check_built(const struct variants *variants, struct arena *arena);
/* Its file (see program.h); that of a revision by its path in there. */
json_t *variant_program_to_json(const struct variant *variant, struct arena *arena);
/* `variants` of experiment.json; null without names. */
json_t *variants_to_json(const struct variants *variants, struct arena *arena);

/* What a block consists of: each variant alone and under each load. */

struct combination {
    const char *name; /* "new@half"; "new" alone; without variants "half" */
    size_t variant;
    const struct condition *condition;
    size_t command; /* of meter: that of the variant, or one with settings of its own */
};

/* As many as stats keeps apart. */
#define COMBINATIONS_MOST 64

/* All variants alone, then all of them under the first load, and so on: the first is what
 * the others are compared with. */
struct combinations {
    struct combination *combination;
    size_t count;
    size_t commands; /* the first are those of the variants, in their order */
};

/* Wrong use (more than stats can keep apart) ends the program. */
void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions);
/* `conditions` of experiment.json. */
json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants);

#endif
