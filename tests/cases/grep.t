'grep' shows the records for which all conditions hold.

  $ cp $DATA/across/a.csv .
  $ earshot grep --trap a.csv
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000010,fff38393,c833=80000010;c834=8000000000000007;c835=0;c768=1800,x7;iffffffff,,,m,8000000000000007,addi     x7; x7; -1,0
  $ earshot grep -f spike --write --addr 0x80001000+8 a.csv
  core   0: 0x0000000080000208 (0x01c1b023) sd      t3, 0(gp)
  core   0: 3 0x0000000080000208 (0x01c1b023) mem 0x0000000080001000 0x0000000000000001
  $ earshot grep -n -C 1 --reg t2=0 a.csv
  #12, line 14, index 12- 80000014,fe039ee3,pc=80000010,x7;x0;ifffffffc,,t,m,,bne      x7; x0; . - 0x4,0
  #13, line 15, index 13: 80000010,fff38393,x7=0,x7;iffffffff,,,m,,addi     x7; x7; -1,0
  #14, line 16, index 14- 80000014,fe039ee3,,x7;x0;ifffffffc,,nt,m,,bne      x7; x0; . - 0x4,0
  $ earshot grep --last --reg t2 -f spike a.csv
  core   0: 0x0000000080000010 (0xfff38393) addi    t2, t2, -1
  core   0: 3 0x0000000080000010 (0xfff38393) x7  0x0000000000000000
  $ earshot grep --count-by pc --reg t2 a.csv
           3  0x80000010
           1  0x8000000c
  $ earshot grep --from 5 --to 5 a.csv
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  80000014,fe039ee3,pc=80000010,x7;x0;ifffffffc,,t,m,,bne      x7; x0; . - 0x4,0
  $ earshot grep -c --read a.csv
  2
  $ earshot grep -c --pc 4 a.csv
  0
  [1]

-q leaves out messages; --status says nothing but the exit status.

  $ earshot grep -q -c --pc 0x80000000 $DATA/whisper/timer.csv
  1
  $ earshot grep --status --pc 0x80000000 $DATA/whisper/timer.csv
  $ earshot grep --status --pc 0x1 $DATA/whisper/timer.csv
  [1]
  $ earshot diff -q $DATA/whisper/timer.csv $DATA/whisper/timer.csv
  the same: 287 records
  $ earshot diff --status $DATA/whisper/timer.csv $DATA/across/a.csv
  [1]
