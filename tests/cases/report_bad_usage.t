What 'report' refuses, before it runs anything.

  $ cp $DATA/across/a.csv .
  $ refused report
  earshot: which trace?
  $ refused report a.csv
  earshot: where to? (-o FILE)
  $ refused report -o r.html a.csv a.csv a.csv
  earshot: one trace, or two
  $ refused report -o r.html -
  earshot: the trace is read several times: it cannot be standard input
  $ refused report --size 0 -o r.html a.csv
  earshot: --size: '0' is not 1 or more
  $ refused report --jobs 0 -o r.html a.csv
  earshot: --jobs: '0' is not a number from 1 to 64
  $ ls
  a.csv
