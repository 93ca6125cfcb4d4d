Control words for a bench without a host: names, registers, fields.

  $ earshot control start disable -f hex
  EC 02 01 30 00 01 00 00 00 4B // CORE = 0x1
  EC 02 02 20 00 01 00 00 00 B3 // CONTROL = 0x1
  EC 02 03 30 00 00 00 00 00 E4 // CORE = 0x0
  EC 02 04 20 00 00 00 00 00 69 // CONTROL = 0x0
  $ earshot control STATUS 0x28 control=enable+drop+time_mode:2 RANGE0+8=0x80000000 STOP.KIND=6 -f hex
  EC 01 01 28 00 00 00 00 00 B9 // STATUS
  EC 01 02 28 00 00 00 00 00 DF // STATUS
  EC 02 03 20 00 0B 00 00 00 F0 // CONTROL = 0xB
  EC 02 04 A8 00 00 00 00 80 43 // RANGE0+0x8 = 0x80000000
  EC 02 05 40 01 06 00 00 00 ED // STOP.KIND = 0x6
  $ earshot control start | od -An -tx1
   ec 02 01 30 00 01 00 00 00 4b ec 02 02 20 00 01
   00 00 00 b3 ec 02 03 30 00 00 00 00 00 e4
  $ earshot control -o words.bin flush && wc -c < words.bin
  10

What is wrong is said, and nothing is written.

  $ earshot control
  earshot: which words?
  Try 'earshot control --help'.
  [2]
  $ earshot control CONTROLS=1
  earshot: 'CONTROLS=1': there is no register CONTROLS; is it CONTROL?
  [2]
  $ earshot control frobnicate
  earshot: 'frobnicate': there is no register frobnicate (docs/protocol.md, section 7.1)
  [2]
  $ earshot control ID=1
  earshot: 'ID=1': ID can only be read
  [2]
  $ earshot control CORE=RST
  earshot: 'CORE=RST': RST is no field of CORE, and no number
  [2]
  $ earshot control CORE=RESET:2
  earshot: 'CORE=RESET:2': the largest value of RESET is 1
  [2]
  $ earshot control CORE=RESET:x
  earshot: 'CORE=RESET:x': after the : comes a number
  [2]
  $ earshot control CORE=0x100000000
  earshot: 'CORE=0x100000000': a register has 32 bits
  [2]
  $ earshot control 0x21
  earshot: '0x21': addresses of registers are multiples of 4 up to 0xFFFC
  [2]
  $ earshot control 0x10000
  earshot: '0x10000': addresses of registers are multiples of 4 up to 0xFFFC
  [2]
  $ earshot control RANGE0+x
  earshot: 'RANGE0+x': after the + comes a number of bytes
  [2]
  $ earshot control CORE=
  earshot: 'CORE=': which value?
  [2]
  $ earshot control =1
  earshot: '=1': which register?
  [2]
  $ earshot control -o /dev/full start
  earshot: /dev/full: No space left on device
  [2]
