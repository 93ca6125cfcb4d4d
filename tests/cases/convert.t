'convert' turns any format into any other: a Spike log of six lines as other texts.

  $ convert() { earshot convert -q --quiet-loss $DATA/spike/rv32-commits.log -f $1; }
  $ convert whisper
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,297,x5=80000000,i0,,,m,,auipc    x5; 0x0,0
  80000004,282a303,x6=1,x5;i28,80000028,l,m,,lw       x6; 0x28(x5),0
  80000008,630463,pc=80000010,x6;x6;i8,,t,m,,beq      x6; x6; . + 0x8,0
  80000010,4501,x10=0,x0;i0,,,m,,c.li     x10; 0x0,0
  80000012,a28023,,x10;x5;i0,80000000=0,s,u,,sb       x10; 0x0(x5),0
  80000016,7a787,f15=ffffffff3f800000,x15;i0,80001000,l,m,,flw      f15; 0x0(x15),0
  $ convert whisper-log
  #1 0  M 80000000 00000297 r 05         80000000  auipc    x5, 0x0
  #2 0  M 80000004 0282a303 r 06         00000001  lw       x6, 0x28(x5) [0x80000028]
  #3 0  M 80000008 00630463 r 00         00000000  beq      x6, x6, . + 0x8
  #4 0  M 80000010     4501 r 0a         00000000  c.li     x10, 0x0
  #5 0  U 80000012 00a28023 m 80000000   00000000  sb       x10, 0x0(x5) [0x80000000]
  #6 0  M 80000016 0007a787 f 0f ffffffff3f800000  flw      f15, 0x0(x15) [0x80001000]
  $ convert spike | head -n 4
  core   0: 0x80000000 (0x00000297) auipc   t0, 0x0
  core   0: 3 0x80000000 (0x00000297) x5  0x80000000
  core   0: 0x80000004 (0x0282a303) lw      t1, 40(t0)
  core   0: 3 0x80000004 (0x0282a303) x6  0x00000001 mem 0x80000028
  $ convert riscv-dv
  pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r (esc)
  80000000,auipc,t0:80000000,,00000297,3,"auipc   t0, 0x0","t0,0x0",\r (esc)
  80000004,lw,t1:00000001,,0282a303,3,"lw      t1, 40(t0)","t1,t0,40",\r (esc)
  80000008,beq,,,00630463,3,"beq     t1, t1, 8","t1,t1,8",\r (esc)
  80000010,c.li,a0:00000000,,00004501,3,"c.li    a0, 0","a0,0",\r (esc)
  80000012,sb,,,00a28023,0,"sb      a0, 0(t0)","a0,t0,0",\r (esc)
  80000016,flw,fa5:ffffffff3f800000,,0007a787,3,"flw     fa5, 0(a5)","fa5,a5,0",\r (esc)
  $ convert qemu4v
  0 clk 0 IT (0) 80000000 00000297 A m : auipc    x5, 0x0
  0 clk R x5 80000000
  1 clk 0 IT (1) 80000004 0282a303 A m : lw       x6, 0x28(x5)
  1 clk R x6 00000001
  2 clk 0 IT (2) 80000008 00630463 A m : beq      x6, x6, . + 0x8
  3 clk 0 IT (3) 80000010 4501 A m : c.li     x10, 0x0
  3 clk R x10 00000000
  4 clk 0 IT (4) 80000012 00a28023 A u : sb       x10, 0x0(x5)
  4 clk MW1 80000000 00
  5 clk 0 IT (5) 80000016 0007a787 A m : flw      f15, 0x0(x15)
  5 clk R f15 ffffffff3f800000
  $ convert tracerv
  # Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock
  Cycle: 0000000000000000 I0: 0000000080000000
  Cycle: 0000000000000001 I0: 0000000080000004
  Cycle: 0000000000000002 I0: 0000000080000008
  Cycle: 0000000000000003 I0: 0000000080000010
  Cycle: 0000000000000004 I0: 0000000080000012
  Cycle: 0000000000000005 I0: 0000000080000016
