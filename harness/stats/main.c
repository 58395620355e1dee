// stats: what to run next, and what the runs so far show. The same records and
// seed give the same answers: it never reads a clock.
#include "command_line.h"
#include "protocol.h"
#include "result.h"
#include "serve.h"

#include "common/streams.h"

#include <stdio.h>

static int run(const struct command_line *command)
{
    if (command->experiment)
        return serve_run(command, stdout);
    if (command->derive)
        return result_derive(command->operands, command->operand_count);
    return protocol_run(command, stdin, stdout);
}

int main(int argc, char **argv)
{
    streams_open();
    struct command_line command;
    command_line_parse(&command, argc, argv);
    const int code = run(&command);
    command_line_free(&command);
    return code;
}
