A project for a board: what is in it, and what is refused.

  $ earshot new-board --core demo --board ulx3s --link ft232h -o my
  my: demo on ulx3s, by ft232h; README.md says what to do next
  $ ls my
  Makefile
  README.md
  board.md
  board.mk
  core_bench.vh
  core_demo.v
  core_memory.v
  ear_board.vh
  ear_board_bench.v
  ear_board_link.v
  ear_board_reset.v
  ear_ulx3s.lpf
  ear_ulx3s.v
  my_system.v
  program.hex
  $ head -1 my/README.md
  # demo on ulx3s, traced by Earshot
  $ tail -3 my/board.mk
  PRESET = SMALL
  CORE = demo
  EAR_LINK ?= ft232h
  $ grep -c 'my_system #(' my/ear_ulx3s.v
  1
  $ grep -n '@\|hdl/boards' my/*.md my/*.mk my/core_*.v* my/ear_ulx3s.* | grep -v 'always @' || true
  $ make -n -C my sim EARSHOT=earshot | grep -o 'BENCH_TOP=[a-z0-9_]*\|CORE_TOP=[a-z_]*\|BENCH_FTDI'
  BENCH_TOP=ear_ulx3s
  BENCH_FTDI
  CORE_TOP=core_demo

A folder with files in it stays as it is; an empty one is taken.

  $ mkdir full empty
  $ touch full/precious
  $ earshot new-board --core demo --board arty -o full
  earshot: full has files in it; nothing was changed
  [2]
  $ ls full
  precious
  $ earshot new-board --core demo --board arty -o empty
  empty: demo on arty, by uart; README.md says what to do next

Names that are not known:

  $ earshot new-board --core z80 --board arty -o x
  earshot: there is no core 'z80'; there are: .*demo.* (re)
  [2]
  $ earshot new-board --core demo --board ../new -o x
  earshot: there is no board '../new'; there are: arty, colorlight_i5, ice40_hx8k, icebreaker, orangecrab, tangnano20k, ulx3s
  [2]
  $ earshot new-board --core demo --board arty --link fx2 -o x
  earshot: arty has no link 'fx2'; it has: uart
  [2]
  $ earshot new-board --core demo --board arty
  earshot: give --core, --board and -o
  Try 'earshot new-board --help'.
  [2]
  $ earshot new-board --core demo --board arty -o no/such/folder
  earshot: no/such/folder: No such file or directory
  [2]
  $ ls
  empty
  full
  my
