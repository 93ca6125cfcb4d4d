What 'grep' refuses of how matches are to be shown.

  $ cp $DATA/whisper/multi.csv .
  $ cp -r $DATA/qtrace/sample1/raw .
  $ refused grep -C 1001 multi.csv
  earshot: --context: '1001' is not a number from 0 to 1000
  $ refused grep -m0 multi.csv
  earshot: --limit: '0' is not 1 or more
  $ refused grep -f q multi.csv
  earshot: --format: 'q' is not a format that can be written
  $ refused grep -f tarmac --pc 0x80000000 multi.csv
  earshot: a file of format tarmac holds one hart: choose it with --hart
  0 clk IT (0) 0000000080000000 00001197 O m : auipc    x3, 0x1
  0 clk R x3 0000000080001000
  $ refused grep -f qtrace raw
  earshot: --format: 'qtrace' is not a text format
  $ refused grep --comments perhaps multi.csv
  earshot: --comments: 'perhaps' is not one of: no yes
  $ refused grep --from main multi.csv
  earshot: multi.csv: there is no event 'main'
  $ refused grep --from 5 --to 4 multi.csv
  earshot: --to is before --from
  $ refused grep --first --last multi.csv
  earshot: --first and --last cannot be used together
  $ refused grep --last --count-by pc multi.csv
  earshot: --count-by counts all matches: not with --last
  $ refused grep --count-by colour multi.csv
  earshot: --count-by: 'colour' is not one of: function pc hart task
  $ refused grep --task init --last raw
  earshot: --last searches from the end, where the task is not known: not with --task
  $ refused grep --event-port 0x1000 --pc 0 multi.csv
  earshot: --event-port says which task runs: it needs --task or --count-by task
  $ refused grep --names --pc 0 --elf /dev/null multi.csv
  earshot: /dev/null: not an ELF file
