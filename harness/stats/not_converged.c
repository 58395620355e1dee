// Warns that an error is larger than was asked, and says how to come to know it better.
#include "not_converged.h"

#include "effect.h"

#include <math.h>

struct message not_converged(const struct session *session, size_t condition, size_t metric,
                             double error, size_t runs)
{
    struct message message =
        message_about(session->settings, FLAG_NOT_CONVERGED, condition, metric);
    if (isfinite(error)) {
        message_detail(&message, "error", "known to ± %.3g %%", 100 * error);
        message_detail(&message, "limit", ", ± %.3g %% was asked", 100 * session->settings->error);
    } else {
        message_detail(&message, "error", "not known");
    }
    message_detail(&message, "runs", "%zu run%s", runs, runs == 1 ? "" : "s");
    return message;
}

void not_converged_remedy(struct message *message, double needed)
{
    if (needed > EFFECT_MOST_PAIRS)
        message_detail(message, "remedy",
                       "use a longer input or a quieter machine: more runs alone would hardly do");
    else if (needed > 0)
        message_detail(message, "remedy",
                       "about %.0f runs would do: allow more with --max-runs or --max-time, or use "
                       "a longer input",
                       ceil(needed));
    else
        message_detail(message, "remedy",
                       "allow more with --max-runs or --max-time, or use a longer input");
}
