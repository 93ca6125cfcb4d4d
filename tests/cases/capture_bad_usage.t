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
  $ refused capture --trace-base 0x1002 -o a.ntrace
  earshot: --trace-base: '0x1002' is not an address, or some with commas
  $ refused capture --trace-base 0x1000, -o a.ntrace
  earshot: --trace-base: '0x1000,' is not an address, or some with commas
  $ refused capture --trace-buffer 0x1000 -o a.ntrace
  earshot: --trace-buffer: '0x1000' is not ADDRESS+SIZE, multiples of 4, of at least 64 bytes and less than 4 GiB
  $ refused capture --trace-base 0x1000 -o a.ntrace
  earshot: --trace-base, --trace-buffer, --trace-first and --unit are for -d openocd:HOST:PORT
  $ refused capture -d openocd:h:1 -o a.ntrace
  earshot: openocd: where is the trace encoder? Give --trace-base ADDRESS
  $ refused capture -d openocd:h:1 --trace-base 0x1000 -o a.shot
  earshot: openocd: writes one file as it is sent: give -o NAME.ntrace or -o NAME.etrace; 'earshot convert' makes others of it
  $ refused capture -d openocd:h:1 --trace-base 0x1000 -o a.ntrace -o b.ntrace
  earshot: openocd: writes one file as it is sent: give -o NAME.ntrace or -o NAME.etrace; 'earshot convert' makes others of it
  $ refused capture -d openocd:h:1 --trace-base 0x1000 --limit 5k -o a.ntrace
  earshot: openocd: has no --start, --filter, --exclude, --modes, --ring, --load, --index and --record, and --limit in seconds only
  $ refused capture -d openocd:h:1 --trace-base 0x1000 --time record -o a.ntrace
  earshot: openocd: messages have time stamps, not records: give --time sync
  $ refused capture -d openocd:h:1 --trace-base 0x1000 --stop cycles=5 -o a.ntrace
  earshot: openocd: halts at --stop pc=ADDRESS only
  $ refused capture -d openocd:h:1 --trace-base 0x1000 --unit pulp -o a.ntrace
  earshot: --unit: with openocd: it is a file: not a JSON object of parameters: an object is missing
  $ refused capture -d openocd: --trace-base 0x1000 -o a.ntrace
  earshot: openocd: no host and port given (openocd:HOST:PORT)
  $ refused capture -d openocd:h:70000 --trace-base 0x1000 -o a.ntrace
  earshot: openocd:h:70000: a port number is at most 65535
