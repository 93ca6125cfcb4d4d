What 'calls' refuses.

  $ cp $DATA/across/a.csv .
  $ refused calls
  earshot: which trace?
  $ refused calls --function wide a.csv
  earshot: --function: 'wide' is not a number, and there are no names (--elf FILE)
  $ refused calls --from 9 --to 4 a.csv
  earshot: --to: 4 comes before 9
  $ refused calls --from 99999 a.csv
  earshot: a.csv: there is no instruction 99999: the trace has 31 of them
  $ refused calls a.csv a.csv
  earshot: one trace, please
  $ refused calls --summary --histogram main a.csv
  earshot: one of --summary, --histogram and --interrupts
  $ refused calls -f csv --histogram main a.csv
  earshot: --histogram is a table: --summary -f json has its numbers
  $ refused calls --summary --sort=-records a.csv
  earshot: --sort is of the list of calls
  $ refused calls --event x a.csv
  earshot: --event goes with --interrupts
  $ refused calls --interrupts --event '' a.csv
  earshot: --event: a name is missing
  $ refused calls --interrupts --depth 2 a.csv
  earshot: --interrupts is of no function and of no depth
  $ refused calls --interrupts -f csv a.csv
  earshot: --interrupts is a table, or JSON
  $ refused calls --interrupts --summary a.csv
  earshot: one of --summary, --histogram and --interrupts
  $ refused calls --interrupts --task 3 a.csv
  earshot: --interrupts is of all tasks
  $ refused calls -q --task nobody a.csv | head -n 1
  earshot: a.csv: no event says which task runs
  $ refused calls --part 1/2 --summary a.csv
  earshot: --part is of all calls, or of a --task: what is shown of them is said when the parts are put together
  $ refused calls --part 1/2 --function main a.csv
  earshot: --part is of all calls, or of a --task: what is shown of them is said when the parts are put together
  $ refused calls --part 1/2 --depth 3 a.csv
  earshot: --part is of all calls, or of a --task: what is shown of them is said when the parts are put together
  $ refused calls --part 1/2 -n 3 a.csv
  earshot: --part is of all calls, or of a --task: what is shown of them is said when the parts are put together
