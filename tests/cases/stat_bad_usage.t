What 'stat' refuses. A trace that cannot be read does not keep others from being counted.

  $ cp $DATA/across/a.csv .
  $ yes 'this is no trace' | head -n 5 >bad.csv
  $ refused stat
  earshot: which trace?
  $ refused stat --part 1/2 a.csv a.csv
  earshot: --part is of one trace
  $ refused stat --part 3/2 a.csv
  earshot: --part: '3/2' is not K/N, as 1/4 to 4/4
  $ earshot stat none a.csv bad.csv
  earshot: none: No such file or directory
         records interrupts      traps   gaps          ticks     branches        loads       stores             hash trace
              31          1          0      0              -            4            2            2 01360fcbb997adcd a.csv
  earshot: bad.csv is not a trace of a known format
              31          1          0      0              -            4            2            2                  total
  [2]
  $ earshot stat -f json bad.csv
  earshot: bad.csv is not a trace of a known format
  {"traces": [], "total": {"records": 0, "executed": 0, "interrupts": 0, "traps": 0, "harts": 0, "gaps": 0, "missing": 0, "events": 0, "others": 0, "ticks": null, "first_pc": null, "last_pc": null, "reads": 0, "writes": 0, "read_bytes": 0, "written_bytes": 0, "decoded": 0, "compressed": null, "taken": null, "not_taken": null, "unknown_outcomes": null, "illegal": null, "alu": null, "mul": null, "div": null, "load": null, "store": null, "amo": null, "lr": null, "sc": null, "branch": null, "jump": null, "csr": null, "fp": null, "fence": null, "cache": null, "system": null, "vload": null, "vstore": null, "vector": null}, "complete": null, "accounted": null}
  [2]
