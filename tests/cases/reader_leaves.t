Whoever reads standard output may leave when it has seen enough: no command calls that an error.

  $ cp $DATA/shot/states-1.shot t.shot
  $ mkfifo left
  $ leave() { (read -r _ <left; earshot "$@"; echo "$1 ended with $?" >&2) | { exec <&-; echo >left; }; }
  $ leave show t.shot
  show ended with 0
  $ leave decode t.shot
  decode ended with 0
  $ leave grep --reg a0 t.shot
  grep ended with 0
  $ leave stat t.shot
  stat ended with 0
  $ leave calls t.shot -q
  calls ended with 0
  $ leave calls --summary -f json -q t.shot
  calls ended with 0
  $ leave branches -q t.shot
  branches ended with 0
  $ leave coverage --isa -q t.shot
  coverage ended with 0
  $ leave timeline -q -f json -o - t.shot
  timeline ended with 0
  $ leave timeline -q -f vcd -o - t.shot
  timeline ended with 0
  $ leave state --reg x t.shot
  state ended with 0
  $ leave check t.shot
  check ended with 0
  $ leave info t.shot
  info ended with 0
  $ leave index t.shot
  index ended with 0
  $ leave convert t.shot -f whisper -o -
  earshot: warning: the output format cannot carry: load value, of 624 records
  convert ended with 0
