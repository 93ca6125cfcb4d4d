# bash completion for earshot.

_earshot_options()
{
	case $1 in
	capture)
		echo "-d --device -o --output -f --format --policy --time --limit --keep-running
			--buffer --buffer-full --record --level -q --quiet -h --help"
		;;
	decode) echo "-f --format -o --output --limit -q --quiet -h --help" ;;
	convert)
		echo "-i --input-format -f --format -o --output --xlen --limit --strict --quiet-loss
			--max-bad --level -q --quiet -h --help"
		;;
	info) echo "-q --quiet -h --help" ;;
	dump) echo "--limit -h --help" ;;
	list) echo "-h --help" ;;
	*) echo "capture decode convert info dump list --help --version" ;;
	esac
}

# The names in a list that --help shows below a heading: the program knows its formats best.
_earshot_formats()
{
	earshot "$1" --help 2>/dev/null | sed -n "/^$2:/,/^\$/s/^  \([a-z0-9-]*\) .*/\1/p"
}

# The values of an option: prints words, or returns 1 if it takes a path, 2 if it takes no value.
_earshot_values()
{
	case $2 in
	-f | --format)
		case $1 in
		decode) _earshot_formats decode Formats ;;
		*) _earshot_formats convert "Formats to write" ;;
		esac
		;;
	-i | --input-format) _earshot_formats convert "Formats to read" ;;
	--xlen) echo "32 64" ;;
	--policy) echo "stall drop" ;;
	--time) echo "off sync record" ;;
	--buffer-full) echo "wait drop" ;;
	--limit | --buffer | --level | --max-bad) ;;
	-d | --device) echo "sim: file:" ;;
	-o | --output | --record) return 1 ;;
	*) return 2 ;;
	esac
}

_earshot_paths()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_earshot()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option words

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_earshot_options)" -- "$word")
		return
	fi

	# bash takes ':' for the end of a word: "sim:prog" comes as the words "sim", ":", "prog".
	option=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$option" = : ]; then
		_earshot_paths "$word"
		return
	elif [ "$word" = : ]; then
		_earshot_paths ""
		return
	fi

	words=$(_earshot_values "$command" "$option")
	case $? in
	0)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		[[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace 2>/dev/null
		;;
	1) _earshot_paths "$word" ;;
	2)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_earshot_options "$command")" -- "$word")
		else
			_earshot_paths "$word"
		fi
		;;
	esac
	return 0
}

complete -F _earshot earshot
