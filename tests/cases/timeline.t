'timeline' writes what happened over time, here for Perfetto.

  $ cp $DATA/across/a.csv .
  $ earshot timeline -q -f json -o - a.csv
  {"traceEvents":[
  {"ph":"M","pid":1,"name":"process_name","args":{"name":"a.csv"}},
  {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"hart 0 privilege"}},
  {"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":2}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"hart 0"}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":1}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"hart 0 stack 0"}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":6}},
  {"ph":"X","pid":1,"tid":1,"ts":0,"dur":0.030,"name":"M","cat":"privilege","args":{"record":0,"end":"cut"}},
  {"ph":"i","pid":1,"tid":2,"ts":0.006,"s":"t","name":"interrupt 7","cat":"interrupt","args":{"record":6}},
  {"ph":"X","pid":1,"tid":3,"ts":0,"dur":0.030,"name":"[0x80000010]","cat":"base","args":{"record":6,"end":"cut"}},
  {"ph":"X","pid":1,"tid":3,"ts":0.006,"dur":0.004,"name":"[0x80000200]","cat":"interrupt","args":{"record":6}},
  {"ph":"C","pid":1,"ts":0,"name":"hart 0 depth of calls","args":{"value":2}}
  ],
  "displayTimeUnit":"ns",
  "otherData":{"time":"1 ns is one instruction record: the trace has no time","records":31,"slices":3,"merged":0,"least_duration":0,"instants":1,"instants_left_out":0,"gaps":0,"complete": null, "accounted": null}}
