'gdb' answers the remote protocol: where the run is, where it was before, one register, the end.

  $ cp $DATA/across/a.csv .
  $ printf '+$?#3f+$vCont;s:1#23+$bs#d5+$bc#c5+$pa#d1+$D#44+' | earshot gdb -q --no-index --at 20 a.csv
  +$T05thread:1;20:3000008000000000;8:2805000000000000;#75+$T05thread:1;20:3400008000000000;8:2805000000000000;#79+$T05thread:1;20:3000008000000000;8:2805000000000000;#75+$T05thread:1;replaylog:begin;20:0000008000000000;#ff+$xxxxxxxxxxxxxxxx#80+$OK#9a (no-eol)
  $ earshot gdb --script | sed 's,.*/,,'
  earshot-gdb.py
