// Counts what the control group of --account has used, in the place of what the target has.
#include "account.h"

#include "accounting.h"
#include "command_line.h"
#include "open_files.h"

#include "common/file.h"
#include "common/group.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool has(int folder_fd, const char *name)
{
    return faccessat(folder_fd, name, R_OK, 0) == 0;
}

bool account_open(struct account *account, const struct command_line *asked)
{
    *account = ACCOUNT_OF_NONE;
    for (size_t i = 0; i < asked->account.count; i++) {
        const char *folder = asked->account.item[i];
        const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return complain("--account %s: %s: name the folder of a control group", folder,
                            strerror(errno));
        const bool is_v1 = has(fd, "cpuacct.usage");
        if (is_v1 || has(fd, "cpu.stat")) {
            account->group.kind = is_v1 ? GROUP_V1 : GROUP_V2;
            account->group.folder_fd = fd;
        }
        if (has(fd, "memory.current") || has(fd, "memory.usage_in_bytes"))
            account->memory_fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (account->group.folder_fd != fd)
            (void)close(fd);
    }
    return asked->account.count == 0 || account->group.kind != GROUP_NONE ||
           complain("--account %s: it counts no CPU time: name the folder of a control group",
                    asked->account.item[0]);
}

// What the group has now, or with peak had at most. 0: not known.
static uint64_t read_memory(const struct account *account, bool peak)
{
    static const char *const names[2][2] = {{"memory.current", "memory.usage_in_bytes"},
                                            {"memory.peak", "memory.max_usage_in_bytes"}};
    char text[64];
    uint64_t bytes = 0;
    for (size_t i = 0; i < 2 && account->memory_fd >= 0; i++)
        if (file_read(account->memory_fd, names[peak][i], text, sizeof text) &&
            file_number(text, "", &bytes))
            return bytes;
    return 0;
}

// What its processes have in memory now, without page cache. 0: not known.
static uint64_t read_resident(const struct account *account)
{
    static const char *const names[] = {"\nanon ", "\ntotal_rss "}; // of v2, of v1
    char text[8192] = "\n";                                         // before the first line
    uint64_t bytes = 0;
    if (account->memory_fd < 0 ||
        !file_read(account->memory_fd, "memory.stat", text + 1, sizeof text - 1))
        return 0;
    for (size_t i = 0; i < 2; i++)
        if (file_number(text, names[i], &bytes))
            return bytes;
    return 0;
}

static bool is_gone(const struct group_usage *usage)
{
    return !usage->has_cpu &&
           !complain("the control group of --account is gone: its container or job has ended");
}

bool account_begin(struct account *account)
{
    if (account->group.kind == GROUP_NONE)
        return true;
    group_read(&account->group, &account->before);
    account->resets =
        account->memory_fd >= 0 && file_write(account->memory_fd, "memory.max_usage_in_bytes", "0");
    account->most_bytes = read_memory(account, false);
    account->resident_bytes = read_resident(account);
    return !is_gone(&account->before);
}

static int64_t cpu_of(const struct group_usage *usage)
{
    return usage->user_ns + usage->system_ns;
}

bool account_end(struct account *account, struct usage *usage, struct group_usage *group)
{
    struct group_usage now;
    if (account->group.kind == GROUP_NONE)
        return true;
    group_read(&account->group, &now);
    const uint64_t bytes = read_memory(account, account->resets);
    usage->accounting = accounting_of(&account->group);
    // Version 1 divides the exact total by samples, so that one part may have become less.
    const int64_t total_ns = cpu_of(&now) - cpu_of(&account->before);
    const int64_t system_ns = now.system_ns - account->before.system_ns;
    usage->system_ns = system_ns < 0 ? 0 : system_ns < total_ns ? system_ns : total_ns;
    usage->user_ns = total_ns - usage->system_ns;
    const uint64_t resident_bytes = read_resident(account);
    if (account->memory_fd >= 0)
        usage->max_rss_bytes =
            resident_bytes > account->resident_bytes ? resident_bytes : account->resident_bytes;
    *group = (struct group_usage){.has_peak = bytes > 0,
                                  .peak_bytes =
                                      bytes > account->most_bytes ? bytes : account->most_bytes};
    return !is_gone(&now);
}

void account_close(struct account *account)
{
    fd_close(&account->group.folder_fd);
    fd_close(&account->memory_fd);
    *account = ACCOUNT_OF_NONE;
}
