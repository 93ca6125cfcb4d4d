'earshot' alone says what the one trace of the folder can be asked; without one it is the usage.

  $ earshot 2>&1 | head -n 1; earshot >out 2>/dev/null; echo $?; wc -c <out
  usage: earshot COMMAND [OPTION]...
  2
  0
  $ cp $DATA/whisper/timer.csv .; earshot
  timer.csv is a trace. What it can be asked first:
  
    Why did the run end as it did?
        earshot why timer.csv
    What ran, line by line?
        earshot show timer.csv | less
    What is in it, and what is missing?
        earshot info timer.csv
    Where did the time go?
        earshot profile timer.csv
    Which function was called when?
        earshot calls timer.csv | less
    What did registers hold at the end, and which calls were active?
        earshot state --stack timer.csv
    Which memory errors does the program have?
        earshot memory --errors timer.csv
    How do I step through it, backward too?
        gdb-multiarch -ex 'target remote | earshot gdb timer.csv'
  
  `earshot --help` lists all commands, `earshot COMMAND --help` describes one.
  $ cp $DATA/shot/states-1.shot .; earshot | head -n 1
  states-1.shot is a trace. What it can be asked first:

What it says to type works, but for 'gdb'.

  $ earshot | sed -n 's/^      earshot/earshot/p' | while read -r command; do
  >   (eval "$command") </dev/null >out 2>&1; echo "$? $command"; test -s out || echo nothing
  > done
  1 earshot why states-1.shot
  0 earshot show states-1.shot | less
  0 earshot info states-1.shot
  0 earshot profile states-1.shot
  0 earshot calls states-1.shot | less
  0 earshot state --stack states-1.shot
  0 earshot memory --errors states-1.shot

A text that is no trace, several traces, and names that a shell would not take are no answer.

  $ cp states-1.shot two.shot; earshot 2>&1 | head -n 1
  usage: earshot COMMAND [OPTION]...
  $ rm *.shot *.csv; echo hello >a.csv; earshot 2>&1 | head -n 1
  usage: earshot COMMAND [OPTION]...
  $ rm a.csv; cp $DATA/shot/states-1.shot 'a b.shot'; earshot 2>&1 | head -n 1
  usage: earshot COMMAND [OPTION]...
