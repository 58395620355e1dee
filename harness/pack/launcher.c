#include "launcher.h"

#include "plan.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char **word;
    size_t count, allocated;
};

static void add(struct words *words, const char *word)
{
    words->word = grown(words->word, words->count, &words->allocated, sizeof *words->word);
    words->word[words->count++] = must(strdup(word));
}

static void add_value(struct words *words, const char *option, const char *value)
{
    if (value == NULL)
        return;
    add(words, option);
    add(words, value);
}

static char *quoted(const json_t *list)
{
    const size_t count = json_array_size(list);
    const char **word = must(calloc(count + 1, sizeof *word));
    for (size_t i = 0; i < count; i++)
        word[i] = json_string_value(json_array_get(list, i));
    char *text = must(words_quote(word, count));
    free(word);
    return text;
}

static void add_pin(struct words *words, const json_t *plan)
{
    const json_t *lists = json_object_get(json_object_get(plan, "cpus"), "lists"), *one;
    char *text = NULL;
    size_t index;
    json_array_foreach(lists, index, one)
    {
        char *longer = text_of("%s%s%s", index == 0 ? "" : text, index == 0 ? "" : ":",
                               json_string_value(one));
        free(text);
        text = longer;
    }
    add_value(words, "--pin", text);
    free(text);
}

static void add_programs(struct words *words, const json_t *plan)
{
    const json_t *programs = json_object_get(plan, "programs"), *program, *word;
    size_t i;
    if (json_array_size(programs) == 1) {
        add(words, "--");
        json_array_foreach(json_object_get(json_array_get(programs, 0), "words"), i, word)
        {
            add(words, json_string_value(word));
        }
        return;
    }
    json_array_foreach(programs, i, program)
    {
        char *command = quoted(json_object_get(program, "words"));
        char *text = text_of("%s=%s", json_text_at(program, "name"), command);
        add_value(words, "--mix", text);
        free(text);
        free(command);
    }
}

static struct words words_of(const json_t *plan, size_t copies)
{
    const json_t *settings = json_object_get(plan, "settings");
    struct words words = {0};
    char path[PATH_MAX], number[32];
    snprintf(number, sizeof number, "%zu", copies > 0 ? copies : 1);
    add(&words, child_path("copies", path));
    if (copies == 0 && plan_programs(plan) > 1)
        add(&words, "--in-turn");
    else
        add_value(&words, "--copies", number);
    add_pin(&words, plan);
    if (json_is_true(json_object_get(settings, "own_folder")))
        add(&words, "--own-folder");
    add_value(&words, "--input", json_text_at(settings, "input"));
    add_programs(&words, plan);
    return words;
}

static void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
}

char *launcher_command(const json_t *plan, size_t copies)
{
    struct words words = words_of(plan, copies);
    char *text = must(words_quote((const char *const *)words.word, words.count));
    words_free(&words);
    return text;
}

void launcher_print(const json_t *plan, size_t copies)
{
    struct words words = words_of(plan, copies);
    for (size_t i = 0; i < words.count; i++)
        printf("%s%c", words.word[i], 0);
    words_free(&words);
}
