'history' prints executions of code, and changes of variables. It needs programs and a board.

  $ command -v earshot-board >/dev/null && cp $PROGRAMS/recursion.elf $PROGRAMS/story_pointer.elf . || exit 80
  $ earshot capture -q -d sim:recursion.elf,uart=/dev/null -o t.shot --limit 20000 2>/dev/null
  $ earshot capture -q -d sim:story_pointer.elf,uart=/dev/null -o p.shot 2>/dev/null
  $ earshot history --limit 3 hanoi t.shot
  earshot: warning: there are more (--limit N)
  number  time  hart                      path            line  discs  from  to
    2114     -     0     _start > main > hanoi  recursion.c:17      8     0  2
    2137     -     0  _start > main > hanoi x2  recursion.c:17      7     0  1
    2160     -     0  _start > main > hanoi x3  recursion.c:17      6     0  2
  $ earshot history -q --where 'discs == 3' --limit 2 -f csv hanoi t.shot
  number,time,hart,path,line,discs,from,to
  2229,,0,"_start > main > hanoi x6","recursion.c:17","3","0","1"
  3166,,0,"_start > main > hanoi x5","recursion.c:17","3","2","0"
  $ earshot history -f json --limit 1 recursion.c:13 t.shot
  earshot: warning: there are more (--limit N)
  {"what": "recursion.c:13", "executions": [
    {"number": 178, "time": null, "hart": 0, "pc": "0x8000016c", "line": "recursion.c:13", "path": ["_start", "main", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann", "ackermann"], "path_complete": true, "variables": {"m": null, "n": null}}], "more": true, "unknown": 0, "complete": true, "accounted": true}
  $ earshot history -q --var 'sessions[1].name' --var size receive -f csv p.shot | sed -n 4,5p
  308,,0,"_start > main > receive","story_pointer.c:28","""bob""","2"
  329,,0,"_start > main > receive","story_pointer.c:28","""bob""","7"
  $ earshot history 'sessions[2].counter' p.shot
  number  time  hart                      path                line                         old  value
      78     -     0                    _start          start.S:81                           ?  0x0
     194     -     0             _start > main  story_pointer.c:37                         0x0  0x8000026c <counters+0x10>
     240     -     0  _start > main > set_name  story_pointer.c:22  0x8000026c <counters+0x10>  0x80000268 <counters+0xc>
     245     -     0  _start > main > set_name  story_pointer.c:22   0x80000268 <counters+0xc>  0x80006568
     250     -     0  _start > main > set_name  story_pointer.c:22                  0x80006568  0x80726568
     255     -     0  _start > main > set_name  story_pointer.c:22                  0x80726568  0x726568
  $ earshot history -f json --to 200 'sessions[2].counter' p.shot
  {"what": "sessions[2].counter", "changes": [
    {"number": 78, "time": null, "hart": 0, "pc": "0x8000007e", "line": "start.S:81", "path": ["_start"], "path_complete": true, "old": null, "value": 0},
    {"number": 194, "time": null, "hart": 0, "pc": "0x800001c6", "line": "story_pointer.c:37", "path": ["_start", "main"], "path_complete": true, "old": 0, "value": 2147484268}], "more": false, "unknown": 0, "complete": true, "accounted": true}
  $ earshot history -f csv 0x8000026c:2 --from 200 p.shot
  number,time,hart,path,line,old,value
  [1]

Each execution is there, and each value is that of 'state'.

  $ earshot history -f csv hanoi t.shot | tail -n +2 | wc -l; earshot grep -c --pc hanoi+0 t.shot
  256
  256
  $ earshot history -q -f csv hanoi t.shot | tail -n +2 | sed -n '1~40p' | while IFS=, read number time hart path line discs from to; do
  >   for variable in discs from to; do eval value=\$$variable
  >     state=$(earshot state --at $number-1 --var $variable t.shot | sed -n 's/^[a-z]* = //p')
  >     [ "\"$state\"" = "$value" ] || echo "#$number: $variable is $value, and $state"
  >   done
  > done

Functions that were inlined; a handler.

  $ cp $PROGRAMS/logged_calls.elf $PROGRAMS/nested_log.elf .
  $ earshot capture -q -d sim:logged_calls.elf,uart=/dev/null -o l.shot --limit 9000 2>/dev/null
  $ earshot capture -q -d sim:nested_log.elf,uart=/dev/null -o n.shot --limit 9000 2>/dev/null
  $ earshot history -q --limit 3 say l.shot
  number  time  hart                                       path               line  word
     418     -     0     _start > main > work > fibonacci > say  logged_calls.c:63  4096
     423     -     0     _start > main > work > fibonacci > say  logged_calls.c:63  6
     430     -     0  _start > main > work > fibonacci x2 > say  logged_calls.c:63  4096
  $ earshot history --limit 2 -f csv on_timer n.shot
  earshot: warning: there are more (--limit N)
  number,time,hart,path,line
  5340,,0,"_start > main > random_next > <interrupt> > nested_entry > nested_handler > on_timer","nested.c:33"
  6087,,0,"_start > main > random_next > <interrupt> > nested_entry > nested_handler > on_timer","nested.c:33"

Tasks, and other orders than that of time.

  $ cp $PROGRAMS/tasks.elf .
  $ earshot capture -q -d sim:tasks.elf,uart=/dev/null -o w.shot --limit 50000 2>/dev/null
  $ earshot history -q --limit 2 work w.shot
  number  time  hart        task              path         line  n
   34657     -     0  worker (3)     thread > work  tasks.c:355  8
   34670     -     0  worker (3)  thread > work x2  tasks.c:355  7
  $ for task in 1 sh worker vm; do
  >   earshot history -f csv --task $task work w.shot | tail -n +2 | wc -l
  >   earshot grep -c --pc work+0 --task $task w.shot
  > done
  0
  0
  84
  84
  117
  117
  16
  16
  $ earshot history -q -f csv --sort=-n --limit 3 work w.shot
  number,time,hart,task,path,line,n
  34657,,0,"worker (3)","thread > work","tasks.c:355","8"
  37596,,0,"worker (3)","thread > work","tasks.c:355","8"
  44279,,0,"worker (3)","thread > work","tasks.c:355","8"
  $ earshot history -q -f csv --sort task work w.shot | cut -d, -f4 | uniq -c
        1 task
       16 "/bin/vm (4)"
       84 "sh (2)"
      117 "worker (3)"
  $ earshot history --json --sort=-number --task vm --limit 1 work w.shot
  earshot: warning: there are more (--limit N)
  {"what": "work", "executions": [
    {"number": 49089, "time": null, "hart": 0, "task": 4, "task_name": "/bin/vm", "pc": "0x800001d4", "line": "tasks.c:355", "path": ["interpreter", "interpret", "interpret", "interpret", "work", "work", "work"], "path_complete": true, "variables": {"n": 1}}], "more": true, "unknown": 0, "complete": true, "accounted": true}
  $ earshot history -q -f csv --sort value --limit 2 --from 2384 moves t.shot
  number,time,hart,path,line,old,value
  2384,,0,"_start > main > hanoi x7","recursion.c:24","1","2"
  2444,,0,"_start > main > hanoi x7","recursion.c:24","2","3"
  $ earshot history -q -f csv --sort=-old --limit 2 moves t.shot
  number,time,hart,path,line,old,value
  17426,,0,"_start > main > hanoi","recursion.c:24","254","255"
  17366,,0,"_start > main > hanoi","recursion.c:24","253","254"
  $ earshot history -q -f csv --sort=-path --limit 1 hanoi t.shot
  number,time,hart,path,line,discs,from,to
  2298,,0,"_start > main > hanoi x9","recursion.c:17","0","0","2"
  $ earshot history --task vm hanoi t.shot
  earshot: warning: no event says which task runs
  - none
  [1]
  $ earshot history --sort task hanoi t.shot; echo $?
  earshot: --sort: there is no column 'task'; the columns are those of the table
  2
  $ earshot history --sort=-value hanoi t.shot; echo $?
  earshot: --sort: there is no column 'value'; the columns are those of the table
  2

What is not there, and what cannot be.

  $ earshot history --from end main t.shot; echo $?
  - none
  1
  $ for what in nosuch recursion.c:999 0x80000000+main main:return; do
  >   earshot history $what t.shot; echo $?
  > done
  earshot: 'nosuch' is neither a number nor a symbol of recursion.elf
  2
  earshot: recursion.c:999 has no code; the nearest line that has some is 65
  2
  earshot: '0x80000000+main' is not a range (no size after '+'): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a symbol
  2
  earshot: 'main:return' is neither a number nor a symbol of recursion.elf
  2
  $ earshot history --var nosuch main t.shot; echo $?
  earshot: --var: recursion.elf: there is no variable 'nosuch'
  2
  $ earshot history --where 'discs > many' hanoi t.shot; echo $?
  earshot: --where: 'discs > many': this variable has no numbers, or many is not one of its values
  2
  $ earshot history --where discs hanoi t.shot; echo $?
  earshot: --where: 'discs' is not a condition: a variable, one of == != < <= > >=, and a number or a constant
  Try 'earshot history --help'.
  2
  $ earshot history t.shot; echo $?
  earshot: a trace is needed, and a line, a function, an address or a variable
  Try 'earshot history --help'.
  2
  $ earshot history main hanoi t.shot; echo $?
  earshot: only one trace can be read, and one thing be looked for
  Try 'earshot history --help'.
  2
