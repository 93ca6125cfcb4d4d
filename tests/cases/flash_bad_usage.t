What 'flash' refuses.

  $ printf bits >a.bin
  $ refused flash a.bin
  earshot: where to? Give -d usb: or --board BOARD
  $ refused flash -d usb: --board b a.bin
  earshot: where to? Give -d usb: or --board BOARD
  $ refused flash -d uart:x a.bin
  earshot: -d takes usb: only; for other boards see --board
  $ refused flash -d usb:
  earshot: which bitstream?
  $ refused flash -d usb: --keep a.bin
  earshot: --keep and --dry-run go with --board
  $ refused flash -d usb: --eeprom --no-init
  earshot: --lsb-first and --no-init are for a bitstream
  $ refused flash --board b --eeprom a.bin
  earshot: --firmware, --eeprom, --lsb-first and --no-init go with -d
  $ refused flash -d usb: a.bin b.bin
  earshot: one file, please
  $ refused flash --board ice40_hx8k none.bin
  earshot: none.bin: No such file or directory
  $ refused flash -d usb: none.bin
  earshot: none.bin: No such file or directory
  $ : >empty.bin
  $ refused flash -d usb: empty.bin
  earshot: empty.bin: is empty
