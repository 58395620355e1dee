// Matrices, and a BLAS and LAPACK library that is opened when the program runs.
#ifndef WORKLOADS_MATRIX_H
#define WORKLOADS_MATRIX_H

// Nothing is needed to build with it, and any library can be compared. Include after arguments.h.

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

struct blas_options {
    uint64_t size;
    uint64_t threads; // 0: as the library chooses
    uint64_t repeat;
    uint64_t stride;     // --lda: elements from one column to the next; 0: the size
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

// The function NAME of the library, opened for these options, or the end (1); *whose: the library's
// own words, or its file. --version prints that, and ends the program.
static inline void *blas_function(const struct blas_options *options, const char *name,
                                  const char **whose)
{
    void *library = blas_open(options), *function = dlsym(library, name);
    char *(*const configuration)(void) = (char *(*)(void))dlsym(library, "openblas_get_config");
    static Dl_info info;
    if (!function)
        fail(1, "the library has no %s: give another --library", name);
    *whose = configuration                  ? configuration()
             : dladdr(function, &info) != 0 ? info.dli_fname
                                            : "unknown";
    if (options->version) {
        printf("%s\n", *whose);
        exit(written());
    }
    return function;
}

// repeats: it has --repeat and --single, else --lda.
static inline struct blas_options blas_arguments(int argc, char **argv, const char *help,
                                                 bool repeats, uint64_t size, uint64_t largest)
{
    struct blas_options options = {.size = size, .repeat = 1};
    const struct argument rows[] = {
        {"--threads", .number = &options.threads, .high = 4096},
        {"--library", .text = &options.library},
        {"--version", .flag = &options.version},
        {"--spoil", .flag = &options.spoil},
        {repeats ? "--repeat" : "--lda", .number = repeats ? &options.repeat : &options.stride,
         .high = repeats ? 1000000 : largest + 4096},
        {repeats ? "--single" : NULL, .flag = &options.single},
        {0},
    };
    read_options(argc, argv, rows, help);
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

// ---- products of matrices ----

enum { MATRIX_LARGEST = 20000, ELEMENT_VALUES = 10, VECTOR_VALUES = 65536 };

// Elements of a product are whole numbers, exact in a float; sums of the check in a double.
_Static_assert(MATRIX_LARGEST *(ELEMENT_VALUES - 1) * (ELEMENT_VALUES - 1) < 1 << 24,
               "a float rounds");
_Static_assert(INT64_C(1) * MATRIX_LARGEST * MATRIX_LARGEST * (ELEMENT_VALUES - 1) *
                       (ELEMENT_VALUES - 1) * (VECTOR_VALUES - 1) <
                   INT64_C(1) << 53,
               "the check would round");

// Square, by columns.
struct matrix {
    size_t size;
    bool single;
    void *elements;
};

static inline double get(const struct matrix *matrix, size_t i)
{
    return matrix->single ? (double)((const float *)matrix->elements)[i]
                          : ((const double *)matrix->elements)[i];
}

static inline void put(struct matrix *matrix, size_t i, double value)
{
    if (matrix->single)
        ((float *)matrix->elements)[i] = (float)value;
    else
        ((double *)matrix->elements)[i] = value;
}

// Of whole numbers below VALUES; 0: of zeros.
static inline struct matrix new_matrix(size_t size, bool single, uint64_t values, uint64_t *random)
{
    const size_t count = size * size;
    struct matrix matrix = {.size = size,
                            .single = single,
                            .elements = blas_array(count, single ? sizeof(float) : sizeof(double))};
    for (size_t i = 0; values > 0 && i < count; i++)
        put(&matrix, i, (double)(next_random(random) % values));
    return matrix;
}

static inline void multiply_vector(const struct matrix *matrix, const double *x, double *y)
{
    const size_t n = matrix->size;
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            y[i] += get(matrix, j * n + i) * x[j];
}

// Freivalds 1977: whether A (B x) = C x for one random x. Nothing is rounded: see above.
static inline bool agrees(const struct matrix *a, const struct matrix *b, const struct matrix *c,
                          uint64_t *random)
{
    const size_t n = a->size;
    double *x = blas_array(n, sizeof *x);
    double *bx = blas_array(n, sizeof *bx);
    double *abx = blas_array(n, sizeof *abx);
    double *cx = blas_array(n, sizeof *cx);
    bool equal = true;
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(next_random(random) % VECTOR_VALUES);
    multiply_vector(b, x, bx);
    multiply_vector(a, bx, abx);
    multiply_vector(c, x, cx);
    for (size_t i = 0; i < n; i++)
        equal = equal && abx[i] == cx[i];
    free(x);
    free(bx);
    free(abx);
    free(cx);
    return equal;
}

// Two rounds, or the end (1): a wrong product passes with a probability below 2^-32. WHOM not to
// trust.
static inline void check_product(const struct matrix *a, const struct matrix *b,
                                 const struct matrix *c, uint64_t *random, const char *whom)
{
    for (int round = 0; round < 2; round++)
        if (!agrees(a, b, c, random))
            fail(1, "the product of size %zu is wrong: do not trust this %s", c->size, whom);
}

#endif
