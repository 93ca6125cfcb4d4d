What 'state' refuses, before it prints anything.

  $ cp $DATA/across/a.csv .
  $ echo hello >text
  $ refused state
  earshot: which trace?
  $ refused state text
  earshot: text is not a trace of a known format
  $ refused state --at 1G a.csv
  earshot: a.csv: there is no instruction 1000000000: the trace has 31 of them
  $ refused state --reg a0,b0 a.csv
  earshot: --reg: 'b0' is not a register, nor x, f, v, csr or pc
  $ refused state --hart 65536 a.csv
  earshot: --hart: '65536' is not a number from 0 to 65535
  $ refused state --device x a.csv
  earshot: --device: 'x' is not a range: FIRST-LAST, FIRST+SIZE or an address; or none
  $ refused state --xlen 33 a.csv
  earshot: --xlen: '33' is not one of: 32 64
  $ refused state --mem 0x80000000:4 --mem 0-0xffffffff a.csv
  earshot: --mem: more than 1048576 bytes are not shown
  $ refused state --mem a99:4 a.csv
  earshot: --mem: 'a99:4' is neither a number nor a symbol (no ELF given)
  $ refused state --at begin --mem '$a0+4:4' a.csv
  earshot: --mem: 'a0': what this register holds is not known at this moment
  $ refused state --at begin --mem mscratch a.csv
  earshot: --mem: 'mscratch': what this register holds is not known at this moment
  $ refused state --var recordz a.csv
  earshot: --var: 'recordz': no ELF given: use --elf FILE
  $ cat a.csv | earshot state -
  earshot: standard input: a moment needs a file, and this is a pipe
  [2]
  $ cat a.csv | earshot show --from 3 -
  earshot: standard input: going to an instruction needs a file, and this is a pipe
  [2]
