'info' shows what a file holds, here a capture file of an older version and a text.

  $ earshot info $DATA/shot/states-1.shot
  format: earshot 1
  writer: earshot 0.1.0
  created: 2026-11-22T17:46:38Z
  device: file:unit
  command: earshot capture -d file:unit -o t.shot --states 1500 --level 19
  ended: 2026-11-22T17:46:38Z
  end_reason: end of file
  harts: 1
  protocol: 1.3
  mode: predict
  geometry: 1024 words unified, 1-way, 1-word lines, 0 opcodes, 0 CSRs, no MUL, no DIV, only I and C, no groups
  xlen: 32
  nret: 1
  policy: stall
  records: 6000
  first_index: 0
  last_index: 5999
  retired: 6000
  lost: 0
  missing: 0
  filtered: 0
  gaps: 0
  events: 0
  frames: 6
  missing_frames: 0
  bad_messages: 0
  skipped_bytes: 0
  host_lost_bytes: 0
  wire_bytes: 2852
  bits_per_instruction: 3.803
  stop: program ended
  records_between_states_max: 2318
  accounted: yes
  complete: yes
  $ earshot info $DATA/ibex/rv32.log
  format: ibex
  harts: 1
  xlen: 32
  records: 13
  first_index: 0
  last_index: 12
  first_pc: 0x100080
  last_pc: 0x100008
  first_time: 6
  last_time: 32
  missing: 0
  gaps: 0
  events: 0
  lines: 14
  register_writes: 5
  accesses: 4
  opcodes: 13
  complete: unknown

The same as JSON: keys are members, answers true, false or null.

  $ earshot info --json $DATA/shot/states-1.shot
  {"format": "earshot 1", "writer": "earshot 0.1.0", "created": "2026-11-22T17:46:38Z", "device": "file:unit", "command": "earshot capture -d file:unit -o t.shot --states 1500 --level 19", "ended": "2026-11-22T17:46:38Z", "end_reason": "end of file", "harts": 1, "protocol": "1.3", "mode": "predict", "geometry": "1024 words unified, 1-way, 1-word lines, 0 opcodes, 0 CSRs, no MUL, no DIV, only I and C, no groups", "xlen": 32, "nret": 1, "policy": "stall", "records": 6000, "first_index": 0, "last_index": 5999, "retired": 6000, "lost": 0, "missing": 0, "filtered": 0, "gaps": 0, "events": 0, "frames": 6, "missing_frames": 0, "bad_messages": 0, "skipped_bytes": 0, "host_lost_bytes": 0, "wire_bytes": 2852, "bits_per_instruction": 3.803, "stop": "program ended", "records_between_states_max": 2318, "accounted": true, "complete": true}
  $ earshot info --json $DATA/whisper/multi.csv
  {"format": "whisper", "harts": 2, "xlen": 64, "records": 1479, "hart_0": {"records": 1388, "first_pc": "0x80000000", "last_pc": "0x80000052"}, "hart_1": {"records": 91, "first_pc": "0x80000000", "last_pc": "0x80000052"}, "missing": 0, "gaps": 0, "events": 0, "lines": 1481, "register_writes": 737, "accesses": 695, "opcodes": 1479, "accounted": null, "complete": null}
