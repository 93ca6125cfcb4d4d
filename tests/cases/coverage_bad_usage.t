What 'coverage' refuses.

  $ cp $DATA/across/a.csv .
  $ refused coverage
  earshot: which trace?
  $ refused coverage a.csv
  earshot: a.csv: there are no lines without the program (--elf FILE)
  $ refused coverage --elf $DATA/qtrace/kernel.elf $DATA/qtrace/sample1/raw
  earshot: the program has no lines: it was built without -g, or they are in another file
         records  state     trace
            1177  done      */qtrace/sample1/raw (glob)
            1177            total
  1 trace: 1 done
  $ refused coverage --isa $DATA/armulator/published.txt
  earshot: */published.txt: there are no instructions of RISC-V with an opcode (glob)
  $ refused coverage --source x a.csv
  earshot: --source: 'x' is not OLD=NEW
  $ refused coverage --source =x a.csv
  earshot: --source: '=x' is not OLD=NEW
  $ refused coverage --fail-under 101 a.csv
  earshot: --fail-under: '101' is not a number from 0 to 100
  $ refused coverage --fail-under x a.csv
  earshot: --fail-under: 'x' is not a number
  $ refused coverage -q --isa --task nobody a.csv
  earshot: a.csv: no event says which task runs
  $ refused coverage --part 1/2 -o x a.csv
  earshot: --part prints a part: without -o
  $ refused coverage --part 1/2 a.csv a.csv
  earshot: --part is of one trace
  $ refused coverage --from 9 --to 2 a.csv
  earshot: --to: 2 comes before 9
  $ refused coverage --isa a.csv -f json -o a.csv
  earshot: -o, --uncovered, --all-sources, --no-inline and --fail-under are for lines, not for --isa
