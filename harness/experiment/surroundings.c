#include "settings.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/cpus.h"
#include "common/left_on.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/sha256.h"
#include "common/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// The container engines that say the process of a container alike.
static const char *const engines[] = {"podman", "docker", NULL};

// "NAME" behind "podman:", and which of them it is; NULL: none.
static const char *container_of(const char *text, const char **engine)
{
    for (size_t i = 0; engines[i] != NULL; i++) {
        const char *rest = text_after(text, engines[i]);
        *engine = engines[i];
        if (rest && rest[0] == ':' && rest[1] != '\0')
            return rest + 1;
    }
    return NULL;
}

bool account_check(const char *text, char *error, size_t size)
{
    const char *engine, *path = text_after(text, "cgroup:");
    if ((path && *path == '/') || container_of(text, &engine) || strcmp(text, "job") == 0)
        return true;
    snprintf(error, size,
             "not known: give cgroup:PATH (its folder in /sys/fs/cgroup), podman:NAME, "
             "docker:NAME, or job");
    return false;
}

// The main process of a container.
static pid_t container_process(const char *engine, const char *name)
{
    const char *const words[] = {
        "sh",        "-c",       "exec \"$@\" 2>/dev/null", "sh", engine, "inspect", "--type",
        "container", "--format", "{{.State.Pid}}",          name, NULL};
    OWNED char *output = NULL;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int status = child_run(words, nothing, &output);
    const long pid = status == 0 && output ? strtol(output, NULL, 10) : 0;
    (void)close(nothing);
    if (pid <= 0)
        usage_error("--account %s:%s: no such container is running: start it first (%s ps)", engine,
                    name, engine);
    return (pid_t)pid;
}

// Those of a process; of a job up to its folder job_ID.
static size_t folders_of(struct arena *arena, pid_t process, bool job, const char *folders[2])
{
    static const char *const controllers[] = {"cpuacct", "memory"};
    char folder[CGROUP_PATH];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *controller = i < 2 ? controllers[i] : "";
        char *end = NULL;
        if ((i == 2 && count > 0) || !cgroup_of(process, controller, folder))
            continue;
        if (job) {
            end = strstr(folder, "/job_");
            if (!end)
                continue;
            end[1 + strcspn(end + 1, "/")] = '\0';
        }
        folders[count++] = arena_format(arena, "%s", folder);
    }
    return count;
}

// PATH, and where it is of version 1 the folder of the same name in the other hierarchy.
static size_t folders_at(struct arena *arena, const char *path, const char *folders[2])
{
    static const char top[] = "/sys/fs/cgroup/";
    const char *below = text_after(path, top);
    folders[0] = path;
    if (access(path, R_OK | X_OK) != 0)
        usage_error("--account cgroup:%s: there is no such folder: give one of a control group",
                    path);
    if (access(arena_format(arena, "%s/cgroup.controllers", path), F_OK) == 0 || !below)
        return 1;
    below += strcspn(below, "/");
    folders[0] = arena_format(arena, "%scpuacct%s", top, below);
    folders[1] = arena_format(arena, "%smemory%s", top, below);
    return access(folders[1], F_OK) == 0 ? 2 : 1;
}

size_t account_folders(struct arena *arena, const char *text, const char *folders[2])
{
    const char *engine, *name = container_of(text, &engine), *path = text_after(text, "cgroup:");
    if (path)
        return folders_at(arena, path, folders);
    const bool job = !name;
    const size_t count = folders_of(arena, job ? 0 : container_process(engine, name), job, folders);
    if (count == 0)
        usage_error("--account %s: it has no control group of its own here: leave it out", text);
    return count;
}

bool container_check(const char *text, char *error, size_t size)
{
    const char *engine;
    if (container_of(text, &engine))
        return true;
    snprintf(error, size, "not known: give podman:IMAGE or docker:IMAGE");
    return false;
}

const char *container_program(struct arena *arena)
{
    const char *folder = getenv("JOSTLE_LIB");
    return arena_format(arena, "%s/in-container", !folder ? "." : folder);
}

const char *container_load(struct arena *arena, const char *text, const char **engine,
                           const char **image)
{
    const char *end = strstr(text, ": ");
    for (size_t i = 0; engines[i] && end; i++) {
        const char *rest = text_after(text, engines[i]);
        if (!rest || *rest != ' ' || rest + 1 >= end)
            continue;
        *engine = engines[i];
        *image = arena_format(arena, "%.*s", (int)(end - rest - 1), rest + 1);
        return end + 2;
    }
    *engine = *image = NULL;
    return NULL;
}

struct option_list container_words(struct arena *arena, const char *where,
                                   const struct option_list *words)
{
    const char *engine, *image = container_of(where, &engine);
    char path[PATH_MAX];
    if (!child_find(engine, path))
        usage_error("--in %s: there is no %s here: install it, or leave out --in", where, engine);
    const char *const before[] = {container_program(arena), engine, image};
    struct option_list all = {0};
    list_add_all(&all, arena, before, sizeof before / sizeof before[0]);
    list_add_all(&all, arena, words->item, words->count);
    return all;
}

// All CPUs that are allowed, into text, which it returns.
static const char *all_cpus(char *text, size_t size)
{
    struct cpu_list list;
    return cpus_allowed(&list) == 0 ? cpus_format(&list, text, size) : "";
}

// What the program placement answers; it ends us when it refuses.
static json_t *ask_placement(const struct settings *settings)
{
    const bool is_clients = settings->service && settings->place;
    const char *const options[][2] = {{"--place", settings->place},
                                      {"--place-cpus", settings->place_cpus},
                                      {"--target-cpus", is_clients ? NULL : settings->target_cpus},
                                      {"--load-cpus", settings->load_cpus}};
    char path[PATH_MAX];
    OWNED char *text = NULL;
    const char *argv[3 + 2 * sizeof options / sizeof options[0]] = {child_path("placement", path),
                                                                    "--json"};
    size_t count = 2;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!options[i][1])
            continue;
        argv[count++] = options[i][0];
        argv[count++] = options[i][1];
    }
    const int status = child_run(argv, -1, &text);
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
    json_t *answer = json_loads(text, 0, NULL);
    if (answer)
        return answer;
    complain("%s: its answer cannot be read: run make", argv[0]);
    exit(EXIT_FAILURE);
}

// Takes the CPUs of a text out of a list.
static void leave_out_cpus(struct cpu_list *list, const char *text)
{
    struct cpu_list others;
    unsigned kept = 0;
    if (cpus_parse(text, &others) != 0)
        return;
    for (unsigned i = 0, k = 0; i < list->count; i++) {
        while (k < others.count && others.cpu[k] < list->cpu[i])
            k++;
        if (k == others.count || others.cpu[k] != list->cpu[i])
            list->cpu[kept++] = list->cpu[i];
    }
    list->count = kept;
}

// --place is about what is disturbed: with a service that is the service, and the target, its
// client, gets what CPUs are left; none are: it shares all that are allowed.
static void place_service(struct placed *placed, struct arena *arena,
                          const struct settings *settings)
{
    struct cpu_list rest;
    char text[CPUS_TEXT];
    placed->service_cpus = placed->target_cpus;
    placed->target_cpus = settings->target_cpus;
    if (placed->target_cpus || cpus_allowed(&rest) != 0)
        return;
    leave_out_cpus(&rest, placed->service_cpus);
    leave_out_cpus(&rest, placed->load_cpus);
    if (rest.count > 0)
        placed->target_cpus = arena_format(arena, "%s", cpus_format(&rest, text, sizeof text));
}

static void choose_cpus(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    json_auto_t *answer = ask_placement(settings);
    const char *place = settings->place;
    char all[CPUS_TEXT];
    if (place && !json_is_true(json_object_get(answer, "this_system")))
        usage_error("--place %s: hwloc shows another machine than this one: unset "
                    "HWLOC_SYNTHETIC and HWLOC_XMLFILE",
                    place);
    if (!place) {
        placed->target_cpus = settings->target_cpus;
        placed->load_cpus = settings->load_cpus;
    } else if (strcmp(place, "machine") != 0) {
        placed->target_cpus = arena_format(arena, "%s", json_text_or_empty(answer, "target_cpus"));
        placed->load_cpus = arena_format(arena, "%s", json_text_or_empty(answer, "load_cpus"));
        if (settings->service)
            place_service(placed, arena, settings);
    }
    JSON_EACH (warning, json_object_get(answer, "warnings")) {
        if (placed->target_cpus || placed->load_cpus)
            complain("%s", json_string_value(warning));
    }
    placed->record = json_pack("{s:O, s:O, s:O, s:O}", "place", json_object_get(answer, "place"),
                               "target_cpus", json_object_get(answer, "target_cpus"), "load_cpus",
                               json_object_get(answer, "load_cpus"), "quota_cpus",
                               json_object_get(answer, "quota_cpus"));
    if (placed->service_cpus)
        json_object_set_new(
            placed->record, "target_cpus",
            json_string(placed->target_cpus ? placed->target_cpus : all_cpus(all, sizeof all)));
}

// What the machine does not have is found now, and not by a server that does not start.
static void check_service_cpus(const struct settings *settings)
{
    struct cpu_list wanted, allowed;
    if (!settings->service_cpus)
        return;
    if (settings->place && strcmp(settings->place, "machine") != 0)
        usage_error("--place %s: it chooses the service's CPUs itself: leave out --service-cpus",
                    settings->place);
    if (cpus_parse(settings->service_cpus, &wanted) != 0 || cpus_allowed(&allowed) != 0)
        return;
    const int missing = cpus_missing(&wanted, &allowed);
    if (missing >= 0)
        usage_error("--service-cpus %s: CPU %d is not allowed here: jostle topology shows which "
                    "are",
                    settings->service_cpus, missing);
}

void placed_find(struct placed *placed, struct arena *arena, const struct settings *settings)
{
    char text[CPUS_TEXT];
    *placed = (struct placed){0};
    check_service_cpus(settings);
    if (!settings->place && !settings->place_cpus && !settings->target_cpus &&
        !settings->load_cpus) {
        // Nothing was chosen: both run wherever they may.
        const char *cpus = all_cpus(text, sizeof text);
        placed->record = json_pack("{s:n, s:s, s:s, s:o}", "place", "target_cpus", cpus,
                                   "load_cpus", cpus, "quota_cpus", number_to_json(cpus_quota()));
    } else {
        choose_cpus(placed, arena, settings);
    }
    if (!placed->service_cpus)
        placed->service_cpus = settings->service_cpus;
    json_object_set_new(placed->record, "service_cpus", text_to_json(placed->service_cpus));
}

void placed_free(struct placed *placed)
{
    json_decref(placed->record);
}
