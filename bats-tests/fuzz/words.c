/* Command lines that are split as a shell would, and quoted for one. */
#include "frame/fuzz.h"

#include "common/text.h"

#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

/* Quoted, and split again, they are the same words. */
static void check_quoting(char **words, size_t count)
{
    size_t again;
    const char *error = NULL;
    char *quoted = words_quote((const char *const *)words, count);
    fuzz_require(quoted != NULL);
    char **back = words_split(quoted, &again, &error);
    fuzz_require(back != NULL && again == count);
    for (size_t i = 0; i < count; i++)
        fuzz_require(strcmp(back[i], words[i]) == 0);
    free(back);
    free(quoted);
}

/* The command lines that `+` joins. */
static void check_joints(const char *text)
{
    const char *end = text + strlen(text);
    while (text != NULL) {
        const char *rest;
        const size_t length = words_until_joint(text, &rest);
        fuzz_require(length <= (size_t)(end - text));
        fuzz_require(rest == NULL || (rest > text && rest <= end));
        text = rest;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *error = NULL;
    size_t count = 0;
    char **words = words_split(text, &count, &error);
    fuzz_require((words == NULL) == (error != NULL));
    if (words != NULL) {
        fuzz_require(words[count] == NULL);
        for (size_t i = 0; i < count; i++)
            (void)words_assignment(words[i]);
        check_quoting(words, count);
    }
    free(words);
    check_joints(text);
    const char *operator= words_operator(text);
    fuzz_require(operator== NULL ||(operator>= text && operator<text + strlen(text)));
    fuzz_require(operator== NULL || words_need_shell(text));
    free(text);
    return 0;
}
