// What a loaded run leaves behind, as a ratio with its interval and p value.
#include "carry_over.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

void carry_over_settle(struct carry_over *result, struct critical *critical, double difference,
                       double error, double df)
{
    const double half = critical_t(critical, df) * error;
    result->ratio = exp(difference);
    result->low = exp(difference - half);
    result->high = exp(difference + half);
    result->p = 2 * gsl_cdf_tdist_Q(fabs(difference) / error, df);
}
