--comments no writes comment lines to standard error; the status says whether records are missing.

  $ cat >t.csv <<END
  > pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  > 80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,0
  > # event: start trigger; value 0x1; hart 0; before index 1
  > # gap: no record is missing before index 1; hart 0; damaged bytes; stream byte 9
  > END
  $ earshot convert -q --comments no t.csv
  earshot: t.csv: event: start trigger; value 0x1; hart 0; before index 1
  earshot: t.csv: gap: no record is missing before index 1; hart 0; damaged bytes; stream byte 9
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,0
  $ echo "# gap: 3 records missing; index 1 to 3; hart 0; the unit's FIFO was full; stream byte 20" >>t.csv
  $ earshot convert -q --comments no t.csv
  earshot: t.csv: event: start trigger; value 0x1; hart 0; before index 1
  earshot: t.csv: gap: no record is missing before index 1; hart 0; damaged bytes; stream byte 9
  earshot: t.csv: gap: 3 records missing; index 1 to 3; hart 0; the unit's FIFO was full; stream byte 20
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,0
  [1]
  $ earshot grep --gap --comments no t.csv
  earshot: t.csv: gap: no record is missing before index 1; hart 0; damaged bytes; stream byte 9
  earshot: t.csv: gap: 3 records missing; index 1 to 3; hart 0; the unit's FIFO was full; stream byte 20
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  earshot: warning: t.csv is damaged, from instruction 1 on: bytes of it are damaged, but no record is missing; the unit dropped 3 records
  [2]
