#!/bin/sh
# Place and route for an iCE40, then pack the bitstream.
#
#   route_ice40.sh NAME PCF NEXTPNR ICEPACK [NEXTPNR OPTION...]
#
# NAME.json becomes NAME.asc and NAME.bin. On a device that is nearly full some placements leave the
# router busy with the last wire or two for ever. Another seed helps, so each gets ten minutes of CPU
# time (not of the clock: a busy machine would give up on a seed that finds its way).
set -u
name=$1 pcf=$2 nextpnr=$3 icepack=$4
shift 4

for seed in 1 2 3 4 5 6; do
	if (
		# shellcheck disable=SC3045 # not POSIX, but each shell that is sh on Debian has it
		ulimit -t 600
		exec "$nextpnr" "$@" --seed "$seed" -q -l nextpnr.log --pcf "$pcf" \
			--json "$name.json" --asc "$name.asc"
	); then
		exec "$icepack" "$name.asc" "$name.bin"
	fi
	echo "$name: seed $seed found no way, see $PWD/nextpnr.log" >&2
done
exit 1
