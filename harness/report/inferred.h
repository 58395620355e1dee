#ifndef REPORT_INFERRED_H
#define REPORT_INFERRED_H

/* Load and level of a condition that no campaign names: "disk10" with
 * "--limit 10%" is disk at 10 %; anything else is a load without a level. Both
 * are to be freed; NULL: none. */
void inferred_level(const char *condition, const char *spec, char **load, char **level);

#endif
