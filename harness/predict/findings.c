#include "findings.h"

#include "common/record_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *flag, *severity, *advice;
} findings[FINDINGS] = {
    [FINDING_SHARED_RUNS] =
        {"shared-runs", "problem",
         "measure pairs and profiles apart: no figure here is one of unseen runs"},
    [FINDING_BELOW_NOISE] = {"below-noise", "problem",
                             "look for runs that profile and truth share: no honest error is below "
                             "the noise of the truth"},
    [FINDING_DRAWN] = {"leak", "problem",
                       "look for what the first measurement and the profiles have in common"},
    [FINDING_NOT_TOLD] = {"not-told", "problem",
                          "believe no ranking of models: measure more runs a pair, or on a quieter "
                          "machine"},
    [FINDING_FEW_PROGRAMS] = {"few-programs", "problem",
                              "measure at least ten programs: intervals for unseen ones need them"},
    [FINDING_NO_SKILL] = {"no-skill", "note",
                          "use the best trivial predictor: profiles add nothing to it here"},
    [FINDING_COVERAGE] = {"coverage", "note",
                          "take the intervals as narrower than they have to be"},
    [FINDING_NEAR_NOISE] =
        {"near-noise", "note",
         "chance explains it, and so would a small leak: measure more pairs twice"},
    [FINDING_NO_REPEATS] = {"no-repeats", "note",
                            "measure a quarter of the pairs again: without a noise ceiling a leak "
                            "is not seen"},
    [FINDING_UNCHECKED] = {"unchecked", "note",
                           "keep the folders of a profile's experiments beside it: runs in common "
                           "with the truth are looked for in them"},
    [FINDING_NO_NUMBER] = {"no-number", "note", "see no_number for each of them"},
};

json_t *finding_json(enum finding finding, const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    json_t *json = json_pack("{s:s, s:s, s:o, s:s}", "flag", findings[finding].flag, "severity",
                             findings[finding].severity, "text", text_to_json(text), "advice",
                             findings[finding].advice);
    free(text);
    return json;
}
