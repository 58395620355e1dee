// Keeps the processes that were seen, and the family of each.

#include "blame.h"

#include "common/file.h"
#include "common/grouping.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/processes.h"
#include "common/version.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

// Younger ones are their family's: a compiler, a command of a script.
#define SHORT_S 1.0

struct who *who_find(const struct whos *whos, pid_t pid)
{
    struct who *found = NULL;
    for (struct who *who = whos->bucket[(unsigned)pid % WHO_BUCKETS]; who; who = who->next)
        if (who->pid == pid && (!found || who->started > found->started))
            found = who;
    return found;
}

struct who *who_of(struct whos *whos, const struct process *process, bool *added)
{
    struct who **bucket = &whos->bucket[(unsigned)process->pid % WHO_BUCKETS], *who = *bucket;
    while (who && !(who->pid == process->pid && who->started == process->started))
        who = who->next;
    *added = !who;
    if (!who) {
        who = must(calloc(1, sizeof *who));
        who->pid = process->pid;
        who->started = process->started;
        who->user = process->user;
        who->kernel = process->kernel;
        who->next = *bucket;
        *bucket = who;
    }
    // All three change: by exec, when a parent ends, by setsid.
    who->parent = process->parent;
    who->session = process->session;
    memcpy(who->name, process->name, sizeof who->name);
    return who;
}

struct who *who_parent(const struct whos *whos, const struct who *who)
{
    struct who *parent = who_find(whos, who->parent);
    // Numbers that were used again could lead round and round.
    for (unsigned depth = 0; parent && parent->ended && depth < 32; depth++)
        parent = who_find(whos, parent->parent);
    return parent == who ? NULL : parent;
}

bool who_is_short(const struct whos *whos, const struct who *who)
{
    if (who->age_s >= SHORT_S || who->parent <= 1)
        return false;
    const struct who *parent = who_parent(whos, who);
    // A compiler that still runs is its family's as those before it were.
    return parent &&
           (who->ended || !who->scanned || parent->children_s > 0 || who_is_short(whos, parent));
}

struct who *who_next(const struct whos *whos, const struct who *who)
{
    if (who && who->next)
        return who->next;
    for (size_t i = !who ? 0 : (unsigned)who->pid % WHO_BUCKETS + 1; i < WHO_BUCKETS; i++)
        if (whos->bucket[i])
            return whos->bucket[i];
    return NULL;
}

// Its words, which end with NULs, with blanks between.
static void read_command(struct who *who)
{
    char path[PATH_MAX], text[160];
    ssize_t length =
        file_load(AT_FDCWD, process_path(who->pid, "cmdline", path), text, sizeof text);
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (ssize_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]))
            text[i] = ' ';
    free(who->command);
    who->command = must(strdup(length <= 0 ? who->name : text));
}

void who_ask(struct who *who)
{
    char path[PATH_MAX], text[4096];
    if (who->ended)
        return;
    // An exec changes the one, but not the other.
    if (!who->command || who->age_s < 2 * SHORT_S)
        read_command(who);
    if (!who->group &&
        file_read(AT_FDCWD, process_path(who->pid, "cgroup", path), text, sizeof text))
        who->group = must(strdup(text));
}

// How many of the characters are hexadecimal.
static size_t hexadecimal(const char *text)
{
    return strspn(text, "0123456789abcdef");
}

static void label_of(const char *part, char *label, size_t size)
{
    const char *dash = strrchr(part, '-');
    const char *id = !dash ? part : dash + 1;
    const size_t length = strlen(part);
    if (strncmp(part, "job_", 4) == 0 && isdigit((unsigned char)part[4]))
        snprintf(label, size, "job %.20s", part + 4);
    else if (strncmp(label, "job ", 4) == 0)
        return; // steps and tasks of it
    else if (hexadecimal(id) >= 32 || hexadecimal(part) >= 32)
        snprintf(label, size, "container %.12s", hexadecimal(part) >= 32 ? part : id);
    else if (length > 8 && strcmp(part + length - 8, ".service") == 0)
        snprintf(label, size, "%.40s", part);
}

void who_label(const struct who *who, char *label, size_t size)
{
    char *lines = strdup(!who->group ? "" : who->group), *rest = NULL;
    *label = '\0';
    for (char *line = !lines ? NULL : strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *inner = NULL, *path = strchr(line, '/');
        for (char *part = !path ? NULL : strtok_r(path, "/", &inner); part;
             part = strtok_r(NULL, "/", &inner))
            label_of(part, label, size);
    }
    free(lines);
}

void who_user(uid_t user, char *name, size_t size)
{
    linked_names();
    const struct passwd *entry = getpwuid(user);
    if (entry)
        snprintf(name, size, "%s", entry->pw_name);
    else
        snprintf(name, size, "%lu", (unsigned long)user);
}

void deeds_add(struct deeds *to, const struct deeds *from)
{
    to->cpu_s += from->cpu_s;
    to->bytes += from->bytes;
    to->runnable += from->runnable;
    to->beside += from->beside;
    to->at_disk += from->at_disk;
    to->preempted_s += from->preempted_s;
}

static void name_family(struct who *parent, const char *name, double seen)
{
    if (seen <= parent->family.most)
        return;
    parent->family.most = seen;
    memcpy(parent->family.name, name, sizeof parent->family.name);
}

void who_fold(const struct whos *whos, struct who *who)
{
    struct who *parent = who_parent(whos, who);
    if (!parent || !who_is_short(whos, who))
        return;
    deeds_add(&parent->family.did, &who->did);
    deeds_add(&parent->family.did, &who->family.did);
    name_family(parent, who->name, who->did.runnable + who->did.cpu_s);
    name_family(parent, who->family.name, who->family.most);
    parent->children_s += who->did.cpu_s + who->children_s;
    who->folded = true;
}

void whos_forget(struct whos *whos, enum forgotten which)
{
    for (size_t i = 0; i < WHO_BUCKETS; i++) {
        for (struct who **at = &whos->bucket[i]; *at;) {
            struct who *who = *at;
            if (which != WHO_ALL && !(which == WHO_ENDED ? who->ended : who->folded)) {
                at = &who->next;
                continue;
            }
            *at = who->next;
            free(who->command);
            free(who->group);
            free(who);
        }
    }
}

void whos_next_window(struct whos *whos)
{
    whos_forget(whos, WHO_ENDED);
    for (struct who *who = NULL; (who = who_next(whos, who)) != NULL;) {
        who->did = (struct deeds){0};
        who->children_s = 0;
        memset(&who->family, 0, sizeof who->family);
    }
}
