'diff' shows the first difference of two traces, with the records around it.

  $ cp $DATA/across/a.csv $DATA/across/b.csv .
  $ earshot diff a.csv a.csv
  the same: 31 records
  $ sed 's/x7=1,/x7=9,/' a.csv >c.csv
  $ earshot diff a.csv c.csv
  hart 0, pc 0x80000010 (addi     x7, x7, -1): x7 is 0x1 in A and 0x9 in B
    A: a.csv, record 11, line 13
    B: c.csv, record 11, line 13
      80000204,1e0e13,x28=1,x28;i1,,,m,,addi     x28; x28; 1,0
      80000208,1c1b023,,x28;x3;i0,80001000=1,s,m,,sd       x28; 0x0(x3),0
      8000020c,30200073,,,,,m,,mret     ,0
    A 80000010,fff38393,x7=1,x7;iffffffff,,,m,,addi     x7; x7; -1,0
    B 80000010,fff38393,x7=9,x7;iffffffff,,,m,,addi     x7; x7; -1,0
      80000014,fe039ee3,pc=80000010,x7;x0;ifffffffc,,t,m,,bne      x7; x0; . - 0x4,0
      80000010,fff38393,x7=0,x7;iffffffff,,,m,,addi     x7; x7; -1,0
      80000014,fe039ee3,,x7;x0;ifffffffc,,nt,m,,bne      x7; x0; . - 0x4,0
  1 difference in 12 records compared
  [1]
  $ earshot diff --json a.csv c.csv
  {"kind":"different","field":"x","register":"x7","value_a":"0x1","value_b":"0x9","a":{"record":11,"number":11,"place":"line 13","hart":0,"pc":"0x80000010","opcode":"0xfff38393"},"b":{"record":11,"number":11,"place":"line 13","hart":0,"pc":"0x80000010","opcode":"0xfff38393"}}
  {"kind":"summary","same":false,"pairs":12,"differences":1,"only_a":0,"only_b":0,"gaps":0,"not_compared_a":0,"not_compared_b":0,"a":{"complete":null,"accounted":null},"b":{"complete":null,"accounted":null}}
  [1]

Two runs whose time differs: without interrupts and clocks a branch is left.

  $ earshot diff --interrupts skip --tolerate clocks a.csv b.csv
  hart 0: 2 records of A stand where B has 1 other; A goes to pc 0x80000024, B to pc 0x80000024
    a tolerated value decided here: the branch at pc 0x80000024 reads x9,
    which depends on the read of mcycle at record 16 of A, record 16 of B
    A: a.csv, record 18, line 20
    B: b.csv, record 18, line 20
      80000018,813303,x6=44c,x2;i8,80002008,l,m,,ld       x6; 0x8(x2),0
      8000001c,b0002473,x8=528,x0;c2816,,,m,,csrrs    x8; mcycle; x0,0
      80000020,406404b3,x9=dc,x8;x6,,,m,,sub      x9; x8; x6,0
    A 80000024,4c463,,x9;x0;i8,,nt,m,,blt      x9; x0; . + 0x8,0
    A 80000028,100513,x10=1,x0;i1,,,m,,addi     x10; x0; 1,0
    B 80000024,4c463,pc=8000002c,x9;x0;i8,,t,m,,blt      x9; x0; . + 0x8,0
      8000002c,b00593,x11=b,x0;ib,,,m,,addi     x11; x0; 11,0
      80000030,c00613,x12=c,x0;ic,,,m,,addi     x12; x0; 12,0
      80000034,d00693,x13=d,x0;id,,,m,,addi     x13; x0; 13,0
  1 difference in 13 records compared; 2 only in A, 1 only in B
  skipped 1 handler, 5 records in A; 1, 5 in B
  tolerated: mcycle, 2 reads, 4 values that depend on it
  [1]

Each side begins where a moment is of it: here one side lacks the first 19 records.

  $ cp $DATA/whisper/timer.csv whole.csv; sed 2,20d whole.csv >late.csv
  $ earshot diff late.csv whole.csv | head -n 1
  hart 0: 19 records only in B, from pc 0x80000000
  $ earshot diff --start interrupt late.csv whole.csv
  the same: 211 records
  $ earshot diff --start trap#2+3 -j2 late.csv whole.csv
  the same: 143 records
  $ earshot diff --start =0x80000052 late.csv whole.csv
  the same: 1 record
  $ earshot diff --start 0x80000052 late.csv whole.csv
  the same: 1 record
  $ earshot diff --start 30 late.csv whole.csv | head -n 1
  hart 0: 19 records only in B, from pc 0x80000036
  $ earshot diff --start 280 whole.csv whole.csv
  the same: 7 records
