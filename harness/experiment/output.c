#include "output.h"

#include <string.h>

/* They ask fstat() whether stdout is /dev/null: GNU grep then ends at the first match, cmp at
 * the first difference, and tar reads no file. */
static const struct {
    const char *name, *word; /* only with such a word; NULL: always */
} knowing[] = {{"grep", NULL}, {"egrep", NULL}, {"fgrep", NULL}, {"cmp", NULL}, {"tar", "-"}};

bool output_is_null(const struct experiment *experiment)
{
    const struct settings *settings = &experiment->settings;
    const bool shown = experiment->session.show_output && settings->engine == ENGINE_METER;
    return settings->out == NULL && !shown && !metrics_need_stdout(&experiment->metrics);
}

/* Whether the words, which are split at blanks also within each, have that one. */
static bool has_word(const struct variant *variant, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (size_t i = 0; i < variant->word_count; i++)
        for (const char *at = variant->words[i]; *at != '\0'; at += strcspn(at, " ")) {
            at += strspn(at, " ");
            if (strcspn(at, " ") == length && strncmp(at, wanted, length) == 0)
                return true;
        }
    return false;
}

/* Whether it is what the variant starts, or the first word of what its shell is given. */
static bool starts(const struct variant *variant, const char *name)
{
    const char *program =
        variant->shell == NULL ? variant_program(variant) : variant->words[variant->word_count - 1];
    const size_t length = strcspn(program, " ");
    const char *slash = memrchr(program, '/', length);
    const char *base = slash != NULL ? slash + 1 : program;
    return (size_t)(program + length - base) == strlen(name) &&
           strncmp(base, name, strlen(name)) == 0;
}

const char *output_missed_by(const struct experiment *experiment)
{
    const struct variants *variants = &experiment->variants;
    if (!output_is_null(experiment))
        return NULL;
    for (size_t i = 0; i < variants->count; i++)
        for (size_t k = 0; k < sizeof knowing / sizeof knowing[0]; k++)
            if (starts(&variants->variant[i], knowing[k].name) &&
                (knowing[k].word == NULL || has_word(&variants->variant[i], knowing[k].word)))
                return knowing[k].name;
    return NULL;
}
