// The command lines of jostle run, slowdown, capacity and protect.

#include "experiment.h"

#include "common/child.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_HELP                                                                                 \
    "SPEC is what follows `loadgen` on its command line (see `loadgen --help`), such as `cpu "     \
    "--percent 50`; several are joined by ` + `. `exec: COMMAND` takes any program as the load. "  \
    "Without NAME= the load is named by its first word. In a job on several nodes NAME@2=SPEC "    \
    "puts the load on the job's second node (1 is the target's), NAME@all-others=SPEC on each of " \
    "the others; `@2 ` in front of one of several joined loads only that one. {node2} in a SPEC "  \
    "is that node's name. NAME@HOST=SPEC puts it on a host that ssh reaches.\n\n"
#define EXIT_HELP                                                                                  \
    "Exit status:\n"                                                                               \
    "  0  measured                          1  failure of jostle or of a load\n"                   \
    "  2  wrong use                         5  the target failed\n"                                \
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
              "the first one, too. Without --load TARGET runs once to see how many CPUs it uses, "
              "and is then measured as it shares them with a busy program, and beside neighbours "
              "on half of the other cores that use half of the memory bandwidth, of the cache and "
              "of the disk, and of the loopback where more than 100 kB/s goes over a network while "
              "it runs; it takes about a minute, or as long as six runs of each take.",
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
         "With --service it is the server that is protected, and that these settings are tried at. "
         "Without --try it tries all that this machine, the user and the load can have.",
     .details =
         "SETTING is NAME=VALUE for the load, target:NAME=VALUE for TARGET, both:NAME=VALUE, "
         "service:NAME=VALUE for the server of --service (whose client TARGET is then, also for "
         "target: and both:; each run has a new server), or several with blanks between. "
         "They are: nice, sched, ionice, cpus, group, "
         "cpu.weight, cpu.max, cpu.idle, cpu.uclamp.max, cpuset.cpus, cpuset.cpus.partition, "
         "memory.min, memory.low, memory.high, memory.max, io.weight, io.max, io.latency, "
         "resctrl (docs/protect.md), and those of --setting. slowdown takes them, too: --load "
         "'NAME=[SETTING...] SPEC'.\n\n"
         "With and without settings a load is the same: as many workers, and --limit N% of the "
         "same "
         "rate. Each setting is first tried where target and load will run (--place, "
         "--target-cpus, "
         "--load-cpus). One that this machine, or a load, cannot have is left out, and the report "
         "has the reason. Settings of a disk and of memory are tried for loads that use these, "
         "and where the load is a program of yours. Of a load that runs already (pid:N), or on "
         "another node, only settings of TARGET are tried. In each run the settings are read back "
         "from the load and from all that it has started: where a program has undone one, the "
         "run's "
         "record has that (undone), and the setting is not reported as measured. What the "
         "neighbour keeps is its rate; the CPU time of a load that has none (exec:) stands for "
         "it.\n\n"
         "Exit status:\n"
         "  0  measured (--until: kept)          1  failure of jostle or of a load\n"
         "  2  wrong use, or it cannot be set    3  --until: no setting keeps it\n"
         "  4  --until: undecided                5  the target failed\n"
         "  129, 130, 143  interrupted by a signal\n\n"
         "Examples:\n"
         "  jostle protect --load 'cpu --percent 100' -- ./solver input.dat\n"
         "  jostle protect --load 'build=exec: make -j8' --try nice=19 -- ./solver\n"
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

// hyperfine's: where the target writes.
static const char *const outputs[] = {"null", "pipe", "inherit", NULL};
static const char *const styles[] = {"auto", "basic", "full", "nocolor", "color", "none", NULL};

#define EXPORT(title, index, what)                                                                 \
    {                                                                                              \
        ROW(title, "FILE", OPTION_LIST, exports[index]),                                           \
            .help = "write the result to FILE as " what ", - for stdout"                           \
    }

static const struct option_row session_rows[] = {
    {ROW("load", "NAME=SPEC", OPTION_LIST, loads),
     .usual = "a neighbour: a command line of loadgen, or exec: COMMAND; may be given again",
     .help = "a load: a loadgen command line, joined by ' + ', or exec: COMMAND"},
    {ROW("output", "DIR", OPTION_TEXT, output),
     .usual = "folder for the records (default: jostle-results/TARGET.TIME)",
     .help = "folder for the records (default: jostle-results/TARGET.TIME)"},
    {ROW("on", "HOST", OPTION_TEXT, on),
     .usual = "measure at HOST, by ssh; the records are brought here",
     .help =
         "measure at this host, which ssh reaches without a question, or at each of several "
         "(a comma between), by the jostle there; where there is none a bundle (make bundle) is "
         "brought and removed; the records come here as they are made"},
    {ROW("resume", NULL, OPTION_FLAG, resume),
     .help = "continue the experiment in --output DIR, if it holds one: same command, loads and "
             "settings"},
    {ROW("cell", "FILE", OPTION_TEXT, cell),
     .help = "the cell of a campaign to measure: its command, loads and settings, where they are "
             "not given here; DIR/status.json then shows its progress"},
    {ROW("wait", "TIME", OPTION_TIME, wait_ns), .minimum = 1e9, .maximum = OPTION_TIME_MOST,
     .bare = "10min",
     .usual = "wait until the machine is quiet, for up to TIME (10min where none is given)",
     .help = "wait until other programs leave the machine alone, for up to TIME; without it jostle "
             "looks for a second, says who uses the CPUs, and goes on. It does not look where "
             "--max-time (--for) is below 10 s or a number of runs is given that makes 6 or less, "
             "for --at-most and --same-within (a gate compares runs of the same moment, and "
             "counts the noise), with --resume, --pause, --quiet or --no-probe"},
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
     .help = "the name of the first, second, ... command or --variant that has none of its own"},
    {ROW("no-shell", NULL, OPTION_FLAG, no_shell), .letter = 'N', .hidden = true,
     .help = "--shell=none"},
    {ROW("reference", "CMD", OPTION_TEXT, reference),
     .help = "the command, or variant, that the others are compared with (default: the first)"},
    {ROW("reference-name", "NAME", OPTION_TEXT, reference_name), .help = "its name"},
    EXPORT("export-json", 0, "hyperfine's JSON"),
    EXPORT("export-csv", 1, "hyperfine's CSV"),
    EXPORT("export-markdown", 2, "hyperfine's Markdown table"),
    EXPORT("export-asciidoc", 3, "hyperfine's AsciiDoc table"),
    EXPORT("export-orgmode", 4, "hyperfine's table of Org mode"),
    {ROW("style", "TYPE", OPTION_CHOICE, style), .choices = styles,
     .help = "as hyperfine has it: basic: without colours and a live line; none: as --quiet"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet), .help = "print nothing but errors"},
    {ROW("verbose", NULL, OPTION_FLAG, verbose),
     .usual = "show each run as it is made, and all that statistics have to say",
     .help = "show each command on stderr as it is run, and the notes on the result"},
    {0},
};

// These are for a slowdown without a load.
static const struct option_row panorama_rows[] = {
    {ROW("quick", NULL, OPTION_FLAG, quick),
     .usual = "without --load: about 15 s instead of a minute",
     .help = "without --load: take about 15 s instead of a minute"},
    {ROW("for", "TIME", OPTION_TIME, for_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .usual = "without --load: about so long; longer is more precise",
     .help = "without --load: take about TIME; longer is more precise"},
    {0},
};

// These are for protect.
static const struct option_row try_rows[] = {
    {ROW("try", "SETTING", OPTION_LIST, tries),
     .usual = "a setting, such as nice=19, target:nice=-5 or service:nice=-5; may be given again "
              "(default: all)",
     .help = "a setting, or several with blanks between; may be given again (default: all that can "
             "be set here)"},
    {0},
};

// hyperfine's options that have no use here: they are taken, and the help says why.
static const struct option_row moot_rows[] = {
    {ROW("sort", "METHOD", OPTION_TEXT, moot_text), .hidden = true,
     .help = "rows are in the order in which the commands are given"},
    {ROW("time-unit", "UNIT", OPTION_TEXT, moot_text), .letter = 'u', .hidden = true,
     .help = "each figure has its own unit, records and CSV have seconds"},
    {ROW("show-elapsed", NULL, OPTION_FLAG, moot), .letter = 'E', .hidden = true,
     .help = "on a terminal the run, and the time that is left, are always shown"},
    {ROW("min-benchmarking-time", "SECONDS", OPTION_TEXT, moot_text), .hidden = true,
     .help = "--error decides how long to measure, within --min-runs, --max-runs and --max-time"},
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

// Presets, then the command line; again where it has to be read in another way.
static void parse_line(struct plan_request *experiment, const struct program *program, int argc,
                       char **argv, int *rest)
{
    options_free(experiment->given);
    experiment->session = (struct session){0};
    experiment_settings_begin(&experiment->settings);
    experiment->given = options_parse(program, argc, argv, rest);
}

static bool is_after(const char *word, char **argv, int rest)
{
    return rest > 1 && strcmp(argv[rest - 1], word) == 0;
}

// As hyperfine has it: a shell follows --shell, and options follow commands, too. Then the command
// line is read again, which sets *rest.
static void parse_as_hyperfine(struct plan_request *experiment, struct program *program, int *argc,
                               char **argv, int *rest)
{
    const bool bare = is_after("--shell", argv, *rest) || is_after("-S", argv, *rest);
    if (bare && *rest + 1 < *argc && (shell_is_name(argv[*rest]) || is_command_line(argv[*rest]))) {
        argv[*rest - 1] = arena_format(&experiment->arena, "--shell=%s", argv[*rest]);
        memmove(argv + *rest, argv + *rest + 1, (size_t)(*argc - *rest - 1) * sizeof *argv);
        argv[--*argc] = NULL;
        parse_line(experiment, program, *argc, argv, rest);
    }
    if (*rest < *argc && !is_after("--", argv, *rest) && is_command_line(argv[*rest])) {
        program->stop_at_operand = false;
        parse_line(experiment, program, *argc, argv, rest);
    }
}

// What hyperfine's options are here.
static void take_foreign(struct session *session, struct settings *settings,
                         const struct options *given)
{
    for (size_t i = 0; outputs[i] != NULL; i++)
        if (session->output && strcmp(session->output, outputs[i]) == 0) {
            settings->out = session->output;
            session->output = NULL;
        }
    session->quiet = session->quiet || session->style == STYLE_NONE;
    for (const struct option_row *row = moot_rows; row->name != NULL; row++)
        if (options_given(given, row->name) && !session->quiet)
            complain("--%s has no effect: %s", row->name, row->help);
}

void arguments_parse(struct plan_request *experiment, const struct command *command, int argc,
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
        {.rows = moot_rows, .values = &experiment->session},
    };
    struct program program = {
        .name = command->name,
        .usage = "[--] TARGET [ARGS...]\n'CMD' 'CMD'...\n--variant [NAME=]CMD --variant "
                 "[NAME=]CMD...",
        .intro = command->intro,
        .details = command->details,
        .groups = groups,
        .group_count = sizeof groups / sizeof groups[0],
        .stop_at_operand = true,
        .other = "jostle slowdown",
        .other_rows = command->slowdown ? NULL : slowdown_rows,
    };
    int rest;
    parse_line(experiment, &program, argc, argv, &rest);
    parse_as_hyperfine(experiment, &program, &argc, argv, &rest);
    take_foreign(&experiment->session, &experiment->settings, experiment->given);
    experiment->after_dashes = strcmp(argv[rest - 1], "--") == 0;
    list_add_all(&experiment->target, &experiment->arena, (const char *const *)argv + rest,
                 (size_t)(argc - rest));
}

// The option that begins a word "--NAME=VALUE" of options_words().
static const struct option_row *row_of(struct arena *arena, const char *word)
{
    const struct option_row *const tables[] = {session_rows,  panorama_rows, try_rows,
                                               settings_rows, slowdown_rows, protect_rows,
                                               capacity_rows, moot_rows};
    const char *name = arena_format(arena, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const struct option_row *row = NULL;
    for (size_t i = 0; !row && i < sizeof tables / sizeof tables[0]; i++)
        row = option_find(tables[i], name);
    return row;
}

// The words of one option as people type them: the value apart, where it can be.
static json_t *option_words(struct arena *arena, const char *word)
{
    const struct option_row *row = row_of(arena, word);
    const char *value = strchr(word, '=');
    if (!value || value[1] == '-' || value[1] == '\0' || !row || row->bare || row->more > 0)
        return texts_to_json(&word, 1);
    const char *const words[] = {arena_format(arena, "%.*s", (int)(value - word), word), value + 1};
    return texts_to_json(words, 2);
}

json_t *arguments_asked(struct plan_request *experiment)
{
    // What is about the records and what is printed.
    static const char *const without[] = {"on",
                                          "output",
                                          "resume",
                                          "json",
                                          "quiet",
                                          "verbose",
                                          "style",
                                          "show-output",
                                          "wait",
                                          "export-json",
                                          "export-csv",
                                          "export-markdown",
                                          "export-asciidoc",
                                          "export-orgmode",
                                          "sort",
                                          "time-unit",
                                          "show-elapsed",
                                          "min-benchmarking-time",
                                          NULL};
    struct arena *arena = &experiment->arena;
    const struct option_list words = options_words(experiment->given, without, arena);
    json_t *options = json_array();
    for (size_t i = 0; i < words.count; i++)
        json_array_append_new(options, option_words(arena, words.item[i]));
    // hyperfine's --output is where the target writes.
    if (options_given(experiment->given, "output") && !experiment->session.output)
        json_array_append_new(options, json_pack("[s, s]", "--stdout", experiment->settings.out));
    return json_pack("{s:o, s:o, s:b}", "options", options, "target",
                     texts_to_json(experiment->target.item, experiment->target.count), "dashes",
                     experiment->after_dashes);
}

void session_check_files(const struct session *session)
{
    char path[PATH_MAX];
    size_t exports = 0;
    // The folder that has no name yet is in this one.
    const char *folder = session->output ?: "jostle-results";
    save_check_output(session->json, folder);
    for (size_t i = 0; i < EXPORTS; i++)
        for (size_t k = 0; k < session->exports[i].count; k++, exports++)
            save_check_output(session->exports[i].item[k], folder);
    if (exports == 0 || child_find("jq", path))
        return;
    complain("jq is not installed: it makes what --export-... writes: install jq 1.5 or newer, or "
             "leave these out");
    exit(EXIT_FAILURE);
}
