#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Drawings for the page: the inside of an SVG element, 360 units wide. Colours
 * are classes, which page.css gives for light and for dark. */

enum { TICKS_MOST = 24 };

/* Numbers on an axis; without any it has none. */
struct ticks {
    double at[TICKS_MOST];
    char text[TICKS_MOST][24];
    size_t count;
};

struct axis {
    double low, high; /* what it shows */
    double from, to;  /* where, in units of the drawing */
    bool log;         /* low is above 0 */
    struct ticks ticks;
};

struct plot {
    FILE *stream;
    char *text;
    size_t size;
    struct axis x, y;
    double height;
    const char *class; /* of the path that has no content yet; NULL: none */
    bool drawing;      /* a path is open */
};

enum plot_mark { MARK_DOT, MARK_RING, MARK_CROSS, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND };

/* An ordinary plot with numbers on both axes. x and y are the ranges: low, high. */
void plot_open(struct plot *plot, const double x[2], const double y[2], const char *x_label,
               const char *y_label);
/* The same with axes of the caller: their low, high, log and ticks. */
void plot_open_axes(struct plot *plot, const struct axis *x, const struct axis *y,
                    const char *x_label, const char *y_label);
/* At most seven ticks at round numbers of a linear axis. */
void plot_ticks(struct axis *axis);
/* How far a value is along the axis, in units of the drawing. */
double plot_place(const struct axis *axis, double value);
/* The numbers of an axis of that length whose texts do not touch: of those at hand the first, the
 * last, and as many as fit between. */
void plot_thin(struct axis *axis, double length, bool across);
/* A drawing without axes, whose coordinates are those of the drawing; y goes down. */
void plot_open_bare(struct plot *plot, double width, double height);
/* A plot with a row for each name, the first one on top; y is the number of the
 * row, count for the first, 1 for the last. */
void plot_open_rows(struct plot *plot, const double x[2], const char *x_label, char *const *names,
                    size_t count);
/* The drawing, to be freed; its height in *height. */
char *plot_close(struct plot *plot, double *height);

/* A path of one class: what follows is added to it, until the next one. Nothing
 * is written for one without content. */
void plot_path(struct plot *plot, const char *class);
void plot_line(struct plot *plot, double x1, double y1, double x2, double y2);
/* Continues the line to here; move: begins it. */
void plot_to(struct plot *plot, double x, double y, bool move);
void plot_mark(struct plot *plot, enum plot_mark mark, double x, double y);
/* From low to high with ends across; horizontal: along x, at y. */
void plot_error_bar(struct plot *plot, double at, double low, double high, bool horizontal);

/* The range of values from low to high with some air; into range[2]. */
void plot_range(double low, double high, double *range);

#endif
