# fish completion for earshot. Commands, options and formats come from --help, when this is loaded.

# The names in a list below a heading: __earshot_list HEADING [COMMAND].
function __earshot_list
    earshot $argv[2] --help 2>/dev/null | sed -n "/^$argv[1]:/,/^\$/s/^  \([a-z0-9-]*\) .*/\1/p"
end

function __earshot_formats
    switch "$argv[1],$argv[2]"
        case '*,input-format' 'diff,*'
            __earshot_list 'Formats to read' convert
        case 'capture,*' 'convert,*'
            __earshot_list 'Formats to write' convert
        case '*'
            __earshot_list Formats decode
    end
end

# The options of one command: lines "  -o, --output FILE  what it is for".
function __earshot_add_options
    set -l command $argv[1]
    earshot $command --help 2>/dev/null | string match -r '^ {2,}-.*' | while read -l line
        set -l parts (string match -r '^(.*?\S)  +(.*)$' -- $line)
        set -l head $line
        set -l about
        test -n "$parts[2]"; and set head $parts[2]; and set about -d $parts[3]
        set -l names (string match -ra '(?<!\S)(?:--[a-z][a-z-]*|-[A-Za-z])' -- $head)
        set -l argument (string match -r '[ =]([A-Z]+)' -- $head)[2]
        set -l options
        for name in $names
            switch $name
                case '--*'
                    set -a options -l (string sub -s 3 -- $name)
                case '*'
                    set -a options -s (string sub -s 2 -- $name)
            end
        end
        set -l long (string replace -f -r '^--' '' -- $names)[-1]
        switch "$argument"
            case ''
            case FILE OUT
                set -a options -r -F
            case FORMAT
                set -a options -x -a "(__earshot_formats $command $long)"
            case POLICY
                set -a options -x -a 'stall drop'
            case MODE
                set -a options -x -a 'off sync record'
            case WHAT
                set -a options -x -a 'wait drop'
            case TRIGGER
                set -a options -x -a 'pc= opcode= addr= cycles= records= pin'
            case EVENT
                set -a options -x -a 'pc= opcode= addr= cycles= records= pin trap exception interrupt'
            case DIR
                set -a options -x -a '(__fish_complete_directories)'
            case WHERE
                set -a options -x -a pc=
            case DEVICE
                set -a options -x -a 'sim: usb: ftdi: uart: tcp: file:'
            case '*'
                set -a options -x
        end
        complete -c earshot -n "__fish_seen_subcommand_from $command" $options $about
    end
end

complete -c earshot -f
complete -c earshot -n __fish_use_subcommand -l help -d 'show help'
complete -c earshot -n __fish_use_subcommand -l version -d 'show the versions'
earshot --help 2>/dev/null | sed -n '/^Commands:/,/^$/p' | string match -r '^  \S.*' | while read -l name about
    complete -c earshot -n __fish_use_subcommand -a $name -d $about
    complete -c earshot -n "__fish_seen_subcommand_from $name" -F
    __earshot_add_options $name
end
