What 'why' refuses.

  $ cp $DATA/across/a.csv .
  $ refused why
  earshot: which trace?
  $ refused why --hart 70000 a.csv
  earshot: --hart: '70000' is not a number from 0 to 65535
  $ refused why --limit 0 a.csv
  earshot: --limit: '0' is not a number from 1 to 4096
  $ earshot why --hart 3 a.csv
  cause unknown: hart 3 has no instructions among the last 31 records
  [1]
