// delannoy: the central Delannoy number D(N), by plain recursion.
//
// A target without memory traffic: calls, returns and additions, and about
// 5.8 times as long for each step of N.
#define PROGRAM "delannoy"
#include "arguments.h"

enum { LARGEST = 22 };

static const char help[] =
    "Usage: delannoy [--spoil] N\n"
    "\n"
    "Computes the central Delannoy number D(N), N from 0 to 22, by its recursion\n"
    "D(m, n) = D(m-1, n) + D(m-1, n-1) + D(m, n-1), and compares it with the known\n"
    "value. Time grows 5.8-fold with each N: 12 takes less than a second, 15 a minute.\n"
    "\n"
    "  --spoil  make the result wrong before it is compared (exit 1), to see the check work\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 the result is right, 1 it is not, 2 wrong arguments.\n";

// Not inlined: a compiler that unrolls the recursion merges equal calls, and then the work
// depends on the compiler's version.
__attribute__((noinline)) static uint64_t delannoy(long m, long n)
{
    if (m == 0 || n == 0)
        return 1;
    return delannoy(m - 1, n) + delannoy(m - 1, n - 1) + delannoy(m, n - 1);
}

// The same by n D(n) = 3 (2n - 1) D(n - 1) - (n - 1) D(n - 2), https://oeis.org/A001850.
static uint64_t known(uint64_t n)
{
    uint64_t before = 0, value = 1;
    for (uint64_t i = 1; i <= n; i++) {
        const uint64_t next = (3 * (2 * i - 1) * value - (i - 1) * before) / i;
        before = value;
        value = next;
    }
    return value;
}

int main(int argc, char **argv)
{
    const bool spoil = takes_spoil(argc, argv, help);
    if (argc - optind != 1)
        fail(2, "%d arguments: give one, N, for example delannoy 12", argc - optind);
    const long n = (long)number("N", argv[optind], 0, LARGEST);
    const uint64_t result = delannoy(n, n) + spoil;
    if (result != known((uint64_t)n))
        fail(1,
             "D(%ld) came out as %" PRIu64 ", not %" PRIu64 ": do not trust this build or machine",
             n, result, known((uint64_t)n));
    printf("D(%ld) = %" PRIu64 ", verified\n", n, result);
    return written();
}
