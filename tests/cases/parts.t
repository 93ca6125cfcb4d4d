Of each command that counts: three parts put together, and two threads, show what one reading shows.

  $ command -v earshot-board >/dev/null || exit 80
  $ earshot capture -q -d sim:$PROGRAMS/tasks.elf,uart=/dev/null --time record --limit 140000 -o t.shot
  $ same() { # COMMAND OPTION... -- SHOW...: what is shown is said when parts are put together
  >   local options=() show out=
  >   while [ "$1" != -- ]; do options+=("$1"); shift; done
  >   show=("${@:2}")
  >   [ "${options[0]}" != timeline ] || out="-o -"
  >   for part in 1 2 3; do earshot "${options[@]}" $out --part $part/3 t.shot >$part.part; done
  >   earshot "${options[@]}" $out "${show[@]}" t.shot >whole
  >   earshot "${options[@]}" $out "${show[@]}" ?.part | sed 's/[^ ]*\.part$/t.shot/' | cmp - whole
  >   earshot "${options[@]}" $out "${show[@]}" -j 2 t.shot | cmp - whole
  >   [ $(wc -l <whole) -gt ${least-6} ] || cat whole
  > }
  $ least=1 same stat -q --
  $ same coverage -q -- -o -
  $ same coverage -q --task worker -- -o -
  $ same coverage -q --isa -- -f json
  $ same calls -q -- -n 30
  $ same calls -q --task worker -- --summary -f json
  $ same calls -q --interrupts -- -f json
  $ same timeline -q -- -f json
  $ same memory -q -- -f json
  $ same profile -q --inline -- -f json
  $ same profile -q --by task -- -f json
  $ same profile -q --methods -- -f json
  $ same branches -q -- -f json
