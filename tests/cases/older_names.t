Names of options of older releases work as before, and nothing lists them.

  $ cp $DATA/whisper/timer.csv $DATA/across/a.csv .
  $ both() {
  >   earshot $1 $2 $4 >older 2>&1; echo $?; earshot $1 $3 $4 2>&1 | cmp - older
  >   earshot $1 --help | grep -c -e "${2%% *}\b"
  > }
  $ both grep "--most 2" "--limit 2" "--pc 0x80000000-0x80000100 timer.csv"
  0
  0
  [1]
  $ both diff "--most 2" "-n 2" "timer.csv a.csv"
  1
  0
  [1]
  $ both check "--max 1" "-n 1" timer.csv
  0
  0
  [1]
  $ both profile "--top 3" "-n 3" timer.csv
  0
  0
  [1]
  $ both memory "--top 3" "-n 3" timer.csv
  0
  0
  [1]
  $ both timeline "--max 9" "-n 9" "-f json -o - timer.csv"
  0
  0
  [1]
  $ both why "--nodes 2" "-n 2" "--value s1 a.csv"
  0
  0
  [1]

They take what the newer name takes, and are offered to nobody who mistypes one.

  $ earshot profile --top
  earshot: --top needs an argument: N
  Try 'earshot profile --help'.
  [2]
  $ earshot profile --top=x timer.csv
  earshot: --limit: 'x' is not a number
  Try 'earshot profile --help'.
  [2]
  $ earshot profile --tpo 3 timer.csv
  earshot: 'profile' has no option --tpo; did you mean --to?
  Try 'earshot profile --help'.
  [2]

What '-f json' prints, '--json' does.

  $ for command in stat branches memory calls profile "history 0x80000000" grep; do
  >   earshot $command -f json timer.csv >older 2>/dev/null; earshot $command --json timer.csv 2>/dev/null | cmp - older; wc -l <older
  > done
  3
  13
  33
  6
  11
  2
  287
