'calls' prints calls in the order in which they began.

  $ cp $DATA/shot/states-1.shot $DATA/across/a.csv .
  $ earshot calls --limit 4 states-1.shot
  earshot: warning: there are no names: functions are what calls entered, and tail calls are not seen (--elf FILE)
        number      records       clocks  call
            64        >5935            -  [0x800002c0]  from [0x8000008a], open
            72         2027            -    [0x80000150]  from [0x800002ce]
            81         1662            -      [0x80000150]  from [0x80000166]
            90         1333            -        [0x80000150]  from [0x80000166]
  $ earshot calls -q -f json --limit 2 states-1.shot
  {"number": 64, "hart": 0, "depth": 0, "kind": "call", "end": "open", "last": null, "records": null, "at_least": 5935, "clocks": null, "function": null, "entry": "0x800002c0", "caller": null, "call_pc": "0x8000008a"}
  {"number": 72, "hart": 0, "depth": 1, "kind": "call", "end": "returned", "last": 2099, "records": 2027, "clocks": null, "function": null, "entry": "0x80000150", "caller": null, "call_pc": "0x800002ce"}
  {"kind": "verdict", "complete": true, "accounted": true}
  $ earshot calls -q --function 0x80000150 --limit 2 states-1.shot
        number      records       clocks depth  call
            72         2027            -     1  [0x80000150](a0=0x2, a1=0x9, a2=0x0, a3=0x0) = a0=0x15  from [0x800002ce]
            81         1662            -     2  [0x80000150](a0=0x2, a1=0x8, a2=0x0, a3=0x0) = a0=0x13  from [0x80000166]
  $ earshot calls -q --summary states-1.shot
                                                           records
         calls       min        mean   50 % <=   99 % <=       max  function
           110        15       188.5       127      1791      2027  [0x80000150]
            67        25       205.0        27      3805      3805  [0x8000022c]
             1         -           -         -         -         -  [0x800002c0]
  $ earshot calls -q --interrupts a.csv
                    clocks to the handler       records of the handler        clocks of the handler
       count      min       mean      max      min       mean      max      min       mean      max  cause
           1        -          -        -        4        4.0        4        -          -        -  interrupt 0x7, machine timer
  
  interrupts were disabled, and enabled again, 0 times: 0 records
          from           to      records       clocks  from where to where
  $ earshot calls $DATA/armulator/published.txt
  earshot: warning: there are no names: functions are what calls entered, and tail calls are not seen (--elf FILE)
  earshot: warning: of 5 records no calls are known: they have no opcodes of RISC-V
        number      records       clocks  call
