What 'capture' refuses of the flight recorder, and of a dump instead of a device.

  $ refused capture --ring 1Ki -o a.shot
  earshot: --ring: '1Ki' is not a number from 16384 to 1125899906842624
  $ refused capture --until trap -o a.shot
  earshot: --until and --ring-dir are for --ring
  $ refused capture --ring-dir . -o a.shot
  earshot: --until and --ring-dir are for --ring
  $ refused capture --ring 1M --after 5 -o a.shot
  earshot: --after what? Give --until EVENT
  $ refused capture --ring 1M --after some -o a.shot
  earshot: --after: 'some' is not a number
  $ refused capture --ring 1M --until violation=colour -o a.shot
  earshot: --until violation=colour: no such rule; 'earshot check --help' and the man page list them

A dump has no core that could be controlled, and no pins.

  $ zstd -dcq $DATA/shot/states-1.shot >t.raw
  $ refused capture -d file:t.raw -o t.shot --start pc=main
  earshot: --start pc=main: 'main' is neither a number nor a symbol (no ELF given: use --elf FILE)
  $ refused capture -d file:t.raw -o t.shot --start pc=1
  earshot: file:t.raw: this device cannot be controlled: no triggers, no filter, no reset
  $ refused capture -d file:t.raw -o t.shot --reset
  earshot: file:t.raw: this device cannot be controlled: no triggers, no filter, no reset
  $ refused capture -d file:t.raw -o t.shot --ring 16384 --until pin
  earshot: --until pin: only the unit's stop trigger can detect this: the unit must have one, and --after and --stop cannot be used
  $ refused capture -d file:t.raw -o t.shot --ring 16384 --until cycles=5
  earshot: --until cycles=5: only the unit's stop trigger can detect this: the unit must have one, and --after and --stop cannot be used
  $ ls
  t.raw
