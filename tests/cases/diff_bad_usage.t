What 'diff' refuses; what it cannot compare is not the same.

  $ cp $DATA/whisper/timer.csv $DATA/whisper/vector.csv .
  $ refused diff timer.csv
  earshot: two files, please
  $ refused diff - -
  earshot: standard input can be one of the files, not both
  $ refused diff --interrupts maybe a b
  earshot: --interrupts: 'maybe' is not one of: compare skip
  $ refused diff --event-port 0x1000 a b
  earshot: --event-port says which task runs: it needs --task
  $ refused diff --only '' timer.csv timer.csv
  earshot: --only: which fields?
  $ refused diff --only nonsense timer.csv timer.csv
  earshot: --only: there is no field 'nonsense'
  $ refused diff --ignore colour timer.csv timer.csv
  earshot: --ignore: there is no field 'colour'
  $ refused diff --run 0 timer.csv timer.csv
  earshot: --run: '0' is not a number from 1 to 1000
  $ refused diff -n x timer.csv timer.csv
  earshot: --limit: 'x' is not a number
  $ refused diff --hart 3 timer.csv timer.csv
  earshot: neither side has a record of hart 3
  $ refused diff --task nobody timer.csv timer.csv
  earshot: warning: timer.csv: no event says which task runs
  earshot: warning: timer.csv: no event says which task runs
  earshot: neither side has a record of task nobody
  $ refused diff --start 0x10 timer.csv timer.csv
  earshot: pc 0x10 (--start) is reached on neither side
  $ refused diff --start 0x8000010a timer.csv vector.csv
  earshot: vector.csv: pc 0x8000010a (--start) is never reached
  $ refused diff --names timer.csv timer.csv
  earshot: --names: there is no program to take names from (no ELF given: use --elf FILE)

What may differ:

  $ refused diff --tolerate '' a b
  earshot: --tolerate: '' is not clocks, counters or devices=RANGE
  $ refused diff --tolerate clocks,time a b
  earshot: --tolerate: 'time' is not clocks, counters or devices=RANGE
  $ refused diff --tolerate 0x1000 a b
  earshot: --tolerate: '0x1000' is not clocks, counters or devices=RANGE
  $ refused diff --tolerate devices= a b
  earshot: --tolerate: '' is not a range: FIRST-LAST, FIRST+SIZE, an address or a name
  $ refused diff --tolerate devices=1,5-4,clocks a b
  earshot: --tolerate: '5-4' is not a range: FIRST-LAST, FIRST+SIZE, an address or a name
  $ refused diff --tolerate devices=1+0 a b
  earshot: --tolerate: '1+0' is not a range: FIRST-LAST, FIRST+SIZE, an address or a name
  $ refused diff --tolerate devices=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 a b
  earshot: --tolerate: more than 16 ranges
  $ refused diff --tolerate devices=interrupts timer.csv timer.csv
  earshot: --tolerate: 'interrupts' is neither a number nor a symbol (no ELF given: use --elf FILE)

Where it is to begin:

  $ refused diff --start trap#99 timer.csv timer.csv
  earshot: timer.csv: there are only 4 traps
  $ refused diff --start 5000 timer.csv timer.csv
  earshot: 5000 (--start) is reached on neither side
  $ refused diff --start zzz timer.csv timer.csv
  earshot: timer.csv: there is no event 'zzz'
  $ refused diff --start 'a b#' timer.csv timer.csv
  earshot: --start: 'a b#' is not a moment: the number of an instruction, @TICKS, begin, end, first, last, trap, exception, interrupt, event, gap, the name of an event or a function, mark=NAME, or FILE:LINE; these with #K, +N or -N
  $ refused diff --start trap - timer.csv
  earshot: --start: standard input cannot be read twice; an address (0x80000000) or a number needs no search
