// malloctest: allocation churn, to compare allocators.
//
// It calls plain malloc and free, so LD_PRELOAD decides whose they are.
#define PROGRAM "malloctest"
#include "arguments.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { MOST_THREADS = 4096 };
#define MOST_COUNT UINT64_C(1000000000000)

struct options {
    uint64_t threads;
    uint64_t repeats;
    uint64_t iterations;
    uint64_t lower_bytes, upper_bytes;
    bool spoil;
};

struct block {
    unsigned char *start;
    size_t size_bytes;
};

struct worker {
    const struct options *options;
    pthread_barrier_t *start;
    pthread_t thread;
    uint64_t number;
    uint64_t random;
    uint64_t verified; // blocks found intact and freed
    const char *failure;
};

static const char help[] =
    "Usage: malloctest [--spoil] THREADS REPEATS ITERATIONS LOWER UPPER\n"
    "\n"
    "Each of THREADS threads does this REPEATS times: ITERATIONS blocks of a random\n"
    "size from LOWER to UPPER bytes are allocated with malloc, then freed in another\n"
    "order. Both ends of every block are written when it is new and verified before\n"
    "it is freed, so blocks that overlap or lose their content are found, and so is\n"
    "wrong alignment. Up to THREADS * ITERATIONS * UPPER bytes are in use at once.\n"
    "With LD_PRELOAD another allocator takes the place of libc's.\n"
    "\n"
    "  --spoil  damage one block before the check (exit 1), to see the check work\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 all was right, 1 it was not or memory is short, 2 wrong arguments.\n"
    "Example: malloctest 2 100 10000 16 1024\n";

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {.spoil = takes_spoil(argc, argv, help)};
    if (argc - optind != 5)
        fail(2, "%d arguments: give five, for example malloctest 2 100 10000 16 1024",
             argc - optind);
    argv += optind;
    options.threads = number("THREADS", argv[0], 1, MOST_THREADS);
    options.repeats = number("REPEATS", argv[1], 1, MOST_COUNT);
    options.iterations = number("ITERATIONS", argv[2], 1, MOST_COUNT);
    options.lower_bytes = number("LOWER", argv[3], 1, MOST_COUNT);
    options.upper_bytes = number("UPPER", argv[4], 1, MOST_COUNT);
    if (options.lower_bytes > options.upper_bytes)
        fail(2, "LOWER %" PRIu64 " is above UPPER %" PRIu64 ": give the smaller size first",
             options.lower_bytes, options.upper_bytes);
    return options;
}

// What is at both ends of a block: another value for each block and each round (but for
// chance, and then one that the neighbours do not have).
static uint64_t tag(const struct worker *worker, uint64_t repeat, uint64_t iteration)
{
    uint64_t state = (worker->number << 48) ^ (repeat << 24) ^ iteration;
    return next_random(&state);
}

static size_t tag_length(const struct block *block)
{
    return block->size_bytes < sizeof(uint64_t) ? block->size_bytes : sizeof(uint64_t);
}

static bool has_tags(const struct block *block, uint64_t value)
{
    const size_t length = tag_length(block);
    const bool overlap = block->size_bytes < 2 * sizeof value;
    return memcmp(block->start, &value, length) == 0 &&
           (overlap || memcmp(block->start + block->size_bytes - length, &value, length) == 0);
}

// Allocates and tags all blocks; returns how many there are, fewer when malloc fails.
static uint64_t allocate(struct worker *worker, struct block *blocks, uint64_t repeat)
{
    const struct options *options = worker->options;
    const uint64_t sizes = options->upper_bytes - options->lower_bytes + 1;
    for (uint64_t i = 0; i < options->iterations; i++) {
        struct block *block = &blocks[i];
        block->size_bytes = options->lower_bytes + next_random(&worker->random) % sizes;
        block->start = malloc(block->size_bytes);
        if (!block->start) {
            worker->failure = "malloc found no memory: give smaller sizes or fewer ITERATIONS";
            return i;
        }
        // Smaller blocks need no more alignment than what fits into them.
        if (block->size_bytes >= sizeof(max_align_t) &&
            (uintptr_t)block->start % _Alignof(max_align_t) != 0)
            worker->failure = "a block is not aligned: do not trust this allocator";
        // The tail is written first, the head last: in a short block the head covers the tail.
        uint64_t value = tag(worker, repeat, i);
        const size_t length = tag_length(block);
        memcpy(block->start + block->size_bytes - length, &value, length);
        memcpy(block->start, &value, length);
    }
    return options->iterations;
}

// A step through COUNT places that reaches every one: a number without a common divisor.
static uint64_t stride(uint64_t count)
{
    for (uint64_t step = count / 2 + count / 8 + 1;; step++) {
        uint64_t a = step;
        for (uint64_t b = count; b != 0;) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

static void verify_and_free(struct worker *worker, const struct block *blocks, uint64_t count,
                            uint64_t repeat)
{
    const uint64_t step = count > 0 ? stride(count) : 0;
    uint64_t place = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (has_tags(&blocks[place], tag(worker, repeat, place)))
            worker->verified++;
        else
            worker->failure = "a block lost its content: do not trust this allocator";
        free(blocks[place].start);
        place = (place + step) % count;
    }
}

// A thread's life. The table of blocks is its own, so that threads share nothing but malloc.
static void *work(void *argument)
{
    struct worker *worker = argument;
    const struct options *options = worker->options;
    struct block *blocks = calloc(options->iterations, sizeof *blocks);
    (void)pthread_barrier_wait(worker->start); // its result only names one of the threads
    if (!blocks) {
        worker->failure = "no memory for the table of blocks: give fewer ITERATIONS";
        return NULL;
    }
    for (uint64_t repeat = 0; repeat < options->repeats && !worker->failure; repeat++) {
        const uint64_t count = allocate(worker, blocks, repeat);
        if (options->spoil && worker->number == 0 && repeat == 0 && count > 0)
            blocks[count - 1].start[0] ^= 1;
        verify_and_free(worker, blocks, count, repeat);
    }
    free(blocks);
    return NULL;
}

// Threads that wait at the gate end with the process, so a failure here leaves nothing behind.
static void start_all(struct worker *workers, const struct options *options,
                      pthread_barrier_t *start)
{
    for (uint64_t i = 0; i < options->threads; i++) {
        workers[i] =
            (struct worker){.options = options, .start = start, .number = i, .random = i + 1};
        const int error = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        if (error != 0)
            fail(1, "cannot start thread %" PRIu64 " (%s): give fewer THREADS", i + 1,
                 strerror(error));
    }
}

int main(int argc, char **argv)
{
    const struct options options = parse_arguments(argc, argv);
    struct worker *workers = calloc(options.threads, sizeof *workers);
    pthread_barrier_t start;
    if (!workers || pthread_barrier_init(&start, NULL, (unsigned)options.threads) != 0)
        fail(1, "no memory for %" PRIu64 " threads: give fewer THREADS", options.threads);
    start_all(workers, &options, &start);
    uint64_t verified = 0;
    for (uint64_t i = 0; i < options.threads; i++) {
        if (pthread_join(workers[i].thread, NULL) != 0)
            fail(1, "cannot wait for thread %" PRIu64 ": do not trust this machine", i + 1);
        if (workers[i].failure)
            fail(1, "thread %" PRIu64 ": %s", i + 1, workers[i].failure);
        verified += workers[i].verified;
    }
    if (verified != options.threads * options.repeats * options.iterations)
        fail(1, "%" PRIu64 " blocks were verified, not all: do not trust this build", verified);
    free(workers);
    (void)pthread_barrier_destroy(&start);
    printf("%" PRIu64 " allocations, verified\n", verified);
    return written();
}
