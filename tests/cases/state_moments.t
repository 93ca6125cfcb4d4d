Words that are not a moment, which 'state' refuses.

  $ cp $DATA/across/a.csv .
  $ for moment in 12x @ stop:0 -5 trap:0 trap:-0 trap=x gap=1 event= trap: :1 =1:; do
  >   refused state --at $moment a.csv | sed 's/\(is not a moment\): .*/\1/'
  > done
  earshot: --at: '12x' is not a moment
  earshot: --at: '@' is not a moment
  earshot: --at: 'stop:0' is not a moment
  earshot: --at: '-5' is not a moment
  earshot: --at: 'trap:0' is not a moment
  earshot: --at: 'trap:-0' is not a moment
  earshot: --at: 'trap=x' is not a moment
  earshot: --at: 'gap=1' is not a moment
  earshot: --at: 'event=' is not a moment
  earshot: --at: 'trap:' is not a moment
  earshot: --at: ':1' is not a moment
  earshot: --at: '=1:' is not a moment

A moment that does not occur is an answer, with exit status 1.

  $ for moment in trap:100 interrupt=3 interrupt:-9 event event=none none:-1 gap gap:-3; do
  >   said=$(earshot state --at $moment a.csv 2>&1); echo $? $said
  > done
  1 earshot: a.csv: there is only 1 trap
  1 earshot: a.csv: there is no interrupt with cause 3
  1 earshot: a.csv: there is only 1 interrupt
  1 earshot: a.csv: there is no event
  1 earshot: a.csv: there is no event 'none'
  1 earshot: a.csv: there is no event 'none'
  1 earshot: a.csv: there is no gap
  1 earshot: a.csv: there is no gap
  $ cp -r $DATA/qtrace/sample1/raw .
  $ earshot state --no-index --at event:1000 raw
  earshot: warning: raw: it shows no register writes: their values are unknown
  earshot: raw: there are only 36 events
  [1]
