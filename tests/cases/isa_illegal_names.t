Whisper names what is illegal: ld on RV32, a shift by 95. The names survive every text.

  $ cat >t.csv <<END
  > pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
  > 80000000,5b583,c834=2,x11;i0,,l,m,2,ld       x11; 0x0(x11),0
  > 80000004,5f11093,c834=2,x2;i5f,,,m,2,slli     x1; x2; 95,0
  > 80000008,ffffffff,c834=2,,,,m,2,illegal,0
  > END
  $ earshot convert --xlen 32 -f whisper-log t.csv | tee t.log
  #1 0  M 80000000 0005b583 c 0342       00000002  ld       x11, 0x0(x11) (exception)
  #2 0  M 80000004 05f11093 c 0342       00000002  slli     x1, x2, 95 (exception)
  #3 0  M 80000008 ffffffff c 0342       00000002  illegal (exception)
  $ earshot convert -f whisper -i whisper-log t.log | cmp - t.csv
  $ earshot convert --xlen 32 -f riscv-dv t.csv
  pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r (esc)
  80000000,ld,,mcause:00000002,0005b583,3,"ld      a1, 0(a1)","a1,a1,0",\r (esc)
  80000004,,,mcause:00000002,05f11093,3,,,\r (esc)
  80000008,,,mcause:00000002,ffffffff,3,,,\r (esc)
  earshot: warning: the output format cannot carry: trap cause, of 3 records
  $ earshot convert --xlen 32 -f json t.csv
  {"kind":"instruction","schema":2,"hart":0,"index":0,"offset":98,"line":2,"isa":"riscv","xlen":32,"pc":"0x80000000","opcode":"0x5b583","opcode_size":4,"mnemonic":"illegal","class":"illegal","privilege":"m","cause":"0x2","trap":true,"registers":[{"class":"csr","number":834,"value":"0x2"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":1,"offset":159,"line":3,"isa":"riscv","xlen":32,"pc":"0x80000004","opcode":"0x5f11093","opcode_size":4,"mnemonic":"illegal","class":"illegal","privilege":"m","cause":"0x2","trap":true,"registers":[{"class":"csr","number":834,"value":"0x2"}]}
  {"kind":"instruction","schema":2,"hart":0,"index":2,"offset":218,"line":4,"isa":"riscv","xlen":32,"pc":"0x80000008","opcode":"0xffffffff","opcode_size":4,"mnemonic":"illegal","class":"illegal","privilege":"m","cause":"0x2","trap":true,"registers":[{"class":"csr","number":834,"value":"0x2"}]}
