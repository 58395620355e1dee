// nbody: bodies under their mutual gravitation, all pairs, step by step.
//
// A target of floating-point arithmetic on data that fits into the caches.
// Units: G = 1, total mass 1, a cube of side 1.
#define PROGRAM "nbody"
#include "arguments.h"

#include <math.h>

enum { DEFAULT_BODIES = 1000, DEFAULT_STEPS = 100, MOST_BODIES = 1000000, MOST_STEPS = 1000000000 };

// Time of one step, and the length that softens close encounters (Plummer).
static const double step_time = 1e-3;
static const double softening = 1e-2;

// Share of the impulse exchanged and carried that may be missing: well above rounding (1e-15
// and less), well below one body's share of the whole.
static const double tolerance = 1e-10;

struct vector {
    double x, y, z;
};

struct body {
    struct vector position, velocity;
    double mass;
};

struct options {
    size_t bodies;
    size_t steps;
    bool spoil;
};

static const char help[] =
    "Usage: nbody [--spoil] [BODIES [STEPS]]\n"
    "\n"
    "Moves BODIES bodies (1 to 1000000, by default 1000) through STEPS steps of time\n"
    "(1 to 1000000000, by default 100) under gravitation, every body attracting\n"
    "every other one. Verified at the end: the bodies exchanged impulse, the total\n"
    "impulse stayed what it was, and the centre of mass moved as that impulse says;\n"
    "each to 1e-10 of what was exchanged and carried.\n"
    "\n"
    "  --spoil  give one body a push before the check (exit 1), to see the check work\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0 the result is right, 1 it is not or memory is short, 2 wrong arguments.\n";

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {
        .spoil = takes_spoil(argc, argv, help), .bodies = DEFAULT_BODIES, .steps = DEFAULT_STEPS};
    const int given = argc - optind;
    if (given > 2)
        fail(2, "%d arguments: give at most two, BODIES and STEPS", given);
    if (given > 0)
        options.bodies = number("BODIES", argv[optind], 1, MOST_BODIES);
    if (given > 1)
        options.steps = number("STEPS", argv[optind + 1], 1, MOST_STEPS);
    return options;
}

// A random number in [-0.5, 0.5).
static double random_offset(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53 - 0.5;
}

static struct vector random_vector(uint64_t *random)
{
    const double x = random_offset(random), y = random_offset(random), z = random_offset(random);
    return (struct vector){x, y, z};
}

// v + factor * w
static struct vector add(struct vector v, double factor, struct vector w)
{
    return (struct vector){v.x + factor * w.x, v.y + factor * w.y, v.z + factor * w.z};
}

static double length(struct vector v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// To be freed.
static struct body *new_bodies(size_t count)
{
    struct body *bodies = calloc(count, sizeof *bodies);
    if (!bodies)
        fail(1, "no memory for %zu bodies: take fewer", count);
    uint64_t random = count;
    for (size_t i = 0; i < count; i++) {
        bodies[i].position = random_vector(&random);
        bodies[i].velocity = random_vector(&random);
        bodies[i].mass = (1 + random_offset(&random)) / (double)count;
    }
    return bodies;
}

static struct vector acceleration(size_t count, const struct body *bodies, struct vector at)
{
    struct vector sum = {0, 0, 0};
    for (size_t j = 0; j < count; j++) {
        // A body's own share is zero, since the distance is, and softening keeps it finite.
        const struct vector d = add(bodies[j].position, -1, at);
        const double squared = d.x * d.x + d.y * d.y + d.z * d.z + softening * softening;
        sum = add(sum, bodies[j].mass / (squared * sqrt(squared)), d);
    }
    return sum;
}

// One step of symplectic Euler. Returns the sum of the amounts of impulse that all got.
static double step(size_t count, struct body *bodies)
{
    double exchanged = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vector a = acceleration(count, bodies, bodies[i].position);
        bodies[i].velocity = add(bodies[i].velocity, step_time, a);
        exchanged += bodies[i].mass * step_time * length(a);
    }
    for (size_t i = 0; i < count; i++)
        bodies[i].position = add(bodies[i].position, step_time, bodies[i].velocity);
    return exchanged;
}

// What the laws of conservation speak of.
struct totals {
    double mass;
    double carried; // sum of the amounts of impulse
    struct vector impulse;
    struct vector moment; // mass times centre of mass
};

static struct totals total(size_t count, const struct body *bodies)
{
    struct totals t = {0};
    for (size_t i = 0; i < count; i++) {
        t.mass += bodies[i].mass;
        t.carried += bodies[i].mass * length(bodies[i].velocity);
        t.impulse = add(t.impulse, bodies[i].mass, bodies[i].velocity);
        t.moment = add(t.moment, bodies[i].mass, bodies[i].position);
    }
    return t;
}

// Ends the program when the laws are broken; the comparisons are such that NaN fails them.
static void verify(const struct options *options, const struct totals *before,
                   const struct totals *after, double exchanged)
{
    const double duration = step_time * (double)options->steps;
    const double scale = exchanged + before->carried + after->carried;
    const double impulse_error = length(add(after->impulse, -1, before->impulse));
    const struct vector expected = add(before->moment, duration, before->impulse);
    const double moment_error = length(add(after->moment, -1, expected));
    if (options->bodies > 1 && !(exchanged > 0))
        fail(1, "no impulse was exchanged: do not trust this build or machine");
    if (!(impulse_error <= tolerance * scale))
        fail(1, "total impulse is off by %g of %g: do not trust this build or machine",
             impulse_error, scale);
    if (!(moment_error <= tolerance * (before->mass + scale * duration)))
        fail(1, "the centre of mass is off by %g: do not trust this build or machine",
             moment_error / before->mass);
    printf("%zu bodies, %zu steps, impulse off by %.1e of what was exchanged, verified\n",
           options->bodies, options->steps, impulse_error / scale);
}

int main(int argc, char **argv)
{
    const struct options options = parse_arguments(argc, argv);
    struct body *bodies = new_bodies(options.bodies);
    const struct totals before = total(options.bodies, bodies);
    double exchanged = 0;
    for (size_t i = 0; i < options.steps; i++)
        exchanged += step(options.bodies, bodies);
    if (options.spoil)
        bodies[0].velocity.x += 1;
    const struct totals after = total(options.bodies, bodies);
    verify(&options, &before, &after, exchanged);
    free(bodies);
    return written();
}
