Each Whisper CSV comes back byte for byte: from 'convert', from a capture file, and packed.

  $ cp $DATA/whisper/*.csv .
  $ for text in *.csv; do
  >   earshot convert $text | cmp - $text
  >   earshot convert $text -o t.shot
  >   earshot decode t.shot | cmp - $text
  >   earshot info t.shot | grep complete
  > done | uniq -c
        9 complete: yes
  $ earshot convert timer.csv -o t.csv.gz
  $ gzip -dc t.csv.gz | cmp - timer.csv
  $ earshot convert t.csv.gz -o t.csv.zst
  $ earshot convert t.csv.zst | cmp - timer.csv
  $ earshot info t.csv.gz | diff - <(earshot info timer.csv)
