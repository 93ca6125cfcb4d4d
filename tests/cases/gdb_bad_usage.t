What 'gdb' refuses.

  $ cp $DATA/across/a.csv .
  $ refused gdb
  earshot: which trace? Or -d DEVICE
  $ refused gdb a.csv a.csv
  earshot: one trace, please
  $ refused gdb -
  earshot: the trace must be a file: a pipe cannot be read backward
  $ refused gdb --port 1 --socket x a.csv
  earshot: --port or --socket: one client, one way
  $ refused gdb --at zz:0 a.csv
  earshot: --at: 'zz:0' is not a moment: the number of an instruction, @TICKS, begin, end, first, last, trap, exception, interrupt, event, gap, the name of an event or a function, mark=NAME, or FILE:LINE; these with #K, +N or -N
  $ refused gdb --socket $(printf 'x%.0s' {1..200}) a.csv | sed 's/xx*xx/x/'
  earshot: --socket: 'x' is longer than the name of a socket may be
  $ earshot gdb --at trap:900 a.csv
  earshot: a.csv: there is only 1 trap
  [1]
