'state' prints what registers and memory held at a moment; what the trace does not show is ?.

  $ cp $DATA/across/a.csv .
  $ earshot state --at 9 a.csv
  position  10, after 10 instructions; hart 0
  last pc   0x0000000080000208
  next pc   0x000000008000020c
  privilege M
  
  zero      0000000000000000  ra        ?                 sp        ?
  gp        ?                 tp        ?                 t0        00000000000003e8
  t1        000000000000044c  t2        0000000000000002  s0        ?
  s1        ?                 a0        ?                 a1        ?
  a2        ?                 a3        ?                 a4        ?
  a5        ?                 a6        ?                 a7        ?
  s2        ?                 s3        ?                 s4        ?
  s5        ?                 s6        ?                 s7        ?
  s8        ?                 s9        ?                 s10       ?
  s11       ?                 t3        0000000000000001  t4        ?
  t5        ?                 t6        ?
  mstatus   0000000000001800  mepc      0000000080000010  mcause    8000000000000007
  mtval     0000000000000000
  $ earshot state --at interrupt --reg pc,mepc,mcause,t2,t3 a.csv
  position  7, after 7 instructions; hart 0
  last pc   0x0000000080000010
  next pc   0x0000000080000200
  privilege M
  
  pc        0x0000000080000200
  mepc      0x0000000080000010
  mcause    0x8000000000000007
  t2        0x0000000000000002
  t3        ?
  $ earshot state --mem 0x80000ff8:16 --mem sp-8 a.csv
  earshot: --mem: 'sp': what this register holds is not known at this moment
  [2]
  $ earshot state --mem 0x80000ff8:16 a.csv
  position  31, after 31 instructions; hart 0
  last pc   0x0000000080000054
  next pc   0x0000000080000058
  privilege M
  
  16 bytes at 0x0000000080000ff8, 8 known
  0000000080000ff8  ?? ?? ?? ?? ?? ?? ?? ??  01 00 00 00 00 00 00 00  |????????........|
  $ earshot state --json --at 3 --reg t0,t1,s1 --mem 0x80002008:8 a.csv
  {"position":4,"instructions":4,"time":null,"hart":0,"pc":"0x8000000c","next_pc":"0x80000010","privilege":"M","registers":{"t0":"0x3e8","t1":"0x44c","s1":null},"memory":[{"address":"0x80002008","bytes":"4c04000000000000"}],"complete":null,"accounted":null}
