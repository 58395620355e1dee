// gemm: the product of two square matrices by a BLAS library, dgemm or sgemm.
//
// A target that comes close to the peak of the floating-point units, while mmul, the same
// product by three plain loops, lives on caches and memory.
#define PROGRAM "gemm"
#include "arguments.h"
#include "matrix.h"

enum { DEFAULT = 1000, WARM_UP = 256 };
static const char help[] =
    "Usage: gemm [--single] [--repeat N] [--threads N] [--library FILE] [--spoil] [SIZE]\n"
    "\n"
    "Multiplies two SIZE x SIZE matrices of whole numbers with dgemm of a BLAS library. SIZE\n"
    "is from 1 to 20000, by default 1000; the three matrices take 24 * SIZE^2 bytes. The\n"
    "product is verified with Freivalds' check: for random vectors x, A (B x) must be\n"
    "(A B) x, exactly. A small product comes first, which starts the library's threads.\n"
    "GFLOPS are 2 * SIZE^3 * N / time of N calls / 10^9.\n"
    "\n"
    "  --single        floats and sgemm\n"
    "  --repeat N      multiply N times (default: 1)\n" BLAS_HELP
    "  --spoil         make one element of the product wrong before the check (exit 1)\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 the product is right, 1 it is not, or there is no library or memory,\n"
    "2 wrong arguments.\n";

typedef void gemm_function(const char *a_form, const char *b_form, const int *m, const int *n,
                           const int *k, const void *alpha, const void *a, const int *a_stride,
                           const void *b, const int *b_stride, const void *beta, void *c,
                           const int *c_stride);

// The product of the first SIZE rows and columns; all have the stride of whole ones.
static void multiply(gemm_function *gemm, size_t size, const struct matrix *a,
                     const struct matrix *b, struct matrix *c)
{
    static const double one = 1, zero = 0;
    static const float one_single = 1, zero_single = 0;
    const int n = (int)size, stride = (int)a->size;
    const void *alpha = a->single ? (const void *)&one_single : &one;
    const void *beta = a->single ? (const void *)&zero_single : &zero;
    gemm("N", "N", &n, &n, &n, alpha, a->elements, &stride, b->elements, &stride, beta, c->elements,
         &stride);
}

int main(int argc, char **argv)
{
    const struct blas_options options =
        blas_arguments(argc, argv, help, true, DEFAULT, MATRIX_LARGEST);
    const char *name;
    gemm_function *gemm =
        (gemm_function *)blas_function(&options, options.single ? "sgemm_" : "dgemm_", &name);
    uint64_t random = options.size;
    const double n = (double)options.size;
    struct matrix a = new_matrix(options.size, options.single, ELEMENT_VALUES, &random);
    struct matrix b = new_matrix(options.size, options.single, ELEMENT_VALUES, &random);
    struct matrix c = new_matrix(options.size, options.single, 0, &random);
    // A small one first: it starts the threads of the library.
    multiply(gemm, a.size < WARM_UP ? a.size : WARM_UP, &a, &b, &c);
    const double start = blas_time();
    for (uint64_t i = 0; i < options.repeat; i++)
        multiply(gemm, a.size, &a, &b, &c);
    const double seconds = blas_time() - start;
    if (options.spoil) {
        const size_t at = next_random(&random) % (c.size * c.size);
        put(&c, at, get(&c, at) + 1);
    }
    check_product(&a, &b, &c, &random, "library or CPU");
    printf("product of size %zu in %s precision, verified\n%.3f GFLOPS, %.9f s, %s\n", c.size,
           options.single ? "single" : "double",
           2 * n * n * n * (double)options.repeat / seconds / 1e9, seconds, name);
    free(a.elements);
    free(b.elements);
    free(c.elements);
    return written();
}
