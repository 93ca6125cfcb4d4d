A word that is not understood is never taken for nothing: the record stays, and it is said.

  $ cat >a.dv.csv <<END
  > pc,instr,gpr,csr,binary,mode,instr_str,operand,pad
  > 80000000,,x2=8000a000,,13,3,,,
  > 80000004,,a0:1,,13,3,,,
  > 80000008,,a0:1;zz:3,,13,3,,,
  > END
  $ sed 's/x2=8000a000/x2=12345678/' a.dv.csv >b.dv.csv
  $ earshot info a.dv.csv
  earshot: warning: a.dv.csv: 3 records; 2 lines have words that were not understood, first: line 2, 'x2=8000a000'
  format: riscv-dv
  harts: 1
  xlen: 32
  records: 3
  first_index: 0
  last_index: 2
  first_pc: 0x80000000
  last_pc: 0x80000008
  missing: 0
  gaps: 2
  events: 0
  lines: 4
  register_writes: 2
  accesses: 0
  opcodes: 3
  unknown_words: 2
  first_unknown_word: line 2, 'x2=8000a000'
  incomplete: words were not understood
  complete: no
  $ earshot diff a.dv.csv b.dv.csv
  earshot: warning: a.dv.csv: 3 records; 2 lines have words that were not understood, first: line 2, 'x2=8000a000'
  earshot: warning: a.dv.csv is damaged: 2 lines have words that were not understood
  earshot: warning: b.dv.csv: 3 records; 2 lines have words that were not understood, first: line 2, 'x2=12345678'
  earshot: warning: b.dv.csv is damaged: 2 lines have words that were not understood
  the same: 3 records; not on both sides and not compared: trap, target, fflags, v, address, value, physical
  [2]
  $ earshot diff --incomplete ok -q a.dv.csv b.dv.csv
  the same: 3 records; not on both sides and not compared: trap, target, fflags, v, address, value, physical
  $ earshot state --no-index --at end --json a.dv.csv | sed 's/.*,"complete/"complete/'
  earshot: warning: a.dv.csv: it shows no loads, no stores: their values are unknown
  earshot: warning: a.dv.csv is damaged, from instruction 1 on: 2 lines have words that were not understood
  "complete":false,"accounted":false,"unknown_words":2}
  $ earshot convert a.dv.csv -f whisper >a.csv
  earshot: warning: a.dv.csv: 3 records; 2 lines have words that were not understood, first: line 2, 'x2=8000a000'
  $ earshot info a.csv | grep -E '^(records|gaps|complete)'
  records: 3
  gaps: 2
  complete: no

Opcodes that XLEN does not have are counted: here those of addiw and addw, not what trapped.

  $ cat >b.log <<END
  > core   0: 3 0x80000000 (0x0000001b)
  > core   0: 3 0x80000004 (0x0000003b)
  > core   0: 3 0x80000008 (0x00000013)
  > core   0: 0x8000000c (0x0000001b) addiw
  > core   0: exception trap_illegal_instruction, epc 0x8000000c
  > END
  $ earshot info b.log | grep -E '^(xlen|records|other)'
  earshot: warning: b.log: 2 records have opcodes of the other XLEN only (see --xlen)
  xlen: 32
  records: 4
  other_xlen_opcodes: 2

XLEN by what only one XLEN does: c.jal jumps. After 64 KiB, the line says what to do.

  $ line() { printf 'core   0: 0x%016x (0x0000%s) %s\n' $1 $2 "$3"; }
  $ { line 0x1000 2011 'c.jal pc + 4'; line 0x1004 0001 c.nop; } >c.log
  $ earshot info c.log | grep -E '^(xlen|records)'
  xlen: 32
  records: 2
  $ { yes "$(line 0x1000 0001 c.nop)" | head -n 1400; cat c.log; } >d.log
  $ earshot info d.log | grep -E '^(xlen|records|bad)'
  earshot: warning: d.log: line 1401 skipped: the disassembly is of the other XLEN (see --xlen)
  earshot: warning: d.log: 1 bad line skipped
  xlen: 64
  records: 1401
  bad_lines: 1
  $ earshot convert -q --xlen 32 -f json d.log | grep -c '"mnemonic":"c.jal"'
  1

Lines of a console between those of a log are counted, however many there are.

  $ cat >line <<END
  > core   0: 3 0x80000000 (0x00000013)
  > END
  $ { cat line; yes 'init: starting' | head -n 150; cat line; } >a.log
  $ earshot info a.log | grep -E 'lines|records|complete'
  earshot: warning: a.log: line 2 skipped: the line is not one of a Spike log
  earshot: warning: a.log: 150 lines of something else skipped
  records: 2
  lines: 152
  other_lines: 150
  complete: unknown
  $ earshot diff a.log a.log
  earshot: warning: a.log: line 2 skipped: the line is not one of a Spike log
  earshot: warning: a.log: line 2 skipped: the line is not one of a Spike log
  earshot: warning: a.log: 150 lines of something else skipped
  earshot: warning: a.log: 150 lines of something else skipped
  the same: 2 records; not on both sides and not compared: trap, physical
  $ earshot grep --pc 0x80000000 -c a.log
  earshot: warning: a.log: line 2 skipped: the line is not one of a Spike log
  2
  earshot: warning: a.log: 150 lines of something else skipped
  $ earshot convert --strict a.log
  earshot: a.log: line 2: the line is not one of a Spike log
  [2]
