/* The facts of the kernel in a jostle.probe/1. */

#include "kernel.h"

#include "common/record_json.h"

#include <math.h>
#include <stdio.h>

/* Numbers by name. What is not known is null; a quota that does not exist, too. */
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
#define NUMBER(member)                                                                             \
    {                                                                                              \
#member, offsetof(struct kernel_facts, member)                                             \
    }
    NUMBER(duration_s),    NUMBER(cpus),           NUMBER(quota_cpus),     NUMBER(cpu_some),
    NUMBER(memory_some),   NUMBER(memory_full),    NUMBER(io_some),        NUMBER(steal),
    NUMBER(throttled),     NUMBER(throttled_s),    NUMBER(run_queue),      NUMBER(load_average),
    NUMBER(busy_cpus),     NUMBER(own_cpus),       NUMBER(session_cpus),   NUMBER(foreign_cpus),
    NUMBER(swap_in_per_s), NUMBER(swap_out_per_s), NUMBER(heat_throttles), NUMBER(clock_mhz),
    NUMBER(resctrl_gb_s),  NUMBER(own_io),
#undef NUMBER
};

enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static double *field(struct kernel_facts *facts, size_t i)
{
    return (double *)((char *)facts + numbers[i].offset);
}

json_t *kernel_to_json(const struct kernel_facts *facts)
{
    json_t *record = json_object(), *users = json_array();
    bool good = record != NULL && users != NULL;
    struct kernel_facts copy = *facts;
    for (size_t i = 0; good && i < NUMBERS; i++)
        good = json_object_set_new(record, numbers[i].name, number_to_json(*field(&copy, i))) == 0;
    for (size_t i = 0; good && i < facts->user_count; i++) {
        const struct kernel_user *user = &facts->user[i];
        good =
            json_array_append_new(
                users, json_pack("{s:o, s:o, s:o, s:o}", "user", text_to_json(user->name), "cpus",
                                 number_to_json(user->cpus), "command", text_to_json(user->command),
                                 "command_cpus", number_to_json(user->command_cpus))) == 0;
    }
    good = good && json_object_set(record, "users", users) == 0;
    json_decref(users);
    if (good)
        return record;
    json_decref(record);
    return NULL;
}

void kernel_from_json(const json_t *record, struct kernel_facts *facts)
{
    const json_t *users = json_object_get(record, "users"), *user;
    size_t i;
    *facts = (struct kernel_facts){0};
    for (size_t n = 0; n < NUMBERS; n++)
        *field(facts, n) = json_number_at(record, numbers[n].name);
    json_array_foreach(users, i, user)
    {
        if (i == KERNEL_USERS)
            break;
        struct kernel_user *row = &facts->user[facts->user_count++];
        json_copy_text(user, "user", row->name, sizeof row->name);
        json_copy_text(user, "command", row->command, sizeof row->command);
        row->cpus = json_number_at(user, "cpus");
        row->command_cpus = json_number_at(user, "command_cpus");
    }
}
