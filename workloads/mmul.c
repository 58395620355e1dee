// mmul: the product of two square matrices of doubles, the naive way.
//
// A target that lives on caches and memory: the inner loop walks down a
// column, so every step touches another cache line.
#define PROGRAM "mmul"
#include "arguments.h"
#include "matrix.h"

enum { DEFAULT = 1000 };

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

int main(int argc, char **argv)
{
    const bool spoil = takes_spoil(argc, argv, help);
    if (argc - optind > 1)
        fail(2, "%d arguments: give at most one, SIZE", argc - optind);
    const size_t n =
        optind < argc ? number("SIZE", argv[optind], 1, MATRIX_LARGEST) : (size_t)DEFAULT;
    uint64_t random = n;
    struct matrix a = new_matrix(n, false, ELEMENT_VALUES, &random);
    struct matrix b = new_matrix(n, false, ELEMENT_VALUES, &random);
    struct matrix c = new_matrix(n, false, 0, &random);
    multiply(n, a.elements, b.elements, c.elements);
    if (spoil) {
        const size_t at = next_random(&random) % (n * n);
        put(&c, at, get(&c, at) + 1);
    }
    // These are by rows: by columns each is its transpose, and so is the product of the other
    // order.
    check_product(&b, &a, &c, &random, "build or machine");
    free(a.elements);
    free(b.elements);
    free(c.elements);
    printf("product of size %zu, verified\n", n);
    return written();
}
