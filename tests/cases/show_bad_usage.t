What 'show' refuses.

  $ cp $DATA/across/a.csv .
  $ refused show
  earshot: which file?
  $ refused show --at 1 --at 2 a.csv
  earshot: several --at are for --json
  $ refused show --json --at 1 --at trap a.csv
  earshot: --at: 'trap' is not a number: of several places each is one
  $ refused show --at 1 --from 1 a.csv
  earshot: --at shows those around it: no --from and no --to
  $ refused show --marks --at 1 a.csv
  earshot: --marks shows all marks: no --at, --from and --to
  $ refused show --from 5 --to 4 a.csv
  earshot: --to is before --from
  $ refused show --json --no-inline a.csv
  earshot: --no-inline is for the text, not for --json
  $ refused show --color x a.csv
  earshot: --color: 'x' is not one of: auto always never
  $ refused show --width 3 a.csv
  earshot: --width: '3' is not a number from 20 to 10000
  $ refused show --elf a.csv a.csv
  earshot: a.csv: not an ELF file
  $ refused show --at 31 a.csv
  earshot: a.csv: there is no instruction 31: the trace has 31 of them
  $ refused show --from 310 a.csv
  earshot: a.csv: there is no instruction 310: the trace has 31 of them
