// Finds what a user's own settings (--setting) have left on, on this machine.
#include "common/left_on.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/save.h"
#include "common/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int left_on_path(const char *name, char path[PATH_MAX])
{
    char inner[NAME_MAX + 64], host[NAME_MAX + 1] = "";
    (void)gethostname(host, sizeof host - 1);
    snprintf(inner, sizeof inner, "settings/%s.%s", host, name);
    return kept_path(inner, path);
}

// Returns whether the note is whole: one that was cut off is of a setting that was not turned on.
static bool read_note(struct left_on *left)
{
    char *line = NULL;
    size_t size = 0;
    bool whole = false;
    FILE *file = file_open_record(left->path);
    while (file && getline(&line, &size, file) > 0) {
        whole = text_ends(line, LEFT_ON_END "\n");
        line[strcspn(line, "\n")] = '\0';
        const char *name = text_after(line, LEFT_ON_NAME), *off = text_after(line, LEFT_ON_OFF);
        if (name)
            snprintf(left->name, sizeof left->name, "%s", name);
        if (off)
            snprintf(left->off, sizeof left->off, "%s", off);
    }
    if (file)
        (void)fclose(file);
    free(line);
    return whole;
}

// Whether the jostle that has made the note has ended; the two share all of their name but the end.
static bool is_left(const char *note)
{
    char lock[PATH_MAX];
    snprintf(lock, sizeof lock, "%.*s" LEFT_ON_LOCK, (int)(strlen(note) - strlen(LEFT_ON_NOTE)),
             note);
    return !lock_is_held(lock);
}

void left_on_each(void (*take)(const struct left_on *left, void *with), void *with)
{
    char prefix[PATH_MAX];
    const char *slash;
    if (left_on_path("", prefix) != 0 || !(slash = strrchr(prefix, '/')))
        return;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - prefix), prefix);
    DIR *notes = opendir(folder);
    if (!notes)
        return;
    for (const struct dirent *entry; (entry = readdir(notes)) != NULL;) {
        struct left_on left = {.name = "?", .off = "?"};
        if (!text_after(entry->d_name, slash + 1) || !text_ends(entry->d_name, LEFT_ON_NOTE) ||
            snprintf(left.path, sizeof left.path, "%s/%s", folder, entry->d_name) >= PATH_MAX)
            continue;
        if (!is_left(left.path))
            continue;
        if (read_note(&left))
            take(&left, with);
    }
    (void)closedir(notes);
}
