#include "adjust.h"

#include "common/cgroup.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define TARGET "target:"
#define LOAD   "load:"
#define BOTH   "both:"
#define ON     "on:"
#define OFF    "off:"

static void add(struct setting_texts *texts, const char *name, const char *text)
{
    if (texts->count == SETTINGS_MOST)
        usage_error("--load %s: more than %d settings: give fewer", name, SETTINGS_MOST);
    texts->text[texts->count++] = text;
}

/* "NAME=on: COMMAND; off: COMMAND": where the two begin. False: it is none. */
static bool split_own(const char *text, size_t *name, const char **on, const char **off)
{
    *name = strcspn(text, "=");
    if (*name == 0 || text[*name] != '=')
        return false;
    *on = text + *name + 1 + strspn(text + *name + 1, BLANKS);
    *off = strstr(*on, "; " OFF);
    if (!text_after(*on, ON) || *off == NULL)
        return false;
    *on += strlen(ON);
    return true;
}

bool adjustment_check_own(const char *text, char *error, size_t size)
{
    const char *on, *off;
    size_t name;
    if (split_own(text, &name, &on, &off))
        return true;
    snprintf(error, size, "what turns it on and off again? Give NAME='on: COMMAND; off: COMMAND'");
    return false;
}

/* A setting that is a name of --setting. */
static bool take_own(struct adjustment *adjustment, struct arena *arena, const char *text,
                     const struct option_list *own)
{
    const char *on, *off;
    size_t name;
    for (size_t i = 0; i < own->count; i++) {
        if (!split_own(own->item[i], &name, &on, &off) || strlen(text) != name ||
            strncmp(own->item[i], text, name) != 0)
            continue;
        const char *one = arena_format(arena, "%.*s", (int)(off - on), on);
        off += strlen("; " OFF);
        adjustment->on =
            adjustment->on == NULL ? one : arena_format(arena, "%s\n%s", adjustment->on, one);
        /* The last one that was turned on is the first to be turned off. */
        adjustment->off =
            adjustment->off == NULL ? off : arena_format(arena, "%s\n%s", off, adjustment->off);
        return true;
    }
    return false;
}

static void take(struct adjustment *adjustment, struct arena *arena, const char *name,
                 const char *text, const struct option_list *own)
{
    const bool both = text_after(text, BOTH), target = text_after(text, TARGET);
    const char *plain = text + (both                     ? strlen(BOTH)
                                : target                 ? strlen(TARGET)
                                : text_after(text, LOAD) ? strlen(LOAD)
                                                         : 0);
    struct setting setting;
    char error[SETTING_ERROR];
    if (take_own(adjustment, arena, text, own))
        return;
    if (!setting_read(&setting, plain, error, sizeof error))
        usage_error("--load %s: %s", name, error);
    if ((both || target) && strcmp(plain, "group=session") == 0)
        usage_error("--load %s: %s: a session is made for the load: leave out %s", name, text,
                    both ? BOTH : TARGET);
    if (!target && text_after(plain, "cpuset.cpus.partition="))
        usage_error("--load %s: %s: the load would keep its CPUs from all others also while it is "
                    "paused: give the setting to the target",
                    name, text);
    if (both || target)
        add(&adjustment->target, name, plain);
    if (both || !target)
        add(&adjustment->load, name, plain);
}

const char *adjustment_read(struct adjustment *adjustment, struct arena *arena, const char *name,
                            const char *spec, const struct option_list *own)
{
    const char *error, *begin = spec + strspn(spec, BLANKS);
    *adjustment = (struct adjustment){.on = NULL};
    if (*begin != '[')
        return spec;
    const char *end = strchr(begin, ']');
    if (end == NULL)
        usage_error("--load %s: [ has no ]: give [SETTING...] before the load", name);
    const char *list = arena_format(arena, "%.*s", (int)(end - begin - 1), begin + 1);
    size_t count = 0;
    char **words = words_split(list, &count, &error);
    if (words == NULL)
        usage_error("--load %s: [%s]: %s: check its quotes", name, list, error);
    arena_keep(arena, words);
    for (size_t i = 0; i < count; i++)
        take(adjustment, arena, name, words[i], own);
    return end + 1 + strspn(end + 1, BLANKS);
}

static bool is_possible(const struct setting_texts *texts, char *error, size_t size)
{
    struct setting settings[SETTINGS_MOST];
    for (size_t i = 0; i < texts->count; i++)
        if (!setting_read(&settings[i], texts->text[i], error, size))
            return false;
    return texts->count == 0 || settings_try(settings, texts->count, error, size);
}

bool adjustment_is_possible(const struct adjustment *adjustment, char *error, size_t size)
{
    return is_possible(&adjustment->load, error, size) &&
           is_possible(&adjustment->target, error, size);
}

void adjustment_try(const struct adjustment *adjustment, const char *name)
{
    char error[SETTING_ERROR];
    if (!adjustment_is_possible(adjustment, error, sizeof error))
        usage_error("--load %s: %s", name, error);
}

bool adjustment_is_none(const struct adjustment *adjustment)
{
    return adjustment->load.count == 0 && adjustment->target.count == 0 && adjustment->on == NULL;
}

bool adjustment_moves_target(const struct adjustment *adjustment)
{
    char folder[CGROUP_PATH];
    for (size_t i = 0; i < adjustment->target.count; i++) {
        const char *text = adjustment->target.text[i];
        const bool grouped =
            strcmp(text, "group=cgroup") == 0 || memchr(text, '.', strcspn(text, "=")) != NULL;
        if (grouped && !cgroup_own("cpu", folder))
            return true;
    }
    return false;
}

json_t *adjustment_to_json(const struct adjustment *adjustment)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "load",
                     texts_to_json(adjustment->load.text, adjustment->load.count), "target",
                     texts_to_json(adjustment->target.text, adjustment->target.count), "on",
                     text_to_json(adjustment->on), "off", text_to_json(adjustment->off));
}
