// The lines of the control plane: whole lines are made of the bytes that come in, and commands of
// the lines.

#include "frame.h"

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
    if (memchr(text, '\0', length))
        return command;
    char *blank = strchr(text, ' ');
    if (blank) {
        *blank = '\0';
        command.argument = blank + 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(text, commands[i].word) == 0 &&
            commands[i].has_argument == (command.argument && *command.argument != '\0') &&
            (commands[i].has_argument || !command.argument))
            command.kind = commands[i].kind;
    return command;
}

char *lines_room(struct lines *lines, size_t *room)
{
    *room = sizeof lines->text - lines->used;
    return lines->text + lines->used;
}

void lines_added(struct lines *lines, size_t count)
{
    lines->used += count;
}

enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length)
{
    for (;;) {
        const char *newline = memchr(lines->text, '\n', lines->used);
        if (!newline)
            break;
        *length = (size_t)(newline - lines->text);
        memcpy(text, lines->text, *length);
        text[*length] = '\0';
        lines->used -= *length + 1;
        memmove(lines->text, newline + 1, lines->used);
        if (!lines->skipping)
            return LINES_ONE;
        lines->skipping = false;
    }
    const bool again = lines->skipping, full = lines->used == sizeof lines->text;
    if (again || full)
        lines->used = 0;
    lines->skipping = again || full;
    return full && !again ? LINES_TOO_LONG : LINES_NONE;
}
