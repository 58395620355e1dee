#include "command.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *word;
    enum command_kind kind;
    bool has_argument;
} commands[] = {
    {"pause", COMMAND_PAUSE, false}, {"resume", COMMAND_RESUME, false},
    {"rate", COMMAND_RATE, true},    {"mark", COMMAND_MARK, true},
    {"quit", COMMAND_QUIT, false},
};

struct command command_read(char *text, size_t length)
{
    struct command command = {.kind = COMMAND_WRONG, .word = text};
    if (length > 0 && text[length - 1] == '\r')
        text[--length] = '\0';
    if (memchr(text, '\0', length) != NULL)
        return command;
    char *blank = strchr(text, ' ');
    if (blank != NULL) {
        *blank = '\0';
        command.argument = blank + 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(text, commands[i].word) == 0 &&
            commands[i].has_argument == (command.argument != NULL && *command.argument != '\0') &&
            (commands[i].has_argument || command.argument == NULL))
            command.kind = commands[i].kind;
    return command;
}
