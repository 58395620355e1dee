# fish completion for jostle and loadgen, from --help alone. Put this file, also under the name
# loadgen.fish, where fish looks for completions.

# __jostle_commands PROGRAM: the words that may stand first, each with what it is for.
function __jostle_commands
    $argv[1] --help 2>/dev/null | string replace -rf '^  ([a-z][a-z0-9-]*)  +(.*)' '$1'\t'$2'
end

# __jostle_options COMMAND...: a line for each option: the option, the word for its value
# (may be empty), and what it is for, with tabs between them.
function __jostle_options
    $argv --help-all 2>/dev/null |
        string replace -rf '^ {1,8}(?:-[A-Za-z], +)?(--[a-z][a-z0-9-]*)[ =]?([^ ]*) *(.*)' '$1'\t'$2'\t'$3'
end

# __jostle_operands COMMAND...: the words that its usage offers, such as "[cpu|memory]...".
function __jostle_operands
    set -l usage ($argv --help-all 2>/dev/null)
    string replace -rf '.*[ \[]([a-z]+(?:\|[a-z]+)+)\].*' '$1' -- $usage[1] | string split '|'
end

# __jostle_load CURRENT: the names of loads, or behind a name, in quotes, its own options.
function __jostle_load
    set -l typed (string trim -l -c '\'"' -- $argv[1])
    if not string match -q -- '* *' $typed
        __jostle_commands loadgen
        echo exec:
        return
    end
    set -l before (string replace -r ' [^ ]*$' '' -- $typed)
    set -l name (string replace -r '^[^=]*=' '' -- (string split ' ' -- $before)[1])
    for line in (__jostle_options loadgen $name)
        set -l option (string split \t -- $line)
        echo "$before $option[1]"\t$option[3]
    end
end

# __jostle_value KIND CURRENT: what the value of an option may be, by the word its help has for it.
function __jostle_value
    switch $argv[1]
        case '*|*'
            string split '|' -- $argv[1]
        case 'FILE*' 'DIR*' 'PATH*' 'CAMPAIGN*'
            __fish_complete_path $argv[2]
        case 'NAME=SPEC'
            __jostle_load $argv[2]
    end
end

function __jostle
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    if test (count $words) -eq 1
        __jostle_commands $program
        printf '%s\n' --help --version
        return
    end
    # What follows -- is the target's own command line.
    if set -l dashes (contains -i -- -- $words)
        set -l target (string escape -- $words[$dashes..-1])
        complete -C (string join ' ' -- $target[2..-1] $current)
        return
    end
    if test $words[2] = help
        __jostle_commands $program
        return
    end
    for line in (__jostle_options $program $words[2])
        set -l option (string split \t -- $line)
        if test $words[-1] = $option[1] -a -n "$option[2]"
            __jostle_value $option[2] $current
            return
        end
        string match -q -- '-*' $current; and echo $option[1]\t$option[3]
    end
    if not string match -q -- '-*' $current
        set -l operands (__jostle_operands $program $words[2])
        if set -q operands[1]
            printf '%s\n' $operands
        else
            __fish_complete_path $current
        end
    end
end

complete -c jostle -f -a '(__jostle)'
complete -c loadgen -f -a '(__jostle)'
