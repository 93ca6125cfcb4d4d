What 'memory' refuses.

  $ cp $DATA/across/a.csv .
  $ refused memory
  earshot: which trace?
  $ refused memory a.csv a.csv
  earshot: one trace, please
  $ refused memory -f csv a.csv
  earshot: -f csv is of one view: --by symbol, --heap, ...
  $ refused memory --by colour a.csv
  earshot: --by: 'colour' is not one of: region section symbol page
  $ refused memory -q --task nobody a.csv | head -n 1
  earshot: a.csv: no event says which task runs
  $ refused memory --part 1/2 --heap a.csv
  earshot: --part has all views but --working-set, which is given: what is shown is said when the parts are put together
  $ refused memory --part 1/2 --by page a.csv
  earshot: --part has all views but --working-set, which is given: what is shown is said when the parts are put together
  $ refused memory --part 1/2 --task 1 a.csv
  earshot: --task needs the trace as a whole
