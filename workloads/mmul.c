// mmul: the product of two square matrices of doubles, the naive way.
//
// A target that lives on caches and memory: the inner loop walks down a
// column, so every step touches another cache line.
#define PROGRAM "mmul"
#include "arguments.h"
#include "random.h"

enum { LARGEST = 20000, DEFAULT = 1000, ROUNDS = 2, ELEMENT_VALUES = 10, VECTOR_VALUES = 65536 };

// All sums in here are of whole numbers, and must be exact in a double.
_Static_assert(INT64_C(1) * LARGEST * LARGEST * (ELEMENT_VALUES - 1) * (ELEMENT_VALUES - 1) *
                       (VECTOR_VALUES - 1) <
                   INT64_C(1) << 53,
               "the check would round");

struct options {
    size_t size;
    bool spoil;
};

static const char help[] =
    "Usage: mmul [--spoil] [SIZE]\n"
    "\n"
    "Multiplies two SIZE x SIZE matrices of doubles with three plain nested loops\n"
    "(row, column, inner product). SIZE is from 1 to 20000, by default 1000; the\n"
    "three matrices take 24 * SIZE^2 bytes. The product is verified with Freivalds'\n"
    "check: for random vectors x, A (B x) must be (A B) x. All elements are small\n"
    "whole numbers, so the comparison is exact; a wrong product passes with a\n"
    "probability below 2^-32.\n"
    "\n"
    "  --spoil  make one element of the product wrong before the check (exit 1)\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 the product is right, 1 it is not or memory is short, 2 wrong arguments.\n";

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {.spoil = takes_spoil(argc, argv, help), .size = DEFAULT};
    if (argc - optind > 1)
        fail(2, "%d arguments: give at most one, SIZE", argc - optind);
    if (optind < argc)
        options.size = number("SIZE", argv[optind], 1, LARGEST);
    return options;
}

// COUNT doubles, each a whole number below VALUES; with VALUES 0 they are zero. To be freed.
static double *new_array(size_t count, uint64_t values, uint64_t *random)
{
    double *array = calloc(count, sizeof *array);
    if (!array)
        fail(1, "no memory for %zu bytes: take a smaller SIZE", count * sizeof *array);
    for (size_t i = 0; values > 0 && i < count; i++)
        array[i] = (double)(next_random(random) % values);
    return array;
}

static void multiply(size_t n, const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

static void multiply_vector(size_t n, const double *matrix, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += matrix[i * n + j] * x[j];
    }
}

// Freivalds 1977: whether A (B x) = C x for one random x. A and C x have sums below LARGEST^2 *
// 9^2 * 65535, so nothing is rounded and equality is the right comparison.
static bool agrees(size_t n, const double *a, const double *b, const double *c, uint64_t *random)
{
    double *x = new_array(n, VECTOR_VALUES, random);
    double *bx = new_array(n, 0, random);
    double *abx = new_array(n, 0, random);
    double *cx = new_array(n, 0, random);
    multiply_vector(n, b, x, bx);
    multiply_vector(n, a, bx, abx);
    multiply_vector(n, c, x, cx);
    bool equal = true;
    for (size_t i = 0; i < n; i++)
        equal = equal && abx[i] == cx[i];
    free(x);
    free(bx);
    free(abx);
    free(cx);
    return equal;
}

int main(int argc, char **argv)
{
    const struct options options = parse_arguments(argc, argv);
    const size_t n = options.size;
    uint64_t random = n;
    double *a = new_array(n * n, ELEMENT_VALUES, &random);
    double *b = new_array(n * n, ELEMENT_VALUES, &random);
    double *c = new_array(n * n, 0, &random);
    multiply(n, a, b, c);
    if (options.spoil)
        c[next_random(&random) % (n * n)] += 1;
    for (int round = 0; round < ROUNDS; round++)
        if (!agrees(n, a, b, c, &random))
            fail(1, "the product of size %zu is wrong: do not trust this build or machine", n);
    free(a);
    free(b);
    free(c);
    printf("product of size %zu, verified\n", n);
    return written();
}
