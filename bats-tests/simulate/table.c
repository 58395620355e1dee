#include "table.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

static double percent(size_t part, const struct tally *tally)
{
    return tally->experiments > 0 ? 100 * (double)part / (double)tally->experiments : NAN;
}

static double mean(double sum, const struct tally *tally)
{
    return tally->experiments > 0 ? sum / (double)tally->experiments : NAN;
}

void table_header(void)
{
    puts("All figures but runs and their share of an oracle's are percent. half: mean half-width "
         "of\n"
         "the interval; flag: sessions with a warning; w&u: interval wrong and no warning; "
         "robust:\n"
         "coverage of ci_robust; A/A: false alarms; then how often a slowdown of 1, 2, 5 and 10 % "
         "is\n"
         "seen.\n");
    printf("%-20s %-8s|%34s %12s |%27s %12s |%24s\n", "", "", "mean of one condition", "",
           "slowdown", "", "A/A and power");
    printf("%-20s %-8s|%6s %6s %6s %6s %6s %6s %5s |%6s %6s %6s %6s %6s %5s |%5s %4s %4s %4s "
           "%4s\n",
           "population", "setting", "cover", "robust", "half", "runs", "oracle", "flag", "w&u",
           "cover", "half", "runs", "oracle", "flag", "w&u", "A/A", "1", "2", "5", "10");
}

void table_held_out(void)
{
    puts("held out: no correction was tuned on these");
}

static void print_rest(const struct cell *cell, const struct tally *tally)
{
    double runs = mean(tally->runs, tally), oracle = runs / oracle_runs(cell);
    char share[16] = "-";
    if (isfinite(oracle))
        snprintf(share, sizeof share, "%.2f", oracle);
    printf(" %6.2f %6.1f %6s %6.1f %5.2f ", 100 * mean(tally->half_width, tally), runs, share,
           percent(tally->flagged, tally), percent(tally->wrong_unflagged, tally));
}

void table_row(const struct row *row)
{
    const struct tally *alone = &row->tally[MEAN], *ratio = &row->tally[SLOWDOWN];
    const struct tally *same = &row->tally[SAME];
    printf("%-20s %-8s|%6.2f %6.2f", row->population->name, row->setting->name,
           percent(alone->covered, alone), percent(alone->covered_robust, alone));
    print_rest(&row->cell[MEAN], alone);
    printf("|%6.2f", percent(ratio->covered, ratio));
    print_rest(&row->cell[SLOWDOWN], ratio);
    if (same->experiments > 0) {
        printf("|%5.2f", percent(same->experiments - same->covered, same));
        for (size_t i = 0; i < POWERS; i++)
            printf(" %4.0f", percent(same->seen[i], same));
    }
    putchar('\n');
}

static void print_median(const struct cell *cell, const struct tally *tally)
{
    if (isnan(cell->truth))
        printf("|%7s %6s %6s %6s ", "-", "-", "-", "-");
    else
        printf("|%7.2f %6.2f %6.1f %6.2f ", percent(tally->covered, tally),
               100 * mean(tally->half_width, tally), mean(tally->runs, tally),
               percent(tally->wrong_unflagged, tally));
}

static void print_medians(const struct row *rows, size_t count)
{
    puts("\n--statistic median: of one condition, and the slowdown of the medians");
    printf("%-20s %-8s|%7s %6s %6s %6s |%7s %6s %6s %6s\n", "population", "setting", "cover",
           "half", "runs", "w&u", "cover", "half", "runs", "w&u");
    for (size_t r = 0; r < count; r++) {
        if (rows[r].tally[MEDIAN].experiments == 0)
            continue;
        printf("%-20s %-8s", rows[r].population->name, rows[r].setting->name);
        print_median(&rows[r].cell[MEDIAN], &rows[r].tally[MEDIAN]);
        print_median(&rows[r].cell[MEDIANS], &rows[r].tally[MEDIANS]);
        putchar('\n');
    }
}

void table_more(const struct row *rows, size_t count)
{
    puts("\nEach flag, percent of the sessions with one condition");
    printf("%-20s %-8s", "population", "setting");
    for (size_t i = 0; i < ODDITIES; i++)
        printf(" %*s", 9, flag_name(i));
    putchar('\n');
    for (size_t r = 0; r < count; r++) {
        printf("%-20s %-8s", rows[r].population->name, rows[r].setting->name);
        for (size_t i = 0; i < ODDITIES; i++)
            printf(" %*.1f", 9, percent(rows[r].tally[MEAN].flag[i], &rows[r].tally[MEAN]));
        putchar('\n');
    }
    puts("\nThe baseline's own mean, measured together with a load (percent)");
    printf("%-20s %-8s %9s %9s\n", "population", "setting", "cover", "w&u");
    for (size_t r = 0; r < count; r++)
        printf("%-20s %-8s %9.2f %9.2f\n", rows[r].population->name, rows[r].setting->name,
               percent(rows[r].tally[SLOWDOWN].mean_covered, &rows[r].tally[SLOWDOWN]),
               percent(rows[r].tally[SLOWDOWN].mean_silent, &rows[r].tally[SLOWDOWN]));
    print_medians(rows, count);
}

// Three standard errors of a share of p in n.
static double slack(double p, const struct tally *tally)
{
    return 3 * sqrt(p * (100 - p) / (double)tally->experiments);
}

static bool fails(const struct row *row, const char *what, double value, const char *bound,
                  double limit)
{
    fprintf(stderr, "broken: %s, %s: %s is %.2f, which is %s %.2f\n", row->population->name,
            row->setting->name, what, value, bound, limit);
    return false;
}

// Few runs cannot show what happens in some of them, nor how they depend on each other;
// a drift that both of a pair share cancels, and spoils the mean alone.
static bool has_bound(const struct row *row, enum column column)
{
    const struct population *p = row->population;
    const bool stalls =
        p->shape == STALLS || p->shape == STALLS_VARIED || p->shape == STALLS_CHAINED;
    if (p->unseen || row->setting->min_runs >= DEFAULT_MIN_RUNS)
        return !p->unseen;
    return !stalls && (column != MEAN || (p->shape != BIMODAL && !p->hard));
}

static bool check_coverage(const struct row *row, enum column column, const char *what)
{
    const struct tally *tally = &row->tally[column];
    bool hard = row->population->hard;
    double covered = percent(tally->covered, tally), bound = hard ? 93 : 94;
    double silent = percent(tally->wrong_unflagged, tally);
    if (covered >= bound - slack(bound, tally) || !has_bound(row, column))
        return true;
    if (hard && silent <= row->population->silent + slack(fmax(row->population->silent, 2), tally))
        return true;
    return fails(row, what, covered, "below", bound);
}

// 95 % are promised: an interval that holds nearly always is wider than it says.
static bool check_width(const struct row *row, enum column column, const char *what)
{
    const struct tally *tally = &row->tally[column];
    const double covered = percent(tally->covered, tally), bound = 98;
    if (row->population->shape != NORMAL || row->population->loaded_cv > 0 ||
        row->setting->min_runs < DEFAULT_MIN_RUNS || covered <= bound + slack(bound, tally))
        return true;
    return fails(row, what, covered, "above", bound);
}

// Of normal runs Student's interval needs so much. A mean alone pays for few runs at the beginning
// and for dependence that may be there, but little.
static bool check_half(const struct row *row)
{
    const struct tally *tally = &row->tally[MEAN];
    const struct cell *cell = &row->cell[MEAN];
    const double runs = mean(tally->runs, tally), bound = 1.15;
    const double t = gsl_cdf_tdist_Pinv((1 + cell->settings.confidence) / 2, runs - 1);
    const double share = mean(tally->half_width, tally) / (t * cell_cv(cell) / sqrt(runs));
    if (row->population->shape != NORMAL || row->population->loaded_cv > 0 ||
        row->setting->min_runs < DEFAULT_MIN_RUNS || !(share > bound + 0.02))
        return true;
    return fails(row, "the half-width of the mean, in Student's,", share, "above", bound);
}

static bool check_runs(const struct row *row, enum column column, const char *what)
{
    double oracle = oracle_runs(&row->cell[column]);
    double share = mean(row->tally[column].runs, &row->tally[column]) / oracle;
    // Stalls and few runs are paid for in runs (docs/statistics.md), so is a clock
    // whose readings are no sample of the true times.
    if (row->population->hard || row->population->unseen || row->population->quiet ||
        row->setting->min_runs < DEFAULT_MIN_RUNS || !(share > 1.25 + 0.02))
        return true;
    return fails(row, what, share, "above", 1.25);
}

bool table_check(const struct row *row)
{
    bool good = check_coverage(row, MEAN, "the coverage of the mean");
    good = check_coverage(row, SLOWDOWN, "the coverage of the slowdown") && good;
    good = check_width(row, MEAN, "the coverage of the mean") && good;
    good = check_width(row, SLOWDOWN, "the coverage of the slowdown") && good;
    good = check_half(row) && good;
    good = check_runs(row, MEAN, "the runs for the mean, in oracle's,") && good;
    return check_runs(row, SLOWDOWN, "the runs for the slowdown, in oracle's,") && good;
}
