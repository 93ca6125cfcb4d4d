What 'capture' refuses as a trigger or a filter, and leaves no file. It needs a program and a board.

  $ command -v earshot-board >/dev/null && cp $PROGRAMS/sort.elf . || exit 80
  $ trigger() { refused capture -d sim:sort.elf,unit=raw,uart=/dev/null -o t.shot "$@" | grep -v ^earshot-board; }
  $ trigger --start main#2
  earshot: --start main#2: #K, +N, -N and :return are for a trace that is there; pc=NAME+N is an address
  $ trigger --start cycle=2
  earshot: --start cycle=2: a trigger is pc=, opcode=, addr=, cycles=, records= with a value, pin, mismatch, a function or a line
  $ trigger --start pc=
  earshot: --start pc=: an address or a symbol is missing
  $ trigger --start pc=nowhere
  earshot: --start pc=nowhere: 'nowhere' is neither a number nor a symbol of sort.elf
  $ trigger --start pc=main/
  earshot: --start pc=main/: no mask after '/'
  $ trigger --start pc=0x80000000-0x80000010
  earshot: --start pc=0x80000000-0x80000010: unexpected text after its end
  $ trigger --start pc=0x10000000000000000
  earshot: --start pc=0x10000000000000000: '0x10000000000000000' is not a range (the address is too large): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a symbol
  $ trigger --stop pc=0x100000000
  earshot: sim:sort.elf,unit=raw,uart=/dev/null: the address 0x100000000 is beyond the 32 bits of the unit's core
  $ trigger --stop opcode=lw
  earshot: --stop opcode=lw: no opcode after '='
  $ trigger --stop addr=0x1000:x
  earshot: --stop addr=0x1000:x: expected r, w or rw after ':'
  $ trigger --stop addr=0x1000:wr
  earshot: --stop addr=0x1000:wr: unexpected text after its end
  $ trigger --stop addr=0x1000:w=
  earshot: --stop addr=0x1000:w=: no data after '='
  $ trigger --stop addr=0x1000-0xfff
  earshot: --stop addr=0x1000-0xfff: '0x1000-0xfff' is not a range (the range ends before it begins): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a symbol
  $ trigger --stop addr=0x1000+0
  earshot: --stop addr=0x1000+0: '0x1000+0' is not a range (no size after '+'): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a symbol
  $ trigger --stop cycles=0
  earshot: --stop cycles=0: no number above 0 after '='
  $ trigger --stop records=many
  earshot: --stop records=many: no number above 0 after '='
  $ trigger --stop pins
  earshot: --stop pins: 'pins' is neither a number nor a symbol of sort.elf
  $ trigger --filter main
  earshot: --filter main: a range is pc=LOW-HIGH, pc=LOW+SIZE or pc=FUNCTION
  $ trigger --filter pc=_start
  earshot: --filter pc=_start: the size of this symbol is not known; give pc=LOW-HIGH
  $ trigger --exclude pc=0x80000000-
  earshot: --exclude pc=0x80000000-: '0x80000000-' is not a range (no address after '-'): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a symbol
  $ trigger --modes mx
  earshot: --modes mx: the modes are letters of u, s, m
  $ trigger --modes ''
  earshot: --modes : the modes are letters of u, s, m
  $ trigger --elf /dev/null --start pc=main
  earshot: /dev/null: not an ELF file
  $ trigger --start mismatch
  earshot: --start mismatch: a mismatch is seen in what is captured, so no capture begins with it
  $ trigger --ring 16384 --until mismatch
  earshot: --until mismatch: the unit was built without it (MISMATCH); with 'violation' the host checks what arrives
  $ trigger --stop mismatch
  earshot: sim:sort.elf,unit=raw,uart=/dev/null: the unit was built without the trigger mismatch
  $ ls
  sort.elf
