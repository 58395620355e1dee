// What makes a machine another one for a profile: digits of what counts of it.

#include "pressure.h"

#include "common/machine.h"
#include "common/record_json.h"

#include <gsl/gsl_cdf.h>
#include <string.h>

// A text with all that counts has room here; longer ones would be told apart by their start.
enum { MOST = 2048 };

static const char *text(const json_t *environment, const char *name)
{
    const char *value = json_string_value(json_object_get(environment, name));
    return value ? value : "?";
}

void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1])
{
    char all[MOST];
    const double gib = json_number_value(json_object_get(environment, "memory_bytes")) / (1 << 30);
    const int length =
        snprintf(all, sizeof all, "%s\n%s\n%s\n%lld\n%s\n%lld\n%.0f\n", text(environment, "host"),
                 text(environment, "architecture"), text(environment, "cpu"),
                 (long long)json_integer_value(json_object_get(environment, "cpus_online")),
                 text(environment, "smt"),
                 (long long)json_integer_value(json_object_get(environment, "numa_nodes")), gib);
    sha256_hex(all, length < 0 ? 0 : strnlen(all, sizeof all), digits);
}
