'stat' counts what is in traces.

  $ cp $DATA/across/a.csv $DATA/shot/states-1.shot .
  $ earshot stat a.csv states-1.shot
         records interrupts      traps   gaps          ticks     branches        loads       stores             hash trace
              31          1          0      0              -            4            2            2 01360fcbb997adcd a.csv
            6000          0          0      0              -          550          988          954 171bb228459e74a1 states-1.shot
            6031          1          0      0              -          554          990          956                  total
  $ cp a.csv 'a "b", c.csv'
  $ earshot stat -f json 'a "b", c.csv'
  {"traces": [
    {"trace": "a \"b\", c.csv", "hash": "01360fcbb997adcd", "records": 31, "executed": 30, "interrupts": 1, "traps": 0, "harts": 1, "gaps": 0, "missing": 0, "events": 0, "others": 0, "ticks": null, "first_pc": "0x80000000", "last_pc": "0x80000054", "reads": 2, "writes": 2, "read_bytes": 16, "written_bytes": 16, "decoded": 30, "compressed": 0, "taken": 2, "not_taken": 2, "unknown_outcomes": 0, "illegal": 0, "alu": 19, "mul": 0, "div": 0, "load": 2, "store": 2, "amo": 0, "lr": 0, "sc": 0, "branch": 4, "jump": 0, "csr": 2, "fp": 0, "fence": 0, "cache": 0, "system": 1, "vload": 0, "vstore": 0, "vector": 0}
  ], "total": {"records": 31, "executed": 30, "interrupts": 1, "traps": 0, "harts": 1, "gaps": 0, "missing": 0, "events": 0, "others": 0, "ticks": null, "first_pc": null, "last_pc": null, "reads": 2, "writes": 2, "read_bytes": 16, "written_bytes": 16, "decoded": 30, "compressed": 0, "taken": 2, "not_taken": 2, "unknown_outcomes": 0, "illegal": 0, "alu": 19, "mul": 0, "div": 0, "load": 2, "store": 2, "amo": 0, "lr": 0, "sc": 0, "branch": 4, "jump": 0, "csr": 2, "fp": 0, "fence": 0, "cache": 0, "system": 1, "vload": 0, "vstore": 0, "vector": 0}, "complete": null, "accounted": null}
  $ earshot stat -f csv 'a "b", c.csv'
  row,trace,records,executed,interrupts,traps,harts,gaps,missing,events,others,ticks,first_pc,last_pc,reads,writes,read_bytes,written_bytes,decoded,compressed,taken,not_taken,unknown_outcomes,illegal,alu,mul,div,load,store,amo,lr,sc,branch,jump,csr,fp,fence,cache,system,vload,vstore,vector,hash
  trace,"a ""b"", c.csv",31,30,1,0,1,0,0,0,0,,0x80000000,0x80000054,2,2,16,16,30,0,2,2,0,0,19,0,0,2,2,0,0,0,4,0,2,0,0,0,1,0,0,0,01360fcbb997adcd
  $ earshot stat - <a.csv | tail -n 1
              31          1          0      0              -            4            2            2 01360fcbb997adcd standard input
