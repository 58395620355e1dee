// Makes the variants of what the command line gives: TARGET, --variant, --revision and parameters.

#include "experiment.h"

#include "common/messages.h"
#include "common/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The names of variants: made of their words where none was given.

#define NAME_LONGEST 40

static const char *base_of(const struct variant *variant)
{
    const char *program = variant_program(variant), *slash = strrchr(program, '/');
    return !slash ? program : slash + 1;
}

// Its words, with the program's folder or without.
static const char *words_of(const struct variant *variant, bool folder)
{
    const char *program = variant_program(variant);
    const bool first = strncmp(variant->text, program, strlen(program)) == 0;
    return folder || !first ? variant->text : variant->text + (base_of(variant) - program);
}

// What it is called where nothing else is called so. Behind "sh -c" is what tells.
static const char *proposed(const struct variants *variants, struct arena *arena,
                            const struct variant *variant)
{
    bool alone = true, apart = true; // by its program, by its words without the folder
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *other = &variants->variant[i];
        if (other == variant || other->name)
            continue;
        alone = alone && strcmp(base_of(other), base_of(variant)) != 0;
        apart =
            apart && strncmp(words_of(other, false), words_of(variant, false), NAME_LONGEST) != 0;
    }
    const char *text = variant->shell ? variant->words.item[variant->words.count - 1]
                       : alone        ? base_of(variant)
                                      : words_of(variant, !apart);
    return name_clean(arena, arena_format(arena, "%.*s", NAME_LONGEST, text));
}

static bool is_taken(const struct variants *variants, const char *name)
{
    for (size_t i = 0; i < variants->count; i++)
        if (variants->variant[i].name && strcmp(variants->variant[i].name, name) == 0)
            return true;
    return false;
}

// Names of --command-name may be any text, also twice: a .2 where nothing else tells two apart.
static void number_titles(struct variants *variants, struct arena *arena)
{
    for (size_t i = 1; i < variants->count; i++) {
        struct variant *variant = &variants->variant[i];
        const struct variants before = {.variant = variants->variant, .count = i};
        const char *name = variant->name;
        if (!variant->named || strcmp(variant->named, "command-name") != 0)
            continue;
        for (int number = 2; is_taken(&before, variant->name); number++)
            variant->name = arena_format(arena, "%s.%d", name, number);
    }
}

// Names the variants that have no name: by their program where that tells them apart, else
// by all of their words ("sort_-n"); a .2 where the name is taken.
static void naming_complete(struct variants *variants, struct arena *arena)
{
    const char **names = arena_take(arena, variants->count * sizeof *names);
    for (size_t i = 0; i < variants->count; i++)
        names[i] = proposed(variants, arena, &variants->variant[i]);
    for (size_t i = 0; i < variants->count; i++) {
        const char *name = names[i];
        if (variants->variant[i].name)
            continue;
        for (int number = 2; is_taken(variants, name); number++)
            name = arena_format(arena, "%s.%d", names[i], number);
        variants->variant[i].name = name;
    }
}

// What one --variant, or TARGET, says.
struct source {
    const char *name;                // NULL: none was given
    const char *title;               // the name as it was written; NULL: it is like name
    const char *text;                // to be split, or for a shell; NULL: the words of TARGET
    const struct revision *revision; // NULL: none
};

struct maker {
    struct plan_request *experiment;
    struct arena *arena;
    struct variants *variants;
    struct settings *settings;
    struct source *source;
    size_t source_count;
    struct shell shell;
};

static const char *fill_parameters(const struct maker *maker, size_t combination, const char *text)
{
    return parameters_fill(&maker->variants->parameters, maker->arena, combination, text);
}

// ---- where commands come from ----

// What is in front of the = of 'NAME=COMMAND' but cannot be a name would be looked for as a
// program.
static void check_unnamed(const char *text)
{
    const size_t length = strcspn(text, "= \t\n\\'\"/$`|&;<>()");
    const size_t word = strcspn(text, " \t\n");
    OWNED char *program = must(strndup(text, word));
    if (length > 0 && text[length] == '=' && !names_program(program))
        usage_error(
            "--variant %s: '%.*s' cannot be a name: write one of letters from A to Z, digits "
            "and . _ %% - in front of the =",
            text, (int)length, text);
}

static void read_variants(struct maker *maker)
{
    const struct option_list *texts = &maker->settings->variant;
    if (maker->experiment->revisions.count > 0)
        usage_error("--variant and --revision: give one of them: a revision is a variant of "
                    "TARGET");
    if (maker->experiment->target.count > 0)
        usage_error("--variant has the command itself: leave out what follows the options (%s)",
                    maker->experiment->target.item[0]);
    if (texts->count == 1 && maker->variants->parameters.combinations == 1)
        usage_error("--variant: one is nothing to compare: give two or more, the first of which "
                    "is the reference");
    if (maker->experiment->session.reference)
        usage_error("--reference with --variant: the first --variant is the reference: leave out "
                    "--reference");
    for (size_t i = 0; i < texts->count; i++) {
        struct source source = {0};
        source.text = name_read(maker->arena, texts->item[i], &source.name);
        if (!source.name)
            check_unnamed(source.text);
        if (source.text[strspn(source.text, " \t\n")] == '\0')
            usage_error("--variant %s: no command: give NAME='COMMAND ARGUMENT...'",
                        texts->item[i]);
        maker->source[maker->source_count++] = source;
    }
}

// `run ./old ./new` has no second program, as with hyperfine, but an argument.
static void warn_of_programs(const struct plan_request *experiment)
{
    const char **target = experiment->target.item;
    for (size_t i = 0; i < experiment->target.count; i++) {
        struct stat status;
        if (!strchr(target[i], '/') || access(target[i], X_OK) != 0 ||
            stat(target[i], &status) != 0 || !S_ISREG(status.st_mode))
            return;
    }
    if (experiment->target.count > 1 && !experiment->after_dashes && !experiment->session.quiet)
        complain("'%s' is an argument of '%s', which is measured alone: to compare programs give "
                 "each with --variant; if it is meant, write -- before '%s'",
                 target[1], target[0], target[0]);
}

// A command of those that are compared.
static void add_command(struct maker *maker, const char *text)
{
    if (text[strspn(text, " \t\n")] == '\0')
        usage_error("an empty command: give one with a program in it");
    maker->source[maker->source_count++] = (struct source){.text = text};
}

// hyperfine's 'CMD' 'CMD'..., the reference first.
static void read_commands(struct maker *maker)
{
    const struct plan_request *experiment = maker->experiment;
    if (experiment->revisions.count > 0)
        usage_error("--revision: of one command: give several with --variant, or one");
    if (experiment->session.reference)
        add_command(maker, experiment->session.reference);
    for (size_t i = 0; i < experiment->target.count; i++)
        add_command(maker, experiment->target.item[i]);
    if (maker->source_count == 1)
        usage_error("--reference: one is nothing to compare: give the others behind the options");
}

// TARGET is a command line where it is one word, and no program of that name.
static void read_target(struct maker *maker)
{
    const struct plan_request *experiment = maker->experiment;
    const struct revisions *revisions = &experiment->revisions;
    const char *first = experiment->target.count == 0 ? "" : experiment->target.item[0];
    const bool shell = maker->settings->shell && strcmp(maker->settings->shell, SHELL_NONE) != 0;
    if (experiment->target.count == 0)
        usage_error("no target: write the command to measure after --");
    if (experiment->target.count > 1 && shell)
        usage_error("--shell: TARGET is %zu words: give the shell's command line as one word (the "
                    "shell as --shell=%s)",
                    experiment->target.count, first);
    if (revisions->count == 1 && maker->variants->parameters.combinations == 1)
        usage_error("--revision: one is nothing to compare: give two or more, the first of which "
                    "is the reference");
    if (experiment->target.count > 1 && is_command_line(first))
        usage_error("there is no program '%s': what follows -- are a program and its arguments: "
                    "leave out -- to compare commands",
                    first);
    if (experiment->target.count > 1 && words_builtin(first) && !names_program(first))
        usage_error("'%s' is no program, but a command of the shell: give the whole line as one "
                    "word, in quotes, or with --shell",
                    first);
    warn_of_programs(experiment);
    const bool text = experiment->target.count == 1 && (shell || !names_program(first));
    const struct source source = {.text = text ? first : NULL};
    if (revisions->count == 0)
        maker->source[maker->source_count++] = source;
    for (size_t i = 0; i < revisions->count; i++) {
        const struct revision *revision = &revisions->revision[i];
        maker->source[maker->source_count++] =
            (struct source){.name = revision->name, .text = source.text, .revision = revision};
    }
}

// Whether each word is a command of its own, as with hyperfine.
static bool are_commands(const struct plan_request *experiment)
{
    if (experiment->session.reference)
        return true;
    return experiment->target.count > 1 && !experiment->after_dashes &&
           is_command_line(experiment->target.item[0]);
}

static void name_source(const struct maker *maker, struct source *source, const char *title)
{
    source->name = name_clean(maker->arena, title);
    source->title = title;
}

static void take_names(struct maker *maker)
{
    const struct option_list *names = &maker->experiment->session.names;
    const char *reference_name = maker->experiment->session.reference_name;
    const size_t first = maker->experiment->session.reference != NULL;
    if (reference_name)
        name_source(maker, &maker->source[0], reference_name);
    if (names->count > maker->source_count - first)
        usage_error("--command-name: %zu names for %zu commands: give at most one for each",
                    names->count, maker->source_count - first);
    for (size_t i = 0; i < names->count; i++)
        name_source(maker, &maker->source[first + i], names->item[i]);
}

// ---- which shell ----

// Whether a command line is one that only a shell can run.
static bool needs_shell(const char *text)
{
    const char *error = NULL;
    size_t count = 0, first = 0;
    if (words_need_shell(text))
        return true;
    OWNED char **words = words_split(text, &count, &error);
    while (words && first < count && words_assignment(words[first]))
        first++;
    return words && first < count && words_builtin(words[first]) && !names_program(words[first]);
}

// With --shell=none an operator is refused: a program that is given `<` as an argument is measured
// without its input. What a shell would expand is an argument that some programs want as it is.
static void check_without_shell(const char *text, bool quiet)
{
    const char *operator= words_operator(text);
    char name[2];
    if (operator!= NULL)
        usage_error("'%.80s': without a shell, %s would be an argument like any other: quote it if "
                    "that is meant, or leave out --shell=none (-N)",
                    text, words_operator_name(operator, name));
    if (words_need_shell(text) && !quiet)
        complain("'%.80s' is run without a shell, so nothing in it is expanded", text);
}

static void check_all_without_shell(const struct maker *maker)
{
    const bool quiet = maker->experiment->session.quiet;
    if (maker->settings->service)
        check_without_shell(maker->settings->service, quiet);
    for (size_t i = 0; i < maker->source_count; i++)
        for (size_t j = 0; j < maker->variants->parameters.combinations; j++)
            if (maker->source[i].text)
                check_without_shell(fill_parameters(maker, j, maker->source[i].text), quiet);
}

// All have a shell, or none has: its start would else be part of the comparison.
static void choose_shell(struct maker *maker)
{
    struct settings *settings = maker->settings;
    const char *needs = NULL;
    for (size_t i = 0; i < maker->source_count && !needs; i++)
        for (size_t j = 0; j < maker->variants->parameters.combinations && !needs; j++)
            if (maker->source[i].text &&
                needs_shell(fill_parameters(maker, j, maker->source[i].text)))
                needs = maker->source[i].text;
    if (settings->shell)
        maker->shell = shell_read(maker->arena, settings->shell);
    else if (needs)
        maker->shell = shell_read(maker->arena, SHELL_DEFAULT);
    if (settings->shell && !maker->shell.name)
        check_all_without_shell(maker);
    if (!settings->shell && needs && !maker->experiment->session.quiet)
        complain("'%.80s' is run by sh, whose start is part of the figures (--shell=none: by "
                 "none)",
                 needs);
    settings->shell = maker->shell.name;
}

// ---- the variants ----

static void check_program(const struct variant *variant, const struct maker *maker, bool named)
{
    const char *program = variant_program(variant);
    const bool made =
        maker->settings->setup || maker->settings->prepare.count > 0 || variant->revision;
    const bool whole = strcmp(program, variant->text) == 0;
    if (made || names_program(program))
        return;
    const char *why = strchr(program, '/') ? strerror(errno) : "not in PATH";
    usage_error("there is no program '%s'%s%.80s%s that can be run: %s: check the command%s",
                program, whole ? "" : ", of '", whole ? "" : variant->text, whole ? "" : "',", why,
                named ? " (what is in front of the first = is the variant's name)" : "");
}

static void split_command(struct variant *variant, const struct maker *maker, const char *text)
{
    const char *error = NULL;
    size_t count = 0, variables = 0;
    char **words = words_split(text, &count, &error);
    if (!words)
        usage_error("'%s': %s: check its quotes", text, error);
    arena_keep(maker->arena, words);
    while (variables < count && words_assignment(words[variables]))
        variables++;
    if (variables == count)
        usage_error("'%s': no command: write one%s", text,
                    count == 0 ? "" : " behind the variables");
    variant->words = (struct option_list){.count = count, .item = (const char **)words};
}

// Whether a text has a place for each parameter.
static bool has_all_parameters(const struct maker *maker, const char *text)
{
    const struct parameters *parameters = &maker->variants->parameters;
    for (size_t i = 0; i < parameters->count; i++)
        if (!strstr(text, arena_format(maker->arena, "{%s}", parameters->parameter[i].name)))
            return false;
    return true;
}

// "new,threads=2", or what the name itself says of the parameters; NULL: it has no name yet.
static const char *name_of(const struct maker *maker, const struct source *source,
                           size_t combination)
{
    const struct parameters *parameters = &maker->variants->parameters;
    const char *values = parameters_name(parameters, maker->arena, combination);
    if (parameters->count == 0)
        return source->name;
    if (!source->name)
        return maker->source_count == 1 ? name_clean(maker->arena, values) : NULL;
    const char *name = fill_parameters(maker, combination, source->title ?: source->name);
    if (!source->title || !has_all_parameters(maker, source->title))
        name = arena_format(maker->arena, "%s,%s", name, values);
    return name_clean(maker->arena, name);
}

static void add_variant(struct maker *maker, const struct source *source, size_t combination)
{
    struct variants *variants = maker->variants;
    struct variant *variant = &variants->variant[variants->count++];
    const struct shell *shell = &maker->shell;
    const struct plan_request *experiment = maker->experiment;
    const char *text = source->text ? fill_parameters(maker, combination, source->text) : NULL;
    variant->combination = combination;
    variant->revision = source->revision;
    variant->folder = source->revision ? source->revision->folder : NULL;
    variant->name = name_of(maker, source, combination);
    variant->given = source->name;
    if (source->name) {
        variant->title = fill_parameters(maker, combination, source->title ?: source->name);
        variant->named = source->title ? "command-name" : source->revision ? "revision" : "variant";
    }
    // Its own words, or a text as the shell's last word, or those of TARGET.
    if (text && !shell->name)
        split_command(variant, maker, text);
    else if (text)
        list_add_all(&variant->words, maker->arena, shell->words.item, shell->words.count);
    if (text && shell->name)
        list_add(&variant->words, maker->arena, text);
    for (size_t i = 0; !text && i < experiment->target.count; i++)
        list_add(&variant->words, maker->arena,
                 fill_parameters(maker, combination, experiment->target.item[i]));
    variant->text =
        arena_keep(maker->arena, words_quote(variant->words.item, variant->words.count));
    variant->line = text ?: variant->text;
    variant->shell = text ? shell->name : NULL;
    if (!variant->shell)
        check_program(variant, maker, source->name);
}

// A command of --setup and the like, for this variant.
static const char *fill_hook(const struct maker *maker, const struct variant *variant,
                             const char *text)
{
    static const char name[] = "{variant}";
    const char *place;
    if (!text)
        return NULL;
    text = fill_parameters(maker, variant->combination, text);
    while (variant->name && (place = strstr(text, name)) != NULL)
        text = arena_format(maker->arena, "%.*s%s%s", (int)(place - text), text, variant->name,
                            place + strlen(name));
    return text;
}

// ---- what is refused ----

static bool is_used(const struct maker *maker, const char *name)
{
    const struct settings *settings = maker->settings;
    const char *place = arena_format(maker->arena, "{%s}", name);
    const char *const hooks[] = {settings->setup, settings->cleanup};
    const struct option_list *const each[] = {&settings->prepare, &settings->conclude};
    for (size_t i = 0; i < maker->experiment->target.count; i++)
        if (strstr(maker->experiment->target.item[i], place))
            return true;
    for (size_t i = 0; i < maker->source_count; i++)
        if (maker->source[i].text && strstr(maker->source[i].text, place))
            return true;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (hooks[i] && strstr(hooks[i], place))
            return true;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < each[i]->count; k++)
            if (strstr(each[i]->item[k], place))
                return true;
    return false;
}

// The hook of a variant, from a list of one for all, or of one for each command or variant.
static const char *item_for(const struct maker *maker, const struct option_list *list,
                            const char *option, size_t variant)
{
    if (list->count == 0)
        return NULL;
    if (list->count == 1)
        return list->item[0];
    if (list->count == maker->variants->count)
        return list->item[variant];
    if (list->count != maker->source_count)
        usage_error("--%s: %zu for %zu commands: give one for all, or one for each", option,
                    list->count, maker->source_count);
    return list->item[variant % maker->source_count];
}

static void make_all(struct maker *maker)
{
    struct variants *variants = maker->variants;
    const size_t combinations = variants->parameters.combinations;
    const size_t count = maker->source_count * combinations;
    if (count > COMBINATIONS_MOST)
        usage_error("%zu variants: give at most %d, or make a campaign of them", count,
                    COMBINATIONS_MOST);
    choose_shell(maker);
    variants->variant = arena_take(maker->arena, count * sizeof *variants->variant);
    for (size_t i = 0; i < combinations; i++)
        for (size_t j = 0; j < maker->source_count; j++)
            add_variant(maker, &maker->source[j], i);
    variants->named = count > 1 || maker->source[0].name;
    if (variants->named)
        naming_complete(variants, maker->arena);
    else
        variants->variant[0].name = NULL;
    for (size_t i = 0; i < count; i++)
        if (!variants->variant[i].given)
            variants->variant[i].given = variants->variant[i].name;
}

void variants_make(struct plan_request *experiment)
{
    struct settings *settings = &experiment->settings;
    struct variants *variants = &experiment->variants;
    const size_t sources =
        settings->variant.count + experiment->revisions.count + experiment->target.count + 2;
    struct maker maker = {.experiment = experiment,
                          .arena = &experiment->arena,
                          .variants = variants,
                          .settings = settings,
                          .source = arena_take(&experiment->arena, sources * sizeof *maker.source)};
    parameters_read(&variants->parameters, maker.arena, &settings->parameter_list,
                    &settings->parameter_scan, settings->parameter_step);
    if (settings->variant.count > 0)
        read_variants(&maker);
    else if (are_commands(experiment))
        read_commands(&maker);
    else
        read_target(&maker);
    take_names(&maker);
    for (size_t i = 0; i < variants->parameters.count; i++) {
        const char *name = variants->parameters.parameter[i].name;
        if (!is_used(&maker, name))
            usage_error("parameter %s: there is no {%s} in the command: write it where the value "
                        "is to be",
                        name, name);
    }
    make_all(&maker);
    number_titles(variants, &experiment->arena);
    for (size_t i = 0; variants->named && i < variants->count; i++)
        for (size_t k = i + 1; k < variants->count; k++)
            if (strcmp(variants->variant[i].name, variants->variant[k].name) == 0)
                usage_error("the name %s is taken: give each variant its own",
                            variants->variant[i].name);
    if (variants->named && settings->aa)
        usage_error("--aa with variants: give the same command twice, as two --variant");
    for (size_t i = 0; i < variants->count; i++) {
        struct variant *variant = &variants->variant[i];
        variant->setup = fill_hook(&maker, variant, settings->setup);
        variant->prepare =
            fill_hook(&maker, variant, item_for(&maker, &settings->prepare, "prepare", i));
        variant->conclude =
            fill_hook(&maker, variant, item_for(&maker, &settings->conclude, "conclude", i));
        variant->cleanup = fill_hook(&maker, variant, settings->cleanup);
    }
}
