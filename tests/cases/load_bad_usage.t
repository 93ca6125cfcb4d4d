What 'load', 'selftest' and 'serve' refuse.

  $ refused load
  earshot: which program?
  $ refused load a.elf
  earshot: which device? Give -d DEVICE
  $ refused load -d sim:a.elf a b
  earshot: one program, please
  $ refused selftest
  earshot: which device? Give -d DEVICE
  $ refused selftest a b
  earshot: one device, please
  $ refused selftest -d a b
  earshot: one device, please
  $ refused selftest --seconds 0 a
  earshot: --seconds: '0' is not a number of seconds
  $ refused selftest file:/dev/null
  earshot: file:/dev/null: this device cannot be controlled, so it cannot send a test
  $ refused serve
  earshot: which device? Give -d DEVICE
  $ refused serve -d file:/dev/null a
  earshot: 'a' is not an option
