'capture' takes a dump for a device: what it decodes is what 'decode' makes of it.

  $ zstd -dcq $DATA/shot/states-1.shot >t.raw
  $ earshot capture -q -d file:t.raw -f whisper -o - | head -n 4
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,4081,x1=0,x0;i0,,,m,,c.li     x1; 0x0,0
  80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,0
  80000006,b6618193,x3=80000b68,x3;ifffffb66,,,m,,addi     x3; x3; -1178,0
  $ earshot capture -q -d file:t.raw -o t.csv
  $ earshot decode -q $DATA/shot/states-1.shot | cmp - t.csv
