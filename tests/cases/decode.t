'decode' turns a capture file into text, and cuts parts out of it.

  $ cp $DATA/shot/states-1.shot t.shot
  $ earshot decode t.shot --from 64 --to 66
  pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  8000008a,2c1d,x1=8000008c,i236,,,m,,c.jal    . + 0x236,0
  800002c0,1141,x2=8000a370,x2;ifffffff0,,,m,,c.addi   x2; -0x10,0
  800002c2,45a5,x11=9,x0;i9,,,m,,c.li     x11; 0x9,0
  $ earshot decode t.shot -f spike --from 64 --limit 2
  core   0: 0x8000008a (0x00002c1d) c.jal   pc + 566
  core   0: 3 0x8000008a (0x2c1d) x1  0x8000008c
  core   0: 0x800002c0 (0x00001141) c.addi  sp, -16
  core   0: 3 0x800002c0 (0x1141) x2  0x8000a370
  $ earshot decode t.shot --from 64 --to 66 -o part.shot
  $ earshot decode part.shot -f riscv-dv
  pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r (esc)
  8000008a,c.jal,ra:8000008c,,00002c1d,3,c.jal   566,566,\r (esc)
  800002c0,c.addi,sp:8000a370,,00001141,3,"c.addi  sp, -16","sp,-16",\r (esc)
  800002c2,c.li,a1:00000009,,000045a5,3,"c.li    a1, 9","a1,9",\r (esc)
  $ earshot info part.shot | grep -E '^(part|records|first)'
  part_of: t.shot
  part_created: 2026-11-22T17:46:38Z
  part_first: 64
  part_last: 66
  records: 3
  first_index: 64
  records_between_states_max: 3
