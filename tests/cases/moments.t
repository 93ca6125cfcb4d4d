Moments by the names of a program, the same for every option. It needs programs and a board.

  $ command -v earshot-board >/dev/null && cp $PROGRAMS/recursion.elf $PROGRAMS/events.elf . || exit 80
  $ earshot capture -q -d sim:recursion.elf,uart=/dev/null -o t.shot 2>/dev/null
  $ earshot capture -q -d sim:events.elf,uart=/dev/null -o e.shot 2>/dev/null
  $ for moment in ackermann ackermann#2 ackermann#-1 =main main+5 recursion.c:13 recursion.c:13:2 \
  >     'ackermann#10:return' main:return end-1; do
  >   echo $moment $(earshot show --around 0 --at $moment t.shot | grep '>' | cut -c1-40)
  > done
  ackermann > 73 80000150 c.bnez a0, ackerm
  ackermann#2 > 82 80000150 c.bnez a0, ackerm
  ackermann#-1 > 1914 80000150 c.bnez a0, ackerm
  =main > 65 800002c0 c.addi sp, -0x10
  main+5 > 70 800002ca c.swsp s1, 0x4
  recursion.c:13 > 178 8000016c c.lwsp ra, 0xc ra=0x80000168 <ackermann+0
  recursion.c:13:2 > 181 80000174 c.addi sp, 0x10
  ackermann#10:return > 191 80000176 c.jr ra
  main:return > 78224 80000362 c.jr ra
  end-1 > 78231 8000012c c.sw a0, 0x0(a5
  $ earshot decode --from main+1 --to main+2 t.shot | tail -n +2 | cut -c1-8
  800002c2
  800002c4
  $ earshot grep --from ackermann --to ackermann:return --count t.shot
  2027
  $ earshot stat -f csv --from ackermann --to ackermann:return t.shot | tail -1 | cut -c1-20
  trace,"t.shot",2027,
  $ earshot grep --pc hanoi+0 --last --before fibonacci -n t.shot | cut -c1-7
  #17377,

Functions that were inlined.

  $ cp $PROGRAMS/logged_calls.elf .
  $ earshot capture -q -d sim:logged_calls.elf,uart=/dev/null -o l.shot 2>/dev/null
  $ for name in say count_tick strlen fibonacci; do
  >   echo $name $(earshot grep --pc $name --count l.shot) $(earshot grep --pc $name --no-inline --count l.shot 2>&1)
  > done
  say 2981 earshot: --pc: all code of 'say' was inlined
  count_tick 240 240
  strlen 190 190
  fibonacci 5414 5414
  $ earshot show --at say#3 --around 0 l.shot | grep -o '430  [0-9a-f]*'
  430  80000172
  $ earshot state --at say#3-1 --stack l.shot | grep '^#' | head -3
  #0   0x80000172  say  logged_calls.c:63  <inlined>
  #0   0x80000172  fibonacci+0x2  logged_calls.c:100
  #1   0x8000018c  fibonacci+0x1c  logged_calls.c:102
  $ earshot state --at say#3-1 --stack --no-inline l.shot | grep '^#' | head -1
  #0   0x80000172  fibonacci+0x2  logged_calls.c:63
  $ earshot state --at say#3-1 --stack --json l.shot | grep -o '"inlined":[^]]*'
  "inlined":[{"function":"say","line":"logged_calls.c:63"}
  $ earshot state --at say:return l.shot
  earshot: l.shot: 'say' is inlined here: there is no call that returns
  [1]
  $ earshot state --at sya l.shot
  earshot: l.shot: there is no event 'sya', and 'sya' is neither a number nor a symbol of logged_calls.elf; did you mean say?
  [1]
  $ earshot state --mem say+4 l.shot
  earshot: --mem: 'say+4' was inlined: an offset from its begin is no address
  [2]
  $ earshot calls --function say l.shot
  earshot: --function: 'say' was inlined everywhere, so nothing calls it: `earshot history say` shows each time, `earshot profile --annotate=say` how much
  [2]
  $ earshot profile -q --annotate say l.shot | head -n 1
  say, inlined: 2981 of 17411 records
  $ earshot profile --within say l.shot
  earshot: --within: 'say' was inlined everywhere: nothing calls it
  [2]

What is not there, or is not clear.

  $ for moment in ackerman =ackerman main#2 recursion.c:999 pegs finish:return recursion.c:13:return; do
  >   said=$(earshot state --at $moment t.shot 2>&1); echo $? $said
  > done
  1 earshot: t.shot: there is no event 'ackerman', and 'ackerman' is neither a number nor a symbol of recursion.elf; did you mean ackermann?
  2 earshot: t.shot: 'ackerman' is neither a number nor a symbol of recursion.elf; did you mean ackermann?
  1 earshot: t.shot: there is only 1 execution of 'main'
  1 earshot: t.shot: there is no event 'recursion.c:999', and recursion.c:999 has no code; the nearest line that has some is 65
  1 earshot: t.shot: there is no event 'pegs', and 'pegs' is data and not code
  1 earshot: t.shot: who called 'finish' here is not known, so neither is its return
  2 earshot: t.shot: a line does not return
  $ for moment in event event#2 @event#2 =event#2; do
  >   said=$(earshot state --at $moment e.shot 2>&1); echo $? $said | cut -c1-130
  > done
  2 earshot: e.shot: 'event' is a word for a moment and a symbol of the program: write @event or =event
  2 earshot: e.shot: 'event' is a word for a moment and a symbol of the program: write @event or =event
  0 position 4956, after 4954 instructions; hart 0 last pc ? next pc 0x8000020e event+0x28 events.c:86 privilege M zero 00000000 ra 
  0 position 4912, after 4912 instructions; hart 0 last pc 0x800001fe event+0x18 events.c:70 next pc 0x80000202 event+0x1c events.c:
