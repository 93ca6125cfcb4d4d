# fish completion for earshot.

# The names in a list that --help shows below a heading: the program knows its formats best.
function __earshot_formats
    earshot $argv[1] --help 2>/dev/null | sed -n "/^$argv[2]:/,/^\$/s/^  \([a-z0-9-]*\) .*/\1/p"
end

set -l commands capture decode convert info dump list
set -l none "not __fish_seen_subcommand_from $commands"

complete -c earshot -f
complete -c earshot -n $none -a capture -d 'capture a trace from a device into a file'
complete -c earshot -n $none -a decode -d 'turn a capture into text'
complete -c earshot -n $none -a convert -d 'turn a trace from any format into any other'
complete -c earshot -n $none -a info -d 'tell what a capture holds, and what it lacks'
complete -c earshot -n $none -a dump -d 'show the packets of a capture, one a line'
complete -c earshot -n $none -a list -d 'list the devices that can be captured from'
complete -c earshot -n $none -l help -d 'show help'
complete -c earshot -n $none -l version -d 'show the versions'

set -l capture '__fish_seen_subcommand_from capture'
complete -c earshot -n $capture -s d -l device -x -a 'sim: file:' -d 'what to capture from'
complete -c earshot -n $capture -s o -l output -r -F -d 'where to'
complete -c earshot -n $capture -s f -l format -x -a '(__earshot_formats convert "Formats to write")' -d 'format of the output that follows'
complete -c earshot -n $capture -l policy -x -a 'stall drop' -d 'when the FIFO of the unit is full'
complete -c earshot -n $capture -l time -x -a 'off sync record' -d 'which records carry time'
complete -c earshot -n $capture -l limit -x -d 'end after so many records, bytes or seconds'
complete -c earshot -n $capture -l keep-running -d 'join the running core'
complete -c earshot -n $capture -l buffer -x -d 'size of the host ring'
complete -c earshot -n $capture -l buffer-full -x -a 'wait drop' -d 'when the host ring is full'
complete -c earshot -n $capture -l record -r -F -d 'also write every received byte'
complete -c earshot -n $capture -l level -x -d 'zstd level, 1 to 19'

set -l decode '__fish_seen_subcommand_from decode'
complete -c earshot -n $decode -F
complete -c earshot -n $decode -s f -l format -x -a '(__earshot_formats decode Formats)' -d 'text format'
complete -c earshot -n $decode -s o -l output -r -F -d 'write to'
complete -c earshot -n $decode -l limit -x -d 'end after this many records'

set -l convert '__fish_seen_subcommand_from convert'
complete -c earshot -n $convert -F
complete -c earshot -n $convert -s i -l input-format -x -a '(__earshot_formats convert "Formats to read")' -d 'format of the file'
complete -c earshot -n $convert -s f -l format -x -a '(__earshot_formats convert "Formats to write")' -d 'format to write'
complete -c earshot -n $convert -s o -l output -r -F -d 'write to'
complete -c earshot -n $convert -l xlen -x -a '32 64' -d 'where the file does not tell'
complete -c earshot -n $convert -l limit -x -d 'end after this many records'
complete -c earshot -n $convert -l strict -d 'what cannot be carried is an error'
complete -c earshot -n $convert -l quiet-loss -d 'no warning about fields that cannot be carried'
complete -c earshot -n $convert -l max-bad -x -d 'bad lines to pass over'
complete -c earshot -n $convert -l level -x -d 'zstd level, 1 to 19'

complete -c earshot -n '__fish_seen_subcommand_from info' -F

set -l dump '__fish_seen_subcommand_from dump'
complete -c earshot -n $dump -F
complete -c earshot -n $dump -l limit -x -d 'end after this many lines'

complete -c earshot -n '__fish_seen_subcommand_from capture decode convert info' -s q -l quiet -d 'no progress and no summary'
complete -c earshot -n "__fish_seen_subcommand_from $commands" -s h -l help -d 'show help'
