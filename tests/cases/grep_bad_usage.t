Conditions that 'grep' refuses: those that say nothing, and those that no record can meet.

  $ cp $DATA/whisper/multi.csv .
  $ refused grep
  earshot: which file?
  $ refused grep --reg x32 multi.csv
  earshot: --reg: there is no register 'x32'
  $ refused grep --reg a0=q multi.csv
  earshot: --reg: 'q' is not the value of a register
  $ refused grep --privilege q multi.csv
  earshot: --privilege: 'q' is not a list of privilege modes (u, s, m, vu, vs, d)
  $ refused grep --mode-change=x multi.csv
  earshot: --mode-change: 'x' is not a list of privilege modes (u, s, m, vu, vs, d)
  $ refused grep --trap=q multi.csv
  earshot: --trap: 'q' is not the number of a cause
  $ refused grep --opcode 1/ multi.csv
  earshot: --opcode: '1/' is not an opcode: VALUE or VALUE/MASK
  $ refused grep --data 1/ multi.csv
  earshot: --data: '1/' is not a value in memory: VALUE or VALUE/MASK
  $ refused grep --addr nonsense multi.csv
  earshot: --addr: 'nonsense' is neither a number nor a symbol (no ELF given: use --elf FILE)
  $ refused grep --event= multi.csv
  earshot: --event: '' is not the name of an event
  $ refused grep --event-value x multi.csv
  earshot: --event-value: 'x' is not the value of an event, a number of 32 bits
  $ refused grep --event-value 0x100000000 multi.csv
  earshot: --event-value: '0x100000000' is not the value of an event, a number of 32 bits
  $ refused grep --event --gap multi.csv
  earshot: no record is a gap and an event: --gap or --event
  $ refused grep --event --pc 1 multi.csv
  earshot: --event: only --hart can be asked beside it; the other conditions are those of instructions
  $ refused grep --event-value 1 --write multi.csv
  earshot: --event-value: only --hart can be asked beside it; the other conditions are those of instructions
  $ refused grep --gap --privilege m multi.csv
  earshot: --gap: only --hart can be asked beside it; the other conditions are those of instructions
  $ refused grep --mode-change=u --privilege m multi.csv
  earshot: --mode-change and --privilege have no mode in common
