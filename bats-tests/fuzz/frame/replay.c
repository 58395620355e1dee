/* replay [--mutations N] [--seed N] FILE|FOLDER...
 *
 * Gives known inputs to a target, each file once; then N more that were made of them. Prints how
 * many it gave. An input on which the target crashes, or does not end in 20 s, is kept as
 * ./crash-NUMBER. */
#include "fuzz.h"
#include "mutate.h"

#include "common/random.h"
#include "common/units.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_S = 20, LONGEST_INPUT = 1 << 20 };

struct input {
    uint8_t *data;
    size_t size;
};

struct replay {
    struct input *input;
    size_t count, given;
    uint64_t mutations, random;
};

/* What a signal handler needs. */
static const uint8_t *current;
static size_t current_size;
static char kept[64];

static void on_crash(int number)
{
    static const char text[] = "the input is kept as ";
    const int file = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    signal(number, SIG_DFL);
    if (file >= 0 && write(file, current, current_size) == (ssize_t)current_size &&
        write(STDERR_FILENO, text, sizeof text - 1) > 0 &&
        write(STDERR_FILENO, kept, strlen(kept)) > 0)
        (void)!write(STDERR_FILENO, "\n", 1);
    raise(number);
}

static void give(struct replay *replay, const uint8_t *data, size_t size)
{
    /* A block of just this size, so that a sanitizer sees what reads beyond it. */
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    fuzz_require(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    current = copy;
    current_size = size;
    snprintf(kept, sizeof kept, "crash-%zu", replay->given++);
    alarm(LONGEST_S);
    (void)LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
}

/* ---- the known inputs ---- */

static void read_file(struct replay *replay, const char *path)
{
    FILE *file = fopen(path, "re");
    uint8_t *data = malloc(LONGEST_INPUT);
    struct input *more = reallocarray(replay->input, replay->count + 1, sizeof *more);
    fuzz_require(data != NULL && more != NULL);
    replay->input = more;
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        _exit(1);
    }
    const size_t size = fread(data, 1, LONGEST_INPUT, file);
    fclose(file);
    replay->input[replay->count++] = (struct input){data, size};
}

static void read_path(struct replay *replay, const char *path)
{
    struct dirent **entries;
    char below[PATH_MAX];
    const int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        read_file(replay, path);
    for (int i = 0; i < count; i++) {
        snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            read_file(replay, below);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- new ones ---- */

static void give_mutated(struct replay *replay)
{
    uint8_t *data = malloc(LONGEST_INPUT);
    fuzz_require(data != NULL);
    for (uint64_t i = 0; i < replay->mutations && replay->count > 0; i++) {
        const struct input *of = &replay->input[random_below(&replay->random, replay->count)];
        size_t size = 0;
        memcpy(data, of->data, of->size);
        if (fuzz_input == FUZZ_JSON_LINES && random_below(&replay->random, 8) > 0)
            size = mutate_json_lines(data, of->size, LONGEST_INPUT, &replay->random);
        if (size == 0)
            size = mutate_bytes(data, of->size, LONGEST_INPUT, &replay->random);
        give(replay, data, size);
    }
    free(data);
}

static int wrong_use(void)
{
    fputs("usage: [--mutations N] [--seed N] FILE|FOLDER...\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    struct replay replay = {.random = 1};
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        uint64_t *value = strcmp(argv[at], "--mutations") == 0 ? &replay.mutations
                          : strcmp(argv[at], "--seed") == 0    ? &replay.random
                                                               : NULL;
        if (value == NULL || units_count(argv[at + 1], value) != 0)
            return wrong_use();
    }
    if (at == argc)
        return wrong_use();
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], on_crash);
    for (; at < argc; at++)
        read_path(&replay, argv[at]);
    for (size_t i = 0; i < replay.count; i++)
        give(&replay, replay.input[i].data, replay.input[i].size);
    give_mutated(&replay);
    for (size_t i = 0; i < replay.count; i++)
        free(replay.input[i].data);
    free(replay.input);
    printf("%zu inputs\n", replay.given);
    return 0;
}
