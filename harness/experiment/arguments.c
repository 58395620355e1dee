#include "experiment.h"

#include <stdio.h>
#include <string.h>

#define LOADS_HELP                                                                                 \
    "SPEC is what follows `loadgen` on its command line (see `loadgen --help`), such as `cpu "     \
    "--percent 50`; several are joined by ` + `. `exec: COMMAND` takes any program as the load. "  \
    "Without NAME= the load is named by its first word. In a job on several nodes NAME@2=SPEC "    \
    "puts the load on the job's second node (1 is the target's), NAME@all-others=SPEC on each of " \
    "the others; `@2 ` in front of one of several joined loads only that one. {node2} in a SPEC "  \
    "is that node's name.\n\n"
#define EXIT_HELP                                                                                  \
    "Exit status:\n"                                                                               \
    "  0  measured                          1  failure of jostle or of a load\n"                   \
    "  2  wrong use                         5  the target failed\n"                                \
    "  129, 130, 143  interrupted by a signal\n\n"
#define GATE_EXIT_HELP                                                                             \
    "Exit status:\n"                                                                               \
    "  0  measured (--at-most: below)       1  failure of jostle or of a load\n"                   \
    "  2  wrong use                         3  --at-most: above\n"                                 \
    "  4  --at-most, --same-within: undecided\n"                                                   \
    "  5  the target failed\n"                                                                     \
    "  129, 130, 143  interrupted by a signal\n\n"

static const struct command commands[] = {
    {.word = "run",
     .name = "jostle run",
     .intro =
         "Runs TARGET again and again, without load or under one, until the relative error "
         "of every metric that decides is small enough, and reports mean and variance of "
         "wall, user and system time and memory. Several --variant (or --revision, or values of a "
         "parameter) run in the same blocks, and each is compared with the first.",
     .details = LOADS_HELP EXIT_HELP
     "Examples:\n"
     "  jostle run --error 2% --load 'half=cpu --percent 50' -- ./solver input.dat\n"
     "  jostle run 'zcat log.gz | grep -c error'\n"
     "  jostle run --variant old='./old in.dat' --variant new='./new in.dat'\n"
     "  jostle run -L threads 1,2,4 './solver --threads {threads}'"},
    {.word = "slowdown",
     .name = "jostle slowdown",
     .intro = "Runs TARGET alone (baseline) and under each load, in blocks of random order, so "
              "that drift of the machine affects all alike, until the error is small enough; "
              "then prints the slowdown of each load with its confidence interval. With several "
              "--variant (or --revision) each runs alone and under each load, and is compared with "
              "the first one, too. Without --load the loads are half of the CPUs, the memory "
              "bandwidth, the cache and the disk, and it takes about a minute.",
     .details = LOADS_HELP GATE_EXIT_HELP
     "Examples:\n"
     "  jostle slowdown -- ./solver input.dat\n"
     "  jostle slowdown --load 'half=cpu --percent 50' -- ./solver input.dat\n"
     "  jostle slowdown --load 'a=cpu --percent 30' --load 'b=exec: ./noise' -- make\n"
     "  jostle slowdown --revision a=main --revision b=. --build make -- ./solver",
     .slowdown = true},
    {.word = "protect",
     .name = "jostle protect",
     .intro =
         "Finds the setting that protects TARGET from a neighbour: runs it alone, beside each "
         "load as it is, and beside the same load with each setting, in the same random "
         "blocks. Prints the slowdown that is left, the share of the damage that each removes, "
         "what the neighbour still achieves, and what a setting of TARGET costs it alone. "
         "Without --try it tries all that this machine and user can set.",
     .details =
         "SETTING is NAME=VALUE for the load, target:NAME=VALUE for TARGET, both:NAME=VALUE, "
         "or several with blanks between. They are: nice, sched, ionice, cpus, group, "
         "cpu.weight, cpu.max, cpu.idle, cpu.uclamp.max, cpuset.cpus, cpuset.cpus.partition, "
         "memory.min, memory.low, memory.high, memory.max, io.weight, io.max, io.latency, "
         "resctrl (docs/protect.md), and those of --setting. slowdown takes them, too: --load "
         "'NAME=[SETTING...] SPEC'.\n\n"
         "Exit status:\n"
         "  0  measured (--until: kept)          1  failure of jostle or of a load\n"
         "  2  wrong use, or it cannot be set    3  --until: no setting keeps it\n"
         "  4  --until: undecided                5  the target failed\n"
         "  129, 130, 143  interrupted by a signal\n\n"
         "Examples:\n"
         "  jostle protect --load 'cpu --percent 100' -- ./solver input.dat\n"
         "  jostle protect --load 'build=exec: make -j8' --try nice=19 --try cpu.weight=10 -- "
         "./solver\n"
         "  jostle protect --load 'mem --limit 50%' --until 1.05 -- ./solver",
     .slowdown = true,
     .protect = true},
    {.word = "capacity",
     .name = "jostle capacity",
     .intro = "Finds the highest rate (or other value of --vary) at which runs of TARGET, such as "
              "a client at that rate, keep the objective of --slo, alone and under each load, with "
              "its confidence interval. Each run has a rate of its own, chosen from what the runs "
              "before have shown; conditions are interleaved in blocks of random order.",
     .details = LOADS_HELP
     "The capacity is where half of the runs keep the objective; --error is of its interval. "
     "--min-runs is 10 and --max-runs 60 here if not given. With --timeout a run that it ends "
     "counts as not keeping the objective; any other failure of TARGET ends the search (with "
     "--ignore-failure it does not keep the objective, either).\n\n" EXIT_HELP "Example:\n"
     "  jostle capacity --service './server' --ready port:9000 \\\n"
     "    --metric 'p99_ms=stdout:/p99: ([0-9.]+)/,unit=ms' --slo 'p99_ms<2' \\\n"
     "    --vary 'rate=1000..200000,unit=/s' --load 'mem=mem --limit 50%' \\\n"
     "    -- ./client --rate {rate} --seconds 10",
     .slowdown = true,
     .capacity = true},
};

#define ROW(name, argument, type, member) OPTION_ROW(struct session, name, argument, type, member)

/* Of hyperfine this is where the target writes. */
static bool check_folder(const char *text, char *error, size_t size)
{
    static const char *const places[] = {"null", "pipe", "inherit"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(text, places[i]) != 0)
            continue;
        snprintf(error, size,
                 "it is the folder of the records: for the target's output give "
                 "--stdout null, pipe, inherit or a file");
        return false;
    }
    return true;
}

static const struct option_row session_rows[] = {
    {ROW("load", "NAME=SPEC", OPTION_LIST, loads),
     .usual = "a neighbour: a command line of loadgen, or exec: COMMAND; may be given again",
     .help = "a load: a loadgen command line, joined by ' + ', or exec: COMMAND"},
    {ROW("output", "DIR", OPTION_TEXT, output), .check = check_folder, .wrong = "null",
     .usual = "folder for the records (default: jostle-results/TARGET.TIME)",
     .help = "folder for the records (default: jostle-results/TARGET.TIME)"},
    {ROW("resume", NULL, OPTION_FLAG, resume),
     .help = "continue the experiment in --output DIR, if it holds one: same command, loads and "
             "settings"},
    {ROW("cell", "FILE", OPTION_TEXT, cell),
     .help = "the cell of a campaign to measure: its command, loads and settings, where they are "
             "not given here; DIR/status.json then shows its progress"},
    {ROW("json", "FILE", OPTION_TEXT, json), .help = "write the result to FILE too, - for stdout"},
    {ROW("show-output", NULL, OPTION_FLAG, show_output),
     .help = "let the target write to the terminal; with a metric of its output, after each run"},
    {ROW("revision", "NAME=REV", OPTION_LIST, revisions),
     .help =
         "measure TARGET as it is in this git revision, against the others: each is checked out "
         "and built in a folder of its own, which is removed at the end; . is the working tree "
         "as it is now"},
    {ROW("build", "CMD", OPTION_TEXT, build),
     .help = "run CMD with bash in the folder of each revision, before the first run"},
    {ROW("command-name", "NAME", OPTION_LIST, names), .letter = 'n',
     .help = "the name of the first, second, ... --variant that has none of its own"},
    {ROW("no-shell", NULL, OPTION_FLAG, no_shell), .letter = 'N', .hidden = true,
     .help = "--shell=none"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet), .help = "print nothing but errors"},
    {ROW("verbose", NULL, OPTION_FLAG, verbose),
     .usual = "show each run as it is made, and all that statistics have to say",
     .help = "show each command on stderr as it is run, and the notes on the result"},
    {0},
};

/* Of slowdown without a load. */
static const struct option_row panorama_rows[] = {
    {ROW("quick", NULL, OPTION_FLAG, quick),
     .usual = "without --load: about 15 s instead of a minute",
     .help = "without --load: take about 15 s instead of a minute"},
    {ROW("for", "TIME", OPTION_TIME, for_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .usual = "without --load: about so long; longer is more precise",
     .help = "without --load: take about TIME; longer is more precise"},
    {0},
};

/* Of protect. */
static const struct option_row try_rows[] = {
    {ROW("try", "SETTING", OPTION_LIST, tries),
     .usual = "a setting, such as nice=19 or target:nice=-5; may be given again (default: all)",
     .help = "a setting, or several with blanks between; may be given again (default: all that can "
             "be set here)"},
    {0},
};

#define REPORT(format) "make it of the records, with jostle report --format " format " DIR"

/* hyperfine's options that have another name here, or no use. */
static const struct option_row foreign_rows[] = {
    {.name = "export-json", .argument = "FILE", .instead = REPORT("hyperfine")},
    {.name = "export-csv", .argument = "FILE", .instead = REPORT("csv")},
    {.name = "export-markdown", .argument = "FILE", .instead = REPORT("md")},
    {.name = "export-asciidoc", .argument = "FILE", .instead = REPORT("md")},
    {.name = "export-orgmode", .argument = "FILE", .instead = REPORT("md")},
    {.name = "reference",
     .argument = "CMD",
     .instead = "the first --variant is what the others are compared with"},
    {.name = "reference-name",
     .argument = "NAME",
     .instead = "the first --variant is the reference, and NAME= in front of it its name"},
    {.name = "style", .argument = "TYPE", .instead = "--quiet prints nothing but errors"},
    {.name = "sort",
     .argument = "METHOD",
     .instead = "rows are in the order in which the variants are given"},
    {.name = "time-unit",
     .argument = "UNIT",
     .letter = 'u',
     .instead = "tables choose the unit of each figure, records and CSV have seconds"},
    {.name = "show-elapsed",
     .letter = 'E',
     .instead = "on a terminal the run, and the time that is left, are always shown"},
    {.name = "min-benchmarking-time",
     .argument = "SECONDS",
     .instead = "--error decides how long to measure, within --min-runs, --max-runs and "
                "--max-time"},
    {0},
};

const struct command *command_find(const char *word)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].word, word) == 0)
            return &commands[i];
    return NULL;
}

bool commands_list(void)
{
    bool written = true;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        written = options_list_command(commands[i].word) && written;
    return written;
}

void arguments_parse(struct experiment *experiment, const struct command *command, int argc,
                     char **argv)
{
    static const struct option_row none[] = {{0}};
    const struct option_group groups[] = {
        {.title = "What to measure, and where the records go:",
         .rows = session_rows,
         .values = &experiment->session},
        {.rows = command->protect                          ? try_rows
                 : command->slowdown && !command->capacity ? panorama_rows
                                                           : none,
         .values = &experiment->session},
        {.title = "How to measure:", .rows = settings_rows, .values = &experiment->settings},
        {.rows = command->capacity   ? capacity_rows
                 : command->slowdown ? slowdown_rows
                                     : none,
         .values = &experiment->settings},
        {.rows = command->protect ? protect_rows : none, .values = &experiment->settings},
        {.rows = foreign_rows, .values = &experiment->session},
    };
    const struct program program = {
        .name = command->name,
        .usage = "[--] TARGET [ARGS...]\n--variant [NAME=]CMD --variant [NAME=]CMD...",
        .intro = command->intro,
        .details = command->details,
        .groups = groups,
        .group_count = sizeof groups / sizeof groups[0],
        .stop_at_operand = true,
    };
    int rest;
    experiment_settings_begin(&experiment->settings);
    experiment->given = options_parse(&program, argc, argv, &rest);
    experiment->target_count = (size_t)(argc - rest);
    experiment->after_dashes = strcmp(argv[rest - 1], "--") == 0;
    experiment->target =
        arena_take(&experiment->arena, (experiment->target_count + 1) * sizeof *experiment->target);
    for (size_t i = 0; i < experiment->target_count; i++)
        experiment->target[i] = argv[rest + (int)i];
}
