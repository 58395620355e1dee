// The options of loadgen io: what they mean together, and which are refused.

#include "io/io.h"

const struct option_row io_options[] = {
    {ROW("sequential", NULL, OPTION_FLAG, sequential), .measured = true,
     .help = "one block after the other, each worker in its own part of the file (the default)"},
    {ROW("random", NULL, OPTION_FLAG, random), .measured = true,
     .help = "blocks anywhere in the file, evenly distributed"},
    {ROW("read", NULL, OPTION_FLAG, read), .measured = true, .help = "read"},
    {ROW("write", NULL, OPTION_FLAG, write), .measured = true, .help = "write (the default)"},
    {ROW("mix", "PERCENT", OPTION_PERCENT, read_percent), .measured = true, .minimum = 0,
     .maximum = 100, .help = "read and write: this percentage of the operations reads"},
    {ROW("block-size", "SIZE", OPTION_SIZE, block_bytes), .measured = true, .minimum = 1,
     .maximum = 1 << 30,
     .help = "bytes of one operation (default: 1 MiB sequential; random 512 bytes, or the device's "
             "logical block if that is larger)"},
    {ROW("depth", "N", OPTION_COUNT, depth), .measured = true, .minimum = 1, .maximum = 4096,
     .preset = "1",
     .help =
         "operations that each worker keeps in flight: io_uring above 1, or threads without it"},
    {ROW("sync", "KIND", OPTION_CHOICE, sync), .measured = true, .preset = "dsync",
     .choices = io_sync_names,
     .help =
         "what a write must reach before it counts: dsync: O_DIRECT and O_DSYNC, durable; direct: "
         "O_DIRECT, the device's cache; data: page cache and fdatasync, durable; none: page cache"},
    {ROW("huge", NULL, OPTION_FLAG, huge), .measured = true,
     .help = "buffers: " MEM_PAGES_HUGE_HELP "base pages, as most programs have)"},
    {ROW("dir", "DIR", OPTION_TEXT, folder), .wrong = "no/such/folder",
     .help = "folder of the work file (default: $TMPDIR, else /var/tmp)"},
    {ROW("file-size", "SIZE", OPTION_SIZE, file_bytes), .minimum = 4096, .maximum = 1e18,
     .help = "size of the work file (default: $WORKFILE_SIZE, else 8 GiB, or less where a "
             "sequential load with a rate in --limit needs less)"},
    {ROW("keep", NULL, OPTION_FLAG, keep),
     .help = "leave the work file for the next start, as DIR/jostle-workfile.UID"},
    {ROW("cached", NULL, OPTION_FLAG, cached), .measured = true,
     .help = "read through the page cache: a load on memory, reported as io-cached"},
    {ROW("sparse", NULL, OPTION_FLAG, sparse), .measured = true,
     .help = "leave the work file without data, as `truncate` does: reads of it reach no disk; to "
             "show what a benchmark on such a file measures"},
    {ROW("phases", NULL, OPTION_FLAG, phases),
     .help = "in place of load, what Bonnie reports: write by character and by block, rewrite, "
             "read by character and by block, seeks, each with %CPU; --sync direct leaves out the "
             "page cache, --cached reads what it has just written from it"},
    {ROW("char-size", "SIZE", OPTION_SIZE, char_bytes), .minimum = 1, .maximum = 1e18,
     .preset = "4M", .help = "--phases: bytes written and read by character; at most --file-size"},
    {ROW("seeks", "N", OPTION_COUNT, seeks), .minimum = 1, .maximum = 1000000000, .preset = "8192",
     .help = "--phases: seeks of all threads together"},
    {ROW("allow-memory", NULL, OPTION_FLAG, allow_memory),
     .help = "allow a folder that is in memory (tmpfs, ramfs, zram), or on an unknown file system"},
    {ROW("show-device", NULL, OPTION_FLAG, show_device),
     .help = "instead of making load: print one JSON line about the device behind --dir"},
    {0},
};

// A sequential load with a rate does not need more than it moves until its end, and one that writes
// no more than in a minute: what is written again is as new. A file that is kept is of one size for
// all starts.
static uint64_t usual_size(const struct run *run)
{
    const struct common *common = &run->common;
    const struct io_settings *set = settings_of(run);
    const double workers = (double)(common->threads > 0 ? common->threads : 1) * (double)set->depth;
    const double block = options_given(run->options, "block-size") ? (double)set->block_bytes
                                                                   : (double)IO_SEQUENTIAL_BLOCK;
    const double end_s =
        common->duration_ns > 0 ? (double)common->duration_ns / 1e9 : (double)INFINITY;
    const bool reads = set->read || set->read_percent > 0;
    const struct rate limit = run->limit;
    if (set->random || set->keep || set->phases || !(limit.value > 0) || limit.kind == RATE_PERCENT)
        return IO_DEFAULT_FILE_BYTES;
    const double needed = limit.value * (limit.kind == RATE_OPS ? block : 1) *
                          (reads ? end_s : fmin(end_s, IO_WRITTEN_S));
    const double least = fmax(IO_LEAST_FILE_BYTES, 2 * block * workers);
    return (uint64_t)fmin((double)IO_DEFAULT_FILE_BYTES, fmax(least, needed));
}

static uint64_t file_size(const struct run *run)
{
    const char *text = getenv("WORKFILE_SIZE");
    uint64_t bytes;
    if (options_given(run->options, "file-size"))
        return settings_of(run)->file_bytes;
    if (!text || *text == '\0')
        return usual_size(run);
    if (units_size(text, &bytes) != 0 || bytes < 4096 || bytes > (uint64_t)1e18)
        usage_error("WORKFILE_SIZE=%.64s: not a size of 4096 bytes or more: set one such as 2G",
                    text);
    return bytes;
}

const char *io_folder(const char *given)
{
    const char *folder = given ? given : getenv("TMPDIR");
    return folder && *folder != '\0' ? folder : "/var/tmp";
}

// Memory and networks are no disks.
static void check_device(struct run *run)
{
    const struct io_state *state = io_state_of(run);
    const struct device *device = &state->device;
    if (device->unknown && !settings_of(run)->allow_memory)
        usage_error("%s is on an unknown file system, which may be in memory or on a network: give "
                    "a folder on a disk with --dir, or --allow-memory",
                    state->file.folder);
    if (device->unknown)
        run_warn(run, "%s is on an unknown file system: this load may reach no disk",
                 state->file.folder);
    if (device->memory && !settings_of(run)->allow_memory)
        usage_error("%s is in memory (%s%s%s): a load there reaches no disk: give a folder on a "
                    "disk with --dir, or --allow-memory",
                    state->file.folder, device->file_system, device->name[0] != '\0' ? " on " : "",
                    device->name);
    if (device->hidden)
        run_warn(run,
                 "%s is on an overlay, and what that is on cannot be seen from here: this load may "
                 "reach no disk: give a folder of a volume with --dir",
                 state->file.folder);
    if (device->memory)
        run_warn(run, "%s is in memory (%s): this load reaches no disk", state->file.folder,
                 device->file_system);
    if (device->network)
        run_warn(run, "%s is on a network (%s on %s): what is loaded is the network and its server",
                 state->file.folder, device->file_system, device->name);
}

static void check_exclusive(const struct run *run)
{
    const struct io_settings *set = settings_of(run);
    bool mix = options_given(run->options, "mix");
    if (set->sequential && set->random)
        usage_error("--sequential and --random: give one of them");
    if (set->read + set->write + mix > 1)
        usage_error("--read, --write and --mix: give one of them");
    if (set->cached && !set->read && !mix)
        usage_error("--cached is for reads: give --read or --mix (writes into the page cache are "
                    "--sync none)");
    if (set->sparse && set->keep)
        usage_error("--sparse and --keep: give one of them: a kept file has data");
    if (options_given(run->options, "char-size") || options_given(run->options, "seeks"))
        usage_error("--char-size and --seeks are of --phases: give that, too");
}

// What O_DIRECT wants on this file system, found out with a file that has no
// name; where that cannot be made, the device's logical block. 1 where no operation goes past the
// page cache.
static unsigned alignment_of(const struct io_state *state)
{
    const struct io_plan *plan = &state->plan;
    const bool writes = plan->sync == IO_SYNC_DIRECT || plan->sync == IO_SYNC_DSYNC;
    if ((plan->read_percent <= 0 || plan->cached) && (plan->read_percent >= 100 || !writes))
        return 1;
    int fd = open(state->file.folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    unsigned alignment = io_alignment(fd, state->device.block_bytes);
    if (fd >= 0)
        close(fd);
    return alignment;
}

static void check_block(struct run *run)
{
    struct io_state *state = io_state_of(run);
    struct io_plan *plan = &state->plan;
    const unsigned alignment = alignment_of(state);
    // Sequential workers have a part of the file each, random ones all of it.
    const unsigned fewest = plan->random ? 1 : plan->streams;
    if (!options_given(run->options, "block-size")) {
        plan->block_bytes = settings_of(run)->phases ? IO_PHASES_BLOCK
                            : plan->random           ? IO_RANDOM_BLOCK
                                                     : IO_SEQUENTIAL_BLOCK;
        if (plan->block_bytes < alignment) {
            run_warn(run,
                     "random blocks of %u bytes: the logical block of %s; %llu is not possible",
                     alignment, state->device.name, IO_RANDOM_BLOCK);
            plan->block_bytes = alignment;
        }
    }
    if (plan->block_bytes % alignment != 0)
        usage_error("--block-size %llu: not a multiple of the logical block of %s, %u bytes: give "
                    "one, or go through the page cache (--cached, --sync data)",
                    (unsigned long long)plan->block_bytes, state->device.name, alignment);
    if (plan->file_bytes / plan->block_bytes < fewest)
        usage_error("--file-size %llu: less than a block of %llu bytes for each of %u workers: "
                    "give a larger one",
                    (unsigned long long)plan->file_bytes, (unsigned long long)plan->block_bytes,
                    fewest);
}

// Claims the memory of all operations in flight, and what filling the file takes; where the file is
// in memory, that of the file, too.
static void check_buffers(struct run *run)
{
    const struct io_state *state = io_state_of(run);
    const struct io_plan *plan = &state->plan;
    const double all = io_stream_bytes(plan) * plan->streams;
    // Reserved huge pages are taken from everybody already.
    const bool taken = plan->huge && all <= (double)mem_pages_reserved_bytes();
    const double bytes = (taken ? 0 : all) + IO_FILL_BYTES;
    char what[96];
    snprintf(what, sizeof what, "buffers (%u workers, %u blocks each) of", plan->streams,
             plan->depth);
    room_claim(run, bytes, -1, what, "give a smaller --block-size, --depth or --threads");
    if (state->device.memory) {
        run->uses &= ~(unsigned)USES_DISK;
        room_claim(run, bytes + (double)plan->file_bytes, -1, "a work file in memory of",
                   "give a smaller --file-size");
    }
}

// One worker by default. Without io_uring, a thread for each operation in flight.
static void choose_path(struct run *run)
{
    struct io_state *state = io_state_of(run);
    struct io_plan *plan = &state->plan;
    if (!options_given(run->options, "threads"))
        run->threads = settings_of(run)->phases ? IO_SEEKERS : 1;
    plan->depth = (unsigned)settings_of(run)->depth;
    state->engine = "pwrite";
    if (plan->depth > 1) {
        const char *lack = io_ring_lack();
        state->engine = lack ? "threads" : "io_uring";
        if (lack) {
            if (run->threads * (uint64_t)plan->depth > 4096)
                usage_error("--depth %u: io_uring cannot be used here (%s), and %llu threads are "
                            "too many: give a smaller --depth",
                            plan->depth, lack, (unsigned long long)run->threads * plan->depth);
            run_warn(run, "io_uring cannot be used here (%s): %u threads instead of a depth of %u",
                     lack, run->threads * plan->depth, plan->depth);
            run->threads *= plan->depth;
            plan->depth = 1;
        }
    }
    plan->streams = run->threads;
}

static void set_plan(struct run *run)
{
    const struct io_settings *set = settings_of(run);
    struct io_state *state = io_state_of(run);
    state->plan = (struct io_plan){.file_bytes = file_size(run) & ~(uint64_t)4095,
                                   .block_bytes = set->block_bytes,
                                   .random = set->random,
                                   .read_percent = set->read ? 100 : set->read_percent,
                                   .sync = (enum io_sync)set->sync,
                                   .cached = set->cached,
                                   .huge = set->huge,
                                   .read_fd = -1,
                                   .write_fd = -1};
    state->file.size_bytes = state->plan.file_bytes;
    state->file.keep = set->keep;
    state->file.sparse = set->sparse;
    state->file.force = run->common.force;
}

// Writes what was chosen into the options, which a calibration is known by. Reads do
// not sync.
static void settle(struct run *run)
{
    const struct io_state *state = io_state_of(run);
    struct io_settings *set = settings_of(run);
    const bool mixed = state->plan.read_percent > 0 && state->plan.read_percent < 100;
    set->sequential = !set->random;
    set->write = !set->read && !mixed;
    set->block_bytes = state->plan.block_bytes;
    set->depth = state->plan.depth;
    if (state->plan.read_percent >= 100)
        set->sync = IO_SYNC_DSYNC;
    // What the rate is of: a disk stays the same when it is named otherwise at the next boot, and
    // another one may have its name. Network file systems are known by their server.
    const struct device *device = &io_state_of(run)->device;
    const bool disk = device->disks[0] != '\0';
    // Before there was --huge, all buffers were huge: those rates are not taken for these.
    snprintf(run->subject, sizeof run->subject, "%.250s%s (%.60s)%s",
             device->identity[0] != '\0' ? device->identity : device->name,
             disk && device->identity[0] == '\0' ? ", known by its name alone" : "",
             device->file_system, set->huge ? "" : ", buffers in base pages");
}

// Refuses (exit 2) options that --phases has no use for, and settles those that it
// has. Before the plan is made from them.
static void check_phases(struct run *run)
{
    static const char *const useless[] = {"sequential", "random",   "read",    "write", "mix",
                                          "depth",      "keep",     "sparse",  "huge",  "limit",
                                          "duration",   "interval", "control", "calib"};
    struct io_settings *set = settings_of(run);
    for (size_t i = 0; i < sizeof useless / sizeof useless[0]; i++)
        if (options_given(run->options, useless[i]))
            usage_error("--phases and --%s: give one of them", useless[i]);
    if (!options_given(run->options, "sync"))
        set->sync = IO_SYNC_NONE;
    else if (set->sync != IO_SYNC_DIRECT)
        usage_error("--phases ends each phase with fsync: give --sync direct, or leave it out");
    if (set->cached && set->sync == IO_SYNC_DIRECT)
        usage_error("--cached and --sync direct: give one of them");
    set->random = true; // the threads share the file
}

void io_check(struct run *run)
{
    struct io_state *state = io_state_of(run);
    state->file.fd = -1;
    if (settings_of(run)->phases)
        check_phases(run);
    else
        check_exclusive(run);
    state->file.folder = io_folder(settings_of(run)->folder);
    if (!device_of(state->file.folder, &state->device))
        usage_error("cannot use %s (%s): name a folder with --dir", state->file.folder,
                    strerror(errno));
    if (settings_of(run)->show_device)
        return;
    if (settings_of(run)->huge)
        mem_pages_check_huge();
    check_device(run);
    set_plan(run);
    choose_path(run);
    check_block(run);
    check_buffers(run);
    (void)io_file_check(run, &state->file);
    const struct io_plan *plan = &state->plan;
    run->unit = plan->random ? UNIT_OPS : UNIT_BYTES;
    run->quantum = plan->random ? 1 : (double)plan->block_bytes;
    settle(run);
}
