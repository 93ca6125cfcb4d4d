A line that cannot be read is skipped with its number; too many of them, or --strict, end it.

  $ cat >t.csv <<END
  > pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  > 80000000,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  > zzz,what,is,this
  > 80000004,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  > END
  $ earshot convert t.csv
  earshot: warning: t.csv: line 3 skipped: the line has fewer columns than the header
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  # gap: an unknown number of records is missing after index 0; hart 0; a line could not be read; 17 bytes skipped; stream byte 143
  80000004,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  earshot: warning: t.csv: 1 bad line skipped
  $ earshot convert --strict t.csv
  earshot: t.csv: line 3: the line has fewer columns than the header
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  [2]
  $ yes zzz | head -n 150 >>t.csv
  $ earshot convert t.csv 2>&1 | grep -v -e ' skipped: ' -e '4 bytes skipped'
  earshot: t.csv: line 104: the line has fewer columns than the header; too many bad lines (--max-bad)
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  # gap: an unknown number of records is missing after index 0; hart 0; a line could not be read; 17 bytes skipped; stream byte 143
  80000004,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  earshot: warning: t.csv: 100 bad lines skipped
  $ earshot convert --max-bad 1 t.csv
  earshot: warning: t.csv: line 3 skipped: the line has fewer columns than the header
  earshot: t.csv: line 5: the line has fewer columns than the header; too many bad lines (--max-bad)
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  # gap: an unknown number of records is missing after index 0; hart 0; a line could not be read; 17 bytes skipped; stream byte 143
  80000004,13,,x0;i0,,,m,,addi     x0; x0; 0,0
  earshot: warning: t.csv: 1 bad line skipped
  [2]
  $ earshot info t.csv 2>/dev/null | grep -E 'lines|complete'
  lines: 154
  bad_lines: 151
  incomplete: lines could not be read
  complete: no

XLEN is taken from the beginning of a text, and can be given.

  $ head -n 1 t.csv >wide.csv
  $ for i in {1..4000}; do echo '80000000,13,x5=1,,,,m,,,0'; done >>wide.csv
  $ echo '80000004,13,x5=ffffffffffffffff,,,,m,,,0' >>wide.csv
  $ earshot convert wide.csv -o b.csv
  earshot: warning: wide.csv: line 4002: XLEN is 64 from here on; the lines before were read as RV32 (see --xlen)
  $ wc -l <b.csv
  4002
  $ earshot convert -j 3 wide.csv -o c.csv
  earshot: warning: wide.csv: line 4002: XLEN is 64 from here on; the lines before were read as RV32 (see --xlen)
  $ cmp b.csv c.csv
  $ sed '$ s/f*,,,,m/1ffffffff,,,,m/' wide.csv >digit.csv
  $ earshot convert digit.csv -o b.csv
  earshot: warning: digit.csv: line 4002 skipped: a value is wider than 32 bits, and XLEN is 32 (see --xlen)
  earshot: warning: digit.csv: 1 bad line skipped
  $ earshot convert --xlen 64 wide.csv | tail -n 1
  80000004,13,x5=ffffffffffffffff,,,,m,,,0
  $ earshot grep --xlen 64 -c --pc 0x80000004 wide.csv
  1
  $ earshot diff --xlen 64 wide.csv wide.csv
  the same: 4001 records
