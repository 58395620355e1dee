// Makes the folder of an experiment, and writes or continues its experiment.json.

#include "experiment.h"

#include "common/arrangement.h"
#include "common/away.h"
#include "common/cgroup.h"
#include "common/counters.h"
#include "common/file.h"
#include "common/lock.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/own_file.h"
#include "common/schemas.h"
#include "common/text.h"
#include "harness/record/files.h"
#include "harness/stats/json.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_WAIT_MS 2000

// Says from errno that path in the folder cannot be written, takes away what was made, and ends.
static void __attribute__((noreturn)) fail_to_write(const struct folder *folder, const char *file)
{
    save_complain(file);
    if (folder->begun) {
        char runs[PATH_MAX];
        snprintf(runs, sizeof runs, "%s/" RUNS_FILE, folder->path);
        (void)unlink(runs);
    }
    if (folder->created)
        (void)rmdir(folder->path);
    exit(EXIT_FAILURE);
}

const char *folder_default(struct arena *arena, const char *target)
{
    OWNED char *folder = save_default_folder("", target);
    return arena_format(arena, "%s", folder);
}

static void lock_runs(const struct folder *folder)
{
    const enum lock_state state = lock_take(folder->runs, false, LOCK_WAIT_MS);
    if (state == LOCK_IMPOSSIBLE)
        complain("%s: files cannot be locked there: make sure that no other jostle measures "
                 "into it",
                 folder->path);
    if (state == LOCK_HELD) {
        complain("another jostle is measuring into %s: wait for it, or choose another folder",
                 folder->path);
        exit(EXIT_FAILURE);
    }
}

static void __attribute__((noreturn)) refuse_begun(const char *path)
{
    usage_error("%s already holds an experiment: choose another folder with --output, or continue "
                "it with --resume",
                path);
}

void folder_unknown(const char *path)
{
    complain("%s holds runs but no experiment.json that can be read: choose another folder", path);
    exit(EXIT_FAILURE);
}

// Refuses a folder with files in it that no experiment of ours has made: one would be replaced, or
// removed at the end. What a crash leaves of an experiment that had only begun is runs.jsonl.
static void check_folder(const char *path, const char *file, bool resume, bool ours)
{
    static const char *const begun[] = {RUNS_FILE, NULL};
    struct stat status;
    const bool there = lstat(file, &status) == 0;
    if (there && !S_ISREG(status.st_mode))
        usage_error("%s is not a regular file: choose another folder with --output", file);
    if (there && !resume)
        refuse_begun(path);
    if (there && status.st_size > 0 && !ours)
        folder_unknown(path);
    if (!ours && !file_folder_has_only(path, begun))
        usage_error("%s is not empty, and holds no experiment to continue: choose another folder "
                    "with --output, one that is empty or not there",
                    path);
}

void experiment_folder_open(struct folder *folder, struct arena *arena, const char *path,
                            bool resume, bool ours)
{
    char absolute[PATH_MAX];
    const char *file = arena_format(arena, "%s/" RUNS_FILE, path);
    *folder = (struct folder){.runs = -1, .path = path};
    check_folder(path, file, resume, ours);
    if (!save_make_folder(path, &folder->created)) {
        save_complain_folder(path);
        exit(EXIT_FAILURE);
    }
    // Of two that begin at the same moment only one makes it.
    folder->runs = open(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    folder->begun = folder->runs >= 0;
    if (!folder->begun && errno == EEXIST && !resume)
        refuse_begun(path);
    if (!folder->begun && errno == EEXIST)
        folder->runs = file_open_own(file, O_RDWR | O_APPEND);
    if (folder->runs < 0)
        fail_to_write(folder, file);
    if (!away_absolute(path, absolute))
        fail_to_write(folder, path);
    folder->path = arena_format(arena, "%s", absolute);
    lock_runs(folder);
    // Only under the lock it is sure what the file holds.
    struct stat status;
    if (fstat(folder->runs, &status) != 0)
        fail_to_write(folder, folder->path);
    folder->has_runs = status.st_size > 0;
}

void folder_take_away(struct folder *folder, bool named, bool complete)
{
    char results[PATH_MAX], parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(folder->path, '/') - folder->path),
             folder->path);
    folder->away = away_is(folder->path);
    if (folder->away || complete)
        return;
    if (!named ||
        (folder->has_runs && realpath("jostle-results", results) && strcmp(parent, results) == 0))
        folder->away = away_take(folder->path, folder->created);
}

void folder_write(const struct folder *folder, struct arena *arena, const char *name,
                  const json_t *record)
{
    const char *path = arena_format(arena, "%s/%s", folder->path, name);
    // Of an experiment without runs a power cut takes nothing: who appends them flushes it with the
    // first.
    if (!json_save(record, path, RECORD_FORMAT, folder->has_runs ? SAVE_RECORD : SAVE_STATE))
        fail_to_write(folder, path);
}

void experiment_folder_close(struct folder *folder)
{
    if (folder->runs >= 0)
        close(folder->runs);
    folder->runs = -1;
}

// What differs, as a text for people.
struct differences {
    struct arena *arena;
    const char *text;
};

// A value as people write it; no value: "none".
static const char *value_text(struct arena *arena, const json_t *value)
{
    if (!value || json_is_null(value))
        return "none";
    if (json_is_string(value))
        return arena_format(arena, "%s", json_string_value(value));
    return arena_keep(arena, json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)));
}

static void compare_texts(struct differences *differences, const char *what, const char *old,
                          const char *new)
{
    if (strcmp(old, new) != 0)
        differences->text =
            arena_format(differences->arena, "%s%s%s: recorded %s, now %s", differences->text,
                         *differences->text == '\0' ? "" : "; ", what, old, new);
}

// The names of loads or variants; "none" without any.
static const char *names_of(struct arena *arena, const json_t *list)
{
    const char *text = "";
    for (size_t i = 0; i < json_array_size(list); i++)
        text = arena_format(arena, "%s%s%s", text, i == 0 ? "" : ", ",
                            json_text_or_empty(json_array_get(list, i), "name"));
    return *text == '\0' ? "none" : text;
}

static void compare_commands(struct differences *differences, const char *what, const json_t *old,
                             const json_t *new)
{
    compare_texts(
        differences, what,
        arena_keep(differences->arena, json_words_quoted(json_object_get(old, "command"))),
        arena_keep(differences->arena, json_words_quoted(json_object_get(new, "command"))));
}

// The loads, which have the same names.
static void compare_specs(struct differences *differences, const json_t *old, const json_t *new)
{
    for (size_t i = 0; i < json_array_size(new); i++) {
        const json_t *load = json_array_get(new, i);
        const char *name = json_text_at(load, "name");
        compare_texts(
            differences, arena_format(differences->arena, "load %s", name),
            value_text(differences->arena, json_object_get(json_array_get(old, i), "spec")),
            value_text(differences->arena, json_object_get(load, "spec")));
        // A recording of the same name may be another one by now.
        compare_texts(
            differences, arena_format(differences->arena, "what load %s stands for", name),
            value_text(differences->arena, json_object_get(json_array_get(old, i), "stands_for")),
            value_text(differences->arena, json_object_get(load, "stands_for")));
    }
}

// And the variants, if theirs are.
static void compare_variants(struct differences *differences, const json_t *old, const json_t *new)
{
    struct arena *arena = differences->arena;
    const char *old_names = names_of(arena, old), *new_names = names_of(arena, new);
    compare_texts(differences, "variants", old_names, new_names);
    if (strcmp(old_names, new_names) != 0)
        return;
    for (size_t i = 0; i < json_array_size(new); i++) {
        const json_t *before = json_array_get(old, i), *now = json_array_get(new, i);
        const char *name = json_text_at(now, "name");
        compare_texts(
            differences, arena_format(arena, "tree of revision %s", name),
            value_text(arena, json_object_get(json_object_get(before, "revision"), "tree")),
            value_text(arena, json_object_get(json_object_get(now, "revision"), "tree")));
        compare_commands(differences, arena_format(arena, "variant %s", name), before, now);
    }
}

// Whether a setting is as good as not given: older records do not have all.
static bool is_off(const json_t *value)
{
    return !value || json_is_null(value) || json_is_false(value) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

// The name that a setting had then: what is --conclude now was --cleanup.
static const char *name_then(const json_t *old, const char *name)
{
    if (json_object_get(old, "conclude"))
        return name;
    if (strcmp(name, "cleanup") == 0)
        return "conclude"; // there was no such thing
    return strcmp(name, "conclude") == 0 ? "cleanup" : name;
}

static void compare_settings(struct differences *differences, json_t *old, json_t *new)
{
    const char *name;
    json_t *value;
    json_object_foreach(new, name, value)
    {
        const json_t *before = json_object_get(old, name_then(old, name));
        // Older experiments have no washout, and get one from here on.
        if (strcmp(name, "washout") == 0 && !before)
            continue;
        if (!settings_may_change(name) && !(is_off(before) && is_off(value)) &&
            !changes_same(before, value))
            compare_texts(differences, name, value_text(differences->arena, before),
                          value_text(differences->arena, value));
    }
}

void resume_compare(const struct folder *folder, struct arena *arena, const json_t *old,
                    const json_t *new)
{
    struct differences differences = {.arena = arena, .text = ""};
    const json_t *old_loads = json_object_get(old, "loads");
    const json_t *new_loads = json_object_get(new, "loads");
    const char *old_names = names_of(arena, old_loads), *new_names = names_of(arena, new_loads);
    // What adjusted the ratios of the runs before is gone, and would be of some runs only.
    const char *gauge = json_text_or_empty(json_object_get(old, "settings"), "gauge");
    if (strcmp(gauge, "on") == 0)
        usage_error("cannot continue %s: its ratios are adjusted by --gauge, which is gone: choose "
                    "another folder (jostle report still shows this one)",
                    folder->path);
    compare_commands(&differences, "command", old, new);
    compare_variants(&differences, json_object_get(old, "variants"),
                     json_object_get(new, "variants"));
    compare_texts(&differences, "conditions", old_names, new_names);
    if (strcmp(old_names, new_names) == 0)
        compare_specs(&differences, old_loads, new_loads);
    compare_settings(&differences, json_object_get(old, "settings"),
                     json_object_get(new, "settings"));
    if (differences.text[0] != '\0')
        usage_error("cannot continue %s: it is another experiment (%s): give the same, or choose "
                    "another folder",
                    folder->path, differences.text);
}

// What the session before recorded by that name.
static const json_t *recorded_last(const json_t *old, const char *name)
{
    const json_t *resumed = json_object_get(old, "resumed");
    for (size_t i = json_array_size(resumed); i-- > 0;) {
        const json_t *value = json_object_get(json_array_get(resumed, i), name);
        if (value)
            return value;
    }
    return json_object_get(old, name);
}

void resume_warn(const struct folder *folder, const json_t *old, const json_t *new)
{
    json_auto_t *changes = json_array();
    const json_t *variants = json_object_get(new, "variants");
    // Each session builds its own file of a revision.
    if (!json_is_object(json_object_get(json_array_get(variants, 0), "revision")))
        (void)changes_of_program(recorded_last(old, "program"), json_object_get(new, "program"),
                                 changes);
    changes_of_variants(recorded_last(old, "variants"), variants, changes);
    (void)changes_of_inputs(changes_last_inputs(old), json_object_get(new, "inputs"), changes);
    (void)changes_of_variables(recorded_last(old, "variables"), json_object_get(new, "variables"),
                               changes);
    OWNED char *text = changes_text(changes, "recorded", "now");
    if (text)
        complain("%s: changed since the runs that are there: %s: the figures will mix both; to "
                 "keep them apart, choose another folder",
                 folder->path, text);
}

static bool same_settings(const json_t *old, const json_t *new)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)new, name, value)
    {
        const json_t *before = json_object_get(old, name);
        // Older records do not have all, and did then what is so.
        const bool as_before =
            !before && (is_off(value) || (strcmp(name, "decide") == 0 &&
                                          json_equal(value, json_object_get(new, "metric"))));
        if (!as_before && !changes_same(before, value))
            return false;
    }
    return true;
}

bool resume_is_complete(const struct folder *folder, const json_t *old, const json_t *new)
{
    // A damaged result is written again from the runs.
    return json_object_get(old, "after") && !json_object_get(old, "stopped") &&
           same_settings(json_object_get(old, "settings"), json_object_get(new, "settings")) &&
           record_is_there(folder->path, RESULT_FILE, SCHEMA_RESULT);
}

json_t *resume_note(const json_t *old, const json_t *new)
{
    static const char *const kept[] = {"host", "kernel", "cpu", "file_system", "device", "job"};
    static const char *const things[] = {"program", "variables", "inputs"};
    json_t *record = json_copy((json_t *)old), *entry = json_object();
    const json_t *before = json_object_get(new, "before");
    const json_t *environment = json_object_get(new, "environment");
    json_object_set(entry, "time", json_object_get(before, "time"));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        json_object_set(entry, kept[i], json_object_get(environment, kept[i]));
    // How many runs were there: stats knows when it has read them.
    json_object_set_new(entry, "runs", json_integer(0));
    json_object_set_new(entry, "set_aside", json_integer(0));
    json_object_set(entry, "before", (json_t *)before);
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        json_object_set(entry, things[i], json_object_get(new, things[i]));
    if (json_is_array(json_object_get(new, "variants")))
        json_object_set(entry, "variants", json_object_get(new, "variants"));
    json_t *resumed = json_copy(json_object_get(old, "resumed"));
    resumed = resumed ? resumed : json_array();
    json_array_append_new(resumed, entry);
    json_object_set_new(record, "resumed", resumed);
    // The first plan stays that of the looks: what is added to it costs the later ones.
    const json_t *settings = json_object_get(old, "settings");
    if (!json_object_get(record, "looks"))
        json_object_set_new(record, "looks",
                            json_pack("{s:O, s:O}", "from", json_object_get(settings, "min_runs"),
                                      "to", json_object_get(settings, "max_runs")));
    json_object_set(record, "settings", json_object_get(new, "settings"));
    json_object_set(record, "loads", json_object_get(new, "loads"));
    // Older experiments have none; the others keep the files that they began with.
    if (!json_object_get(old, "variants"))
        json_object_set(record, "variants", json_object_get(new, "variants"));
    json_object_set(record, "conditions", json_object_get(new, "conditions"));
    if (!json_is_null(json_object_get(new, "cell")))
        json_object_set(record, "cell", json_object_get(new, "cell"));
    json_object_del(record, "stopped");
    json_object_del(record, "after");
    return record;
}

// A command line may have thousands of files.
enum { MOST_INPUTS = 64 };

// Where a shell ends a word.
static const char between[] = " \t\n|&;<>()'\"`";

struct inputs {
    json_t *list;
    int64_t budget; // so much is read of all together
};

// The file that a word names, if it is one.
static bool add_file(struct inputs *inputs, const char *word)
{
    char path[PATH_MAX];
    struct stat status;
    if (*word == '\0' || stat(word, &status) != 0 || !S_ISREG(status.st_mode) ||
        !realpath(word, path))
        return false;
    json_auto_t *name = text_to_json(word);
    if (json_named(inputs->list, "word", json_string_value(name)))
        return true;
    if (json_array_size(inputs->list) == MOST_INPUTS)
        return true;
    json_t *file = file_to_json(path, &inputs->budget);
    json_object_set(file, "word", name);
    json_array_append_new(inputs->list, file);
    return true;
}

// input.dat, or what is behind the = of --config=FILE and if=FILE.
static void add_word(struct inputs *inputs, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!add_file(inputs, word) && equals)
        (void)add_file(inputs, equals + 1);
}

static void add_line(struct inputs *inputs, const char *line)
{
    OWNED char *copy = must(strdup(line));
    char *rest = copy;
    for (char *word; (word = strsep(&rest, between)) != NULL;)
        add_word(inputs, word);
}

static void add_variant(struct inputs *inputs, const struct variant *variant)
{
    size_t first = 0;
    while (first < variant->words.count && variant->words.item[first] != variant_program(variant))
        add_word(inputs, variant->words.item[first++]);
    for (size_t i = first + 1; i < variant->words.count; i++) {
        // What is in the folder of a revision is known by its tree.
        if (variant->folder && variant->words.item[i][0] != '/')
            continue;
        if (variant->shell && i + 1 == variant->words.count)
            add_line(inputs, variant->words.item[i]);
        else
            add_word(inputs, variant->words.item[i]);
    }
}

// An array of {word, path, sha256, size_bytes, mtime, mtime_ns, reason}, a new reference.
static json_t *inputs_to_json(const struct plan_request *experiment)
{
    struct inputs inputs = {.list = json_array(), .budget = PROGRAM_MOST_BYTES};
    if (experiment->input)
        (void)add_file(&inputs, experiment->input);
    for (size_t i = 0; i < experiment->variants.count; i++)
        add_variant(&inputs, &experiment->variants.variant[i]);
    if (experiment->settings.service)
        add_line(&inputs, experiment->settings.service);
    return inputs.list;
}

json_t *inputs_changed(const char *folder)
{
    struct arena arena = {0};
    json_t *experiment = experiment_known(folder), *changed = json_array();
    const json_t *files = changes_last_inputs(experiment);
    int64_t budget = PROGRAM_MOST_BYTES;
    JSON_EACH (file, files) {
        const char *path = json_text_at(file, "path");
        struct stat status;
        if (path && stat(path, &status) != 0)
            path = arena_keep(&arena, text_recorded(path));
        if (!path ||
            (stat(path, &status) == 0 &&
             status.st_size == json_integer_value(json_object_get(file, "size_bytes")) &&
             file_mtime_ns(&status) == json_integer_value(json_object_get(file, "mtime_ns"))))
            continue;
        json_t *now = file_to_json(path, &budget);
        json_object_set(now, "word", json_object_get(file, "word"));
        json_array_append_new(changed, now);
    }
    json_decref(experiment);
    arena_free(&arena);
    return changed;
}

// The environment variables that move figures without being on the command line.

// Threads, libraries, allocators, transports and run-time systems. Names of jobs, tokens
// and places that differ each time are left out: they would make all results differ.
static const char *const patterns[] = {
    // the loader and the C library
    "LD_*", "GLIBC_TUNABLES", "MALLOC_*", "TCMALLOC_*", "MIMALLOC_*", "HUGETLB_*",
    // threads
    "OMP_*", "GOMP_*", "KMP_*", "LIBOMP_*", "ACC_*", "CILK_NWORKERS", "TBB_*", "KOKKOS_*",
    "RAYON_*", "NUMEXPR_*",
    // numerical libraries
    "MKL_*", "OPENBLAS_*", "GOTO_NUM_THREADS", "BLIS_*", "VECLIB_*", "FFTW_*", "HDF5_*",
    // MPI and its transports
    "OMPI_MCA_*", "PMIX_MCA_*", "PRTE_MCA_*", "MPICH_*", "MPIR_CVAR_*", "I_MPI_*", "MV2_*", "UCX_*",
    "FI_*", "PSM2_*", "NCCL_*", "ROMIO_*",
    // accelerators
    "CUDA_*", "GPU_*", "HIP_*", "HSA_*", "ROCR_*", "ZE_*", "SYCL_*", "OCL_*",
    // languages
    "PYTHON*", "JULIA_*", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "GOMAXPROCS",
    "GOGC", "GOMEMLIMIT", "GODEBUG", "GOAMD64", "RUST_*", "NODE_OPTIONS", "UV_THREADPOOL_SIZE",
    "DOTNET_*", "PERL5OPT", "PERL5LIB", "RUBYOPT", "R_*", "OCAMLRUNPARAM", "GHCRTS",
    // how text is compared, sorted and written, and where temporary files are
    "LC_*", "LANG", "LANGUAGE", "POSIXLY_CORRECT", "TZ", "TMPDIR"};

// One "NAME=VALUE".
static void add_variable(json_t *variables, const char *entry)
{
    const size_t length = strcspn(entry, "=");
    OWNED char *name = must(strndup(entry, length));
    for (size_t i = 0; entry[length] == '=' && i < sizeof patterns / sizeof patterns[0]; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            json_object_set_new(variables, name, text_to_json(entry + length + 1));
}

// {NAME: VALUE} of those that are set and match a pattern, in the order of their names. A new
// reference.
static json_t *variables_to_json(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    OWNED const char **entries = must(malloc((count + 1) * sizeof *entries));
    json_t *variables = json_object();
    memcpy(entries, environ, count * sizeof *entries);
    qsort(entries, count, sizeof *entries, text_order);
    for (size_t i = 0; i < count; i++)
        add_variable(variables, entries[i]);
    return variables;
}

json_t *experiment_to_json(const struct plan_request *experiment)
{
    struct counters counters;
    struct arena arena = {0};
    char folder[CGROUP_PATH];
    const struct variant *first = &experiment->variants.variant[0];
    json_t *settings = settings_to_json(&experiment->settings);
    metrics_to_json(&experiment->metrics, settings);
    counters_read(&counters);
    // Whether sessions share the CPUs is a fact of the machine (`autogroup`).
    json_t *arrangement =
        json_pack("{s:s, s:o}", "group", ARRANGEMENT_NAME, "cgroup",
                  cgroup_shares_cpus(folder) ? text_to_json(folder) : json_null());
    json_t *record = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:o, "
        "s:O?, "
        "s:o}",
        "schema", SCHEMA_EXPERIMENT, "inputs", inputs_to_json(experiment), "line",
        text_to_json(first->line), "command", texts_to_json(first->words.item, first->words.count),
        "program", variant_program_to_json(first, &arena), "variants",
        variants_to_json(&experiment->variants, &arena), "build",
        text_to_json(experiment->session.build), "conditions",
        combinations_to_json(&experiment->combinations, &experiment->variants), "variables",
        variables_to_json(), "loads", conditions_to_json(&experiment->conditions), "settings",
        settings, "looks", settings_looks(&experiment->settings), "environment",
        environment_to_json(&counters), "placement", experiment->placed.record, "arrangement",
        arrangement, "cell", experiment->cell, "before", counters_to_json(&counters));
    arena_free(&arena);
    must(record);
    if (experiment->left_out)
        json_object_set(record, "left_out", experiment->left_out);
    if (experiment->asked)
        json_object_set(record, "asked", experiment->asked);
    if (json_is_object(experiment->busy))
        json_object_set(record, "busy", experiment->busy);
    if (!experiment->cell)
        json_object_set_new(record, "cell", json_null());
    return record;
}
