'diff' names an instruction by the text of the trace, as unknown, or as illegal if it is.

  $ both() {
  >   for x5 in 1 2; do
  >     echo 'pc, inst, modified regs, memory, privilege, trap, disassembly, hartid' >$x5.csv
  >     echo "80000000,$1,x5=$x5,,m,,$2,0" >>$x5.csv
  >   done
  >   earshot diff 1.csv 2.csv | head -n 1
  > }
  $ both b 'my.inst x5; x6'
  hart 0, pc 0x80000000 (my.inst x5, x6): x5 is 0x1 in A and 0x2 in B
  $ both 5b
  hart 0, pc 0x80000000 (unknown): x5 is 0x1 in A and 0x2 in B
  $ both 0
  hart 0, pc 0x80000000 (illegal): x5 is 0x1 in A and 0x2 in B
  $ both ffffffff
  hart 0, pc 0x80000000 (illegal): x5 is 0x1 in A and 0x2 in B
