# What scripts/demo, scripts/test and others have in common. Sourced by bash.
# shellcheck shell=bash
#
# A step is a command whose output goes to a log and is shown only if it fails.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# progress_of LOG: how far a build (ninja) or a run of tests (ctest) is, as it says in its last lines.
progress_of() {
	tail -n 20 "$1" 2>/dev/null |
		sed -n 's/^ *\[\{0,1\}\([0-9][0-9]*\/[0-9][0-9]*\)[] ].*/[\1]/p' | tail -n 1
}

# heartbeat LOG NAME: say each second what runs, since when and how far it is, in one line that is
# rewritten; where there is no terminal, in a line a minute. Ends when it is killed, with 1 if the name
# has to be printed again; or when the script has ended, by Ctrl-C for example.
heartbeat() {
	local log=$1 name=$2 begin=$SECONDS seconds written=0
	trap 'exit $((written > 0))' TERM
	while kill -0 $$ 2>/dev/null; do
		sleep 1 >/dev/null 2>&1
		seconds=$((SECONDS - begin))
		if [ -t 1 ]; then
			printf '\r%-44s %s %d s\033[K' "$name" "$(progress_of "$log")" $seconds
			written=1
		elif [ $seconds -ge $((60 * (written + 1))) ]; then
			[ $written -gt 0 ] || echo
			printf '    after %d s: %s\n' $seconds "$(progress_of "$log")"
			written=$((seconds / 60))
		fi
	done
}

# run_step LOG NAME COMMAND...: run the command; show its name, its progress, its time and its result.
run_step() {
	local log=$1 name=$2 begin=$SECONDS status=0 beat written=0 result=ok
	shift 2

	mkdir -p "$(dirname "$log")"
	: >"$log"
	printf '%-44s ' "$name"
	heartbeat "$log" "$name" </dev/null &
	beat=$!
	"$@" >"$log" 2>&1 </dev/null || status=$?
	kill $beat 2>/dev/null || true
	wait $beat 2>/dev/null || written=$?
	if [ -t 1 ]; then
		printf '\r%-44s ' "$name"
	elif [ $written -eq 1 ]; then
		printf '%-44s ' "$name"
	fi
	[ $status -eq 0 ] || result=FAILED
	printf '%-7s %3d s' $result $((SECONDS - begin))
	[ ! -t 1 ] || printf '\033[K'
	echo
	return $status
}

# show_failure LOG: the end of a log, and where all of it is.
show_failure() {
	echo
	tail -n "${2-30}" "$1" | sed 's/^/    /'
	echo
	echo "All of it: $1"
}

# build FOLDER "TARGET..." [CMAKE OPTION...]: configure and build.
build() {
	local folder=$1 targets
	read -ra targets <<<"$2"
	shift 2
	cmake -S "$top" -B "$folder" -G Ninja "$@" && cmake --build "$folder" --target "${targets[@]}"
}
