Tarmac shows digits that are unknown: JSON has them, other formats leave the value out.

  $ cat >a.tarmac <<END
  > 1 clk IT (1) 00008000 e5810000 A svc_s : STR
  > 1 clk R cpsr 2000000x __C_
  > 1 clk R r1 xxxx1234
  > 1 clk MW4 00001000 12xxxxxx
  > 1 clk MW4 00001004 xxxxxxxx
  > END
  $ earshot convert a.tarmac -f json
  {"kind":"instruction","schema":2,"hart":0,"index":1,"offset":0,"line":1,"time":1,"isa":"arm","xlen":32,"pc":"0x8000","opcode":"0xe5810000","opcode_size":4,"secure":true,"registers":[{"class":"named","size":4,"value":"0x20000000","name":"cpsr","unknown":"0x0000000f","note":"__C_"},{"class":"named","size":4,"value":"0x1234","name":"r1","unknown":"0xffff0000"}],"memory":[{"write":true,"address":"0x1000","size":4,"value":"0x12000000","unknown":"0xffffff"},{"write":true,"address":"0x1004","size":4}],"mode_name":"svc","disassembly":"STR"}
  $ for format in whisper whisper-log spike qemu4v armulator; do
  >   grep -v ' R ' a.tarmac | earshot convert - -f $format 2>&1 | grep -E '1000|unknown'
  > done
  earshot: warning: the output format cannot carry: unknown digit of an access, of 1 record
  earshot: warning: the output format cannot carry: unknown digit of an access, of 1 record
  earshot: warning: the output format cannot carry: unknown digit of an access, of 1 record
  1 clk 0 IT (1) 00008000 e5810000 A svc_s : STR
  earshot: warning: the output format cannot carry: unknown digit of an access, of 1 record
  T 00000001  MNR4O___ 00008000 E5810000
              IT 00008000 e5810000 STR
              MAW4____ 00001000
  earshot: warning: the output format cannot carry: unknown digit of an access, of 1 record

'diff' finds a known digit that differs, and no unknown one.

  $ differs() { sed "$1" a.tarmac >b.tarmac; earshot diff a.tarmac b.tarmac | head -n 1; }
  $ differs 's/r1 xxxx/r1 5678/'
  the same: 1 record; not on both sides and not compared: fflags, csr, v
  $ differs 's/r1 xxxx1234/r1 5678xxxx/'
  the same: 1 record; not on both sides and not compared: fflags, csr, v
  $ differs 's/xxxx1234/xxxx1235/'
  hart 0, pc 0x8000: r1 is 0xxxxx1234 in A and 0xxxxx1235 in B
  $ differs 's/12xxxxxx/12345678/'
  the same: 1 record; not on both sides and not compared: fflags, csr, v
  $ differs 's/12xxxxxx/13xxxxxx/'
  hart 0, pc 0x8000: the value at address 0x1000 is 0x12xxxxxx in A and 0x13xxxxxx in B
