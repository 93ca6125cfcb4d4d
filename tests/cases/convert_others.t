'convert' to formats that have more than a line for an instruction, and to a folder.

  $ convert() { earshot convert -q --quiet-loss $DATA/spike/rv32-commits.log -f $1; }
  $ convert tarmac
  0 clk IT (0) 80000000 00000297 O m : auipc    x5, 0x0
  0 clk R x5 0000000080000000
  1 clk IT (1) 80000004 0282a303 O m : lw       x6, 0x28(x5)
  1 clk MR4 80000028 xxxxxxxx
  1 clk R x6 0000000000000001
  2 clk IT (2) 80000008 00630463 O m : beq      x6, x6, . + 0x8
  3 clk IT (3) 80000010 4501 O m : c.li     x10, 0x0
  3 clk R x10 0000000000000000
  4 clk IT (4) 80000012 00a28023 O u : sb       x10, 0x0(x5)
  4 clk MW1 80000000 00
  5 clk IT (5) 80000016 0007a787 O m : flw      f15, 0x0(x15)
  5 clk MR4 80001000 xxxxxxxx
  5 clk R d15 ffffffff3f800000
  $ convert armulator | tail -n +4
  
  E 80000000 00000003 19 
  MNR4O___ 80000000 00000297
  IT 80000000 00000297 AUIPC    x5, 0x0
  R x5=80000000
  MSR4O___ 80000004 0282A303
  IT 80000004 0282a303 LW       x6, 0x28(x5)
  R x6=00000001
  MAR4____ 80000028
  MNR4O___ 80000008 00630463
  IT 80000008 00630463 BEQ      x6, x6, . + 0x8
  MNR2O___ 80000010 4501
  IT 80000010 4501 C.LI     x10, 0x0
  E 80000012 00000000 19 
  MSR4O___ 80000012 00A28023
  IT 80000012 00a28023 SB       x10, 0x0(x5)
  MNW1____ 80000000 00
  E 80000016 00000003 19 
  MNR4O___ 80000016 0007A787
  IT 80000016 0007a787 FLW      f15, 0x0(x15)
  R f15=ffffffff3f800000
  MAR4____ 80001000
  $ convert json
  {"kind":"instruction","schema":2,"hart":0,"index":0,"offset":0,"line":1,"isa":"riscv","xlen":32,"pc":"0x80000000","opcode":"0x297","opcode_size":4,"mnemonic":"auipc","class":"alu","privilege":"m","next_pc":"0x80000004","registers":[{"class":"x","number":5,"size":4,"value":"0x80000000"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":1,"offset":51,"line":2,"isa":"riscv","xlen":32,"pc":"0x80000004","opcode":"0x282a303","opcode_size":4,"mnemonic":"lw","class":"load","privilege":"m","next_pc":"0x80000008","registers":[{"class":"x","number":6,"size":4,"value":"0x1"}],"memory":[{"write":false,"address":"0x80000028","size":4}]}
  {"kind":"instruction","schema":2,"hart":0,"index":2,"offset":117,"line":3,"isa":"riscv","xlen":32,"pc":"0x80000008","opcode":"0x630463","opcode_size":4,"mnemonic":"beq","class":"branch","privilege":"m","next_pc":"0x80000010","taken":true}
  {"kind":"instruction","schema":2,"hart":0,"index":3,"offset":153,"line":4,"isa":"riscv","xlen":32,"pc":"0x80000010","opcode":"0x4501","opcode_size":2,"mnemonic":"c.li","class":"alu","privilege":"m","next_pc":"0x80000012","registers":[{"class":"x","number":10,"size":4,"value":"0x0"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":4,"offset":200,"line":5,"isa":"riscv","xlen":32,"pc":"0x80000012","opcode":"0xa28023","opcode_size":4,"mnemonic":"sb","class":"store","privilege":"u","next_pc":"0x80000016","memory":[{"write":true,"address":"0x80000000","size":1,"value":"0x0"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":5,"offset":256,"line":6,"isa":"riscv","xlen":32,"pc":"0x80000016","opcode":"0x7a787","opcode_size":4,"mnemonic":"flw","class":"load","privilege":"m","registers":[{"class":"f","number":15,"size":8,"value":"0xffffffff3f800000"}],"memory":[{"write":false,"address":"0x80001000","size":4}]}
  $ earshot convert -q -o named/ $DATA/qtrace/sample1/raw
  $ ls named
  qtrace.bb
  qtrace.exc
  qtrace.insn
  qtrace.load
  qtrace.method
  qtrace.pid
  qtrace.static
  qtrace.store
