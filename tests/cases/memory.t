'memory' prints what a run did with memory.

  $ cp $DATA/shot/states-1.shot .
  $ earshot memory states-1.shot
  earshot: warning: there are no names: no symbols, sections, heap or loaded bytes (--elf FILE)
  --by region:
     address         end  reads  writes  read_bytes  written_bytes  touched  first  last  name
   0x2004000   0x2004fff      0       2           0              8        8     37    38  -
  0x80000000  0x80000fff    256     200        1024            800       16     46  5989  -
  0x8000a000  0x8000afff    732     752        2928           3008      320     68  5962  -
  
  --by section:
  - there are no names (--elf FILE)
  
  --by symbol:
  - there are no names (--elf FILE)
  
  --stack:
         top      lowest  bytes  switches  record  hart  task  task_name          pc  memory  where
  0x8000a380  0x8000a230    336         1    1915     0     -          -  0x80000178       -  -
  
  --uninitialized:
  - what was loaded before the run is not known (--elf FILE)
  
  --code-writes:
  - none
  
  --misaligned:
  - none
  
  --sharing:
  - none
  
  --heap:
  - there are no names of malloc, free and the like, and no events of the heap
  $ earshot memory -q --by page -f csv states-1.shot
  address,end,reads,writes,read_bytes,written_bytes,touched,first,last,name
  0x2004000,0x2004fff,0,2,0,8,8,37,38,
  0x80000000,0x80000fff,256,200,1024,800,16,46,5989,
  0x8000a000,0x8000afff,732,752,2928,3008,320,68,5962,
  $ earshot memory -q --working-set 3000 states-1.shot
  begin  records  lines  pages
      0     3000      8  3
   3000     3000      5  2
