What 'convert' refuses.

  $ cp $DATA/across/a.csv $DATA/spike/rv32-commits.log .
  $ cp -r $DATA/qtrace/sample1/raw .
  $ refused convert
  earshot: which file?
  $ refused convert --comments perhaps a.csv
  earshot: --comments: 'perhaps' is not one of: no yes
  $ refused convert -f nonsense a.csv
  earshot: there is no format 'nonsense'; 'earshot convert --help' lists them
  $ refused convert a.csv -o a.csv
  earshot: a.csv: is the file that is read; write to another one
  $ refused convert --event-port here a.csv
  earshot: --event-port: 'here' is not a number
  $ refused convert --elf a.elf a.csv
  earshot: --elf labels a Spike log, gives strings, or is the program of a branch trace: it needs -f spike, -f qtrace, --event-port or --tasks
  $ refused convert --event-port unit --elf /nonexistent a.csv
  earshot: /nonexistent: cannot be read as a program: No such file or directory
  $ refused convert --event-port unit --elf a.csv a.csv
  earshot: a.csv: cannot be read as a program: the file does not follow its format
  $ refused convert --hart 1 -f json a.csv
  earshot: --hart needs -f qtrace; for other formats there is 'earshot grep --hart'
  $ refused convert --part 3/2 -f json a.csv
  earshot: --part: '3/2' is not K/N, as 1/4 to 4/4
  $ refused convert --part 1/2 -f spike a.csv
  earshot: --part needs a format whose lines do not depend on those before: -f whisper, whisper-log, riscv-dv or json
  $ refused convert --part 1/2 a.csv -o b.csv
  earshot: --part writes to standard output, and not to a file (-o)
  $ refused convert --part 1/2 --limit 5 a.csv
  earshot: --part goes without --event-port, --tasks, --hart and --limit
  $ refused convert --part 1/2 a.csv
  earshot: a.csv: --part needs a capture file

Folders of qtrace:

  $ refused convert -f qtrace raw
  earshot: a trace of this format is a folder: give -o NAME
  $ touch file
  $ refused convert -f qtrace -o file raw
  earshot: file: a trace of this format is a folder, and this is a file
  $ refused convert -f qtrace -o no/q raw
  earshot: no/q: No such file or directory
  $ refused convert -f qtrace -o raw raw
  earshot: raw: is the file that is read; write to another one
  $ refused convert -i qtrace raw/qtrace.bb
  earshot: raw/qtrace.bb: a trace of this format is a folder
  $ refused convert -i json raw | head -n 1
  earshot: raw: not recognised; say its format with -i

Symbols for a Spike log:

  $ refused convert rv32-commits.log -f spike --elf a.csv
  earshot: a.csv: not an ELF file
  $ refused convert rv32-commits.log -f spike --elf none
  earshot: none: No such file or directory
  $ refused convert rv32-commits.log -f whisper --elf a.csv
  earshot: --elf labels a Spike log, gives strings, or is the program of a branch trace: it needs -f spike, -f qtrace, --event-port or --tasks
