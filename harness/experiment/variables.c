#include "variables.h"

#include "common/machine_json.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

json_t *variables_to_json(void)
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
