'capture' takes a dump for a device: what it decodes is what 'decode' makes of it.

  $ zstd -dcq $DATA/shot/states-1.shot >t.raw
  $ earshot capture -q -d file:t.raw -f whisper -o - | head -n 4
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,4081,x1=0,x0;i0,,,m,,c.li     x1; 0x0,0
  80000002,1197,x3=80001002,i1000,,,m,,auipc    x3; 0x1,0
  80000006,b6618193,x3=80000b68,x3;ifffffb66,,,m,,addi     x3; x3; -1178,0
  $ earshot capture -q -d file:t.raw -o t.csv
  $ earshot decode -q $DATA/shot/states-1.shot | cmp - t.csv

What is captured is for its user alone, unless --mode says more. The umask does not matter.

  $ umask 022
  $ earshot capture -d file:t.raw -o own.shot -o own.csv -o own/ --index && stat -c '%a %n' own*
  earshot: warning: own/: 6000 instructions have no time: each takes one clock
  earshot: 6000 records in 2852 bytes (3.80 bits each), none lost; end of file
  index: own.shot.idx, 442 bytes
  700 own
  600 own.csv
  600 own.shot
  600 own.shot.idx
  $ earshot capture -q -d file:t.raw --record own.raw -o own2.shot && stat -c '%a %n' own.raw own2.shot
  600 own.raw
  600 own2.shot
  $ umask 077
  $ earshot capture -d file:t.raw --mode 0640 -o all.shot -o all.csv -o all/ --index && stat -c '%a %n' all* all/*
  earshot: warning: all/: 6000 instructions have no time: each takes one clock
  earshot: 6000 records in 2852 bytes (3.80 bits each), none lost; end of file
  index: all.shot.idx, 442 bytes
  750 all
  640 all.csv
  640 all.shot
  640 all.shot.idx
  640 all/qtrace.bb
  640 all/qtrace.earshot
  640 all/qtrace.exc
  640 all/qtrace.insn
  640 all/qtrace.load
  640 all/qtrace.method
  640 all/qtrace.pid
  640 all/qtrace.static
  640 all/qtrace.store
  $ earshot capture -q -d file:t.raw -o all.shot && stat -c '%a %n' all.shot
  640 all.shot
  $ for mode in 644x 0755 0044 u+r; do earshot capture -d file:t.raw --mode=$mode -o none.shot; done
  earshot: --mode: '644x' is not a mode such as 0600 or 0644
  Try 'earshot capture --help'.
  earshot: --mode: '0755' is not a mode such as 0600 or 0644
  Try 'earshot capture --help'.
  earshot: --mode: '0044' is not a mode such as 0600 or 0644
  Try 'earshot capture --help'.
  earshot: --mode: 'u+r' is not a mode such as 0600 or 0644
  Try 'earshot capture --help'.
  [2]
