Bitstreams for boards that other programs write to: 'flash' starts the program of the board.

  $ printf bits >a.bin
  $ mkdir bin
  $ printf '#!/bin/sh\necho "$(basename $0) ran with: $*"\nexit $FAKE_STATUS\n' >bin/iceprog
  $ chmod +x bin/iceprog
  $ cp bin/iceprog bin/openFPGALoader
  $ export PATH=$PWD/bin:$PATH FAKE_STATUS=0

  $ earshot flash --board ice40_hx8k --dry-run a.bin
  iceprog -S a.bin
  $ earshot flash --board ice40_hx8k a.bin
  iceprog -S a.bin
  iceprog ran with: -S a.bin
  $ earshot flash -q --board ice40_hx8k a.bin
  iceprog ran with: -S a.bin
  $ earshot flash --board ice40_hx8k --keep a.bin
  iceprog a.bin
  iceprog ran with: a.bin
  $ earshot flash --board arty_a7_35t a.bin
  openFPGALoader -b arty_a7_35t -m a.bin
  openFPGALoader ran with: -b arty_a7_35t -m a.bin
  $ earshot flash --board ulx3s --keep a.bin
  openFPGALoader -b ulx3s -f a.bin
  openFPGALoader ran with: -b ulx3s -f a.bin

A program that fails, and one that is not installed:

  $ FAKE_STATUS=3 earshot flash --board ice40_hx8k a.bin
  iceprog -S a.bin
  iceprog ran with: -S a.bin
  earshot: iceprog failed with status 3
  [2]
  $ earshot=$(command -v earshot)
  $ PATH=/nowhere $earshot flash --board ice40_hx8k a.bin
  iceprog -S a.bin
  earshot: iceprog is not installed; on Debian: apt install fpga-icestorm
  [2]
  $ PATH=/nowhere $earshot flash --board any a.bin
  openFPGALoader -b any -m a.bin
  earshot: openFPGALoader is not installed; on Debian: apt install openfpgaloader
  [2]
