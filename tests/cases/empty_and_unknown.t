Files with nothing in them, with something else, or in another format than is said.

  $ cp $DATA/whisper/timer.csv .
  $ : >empty.csv
  $ refused convert empty.csv
  earshot: empty.csv: there is nothing in it; say its format with -i
  $ refused grep empty.csv
  earshot: empty.csv: there is nothing in it; say its format with -i
  $ refused diff empty.csv timer.csv
  earshot: empty.csv: there is nothing in it; say its format with -a
  $ earshot convert -i whisper empty.csv
  $ for how in 'convert -i' 'grep -i' 'diff timer.csv -a'; do
  >   refused $how shot timer.csv
  >   refused $how spike timer.csv | grep -v ' skipped: '
  > done
  earshot: timer.csv: no frame of the wire protocol in 18865 bytes
  earshot: timer.csv: line 101: the line is not one of a Spike log; too many bad lines (--max-bad)
  earshot: warning: timer.csv: 100 bad lines skipped
  earshot: timer.csv: no frame of the wire protocol in 18865 bytes
  earshot: timer.csv: line 101: the line is not one of a Spike log; too many bad lines (--max-bad)
  earshot: warning: timer.csv: 100 bad lines skipped
  earshot: timer.csv: no frame of the wire protocol in 18865 bytes
  A ends after 0 records, B continues at pc 0x80000000
    B: timer.csv, record 0, line 2
    B 80000000,1197,x3=80001000,i1000,,,m,,auipc    x3; 0x1,0
    B 80000004,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0
    B 80000008,297,x5=80000008,i0,,,m,,auipc    x5; 0x0,0
    B 8000000c,6428293,x5=8000006c,x5;i64,,,m,,addi     x5; x5; 100,0
  1 difference in 0 records compared
  earshot: timer.csv: line 101: the line is not one of a Spike log; too many bad lines (--max-bad)
  earshot: warning: timer.csv: 100 bad lines skipped

  $ yes 'what is this?' | head -n 20 >unknown
  $ refused convert unknown | head -n 3
  earshot: unknown: not recognised; say its format with -i
  earshot: formats that can be read:
  earshot:   shot         capture files
  $ refused info unknown | head -n 3
  earshot: unknown: no frame of the wire protocol in 280 bytes
  format: raw dump
  harts: 0
  $ refused state unknown
  earshot: unknown is not a trace of a known format
  $ printf '\37\213noise' | earshot convert -
  earshot: standard input: the gzip data are damaged, at byte 4 of the file
  [2]

A refusal names what the file looks like.

  $ printf '$date today $end\n$timescale 1ps $end\n' >t.vcd
  $ gzip -k t.vcd
  $ refused convert t.vcd
  earshot: t.vcd: this is a VCD waveform, which is not supported; log the instructions in the simulator
  $ refused info t.vcd.gz
  earshot: t.vcd.gz: this is a VCD waveform, which is not supported; log the instructions in the simulator
  $ refused state t.vcd
  earshot: t.vcd: this is a VCD waveform, which is not supported; log the instructions in the simulator
  $ printf '\177ELF\002' >a.elf
  $ refused grep --pc 0 a.elf
  earshot: a.elf: this is an ELF file; give the trace of its run, and this with --elf
  $ refused diff timer.csv t.vcd
  earshot: t.vcd: this is a VCD waveform, which is not supported; log the instructions in the simulator

Packets of an FTDI chip that were kept with their status bytes are said to be that, and read without.

  $ earshot convert timer.csv -o timer.shot
  $ earshot decode timer.shot | tail -n +2 >wanted.csv
  $ zstd -dqc timer.shot >timer.raw
  $ cat >add.py <<END
  > data = open('timer.raw', 'rb').read()
  > packets = [b'1\x60' + data[i:i + 62] for i in range(0, len(data), 62)]
  > open('packets.raw', 'wb').write(b''.join(packets))
  > END
  $ python3 add.py
  $ earshot info packets.raw | grep -E '^(records|complete)'
  earshot: warning: packets.raw: these are raw packets of an FTDI chip: each 64 bytes begin with two status bytes, which are not of the stream; leave them out with --ftdi-status
  earshot: packets.raw: no frame of the wire protocol in 496 bytes
  records: 0
  complete: no
  $ earshot info --ftdi-status packets.raw | grep -E '^(records|complete)'
  records: 287
  complete: yes
  $ earshot convert --ftdi-status packets.raw | tail -n +2 | cmp - wanted.csv
  earshot: warning: the output format cannot carry: load value, of 51 records
  $ earshot decode --ftdi-status - <packets.raw | tail -n +2 | cmp - wanted.csv
  $ earshot info --ftdi-status timer.raw | grep -E '^(records|complete)'
  earshot: warning: timer.raw: it has no status bytes of an FTDI chip
  records: 287
  complete: yes

A text can be standard input of 'info', but not a pipe.

  $ earshot info - <timer.csv | head -n 3
  format: whisper
  harts: 1
  xlen: 64
  $ cat timer.csv | earshot info - | tail -n 1
  earshot: standard input: no frame of the wire protocol in 18865 bytes
  earshot: standard input: give a text as a file: it cannot come from a pipe
  complete: no
