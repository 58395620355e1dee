#include "loop.h"

#include "harness/bench/json.h"

#include "common/memory.h"
#include "common/words.h"

#include <stdlib.h>
#include <string.h>

static void add(json_t *words, const char *word)
{
    json_add(words, json_text(word));
}

// What a lap does around the program: --prepare, --input, --conclude, and a failure that is to be
// ignored.
static const char lap[] = "[[ ! $1 ]] || bash -c \"$1\" >/dev/null || exit; "
                          "\"${@:5}\" <\"$2\"; code=$?; "
                          "[[ ! $4 ]] || bash -c \"$4\" >/dev/null || exit; "
                          "case ,$3, in ,any,|*,$code,*) exit 0;; esac; exit $code";

// The program as a load that is run again and again.
static json_t *loop_words(const json_t *program)
{
    const json_t *words = json_object_get(program, "words"), *word;
    const char *input = json_text_at(program, "input"), *prepare = json_text_at(program, "prepare");
    const char *ignored = json_text_at(program, "ignore_failure");
    const char *conclude = json_text_at(program, "conclude");
    const char *first = json_string_value(json_array_get(words, 0));
    json_t *loop = must(json_pack("[s, s, s, s, s]", "exec", "--loop", "--settle", "0.05s", "--"));
    size_t i;
    if (input != NULL || prepare != NULL || ignored != NULL || conclude != NULL) {
        add(loop, "bash");
        add(loop, "-c");
        add(loop, lap);
        add(loop, "bash");
        add(loop, prepare != NULL ? prepare : "");
        add(loop, input != NULL ? input : "/dev/null");
        add(loop, ignored != NULL ? ignored : "none");
        add(loop, conclude != NULL ? conclude : "");
    }
    // As an experiment has it: one word that only a shell understands.
    if (json_array_size(words) == 1 && words_need_shell(first)) {
        add(loop, "sh");
        add(loop, "-c");
    }
    json_array_foreach(words, i, word)
    {
        add(loop, json_string_value(word));
    }
    return loop;
}

// A word + is no joint of two loads.
char *loop_text(const char *name, const json_t *program)
{
    json_t *words = loop_words(program);
    const char **list = must(calloc(json_array_size(words) + 1, sizeof *list));
    for (size_t i = 0; i < json_array_size(words); i++)
        list[i] = json_string_value(json_array_get(words, i));
    char *text = text_of("%s=", name);
    for (size_t i = 0; i < json_array_size(words); i++) {
        char *quoted = strcmp(list[i], "+") == 0 ? text_of("'+'") : must(words_quote(&list[i], 1));
        char *longer = text_of("%s%s%s", text, i > 0 ? " " : "", quoted);
        free(quoted);
        free(text);
        text = longer;
    }
    free(list);
    json_decref(words);
    return text;
}
