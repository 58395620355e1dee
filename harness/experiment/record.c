#include "experiment.h"

#include "folder.h"
#include "variants.h"

#include "common/cgroup.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A command line may have thousands of files. */
enum { MOST_INPUTS = 64 };

/* Where a shell ends a word. */
static const char between[] = " \t\n|&;<>()'\"`";

struct inputs {
    json_t *list;
    int64_t budget; /* so much is read of all together */
};

/* The file that a word names, if it is one. */
static bool add_file(struct inputs *inputs, const char *word)
{
    char path[PATH_MAX];
    struct stat status;
    if (*word == '\0' || stat(word, &status) != 0 || !S_ISREG(status.st_mode) ||
        realpath(word, path) == NULL)
        return false;
    for (size_t i = 0; i < json_array_size(inputs->list); i++)
        if (strcmp(json_text_or_empty(json_array_get(inputs->list, i), "word"), word) == 0)
            return true;
    if (json_array_size(inputs->list) == MOST_INPUTS)
        return true;
    json_t *file = file_to_json(path, &inputs->budget);
    json_object_set_new(file, "word", text_to_json(word));
    json_array_append_new(inputs->list, file);
    return true;
}

/* input.dat, or what is behind the = of --config=FILE and if=FILE. */
static void add_word(struct inputs *inputs, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!add_file(inputs, word) && equals != NULL)
        (void)add_file(inputs, equals + 1);
}

static void add_line(struct inputs *inputs, const char *line)
{
    char *copy = strdup(line), *rest = copy;
    for (char *word; (word = strsep(&rest, between)) != NULL;)
        add_word(inputs, word);
    free(copy);
}

static void add_variant(struct inputs *inputs, const struct variant *variant)
{
    size_t first = 0;
    while (first < variant->word_count && variant->words[first] != variant_program(variant))
        add_word(inputs, variant->words[first++]);
    for (size_t i = first + 1; i < variant->word_count; i++) {
        /* What is in the folder of a revision is known by its tree. */
        if (variant->folder != NULL && variant->words[i][0] != '/')
            continue;
        if (variant->shell != NULL && i + 1 == variant->word_count)
            add_line(inputs, variant->words[i]);
        else
            add_word(inputs, variant->words[i]);
    }
}

json_t *inputs_to_json(const struct experiment *experiment)
{
    struct inputs inputs = {.list = json_array(), .budget = PROGRAM_MOST_BYTES};
    if (experiment->input != NULL)
        (void)add_file(&inputs, experiment->input);
    for (size_t i = 0; i < experiment->variants.count; i++)
        add_variant(&inputs, &experiment->variants.variant[i]);
    if (experiment->settings.service != NULL)
        add_line(&inputs, experiment->settings.service);
    return inputs.list;
}

json_t *inputs_changed(const char *folder)
{
    struct arena arena = {0};
    json_t *experiment = resume_read(&arena, folder), *changed = json_array();
    const json_t *files = changes_last_inputs(experiment);
    int64_t budget = PROGRAM_MOST_BYTES;
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *path = json_text_at(file, "path");
        struct stat status;
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

/* The environment variables that move figures without being on the command line. */

/* Threads, libraries, allocators, transports and run-time systems. Names of jobs, tokens
 * and places that differ each time are left out: they would make all results differ. */
static const char *const patterns[] = {
    /* the loader and the C library */
    "LD_*", "GLIBC_TUNABLES", "MALLOC_*", "TCMALLOC_*", "MIMALLOC_*", "HUGETLB_*",
    /* threads */
    "OMP_*", "GOMP_*", "KMP_*", "LIBOMP_*", "ACC_*", "CILK_NWORKERS", "TBB_*", "KOKKOS_*",
    "RAYON_*", "NUMEXPR_*",
    /* numerical libraries */
    "MKL_*", "OPENBLAS_*", "GOTO_NUM_THREADS", "BLIS_*", "VECLIB_*", "FFTW_*", "HDF5_*",
    /* MPI and its transports */
    "OMPI_MCA_*", "PMIX_MCA_*", "PRTE_MCA_*", "MPICH_*", "MPIR_CVAR_*", "I_MPI_*", "MV2_*", "UCX_*",
    "FI_*", "PSM2_*", "NCCL_*", "ROMIO_*",
    /* accelerators */
    "CUDA_*", "GPU_*", "HIP_*", "HSA_*", "ROCR_*", "ZE_*", "SYCL_*", "OCL_*",
    /* languages */
    "PYTHON*", "JULIA_*", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "GOMAXPROCS",
    "GOGC", "GOMEMLIMIT", "GODEBUG", "GOAMD64", "RUST_*", "NODE_OPTIONS", "UV_THREADPOOL_SIZE",
    "DOTNET_*", "PERL5OPT", "PERL5LIB", "RUBYOPT", "R_*", "OCAMLRUNPARAM", "GHCRTS",
    /* how text is compared, sorted and written, and where temporary files are */
    "LC_*", "LANG", "LANGUAGE", "POSIXLY_CORRECT", "TZ", "TMPDIR"};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One "NAME=VALUE". */
static void add_variable(json_t *variables, const char *entry)
{
    const size_t length = strcspn(entry, "=");
    char *name = must(strndup(entry, length));
    for (size_t i = 0; entry[length] == '=' && i < sizeof patterns / sizeof patterns[0]; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            json_object_set_new(variables, name, text_to_json(entry + length + 1));
    free(name);
}

/* {NAME: VALUE} of those that are set and in the table of variables.c, by name. A new
 * reference. */
static json_t *variables_to_json(void)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    const char **entries = must(malloc((count + 1) * sizeof *entries));
    json_t *variables = json_object();
    memcpy(entries, environ, count * sizeof *entries);
    qsort(entries, count, sizeof *entries, by_text);
    for (size_t i = 0; i < count; i++)
        add_variable(variables, entries[i]);
    free(entries);
    return variables;
}

json_t *experiment_to_json(const struct experiment *experiment)
{
    struct counters counters;
    struct environment environment;
    struct arena arena = {0};
    char folder[CGROUP_PATH];
    const struct variant *first = &experiment->variants.variant[0];
    json_t *settings = settings_to_json(&experiment->settings);
    metrics_to_json(&experiment->metrics, settings);
    counters_read(&counters);
    environment_read(&environment);
    // Whether sessions share the CPUs is a fact of the machine (`autogroup`).
    json_t *arrangement =
        json_pack("{s:s, s:o}", "group", ARRANGEMENT_NAME, "cgroup",
                  cgroup_shares_cpus(folder) ? text_to_json(folder) : json_null());
    json_t *record = json_pack(
        "{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:O, s:o, "
        "s:O?, "
        "s:o}",
        "schema", SCHEMA_EXPERIMENT, "knows_null", output_missed_by(experiment), "inputs",
        inputs_to_json(experiment), "command", texts_to_json(first->words, first->word_count),
        "program", variant_program_to_json(first, &arena), "variants",
        variants_to_json(&experiment->variants, &arena), "build",
        text_to_json(experiment->session.build), "conditions",
        combinations_to_json(&experiment->combinations, &experiment->variants), "variables",
        variables_to_json(), "loads", conditions_to_json(&experiment->conditions), "settings",
        settings, "looks", "from", (json_int_t)experiment->settings.min_runs, "to",
        (json_int_t)experiment->settings.max_runs, "environment",
        environment_to_json(&environment, &counters), "placement", experiment->placed.record,
        "arrangement", arrangement, "cell", experiment->cell, "before",
        counters_to_json(&counters));
    arena_free(&arena);
    must(record);
    if (experiment->left_out)
        json_object_set(record, "left_out", experiment->left_out);
    if (!experiment->cell)
        json_object_set_new(record, "cell", json_null());
    return record;
}
