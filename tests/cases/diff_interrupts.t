'diff --interrupts skip' where a format shows no interrupts, and where there is nothing else.

  $ cp $DATA/across/a.csv .
  $ earshot convert -q --quiet-loss a.csv -o a.dv.csv
  $ earshot diff --interrupts skip a.csv a.dv.csv
  earshot: warning: a.dv.csv: riscv-dv traces show no interrupts: no handler is skipped
  the same: 30 records; not on both sides and not compared: trap, target, fflags, v, address, value, physical
  in another form, or not in one of the formats: interrupts 1
  skipped 0 handlers, 0 records in A; 0, 0 in B
  $ sed -n '1p; 8,11p' a.csv >handler.csv
  $ refused diff --interrupts skip handler.csv handler.csv
  earshot: all records are those of interrupt handlers: nothing was compared

A trace of Ibex shows interrupts by their handlers, before 2026 by the pc alone. Where they are on one
side only, or elsewhere, they are skipped as in any other format.

  $ cat >ibex.log <<END
  > Time	Cycle	PC	Insn	Decoded instruction	Register and memory contents
  > 30	15	80000100	00108093	addi x1,x1,1	x1=0x00000001
  > 36	18	80000104	00110113	addi x2,x2,1	x2=0x00000001
  > 42	21	80000200	00118193	addi x3,x3,1	x3=0x00000001
  > 48	24	80000204	30200073	mret	
  > 54	27	80000108	00108093	addi x1,x1,1	x1=0x00000002
  > END
  $ cat >spike.log <<END
  > core   0: 3 0x80000100 (0x00108093) x1  0x00000001
  > core   0: exception interrupt #7, epc 0x80000104
  > core   0: 3 0x80000200 (0x00118193) x3  0x00000001
  > core   0: 3 0x80000204 (0x30200073)
  > core   0: 3 0x80000104 (0x00110113) x2  0x00000001
  > core   0: 3 0x80000108 (0x00108093) x1  0x00000002
  > END
  $ earshot diff --interrupts skip ibex.log spike.log
  the same: 3 records; not on both sides and not compared: privilege, csr, v, physical
  skipped 1 handler, 2 records in A; 1, 3 in B
  $ grep -v exception spike.log >commits.log
  $ earshot diff --interrupts skip ibex.log commits.log >differences
  earshot: warning: commits.log: spike traces show no interrupts: no handler is skipped
  [1]
