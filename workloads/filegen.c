// filegen: folders of files with random content.
//
// A target that writes through the page cache and reads back. The content of
// a file follows from the seed and its number alone.
#define PROGRAM "filegen"
#include "arguments.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_WORDS = 8192, CHUNK_BYTES = CHUNK_WORDS * sizeof(uint64_t), PATH_BYTES = 64 };
#define MOST_COUNT UINT64_C(1000000)
#define MOST_BYTES UINT64_C(1000000000000)

static const char root[] = "generated";

struct options {
    uint64_t folders, files; // of each folder
    uint64_t lower_bytes, upper_bytes;
    uint64_t seed;
    bool spoil;
};

// One file: where it is, how long, and the state that its content follows from.
struct file {
    char path[PATH_BYTES];
    uint64_t size_bytes;
    uint64_t random;
};

static const char help[] =
    "Usage: filegen [--spoil] DIRS FILES MIN MAX [SEED]\n"
    "\n"
    "Writes FILES files with random content into each of DIRS folders under\n"
    "./generated, each of a random size from MIN to MAX bytes, then reads all of them\n"
    "again and compares every byte. The same SEED (by default 1) and the same other\n"
    "arguments give the same files, whatever the machine. Files of an earlier call\n"
    "are overwritten; what else is under ./generated is left as it is. Nothing is\n"
    "forced to the disk (no fsync).\n"
    "\n"
    "  --spoil  damage one file before the check (exit 1), to see the check work\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 all files are right, 1 they are not or cannot be written, 2 wrong\n"
    "arguments. Example: filegen 10 20 1024 65536\n";

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {.spoil = takes_spoil(argc, argv, help), .seed = 1};
    const int given = argc - optind;
    if (given < 4 || given > 5)
        fail(2, "%d arguments: give four or five, for example filegen 10 20 1024 65536", given);
    argv += optind;
    options.folders = number("DIRS", argv[0], 1, MOST_COUNT);
    options.files = number("FILES", argv[1], 1, MOST_COUNT);
    options.lower_bytes = number("MIN", argv[2], 0, MOST_BYTES);
    options.upper_bytes = number("MAX", argv[3], 0, MOST_BYTES);
    options.seed = given == 5 ? number("SEED", argv[4], 0, UINT64_MAX) : options.seed;
    if (options.lower_bytes > options.upper_bytes)
        fail(2, "MIN %" PRIu64 " is above MAX %" PRIu64 ": give the smaller size first",
             options.lower_bytes, options.upper_bytes);
    return options;
}

// The next piece of a file's content: little-endian words, so that all machines agree.
static void next_chunk(struct file *file, uint64_t chunk[CHUNK_WORDS])
{
    for (size_t i = 0; i < CHUNK_WORDS; i++)
        chunk[i] = htole64(next_random(&file->random));
}

// The file with this number, as it is to be.
static struct file plan(const struct options *options, uint64_t folder, uint64_t file_number)
{
    struct file file;
    // Numbers below 10^6 fit in 7 characters, so the path cannot be cut off.
    (void)snprintf(file.path, sizeof file.path, "%s/dir%06" PRIu64 "/file%06" PRIu64, root, folder,
                   file_number);
    uint64_t seed = options->seed;
    file.random = next_random(&seed) ^ ((folder << 32) + file_number);
    file.random = next_random(&file.random); // neighbours must not share a sequence
    const uint64_t sizes = options->upper_bytes - options->lower_bytes + 1;
    file.size_bytes = options->lower_bytes + next_random(&file.random) % sizes;
    return file;
}

static void make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return;
    const int error = errno;
    if (error != EEXIST || lstat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        fail(1, "cannot make the folder '%s' (%s): change into a writable folder without one", path,
             strerror(error));
}

static void write_all(int descriptor, const char *path, const unsigned char *data, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            fail(1, "cannot write '%s' (%s): make room or use another folder", path,
                 strerror(errno));
        data += written;
        length -= (size_t)written;
    }
}

static void write_file(struct file file)
{
    static const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    uint64_t chunk[CHUNK_WORDS];
    const int descriptor = open(file.path, flags, 0666);
    if (descriptor < 0)
        fail(1, "cannot create '%s' (%s): use a writable folder", file.path, strerror(errno));
    while (file.size_bytes > 0) {
        const size_t length = file.size_bytes < CHUNK_BYTES ? file.size_bytes : CHUNK_BYTES;
        next_chunk(&file, chunk);
        write_all(descriptor, file.path, (const unsigned char *)chunk, length);
        file.size_bytes -= length;
    }
    if (close(descriptor) != 0)
        fail(1, "cannot write '%s' (%s): make room or use another folder", file.path,
             strerror(errno));
}

// Ends the program unless the file has exactly the planned bytes.
static void verify_file(struct file file)
{
    uint64_t expected[CHUNK_WORDS], found[CHUNK_WORDS];
    FILE *stream = fopen(file.path, "rbe");
    if (!stream)
        fail(1, "cannot read '%s' (%s): try again when nobody else uses ./%s", file.path,
             strerror(errno), root);
    bool right = true;
    while (right && file.size_bytes > 0) {
        const size_t length = file.size_bytes < CHUNK_BYTES ? file.size_bytes : CHUNK_BYTES;
        next_chunk(&file, expected);
        right = fread(found, 1, length, stream) == length && memcmp(found, expected, length) == 0;
        file.size_bytes -= length;
    }
    right = right && fgetc(stream) == EOF && !ferror(stream);
    if (fclose(stream) != 0 || !right)
        fail(1,
             "'%s' does not have the content written: check the disk, and that nobody else writes",
             file.path);
}

// Flips a bit of the file's last byte, or gives it one.
static void spoil_file(const struct file *file)
{
    FILE *stream = fopen(file->path, "r+be");
    const long last = file->size_bytes > 0 ? (long)file->size_bytes - 1 : 0;
    if (!stream || fseek(stream, last, SEEK_SET) != 0)
        fail(1, "cannot spoil '%s' (%s): leave out --spoil", file->path, strerror(errno));
    const int byte = fgetc(stream);
    if (fseek(stream, last, SEEK_SET) != 0 || fputc(byte == EOF ? 0 : byte ^ 1, stream) == EOF ||
        fclose(stream) != 0)
        fail(1, "cannot spoil '%s' (%s): leave out --spoil", file->path, strerror(errno));
}

static uint64_t generate(const struct options *options)
{
    uint64_t bytes = 0;
    make_folder(root);
    for (uint64_t folder = 0; folder < options->folders; folder++) {
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/dir%06" PRIu64, root, folder);
        make_folder(path);
        for (uint64_t i = 0; i < options->files; i++) {
            const struct file file = plan(options, folder, i);
            write_file(file);
            bytes += file.size_bytes;
        }
    }
    return bytes;
}

int main(int argc, char **argv)
{
    const struct options options = parse_arguments(argc, argv);
    const uint64_t bytes = generate(&options);
    if (options.spoil) {
        const struct file file = plan(&options, options.folders - 1, options.files - 1);
        spoil_file(&file);
    }
    for (uint64_t folder = 0; folder < options.folders; folder++)
        for (uint64_t i = 0; i < options.files; i++)
            verify_file(plan(&options, folder, i));
    printf("%" PRIu64 " files in %" PRIu64 " folders, %" PRIu64 " bytes, verified\n",
           options.files * options.folders, options.folders, bytes);
    return written();
}
