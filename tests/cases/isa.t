--isa decides which RISC-V instructions are legal.

  $ cat >t.csv <<END
  > pc, inst, modified regs, privilege, hartid
  > 80000000,2f77753,f14=1,m,0
  > 80000004,23140b3,x1=5,m,0
  > 80000008,0085,x1=6,m,0
  > 8000000a,2156013,,m,0
  > END
  $ earshot convert -f whisper t.csv
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,2f77753,f14=1,f14;f15;rm=0,,f,m,,fadd.d   f14; f14; f15; dyn,0
  80000004,23140b3,x1=5,x2;x3,,,m,,div      x1; x2; x3,0
  80000008,85,x1=6,x1;i1,,,m,,c.addi   x1; 0x1,0
  8000000a,2156013,,x10;i21,,,m,,ori      x0; x10; 33,0
  $ earshot convert -f whisper --isa rv64im t.csv
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,2f77753,f14=1,,,,m,,illegal,0
  80000004,23140b3,x1=5,x2;x3,,,m,,div      x1; x2; x3,0
  80000008,85,x1=6,,,,m,,illegal,0
  8000000a,2156013,,x10;i21,,,m,,ori      x0; x10; 33,0
  $ earshot convert -f whisper --isa RV64IC t.csv | cut -d, -f9
   disassembly
  illegal
  illegal
  c.addi   x1; 0x1
  ori      x0; x10; 33
  $ earshot convert -f whisper --isa rva22u64 t.csv | cut -d, -f9
   disassembly
  fadd.d   f14; f14; f15; dyn
  div      x1; x2; x3
  c.addi   x1; 0x1
  ori      x0; x10; 33

Spike names what is illegal all the same.

  $ earshot convert -f spike --isa rv64im_zicbop t.csv
  core   0: 0x0000000080000000 (0x02f77753) fadd.d  fa4, fa4, fa5
  core   0: 3 0x0000000080000000 (0x02f77753) f14 0x0000000000000001
  core   0: 0x0000000080000004 (0x023140b3) div     ra, sp, gp
  core   0: 3 0x0000000080000004 (0x023140b3) x1  0x0000000000000005
  core   0: 0x0000000080000008 (0x00000085) c.addi  ra, 1
  core   0: 3 0x0000000080000008 (0x0085) x1  0x0000000000000006
  core   0: 0x000000008000000a (0x02156013) prefetch.r 32(a0)
  core   0: 3 0x000000008000000a (0x02156013)

Other commands have it, and XLEN follows.

  $ earshot convert -f json --isa rv32i t.csv | grep -o '"xlen":..' | uniq
  "xlen":32
  $ earshot convert -q t.csv -o t.shot
  $ earshot decode -f whisper-log --isa rv32im t.shot
  #1 0  M 80000000 02f77753 f 0e 0000000000000001  illegal
  #2 0  M 80000004 023140b3 r 01         00000005  div      x1, x2, x3
  #3 0  M 80000008     0085 r 01         00000006  illegal
  #4 0  M 8000000a 02156013 r 00         00000000  ori      x0, x10, 33
  $ earshot grep --isa rv64im --pc 0x80000000 t.csv
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,2f77753,f14=1,,,,m,,illegal,0
  $ earshot diff --isa rv64gc t.csv t.csv
  the same: 4 records
