#ifndef WORKLOADS_BLAS_H
#define WORKLOADS_BLAS_H

// A BLAS and LAPACK library, opened when the program runs: nothing is needed to build it, and any
// library can be compared. Include after arguments.h.

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

struct blas_options {
    uint64_t size;
    uint64_t threads; // 0: as the library chooses
    uint64_t repeat;
    const char *library; // NULL: the first of those that are usual
    bool single, spoil, version;
};

// What the options mean in all programs, for their --help.
#define BLAS_HELP                                                                                  \
    "  --threads N     threads of the library: sets OPENBLAS_NUM_THREADS, MKL_NUM_THREADS\n"       \
    "                  and OMP_NUM_THREADS (default: as they are)\n"                               \
    "  --library FILE  use this one (default: libopenblas.so.0, else libmkl_rt.so.2, else\n"       \
    "                  liblapack.so.3; in Debian libopenblas0)\n"                                  \
    "  --version       name the library, with its version where it says so\n"

// Opens the library, its threads set before: it reads them when it is opened. Or the end (1).
static inline void *blas_open(const struct blas_options *options)
{
    static const char *const usual[] = {"libopenblas.so.0", "libmkl_rt.so.2", "liblapack.so.3"};
    static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                            "OMP_NUM_THREADS"};
    char threads[24];
    void *library = NULL;
    (void)snprintf(threads, sizeof threads, "%" PRIu64, options->threads);
    for (size_t i = 0; options->threads > 0 && i < sizeof variables / sizeof variables[0]; i++)
        if (setenv(variables[i], threads, 1) != 0)
            fail(1, "no memory for %s: free some", variables[i]);
    if (options->library) {
        library = dlopen(options->library, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            fail(1, "%s: give another --library", dlerror());
    }
    for (size_t i = 0; !library && i < sizeof usual / sizeof usual[0]; i++)
        library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(1, "no BLAS library here: apt install libopenblas0, or give --library");
    return library;
}

// The function NAME of the library, or the end (1).
static inline void *blas_function(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function)
        fail(1, "the library has no %s: give another --library", name);
    return function;
}

// Who the library is: its own words, or its file.
static inline const char *blas_name(void *library, void *function)
{
    char *(*const configuration)(void) = (char *(*)(void))dlsym(library, "openblas_get_config");
    Dl_info info;
    if (configuration)
        return configuration();
    return dladdr(function, &info) != 0 ? info.dli_fname : "unknown";
}

// What --version prints; the exit status: 0, or the end (1).
static inline int blas_show_version(const char *name)
{
    printf("%s\n", name);
    return written();
}

static inline struct blas_options blas_arguments(int argc, char **argv, const char *help,
                                                 const char *known, uint64_t size, uint64_t largest)
{
    static const struct option names[] = {
        {"help", no_argument, NULL, 'h'},          {"threads", required_argument, NULL, 't'},
        {"library", required_argument, NULL, 'l'}, {"version", no_argument, NULL, 'v'},
        {"repeat", required_argument, NULL, 'r'},  {"single", no_argument, NULL, '1'},
        {"spoil", no_argument, NULL, 's'},         {NULL, 0, NULL, 0},
    };
    struct blas_options options = {.size = size, .repeat = 1};
    opterr = 0;
    for (int name; (name = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
        if (name == '?' || !strchr(known, name)) {
            fail(2, "unknown option, or no value, in '%s': see " PROGRAM " --help",
                 argv[optind - 1]);
        }
        switch (name) {
        case 'h':
            show_help(help);
        case 't':
            options.threads = number("--threads", optarg, 1, 4096);
            break;
        case 'r':
            options.repeat = number("--repeat", optarg, 1, 1000000);
            break;
        case 'l':
            options.library = optarg;
            break;
        case 'v':
            options.version = true;
            break;
        case '1':
            options.single = true;
            break;
        default:
            options.spoil = true;
        }
    }
    if (argc - optind > 1)
        fail(2, "%d arguments: give at most one, SIZE", argc - optind);
    if (optind < argc)
        options.size = number("SIZE", argv[optind], 1, largest);
    return options;
}

// COUNT elements of so many bytes, zero. To be freed. Or the end (1).
static inline void *blas_array(size_t count, size_t bytes)
{
    void *array = calloc(count, bytes);
    if (!array)
        fail(1, "no memory for %zu bytes: take a smaller SIZE", count * bytes);
    return array;
}

// CLOCK_MONOTONIC in seconds.
static inline double blas_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
