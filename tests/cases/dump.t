'dump' shows the packets of a capture file.

  $ earshot dump $DATA/shot/states-1.shot --limit 12
  00000000 frame hart 0 sequence 0 payload 500
  00000008   UNIT protocol 1.3 version 0 xlen 32 nret 1 flen 0 csr_slots 5 features 0x0 mode 1 control 0x0 hart 0 clock_hz 0 buffers 0x0 geometry 1024 words unified, 1-way, 1-word lines, 0 opcodes, 0 CSRs, no MUL, no DIV, only I and C, no groups
  0000002c   SYNC hard first order 0
  00000036   GENERAL run 0 pc 80000000 insn 4081
  00000042   INSN24 run 0 insn 1197
  00000046   INSN run 0 insn b6618193
  0000004b   INSN24 run 0 insn a117
  0000004f   INSN run 0 insn 37610113
  00000054   INSN24 run 0 insn 217
  00000058   INSN run 0 insn 35620213
  0000005d   INSN run 0 insn 4281
  00000060   INSN run 0 insn 4301
