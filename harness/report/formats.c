#include "formats.h"

#include "common/text.h"
#include "memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_filter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends(entry->d_name, ".jq");
}

static void take(char **field, const char *line, const char *key)
{
    if (strncmp(line, key, strlen(key)) != 0)
        return;
    free(*field);
    *field = must(strdup(line + strlen(key)));
}

static void read_head(struct format *format, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    for (bool first = true; (length = getline(&line, &size, file)) > 2 && line[0] == '#';
         first = false) {
        line[length - 1] = '\0';
        if (first)
            take(&format->about, line, "# ");
        take(&format->endings, line, "# files: ");
        take(&format->reads, line, "# reads: ");
    }
    free(line);
}

/* A format of this name, of which nothing else is known. */
static struct format *add(struct formats *formats, char *name)
{
    formats->item =
        grown(formats->item, formats->count, &formats->allocated, sizeof *formats->item);
    struct format *format = &formats->item[formats->count++];
    *format = (struct format){.name = name,
                              .about = must(strdup("")),
                              .endings = must(strdup("")),
                              .reads = must(strdup("model"))};
    return format;
}

/* What programs read needs no layout. */
static void add_csv(struct formats *formats)
{
    struct format *format = add(formats, must(strdup("csv")));
    take(&format->about, "Long form for R, pandas, DuckDB; with --runs a line a run.", "");
    take(&format->endings, ".csv", "");
    take(&format->reads, "figures", "");
    format->knows_runs = true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct format *)a)->name, ((const struct format *)b)->name);
}

void formats_find(struct formats *formats, const char *dir)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, is_filter, NULL);
    add_csv(formats);
    for (int i = 0; i < count; i++) {
        char *path = text_of("%s/%s", dir, entry[i]->d_name);
        FILE *file = fopen(path, "re");
        struct format *format =
            add(formats, must(strndup(entry[i]->d_name, strlen(entry[i]->d_name) - 3)));
        if (file != NULL) {
            read_head(format, file);
            fclose(file);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    qsort(formats->item, formats->count, sizeof *formats->item, by_name);
}

const struct format *format_by_name(const struct formats *formats, const char *name)
{
    for (size_t i = 0; i < formats->count; i++)
        if (strcmp(formats->item[i].name, name) == 0)
            return &formats->item[i];
    return NULL;
}

const struct format *format_by_file(const struct formats *formats, const char *file)
{
    for (size_t i = 0; i < formats->count; i++) {
        char *endings = must(strdup(formats->item[i].endings)), *rest = endings;
        bool found = false;
        for (char *ending = strsep(&rest, " "); ending != NULL && !found;
             ending = strsep(&rest, " ")) {
            const size_t length = strlen(ending);
            found = length > 0 && strlen(file) > length &&
                    strcasecmp(file + strlen(file) - length, ending) == 0;
        }
        free(endings);
        if (found)
            return &formats->item[i];
    }
    return NULL;
}

void formats_free(struct formats *formats)
{
    for (size_t i = 0; i < formats->count; i++) {
        free(formats->item[i].name);
        free(formats->item[i].about);
        free(formats->item[i].endings);
        free(formats->item[i].reads);
    }
    free(formats->item);
}
