// --on: an experiment that another host makes, by its own jostle. What this one has to do is to
// have a folder for the records, and to hand the command line over.

#include "experiment.h"

#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options that are about this machine: what is left of the command line is for the host.
static const struct own_option {
    const char *name;
    bool flag;
} own_options[] = {
    {"on", false},
    {"output", false},
    {"resume", true},
    {"json", false},
    {"quiet", true},
    {"style", false},
    {"export-json", false},
    {"export-csv", false},
    {"export-markdown", false},
    {"export-asciidoc", false},
    {"export-orgmode", false},
    {NULL, false},
};

// The one that a word is, written in full, or NULL; *words is how many it takes.
static const struct own_option *own_option(const char *word, size_t *words)
{
    for (const struct own_option *option = own_options; option->name; option++) {
        const size_t length = strlen(option->name);
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, option->name, length) != 0)
            continue;
        const char end = word[2 + length];
        *words = end == '\0' && !option->flag ? 2 : 1;
        if (end == '\0' || (end == '=' && !option->flag))
            return option;
    }
    return NULL;
}

// The words of the command line that the host is given.
static void put_words(const struct experiment *experiment)
{
    char *const *argv = experiment->argv;
    for (size_t i = 1, words = 1; i < experiment->options_end; i += words) {
        words = 1;
        const struct own_option *own = own_option(argv[i], &words);
        if (!own)
            pair_put("on_word", argv[i]);
        if (!own || strcmp(own->name, "output") != 0 || experiment->session.output)
            continue;
        // hyperfine's --output is where the target writes.
        pair_put("on_word", "--stdout");
        pair_put("on_word", experiment->settings.out);
    }
    for (size_t i = 0; i < experiment->target_count; i++)
        pair_put("on_word", experiment->target[i]);
}

static void check(const struct experiment *experiment)
{
    const struct session *session = &experiment->session;
    const bool files = session->json || experiment->session.show_output;
    if (session->cell)
        usage_error("--on and --cell: a cell is measured where its job runs: leave out --on");
    if (session->resume && !session->output)
        usage_error("--resume: which experiment? Give its folder with --output");
    for (size_t i = 0; i < EXPORTS; i++)
        if (strchr(session->on, ',') && (files || session->exports[i].count > 0))
            usage_error("--on %s: --json, --export-... and --show-output are for one host: use "
                        "jostle report with its folder",
                        session->on);
}

// The program's name, for the folder.
static const char *program_name(struct experiment *experiment)
{
    const struct option_list *variants = &experiment->settings.variant;
    const char *text = experiment->target_count > 0 ? experiment->target[0]
                       : variants->count > 0        ? variants->item[0]
                                                    : "";
    return arena_format(&experiment->arena, "%.*s", (int)strcspn(text, " "), text);
}

static void put_host(struct experiment *experiment, const char *host, const char *path)
{
    if (*host == '\0' || *host == '-' || host[strspn(host, HOST_CHARACTERS)] != '\0')
        usage_error("--on %s: not the name of a host: give one as ssh has it, such as web1 or "
                    "alice@web1, or several, such as web1,web2",
                    experiment->session.on);
    const bool resume = experiment->session.resume;
    json_t *old = resume ? resume_read(&experiment->arena, path) : NULL;
    experiment_folder_open(&experiment->folder, &experiment->arena, path, resume, old != NULL);
    experiment_folder_close(&experiment->folder);
    json_decref(old);
    pair_put("on_host", host);
    pair_put("on_folder", experiment->folder.path);
}

bool elsewhere_write(struct experiment *experiment)
{
    struct session *session = &experiment->session;
    char *rest = NULL;
    if (!session->on)
        return true;
    check(experiment);
    const char *path = session->output
                           ? session->output
                           : folder_default(&experiment->arena, program_name(experiment));
    char *hosts = arena_format(&experiment->arena, "%s", session->on);
    const bool several = strchr(hosts, ',');
    for (char *host = strtok_r(hosts, ",", &rest); host; host = strtok_r(NULL, ",", &rest))
        put_host(experiment, host,
                 several ? arena_format(&experiment->arena, "%s/%s", path, host) : path);
    put_words(experiment);
    plan_write_session(experiment);
    plan_write_resume(experiment, path);
    return fflush(stdout) == 0;
}
