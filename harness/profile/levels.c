#include "levels.h"

#include "harness/bench/json.h"
#include "harness/pressure/reference.h"
#include "harness/report/memory.h"

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

// The reference's file. False: it is not known where one would be.
static bool find(const struct program_profile *profile, const char *file, char path[PATH_MAX])
{
    if (file == NULL)
        return reference_path(profile->place, path);
    snprintf(path, PATH_MAX, "%s", file);
    return true;
}

// What the reference is, and what is against it. False: it is no use here, which is a reason.
static bool read_reference(const struct program_profile *profile, const char *file,
                           const json_t *environment, struct reference *reference, json_t *reasons)
{
    char path[PATH_MAX], why[1024];
    if (!find(profile, file, path) || (file == NULL && access(path, R_OK) != 0)) {
        reason(reasons, text_of("levels: there is no reference of this machine for the place %s: "
                                "make one with jostle probe --reference --place %s, then add "
                                "--resume to the command of this profile",
                                profile->place, profile->place));
        return false;
    }
    if (!reference_read(path, reference, why, sizeof why)) {
        reason(reasons, text_of("levels: the reference %s %s", path, why));
        return false;
    }
    const enum reference_fitness fitness =
        reference_judge(reference, environment, profile->place, time(NULL), why, sizeof why);
    if (fitness != REFERENCE_FIT)
        reason(reasons, text_of("levels: the reference %s: %s", path, why));
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
    profile->levels = 0;
    if (read_reference(profile, file, environment, reference, reasons)) {
        invert(profile, readings, reference, reasons);
        json_put(pressure, "reference",
                 must(json_pack("{s:s, s:s}", "file", reference->file, "made", reference->made)));
    } else {
        json_put(pressure, "reference", must(json_null()));
    }
    free(reference);
}
