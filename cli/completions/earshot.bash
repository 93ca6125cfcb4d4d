# bash completion for earshot. Commands, options and formats come from --help.

# The commands.
_earshot_commands()
{
	earshot --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The options of a command, each behind the name of its argument, or "-" if it takes none:
# "FILE -o", "FILE --output", "- --quiet". They stand before two blanks in --help.
_earshot_options()
{
	earshot ${1:+"$1"} --help 2>/dev/null | sed -n 's/^ \{2,\}\(-.*\)/\1/p' | sed 's/  .*//' |
		while read -r line; do
			argument=-
			[[ $line =~ [\ =]([A-Z]+) ]] && argument=${BASH_REMATCH[1]}
			for word in $line; do
				[[ $word =~ ^(--[a-z-]+|-[A-Za-z]) ]] && echo "$argument ${BASH_REMATCH[1]}"
			done
		done
}

# The names in a list below a heading.
_earshot_list()
{
	earshot "$1" --help 2>/dev/null | sed -n "/^$2:/,/^\$/s/^  \([a-z0-9-]*\) .*/\1/p"
}

_earshot_formats()
{
	case $1,$2 in
	*,-i | *,--input-format | diff,*) _earshot_list convert "Formats to read" ;;
	capture,* | convert,*) _earshot_list convert "Formats to write" ;;
	*) _earshot_list decode Formats ;;
	esac
}

# $1 the words to choose from, $2 what is there of one.
_earshot_choose()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_earshot_paths()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_earshot()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before argument name option

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_earshot_choose "$(_earshot_commands) --help --version" "$word"
		return
	fi

	# bash takes ':' for the end of a word: "sim:prog" comes as the words "sim", ":", "prog".
	before=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$word" = : ]; then
		_earshot_paths ""
		return
	elif [ "$before" = : ]; then
		_earshot_paths "$word"
		return
	elif [[ $word == -* ]]; then
		_earshot_choose "$(_earshot_options "$command" | cut -d ' ' -f 2)" "$word"
		return
	fi

	argument=-
	while read -r name option; do
		[ "$option" = "$before" ] && argument=$name
	done < <(_earshot_options "$command")
	case $argument in
	- | FILE | OUT) _earshot_paths "$word" ;;
	FORMAT) _earshot_choose "$(_earshot_formats "$command" "$before")" "$word" ;;
	POLICY) _earshot_choose "stall drop" "$word" ;;
	MODE) _earshot_choose "off sync record" "$word" ;;
	WHAT) _earshot_choose "wait drop" "$word" ;;
	TRIGGER)
		_earshot_choose "pc= opcode= addr= cycles= records= pin" "$word"
		compopt -o nospace 2>/dev/null
		;;
	EVENT)
		_earshot_choose "pc= opcode= addr= cycles= records= pin trap exception interrupt" "$word"
		compopt -o nospace 2>/dev/null
		;;
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	WHERE)
		_earshot_choose "pc=" "$word"
		compopt -o nospace 2>/dev/null
		;;
	DEVICE)
		_earshot_choose "sim: usb: ftdi: uart: tcp: file:" "$word"
		compopt -o nospace 2>/dev/null
		;;
	esac
	return 0
}

complete -F _earshot earshot
