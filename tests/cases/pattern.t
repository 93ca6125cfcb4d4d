A log of one's own is read by the form of its lines (docs/text-formats.md, "Logs of your own").

  $ cat >own.log <<'LOG'
  > Testbench: reset released
  >  100  1 80000000 00500293 x5=00000005
  >  110  2 80000004 80001337 x6=80001000
  >  120  3 80000008 00532223 mem[80001004]=00000005
  >  130  4 8000000c 00432383 x7=00000005 mem[80001004]=00000005
  >  140  5 80000010 0000006f
  > LOG
  $ form='time cycle pc opcode x{n}={v} mem[{addr}]={v}'
  $ earshot convert --pattern "$form" own.log
  earshot: warning: own.log: line 1 skipped: the line is not one of a given pattern (column 1: expected a decimal number for time)
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000000,500293,x5=5,x0;i5,,,,,addi     x5; x0; 5,0
  80000004,80001337,x6=80001000,i80001000,,,,,lui      x6; -0x7ffff,0
  80000008,532223,,x5;x6;i4,80001004=5,s,,,sw       x5; 0x4(x6),0
  8000000c,432383,x7=5,x6;i4,80001004,l,,,lw       x7; 0x4(x6),0
  80000010,6f,pc=80000010,i0,,j,,,j        . + 0x0,0
  earshot: warning: own.log: 1 line of something else skipped
  earshot: warning: the output format cannot carry: time, of 5 records
  earshot: warning: the output format cannot carry: load value, of 1 record
  $ earshot show --at 2 --around 1 --pattern "$form" own.log | tr '>' '='
           1  80000004  lui     t1, -0x7ffff
                t1=0x80001000
  =        2  80000008  sw      t0, 0x4(t1)
                [0x80001004].4 = 0x5
           3  8000000c  lw      t2, 0x4(t1)
                t2=0x5  <- [0x80001004].4
  $ earshot grep --no-index -c --addr 0x80001004 --pattern "$form" own.log
  earshot: warning: own.log: line 1 skipped: the line is not one of a given pattern (column 1: expected a decimal number for time)
  2
  earshot: warning: own.log: 1 line of something else skipped

The help shows braces as they are.

  $ earshot diff --help | grep -A 1 -e --pattern-a
        --pattern-a PATTERN  A is a log of your own, with lines like PATTERN:
                             '{time}: PC={pc} I={opcode} {? x{n}<={v}}'.
