#include "levels.h"

#include "harness/bench/json.h"
#include "harness/pressure/reference.h"
#include "harness/report/memory.h"

#include "common/trust.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double misfit = 0.01; // below it, the levels do not explain the readings

static void reason(json_t *reasons, char *text)
{
    json_add(reasons, json_text(text));
    free(text);
}

// Hands a text over to whom it may concern.
static bool because(char **why, char *text)
{
    if (why != NULL)
        *why = text;
    else
        free(text);
    return false;
}

bool levels_reference(struct reference *reference, const char *file, const char *place, char **why)
{
    char path[PATH_MAX], wrong[1024];
    const bool kept = file == NULL && reference_path(place, path) && access(path, R_OK) == 0;
    if (file == NULL && !kept)
        return because(why, text_of("there is no reference of this machine for the place %s: make "
                                    "one with jostle probe --reference --place %s, then add "
                                    "--resume to the command of this profile",
                                    place, place));
    if (kept && !trust_path(path))
        return because(why, text_of("the reference %s: others than you can write to it: remove it, "
                                    "or set XDG_CACHE_HOME to a folder of your own",
                                    path));
    if (reference_read(kept ? path : file, reference, wrong, sizeof wrong))
        return true;
    return because(why, text_of("the reference %s %s", kept ? path : file, wrong));
}

// What is against the reference becomes a reason. False: it is of no use here.
static bool judge(const struct program_profile *profile, const json_t *environment,
                  const struct reference *reference, json_t *reasons)
{
    char why[1024];
    const enum reference_fitness fitness =
        reference_judge(reference, environment, profile->place, time(NULL), why, sizeof why);
    if (fitness != REFERENCE_FIT)
        reason(reasons, text_of("levels: the reference %s: %s", reference->file, why));
    return fitness != REFERENCE_UNFIT;
}

static void invert(struct program_profile *profile, const struct pressure_readings *readings,
                   const struct reference *reference, json_t *reasons)
{
    const char *reporter_names[REPORTERS], *kind_names[KINDS];
    struct invert_reading reading;
    double misfit_p;
    for (enum reporter r = 0; r < REPORTERS; r++)
        reporter_names[r] = reporters[r].name;
    for (enum kind k = 0; k < KINDS; k++)
        kind_names[k] = kinds[k].name;
    pressure_reading(&reading, readings, profile->confidence, reporter_names, REPORTERS);
    if (!pressure_levels(profile, &reference->curves, kind_names, &reading, &misfit_p))
        reason(reasons, text_of("levels: the reporters show nothing that the reference has a curve "
                                "for: measure longer with --max-time"));
    else if (misfit_p < misfit)
        reason(reasons, text_of("levels: no mixture of our loads does what the program does to the "
                                "reporters (p = %.2g): their intervals are wider for it",
                                misfit_p));
}

void levels_take(struct program_profile *profile, const struct pressure_readings *readings,
                 const char *file, const json_t *environment, json_t *pressure, json_t *reasons)
{
    struct reference *reference = must(malloc(sizeof *reference));
    char *why = NULL;
    profile->levels = 0;
    json_put(pressure, "reference", must(json_null()));
    if (!levels_reference(reference, file, profile->place, &why)) {
        reason(reasons, text_of("levels: %s", why));
    } else if (judge(profile, environment, reference, reasons)) {
        invert(profile, readings, reference, reasons);
        json_put(pressure, "reference",
                 must(json_pack("{s:s, s:s}", "file", reference->file, "made", reference->made)));
    }
    free(why);
    free(reference);
}
