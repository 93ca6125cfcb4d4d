What 'profile' refuses.

  $ cp $DATA/across/a.csv .
  $ refused profile
  earshot: which trace?
  $ refused profile --tree --lines a.csv
  earshot: one of --tree, --lines, --annotate, --blocks and --opcodes
  $ refused profile --blocks --lines a.csv
  earshot: one of --tree, --lines, --annotate, --blocks and --opcodes
  $ refused profile --tree -f json a.csv
  earshot: --tree, --lines, --blocks and --opcodes are tables: without --json and -f
  $ refused profile --annotate -f folded a.csv
  earshot: --annotate is a table, or --json
  $ refused profile --inline --lines a.csv
  earshot: --inline is for the list of functions, --tree, --annotate and -f
  $ refused profile --tree --against a.csv a.csv
  earshot: --against is a table of functions, or -f json
  $ refused profile --against none.shot a.csv
  earshot: none.shot: No such file or directory
  $ refused profile -q --annotate nobody a.csv
  earshot: --annotate: 'nobody' is neither a number nor a symbol (no ELF given)
  $ refused profile -q --annotate=nobody a.csv
  earshot: --annotate: 'nobody' is neither a number nor a symbol (no ELF given)
  $ refused profile --annotate nobody
  earshot: nobody: No such file or directory
  $ refused profile -q --within nobody a.csv
  earshot: --within: 'nobody' is neither a number nor a symbol (no ELF given)
  $ refused profile -q -o a.csv a.csv
  earshot: a.csv: is the file that is read; write to another one
  $ cmp a.csv $DATA/across/a.csv
  $ refused profile --source x a.csv
  earshot: --source: 'x' is not OLD=NEW
  $ refused profile --source =x a.csv
  earshot: --source: '=x' is not OLD=NEW
  $ refused profile --ignore x --tree a.csv
  earshot: --ignore is for the list of functions, --lines, --annotate and --against
  $ refused profile --ignore x -f folded a.csv
  earshot: --ignore is for the list of functions, --lines, --annotate and --against
  $ refused profile --ignore x -f json a.csv
  earshot: --ignore is for the list of functions, --lines, --annotate and --against
  $ refused profile $(printf -- '--ignore x %.0s' {1..65}) a.csv
  earshot: --ignore: 'x' is not one of at most 64
  $ refused profile $(printf -- '--source x=y %.0s' {1..65}) a.csv
  earshot: --source: 'x=y' is not one of at most 64

A part of the trace:

  $ refused profile -q --from 5 --to 3 a.csv
  earshot: --to: 3 comes before 5
  $ refused profile -q --from 99999999 a.csv
  earshot: a.csv: there is no instruction 99999999: the trace has 31 of them
  $ refused profile -q --from x=y a.csv
  earshot: a.csv: there is no event 'x=y'
  $ refused profile -q --part 3/2 a.csv
  earshot: --part: '3/2' is not K/N, as 1/4 to 4/4
  $ refused profile -q --part 1/2 a.csv a.csv
  earshot: --part is of one trace
