Twenty questions of a new user. The first list of commands has the word of each, and what it suggests answers.

  $ command -v earshot-board >/dev/null && cp $PROGRAMS/{recursion,story_pointer,rtos,sort}.elf . || exit 80
  $ for p in recursion story_pointer rtos sort; do
  >   earshot capture -q -d sim:$p.elf,uart=/dev/null -o $p.shot --limit 30000 2>/dev/null
  > done
  $ earshot --help >help
  $ ask() { # QUESTION WORD COMMAND
  >   set -- "$1" "$2" $3
  >   grep -q "^  $3 .*$2" help || echo "$3: the help has no '$2'"
  >   earshot "${@:3}" >out 2>/dev/null; echo "$? $(test -s out && echo answered)"
  > }
  $ ask "Why did my program crash?" "why a run ended" "why story_pointer.shot"
  0 answered
  $ ask "Where did this wrong value come from?" "where a value came from" "why story_pointer.shot --value sessions[2].counter"
  0 answered
  $ ask "What was executed, with my source?" "lines" "show -n 20 --from main story_pointer.shot"
  0 answered
  $ ask "Who wrote this variable?" "who wrote a variable" "grep --addr sessions --write story_pointer.shot"
  0 answered
  $ ask "Which exceptions came?" "traps" "grep --trap story_pointer.shot"
  0 answered
  $ ask "How did this variable change?" "change of a variable" "history sessions[2].counter story_pointer.shot"
  0 answered
  $ ask "With which values was this line executed?" "execution of a line" "history recursion.c:13 recursion.shot"
  0 answered
  $ ask "What was in this variable when main began?" "variables" "state --at main --var sessions[0] story_pointer.shot"
  0 answered
  $ ask "Who called the function that crashed?" "call stack" "state --at trap --stack story_pointer.shot"
  0 answered
  $ ask "Which function takes the time?" "functions" "profile sort.shot"
  0 answered
  $ ask "Which line takes the time?" "lines" "profile --lines sort.shot"
  0 answered
  $ ask "With what is this function called, and what does it return?" "arguments and results" "calls --function hanoi recursion.shot"
  0 answered
  $ ask "How long do my interrupt handlers take?" "interrupt latency" "calls --interrupts rtos.shot"
  0 answered
  $ ask "How many instructions and interrupts were there?" "instructions, interrupts" "stat rtos.shot"
  0 answered
  $ ask "How deep do my stacks become?" "depth of stacks" "memory --stack rtos.shot"
  0 answered
  $ ask "Did my program read what it never wrote?" "memory errors" "memory --errors sort.shot"
  0 answered
  $ ask "Which lines did my test not run?" "lines" "coverage --uncovered sort.shot"
  0 answered
  $ ask "Is my core right?" "core is wrong" "check sort.shot"
  0 answered
  $ ask "Where do two runs differ?" "differ" "diff sort.shot rtos.shot"
  1 answered
  $ ask "Is anything missing in my capture?" "missing" "info sort.shot"
  0 answered
