#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

/* Compares two struct report_line: target, label, load, level in natural order (n=2
 * before n=10), then the experiment. */
int order_of_entries(const void *a, const void *b);

#endif
