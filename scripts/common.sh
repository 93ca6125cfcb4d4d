# What scripts/demo, scripts/test and others have in common. Sourced by bash.
# shellcheck shell=bash
#
# A step is a command whose output goes to a log and is shown only if it fails.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# run_step LOG NAME COMMAND...: run the command quietly; tell its name, time and result.
run_step() {
	local log=$1 name=$2 begin=$SECONDS status=0
	shift 2

	mkdir -p "$(dirname "$log")"
	printf '%-44s ' "$name"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if [ $status -eq 0 ]; then
		printf 'ok      %3d s\n' $((SECONDS - begin))
		return 0
	fi
	printf 'FAILED  %3d s\n' $((SECONDS - begin))
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
