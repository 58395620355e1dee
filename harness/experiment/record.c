
#include "experiment.h"
#include "inputs.h"
#include "plan.h"

#include "common/cgroup.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/schemas.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool is_one(const char *name)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One "NAME=VALUE". */
static void add(json_t *variables, const char *entry)
{
    const size_t length = strcspn(entry, "=");
    char *name = strndup(entry, length);
    if (name != NULL && entry[length] == '=' && is_one(name))
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
    const char **entries = malloc((count + 1) * sizeof *entries);
    json_t *variables = json_object();
    if (entries == NULL)
        return variables;
    memcpy(entries, environ, count * sizeof *entries);
    qsort(entries, count, sizeof *entries, by_text);
    for (size_t i = 0; i < count; i++)
        add(variables, entries[i]);
    free(entries);
    return variables;
}

static json_t *command(const struct experiment *experiment)
{
    const struct variant *first = &experiment->variants.variant[0];
    json_t *words = json_array();
    for (size_t i = 0; i < first->word_count; i++)
        json_array_append_new(words, text_to_json(first->words[i]));
    return words;
}

static json_t *settings_of(const struct experiment *experiment)
{
    json_t *settings = settings_to_json(&experiment->settings);
    metrics_to_json(&experiment->metrics, settings);
    return settings;
}

/* Whether sessions share the CPUs is a fact of the machine (`autogroup`). */
static json_t *arrangement_to_json(void)
{
    char folder[CGROUP_PATH];
    return json_pack("{s:s, s:o}", "group", ARRANGEMENT_NAME, "cgroup",
                     cgroup_shares_cpus(folder) ? text_to_json(folder) : json_null());
}

json_t *experiment_to_json(const struct experiment *experiment)
{
    struct counters counters;
    struct environment environment;
    struct arena arena = {0};
    counters_read(&counters);
    environment_read(&environment);
    json_t *record = json_pack(
        "{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:O, s:o, "
        "s:O?, "
        "s:o}",
        "schema", SCHEMA_EXPERIMENT, "knows_null", output_missed_by(experiment), "inputs",
        inputs_to_json(experiment), "command", command(experiment), "program",
        variant_program_to_json(&experiment->variants.variant[0], &arena), "variants",
        variants_to_json(&experiment->variants, &arena), "build",
        text_to_json(experiment->session.build), "conditions",
        combinations_to_json(&experiment->combinations, &experiment->variants), "variables",
        variables_to_json(), "loads", conditions_to_json(&experiment->conditions), "settings",
        settings_of(experiment), "looks", "from", (json_int_t)experiment->settings.min_runs, "to",
        (json_int_t)experiment->settings.max_runs, "environment",
        environment_to_json(&environment, &counters), "placement", experiment->placed.record,
        "arrangement", arrangement_to_json(), "cell", experiment->cell, "before",
        counters_to_json(&counters));
    arena_free(&arena);
    if (record != NULL && experiment->left_out != NULL)
        json_object_set(record, "left_out", experiment->left_out);
    if (record != NULL && experiment->cell == NULL)
        json_object_set_new(record, "cell", json_null());
    if (record != NULL)
        return record;
    complain("out of memory: free some");
    exit(EXIT_FAILURE);
}
