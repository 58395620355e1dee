// Says how often runs straggle, and what that adds to a ratio.
#include "stragglers.h"

#include "bounded.h"

#include "common/units.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// So many show how long they are and how often they come.
enum { STRAGGLERS_KNOWN = 10 };

// A mean that is so close to the typical ratio says the same.
static const double alike = 0.02;
// A share of runs from which on "1 run in N" says less than so many of ten.
static const double often = 0.25;

void stragglers_share(struct stragglers *of, double confidence)
{
    const double tail = (1 - confidence) / 2;
    const double count = (double)of->count, others = (double)(of->runs - of->count);
    of->low = of->count > 0 ? gsl_cdf_beta_Pinv(tail, count, others + 1) : 0;
    of->high = others > 0 ? gsl_cdf_beta_Qinv(tail, count + 1, others) : 1;
}

size_t stragglers_needed(const struct stragglers *of)
{
    if (of->count == 0 || of->count >= STRAGGLERS_KNOWN)
        return 0;
    return of->runs * STRAGGLERS_KNOWN / of->count;
}

double stragglers_p(size_t one, size_t other, double share)
{
    const unsigned all = (unsigned)(one + other);
    const double fewer = gsl_cdf_binomial_P((unsigned)one, share, all);
    const double more = one > 0 ? gsl_cdf_binomial_Q((unsigned)one - 1, share, all) : 1;
    return all == 0 ? 1 : fmin(2 * fmin(fewer, more), 1);
}

// "1 in 10"
static void share_text(double share, char *text)
{
    const double runs = 1 / share;
    snprintf(text, BOUNDED_SIZE, runs < 10 ? "1 in %.2g" : "1 in %.0f", runs);
}

// "1 run in 10 (1 in 30 to 1 in 4) takes 10 times as long"
static void print_share(const struct stragglers *of, bool is_time, FILE *stream)
{
    const double share = (double)of->count / (double)of->runs;
    char low[BOUNDED_SIZE], high[BOUNDED_SIZE], times[NUMBER_SIZE];
    number_fixed(of->times, (int)(1 - floor(log10(of->times))), times);
    share_text(of->low, low);
    share_text(of->high, high);
    if (share > often)
        fprintf(stream, "%zu of %zu runs", of->count, of->runs);
    else
        fprintf(stream, "1 run in %.0f", 1 / share);
    fprintf(stream, " (%s to %s) %s%s %s times ", low, high, is_time ? "take" : "show",
            share > often ? "" : "s", times);
    fputs(is_time ? "as long" : "as bad a figure", stream);
}

static void print_mean(const struct seldom *seldom, FILE *stream)
{
    const struct interval plain = interval_of_reference(&seldom->mean, seldom->higher_is_better);
    const size_t own = stragglers_needed(&seldom->own), other = stragglers_needed(&seldom->other);
    char center[BOUNDED_SIZE], bounds[BOUNDED_SIZE];
    if (!(fabs(seldom->mean.center / seldom->typical - 1) > alike))
        return;
    bounded_number(&plain, plain.center, center);
    bounded_range(&plain, bounds);
    fprintf(stream, ": on average %s times%s", center, bounds);
    if (own > 0 || other > 0)
        fprintf(stream, "; about %zu runs would settle it", own > other ? own : other);
}

void seldom_print(const struct seldom *seldom, FILE *stream)
{
    const struct stragglers *own = &seldom->own, *other = &seldom->other;
    char share[BOUNDED_SIZE];
    if (own->count > 0) {
        fputs("Besides, ", stream);
        print_share(own, seldom->is_time, stream);
        if (other->count == 0)
            fprintf(stream, ", none %s", seldom->other_place);
        else {
            share_text((double)other->count / (double)other->runs, share);
            fprintf(stream, ", %s %s", share, seldom->other_place);
        }
    } else {
        fprintf(stream, "Besides, %s ", seldom->other_place);
        print_share(other, seldom->is_time, stream);
    }
    if (seldom->p <= 1 - seldom->confidence)
        fprintf(stream, " (more %s)",
                own->count > other->count ? seldom->place : seldom->other_place);
    print_mean(seldom, stream);
    fputc('.', stream);
}
