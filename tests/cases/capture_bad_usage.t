What 'capture' refuses before it opens a device.

  $ refused capture
  earshot: where to? Give -o FILE
  $ refused capture -o a.xyz
  earshot: a.xyz: which format? None has the ending '.xyz'; give -f FORMAT, or one of the endings .shot, .dv.csv, .csv, .whisper.log, .spike.log, .qemu4v, .tarmac, .jsonl, .trc, .tracerv, .rvvi, .etrace, .ntrace; texts also with .gz or .zst
  $ refused capture -f nonsense -o a
  earshot: there is no format 'nonsense'; 'earshot convert --help' lists them
  $ refused capture -o a.shot -f whisper
  earshot: -f whisper: of which file? -f comes before its -o
  $ refused capture -o a.shot b.shot
  earshot: 'b.shot' is not an option; a device is given with -d
  $ refused capture --policy hope -o a.shot
  earshot: --policy: 'hope' is not one of: auto stall drop
  $ refused capture --time now -o a.shot
  earshot: --time: 'now' is not one of: off sync record
  $ refused capture --limit 0 -o a.shot
  earshot: --limit: '0' is not a number of records, bytes (10MB) or seconds (5s)
  $ refused capture --limit 5m -o a.shot
  earshot: --limit: '5m' is not a number of records, bytes (10MB) or seconds (5s)
  $ refused capture --level 20 -o a.shot
  earshot: --level: '20' is not a number from 1 to 19
  $ refused capture --buffer 1 -o a.shot
  earshot: --buffer: '1' is not a number from 4096 to 4294967296
  $ refused capture --reconnect soon -o a.shot
  earshot: --reconnect: 'soon' is not a number
  $ refused capture --comments perhaps -o a.csv
  earshot: --comments: 'perhaps' is not one of: no yes
  $ refused capture -f shot --index -o -
  earshot: --index is for a capture file: give -o NAME.shot
  $ refused capture --reset --keep-running -o a.shot
  earshot: --reset or --keep-running, not both
  $ refused capture --load a.elf --keep-running -o a.shot
  earshot: --load needs a reset: not with --keep-running
  $ refused capture --filter pc=1 --filter pc=1 --filter pc=1 --exclude pc=1 --exclude pc=1 -o a.shot
  earshot: the unit has four ranges for --filter and --exclude together
