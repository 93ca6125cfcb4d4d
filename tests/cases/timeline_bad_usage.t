What 'timeline' refuses.

  $ cp $DATA/across/a.csv .
  $ refused timeline a.csv
  earshot: where to? (-o FILE)
  $ refused timeline a.csv -o x
  earshot: which format? (-f FORMAT, or a name that ends with it, as t.json)
  $ refused timeline a.csv -o a.csv -f vcd
  earshot: a.csv: is the file that is read; write to another one
  $ refused timeline a.csv -o t.json a.csv
  earshot: one trace, please
  $ refused timeline a.csv -o t.vcd --from 9 --to 4
  earshot: --to: 4 comes before 9
  $ refused timeline a.csv -o t.vcd --from 3000
  earshot: a.csv: there is no instruction 3000: the trace has 31 of them
  $ refused timeline a.csv --part 1/2 -f json -o t
  earshot: --part has no format: that is said when the parts are put together
  $ refused timeline a.csv --part 1/2 --depth 3 -o t
  earshot: --part is of all that happens: what is shown of it is said when the parts are put together
  $ refused timeline a.csv --part 1/2 --task 1 -o t
  earshot: --part is of all that happens: what is shown of it is said when the parts are put together
  $ refused timeline a.csv --part 1/2 --limit 9 -o t
  earshot: --part is of all that happens: what is shown of it is said when the parts are put together
  $ cat a.csv | earshot timeline - -f vcd -o t.vcd
  earshot: standard input: waves need a file, which can be read twice
  [2]
