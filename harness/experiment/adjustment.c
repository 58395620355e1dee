// Reads the settings of the kernel that a condition has, [SETTING...] and --setting, and tries
// them.

#include "settings.h"

#include "common/cgroup.h"
#include "common/left_on.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/sha256.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define ON     "on:"
#define OFF    "off:"

// Whose a setting is.
enum whose { OF_LOAD = 1, OF_TARGET = 2, OF_SERVICE = 4 };

// What is in front of a setting that says so.
static const struct {
    const char *prefix;
    unsigned whose;
} owners[] = {{"load:", OF_LOAD},
              {TARGET_PREFIX, OF_TARGET},
              {"both:", OF_LOAD | OF_TARGET},
              {SERVICE_PREFIX, OF_SERVICE}};

static void add_setting(struct option_list *texts, struct arena *arena, const char *name,
                        const char *text)
{
    if (texts->count == SETTINGS_MOST)
        usage_error("--load %s: more than %d settings: give fewer", name, SETTINGS_MOST);
    list_add(texts, arena, text);
}

// "NAME=on: COMMAND; off: COMMAND": where the two begin. False: it is none.
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

// A setting that is a name of --setting.
static bool take_own(struct adjustment *adjustment, struct arena *arena, const char *text,
                     const struct option_list *own)
{
    const char *on, *off;
    size_t name;
    for (size_t i = 0; i < own->count; i++) {
        if (!split_own(own->item[i], &name, &on, &off) || strlen(text) != name ||
            strncmp(own->item[i], text, name) != 0)
            continue;
        list_add(&adjustment->own, arena, arena_format(arena, "%s", text));
        const char *one = arena_format(arena, "%.*s", (int)(off - on), on);
        off += strlen("; " OFF);
        adjustment->on = !adjustment->on ? one : arena_format(arena, "%s\n%s", adjustment->on, one);
        // The last one that was turned on is the first to be turned off.
        adjustment->off =
            !adjustment->off ? off : arena_format(arena, "%s\n%s", off, adjustment->off);
        return true;
    }
    return false;
}

// Takes the prefix off the setting at *text; without one it is the load's.
static unsigned whose_setting(const char **text)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const char *rest = text_after(*text, owners[i].prefix);
        if (!rest)
            continue;
        *text = rest;
        return owners[i].whose;
    }
    return OF_LOAD;
}

static void take_setting(struct adjustment *adjustment, struct arena *arena, const char *name,
                         const char *text, const struct option_list *own)
{
    const char *plain = text;
    const unsigned whose = whose_setting(&plain);
    struct setting setting;
    char error[SETTING_ERROR];
    if (take_own(adjustment, arena, text, own))
        return;
    if (!setting_read(&setting, plain, error, sizeof error))
        usage_error("--load %s: %s", name, error);
    if (whose != OF_LOAD && strcmp(plain, "group=session") == 0)
        usage_error("--load %s: %s: a session is made for the load: leave out %.*s", name, text,
                    (int)(plain - text), text);
    if ((whose & OF_LOAD) != 0 && text_after(plain, "cpuset.cpus.partition="))
        usage_error("--load %s: %s: the load would keep its CPUs from all others also while it is "
                    "paused: give the setting to the target",
                    name, text);
    if ((whose & OF_TARGET) != 0)
        add_setting(&adjustment->target, arena, name, plain);
    if ((whose & OF_LOAD) != 0)
        add_setting(&adjustment->load, arena, name, plain);
    if ((whose & OF_SERVICE) != 0)
        add_setting(&adjustment->service, arena, name, plain);
}

const char *adjustment_read(struct adjustment *adjustment, struct arena *arena, const char *name,
                            const char *spec, const struct option_list *own)
{
    const char *error, *begin = spec + strspn(spec, BLANKS);
    *adjustment = (struct adjustment){.on = NULL};
    if (*begin != '[')
        return spec;
    const char *end = strchr(begin, ']');
    if (!end)
        usage_error("--load %s: [ has no ]: give [SETTING...] before the load", name);
    const char *list = arena_format(arena, "%.*s", (int)(end - begin - 1), begin + 1);
    size_t count = 0;
    char **words = words_split(list, &count, &error);
    if (!words)
        usage_error("--load %s: [%s]: %s: check its quotes", name, list, error);
    arena_keep(arena, words);
    for (size_t i = 0; i < count; i++)
        take_setting(adjustment, arena, name, words[i], own);
    return end + 1 + strspn(end + 1, BLANKS);
}

static bool is_possible(const struct option_list *texts, char *error, size_t size)
{
    struct setting settings[SETTINGS_MOST];
    for (size_t i = 0; i < texts->count; i++)
        if (!setting_read(&settings[i], texts->item[i], error, size))
            return false;
    return texts->count == 0 || settings_try(settings, texts->count, error, size);
}

// Whether this machine lets us set all of them: they are tried. False with a reason.
static bool adjustment_is_possible(const struct adjustment *adjustment, char *error, size_t size)
{
    return is_possible(&adjustment->load, error, size) &&
           is_possible(&adjustment->target, error, size) &&
           is_possible(&adjustment->service, error, size);
}

void adjustment_try(const struct adjustment *adjustment, const char *name)
{
    char error[SETTING_ERROR];
    if (!adjustment_is_possible(adjustment, error, sizeof error))
        usage_error("--load %s: %s", name, error);
}

bool adjustment_is_none(const struct adjustment *adjustment)
{
    return adjustment->load.count == 0 && adjustment->target.count == 0 &&
           adjustment->service.count == 0 && !adjustment->on;
}

bool settings_move(const struct option_list *settings)
{
    char folder[CGROUP_PATH];
    for (size_t i = 0; i < settings->count; i++) {
        const char *text = settings->item[i];
        const bool grouped =
            strcmp(text, "group=cgroup") == 0 || memchr(text, '.', strcspn(text, "="));
        if (grouped && !cgroup_of(0, "cpu", folder))
            return true;
    }
    return false;
}

void own_setting_check_place(const char *name)
{
    char path[PATH_MAX];
    if (left_on_path("", path) == 0)
        return;
    complain("--setting %s: no place to keep that it is on: set HOME or XDG_CACHE_HOME", name);
    exit(EXIT_FAILURE);
}

struct own_setting own_setting_read(struct arena *arena, const char *text)
{
    struct own_setting setting;
    char digits[SHA256_DIGITS + 1], path[PATH_MAX];
    const char *on, *off;
    size_t name;
    (void)split_own(text, &name, &on, &off); // checked before
    setting.name = arena_format(arena, "%.*s", (int)name, text);
    setting.on = arena_format(arena, "%.*s", (int)(off - on), on);
    off += strlen("; " OFF);
    setting.off = off + strspn(off, BLANKS);
    (void)left_on_path("", path);
    sha256_hex(setting.off, strlen(setting.off), digits);
    const char *by_off = arena_format(arena, "%scommand-%.16s", path, digits);
    sha256_hex(setting.name, name, digits);
    setting.note = arena_format(arena, "%s" LEFT_ON_NOTE, by_off);
    // All take them in one order: nobody waits for who waits for him.
    setting.locks[0] = arena_format(arena, "%s" LEFT_ON_LOCK, by_off);
    setting.locks[1] = arena_format(arena, "%sname-%.16s" LEFT_ON_LOCK, path, digits);
    return setting;
}

json_t *adjustment_to_json(const struct adjustment *adjustment)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "load",
                     texts_to_json(adjustment->load.item, adjustment->load.count), "target",
                     texts_to_json(adjustment->target.item, adjustment->target.count), "service",
                     texts_to_json(adjustment->service.item, adjustment->service.count), "own",
                     texts_to_json(adjustment->own.item, adjustment->own.count), "on",
                     text_to_json(adjustment->on), "off", text_to_json(adjustment->off));
}
