// linpack: the solution of a dense system of linear equations by LAPACK's dgesv.
//
// A target that lives on the floating-point units, and on caches as far as the library blocks
// for them: what the LINPACK benchmark (Dongarra, Luszczek, Petitet 2003) measures.
#define PROGRAM "linpack"
#include "arguments.h"
#include "matrix.h"

#include <float.h>
#include <math.h>

enum { LARGEST = 40000, DEFAULT = 1000, RESIDUAL_LIMIT = 16 };

static const char help[] =
    "Usage: linpack [--lda N] [--threads N] [--library FILE] [--spoil] [SIZE]\n"
    "\n"
    "Solves A x = b for a random matrix A of SIZE x SIZE doubles between -0.5 and 0.5, the\n"
    "same each time, with LAPACK's dgesv: LU with partial pivoting. b is the sum of each row,\n"
    "so that x is 1 everywhere. SIZE is from 1 to 40000, by default 1000; the matrix takes\n"
    "8 * LDA * SIZE bytes. The solution is verified as in the LINPACK benchmark: the residual\n"
    "|A x - b| / (eps |A| |x| SIZE), of infinity norms and with eps = 2^-53, must be below 16;\n"
    "unscaled, |A x - b|, it is printed too.\n"
    "GFLOPS are (2/3 SIZE^3 + 2 SIZE^2) / time of dgesv / 10^9.\n"
    "\n" BLAS_HELP
    "  --lda N         leading dimension: elements from the beginning of one column of the\n"
    "                  matrix to that of the next, SIZE or more (default: SIZE)\n"
    "  --spoil         change the solution before the check (exit 1)\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 the solution is right, 1 it is not, or there is no library or memory,\n"
    "2 wrong arguments.\n";

typedef void gesv_function(const int *n, const int *columns, double *a, const int *a_stride,
                           int *pivots, double *b, const int *b_stride, int *info);

struct system {
    size_t n, stride; // stride: from one column to the next, LAPACK's LDA
    double *a;        // by columns
};

// The same for the same n, whatever the stride.
static void fill(struct system *system)
{
    uint64_t random = system->n;
    for (size_t j = 0; j < system->n; j++)
        for (size_t i = 0; i < system->n; i++)
            system->a[j * system->stride + i] =
                (double)(next_random(&random) >> 11) * 0x1p-53 - 0.5;
}

// sums[i] = the sum over j of a[i, j] times x[j], or times 1 if x is NULL; magnitudes too, if
// wanted.
static void multiply(const struct system *system, const double *x, double *sums, double *magnitudes)
{
    for (size_t j = 0; j < system->n; j++) {
        const double *column = system->a + j * system->stride;
        for (size_t i = 0; i < system->n; i++) {
            sums[i] += column[i] * (!x ? 1 : x[j]);
            if (magnitudes)
                magnitudes[i] += fabs(column[i]);
        }
    }
}

// The largest magnitude of x - y; y NULL: of x. Not a number if any is not.
static double norm(size_t n, const double *x, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double magnitude = fabs(x[i] - (!y ? 0 : y[i]));
        most = magnitude <= most ? most : magnitude;
    }
    return most;
}

struct residual {
    double plain;  // |A x - b|
    double scaled; // as the benchmark's authors do, so that it is of the order of 1
};

static struct residual residual_of(struct system *system, const double *x, const double *b)
{
    const size_t n = system->n;
    double *ax = blas_array(n, sizeof *ax);
    double *rows = blas_array(n, sizeof *rows);
    fill(system); // the factors took its place
    multiply(system, x, ax, rows);
    const double plain = norm(n, ax, b);
    const double unit = DBL_EPSILON / 2 * norm(n, rows, NULL) * norm(n, x, NULL) * (double)n;
    free(ax);
    free(rows);
    return (struct residual){plain, plain / unit};
}

// Seconds that dgesv took; x holds the right side before, the solution after.
static double solve(gesv_function *gesv, struct system *system, double *x)
{
    const int n = (int)system->n, stride = (int)system->stride, columns = 1;
    int *pivots = blas_array(system->n, sizeof *pivots);
    int info = 0;
    const double start = blas_time();
    gesv(&n, &columns, system->a, &stride, pivots, x, &n, &info);
    const double end = blas_time();
    free(pivots);
    if (info != 0)
        fail(1, "dgesv ended with %d: do not trust this library", info);
    return end - start;
}

static double largest_error(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - 1));
    return most;
}

int main(int argc, char **argv)
{
    const struct blas_options options = blas_arguments(argc, argv, help, false, DEFAULT, LARGEST);
    const char *name;
    const size_t n = options.size;
    if (options.stride > 0 && options.stride < n)
        fail(2, "--lda %" PRIu64 ": less than the size of %zu: give as much or more",
             options.stride, n);
    gesv_function *gesv = (gesv_function *)blas_function(&options, "dgesv_", &name);
    const double count = (double)n;
    struct system system = {.n = n, .stride = options.stride > 0 ? options.stride : n};
    double *b = blas_array(n, sizeof *b);
    double *x = blas_array(n, sizeof *x);
    system.a = blas_array(system.stride * n, sizeof *system.a);
    fill(&system);
    multiply(&system, NULL, b, NULL);
    memcpy(x, b, n * sizeof *x);
    const double seconds = solve(gesv, &system, x);
    if (options.spoil)
        x[n / 2] += 0.001;
    const struct residual residual = residual_of(&system, x, b);
    if (!(residual.scaled < RESIDUAL_LIMIT))
        fail(1, "the residual of size %zu is %.3g, not below %d: do not trust this library or CPU",
             n, residual.scaled, RESIDUAL_LIMIT);
    printf("system of size %zu solved, verified: residual %.3g (limit %d), |A x - b| %.3g, largest "
           "error %.2g\n"
           "%.3f GFLOPS, %.9f s, %s\n",
           n, residual.scaled, RESIDUAL_LIMIT, residual.plain, largest_error(n, x),
           (2 * count * count * count / 3 + 2 * count * count) / seconds / 1e9, seconds, name);
    free(system.a);
    free(b);
    free(x);
    return written();
}
