A line of Tarmac that is not understood is skipped, with its number.

  $ cat >a.tarmac <<END
  > 1 clk IT (1) 00008000 e5810000 A svc_s : STR
  > 1 clk R r0 zz
  > 1 clk R SCTLR 00c50878 12
  > 1 clk R r1 00000001
  > 1 clk R Z0 0000003F_0000003E
  > 2 clk IT (2) 00008004 e5810000 A svc_s : STR
  > END
  $ earshot convert a.tarmac -f tarmac
  earshot: warning: a.tarmac: line 2 skipped: the register value is not a hexadecimal number
  earshot: warning: a.tarmac: line 3 skipped: what follows the value may be a part of it
  1 clk IT (1) 00008000 e5810000 A svc_s : STR
  1 clk R r1 00000001
  1 clk R Z0 0000003F_0000003E
  2 clk IT (2) 00008004 e5810000 A svc_s : STR
  earshot: warning: a.tarmac: 2 bad lines skipped
  earshot: warning: the output format cannot carry: gap, of 2 records
  $ earshot grep --pc 0x8000 -f tarmac a.tarmac
  earshot: warning: a.tarmac: line 2 skipped: the register value is not a hexadecimal number
  earshot: warning: a.tarmac: line 3 skipped: what follows the value may be a part of it
  1 clk IT (1) 00008000 e5810000 A svc_s : STR
  1 clk R r1 00000001
  1 clk R Z0 0000003F_0000003E
  earshot: warning: a.tarmac: 2 bad lines skipped
  earshot: warning: a.tarmac is damaged, from instruction 1 on: 2 lines could not be read
  [2]
