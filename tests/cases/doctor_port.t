What 'doctor --port' says of a capture.

  $ earshot doctor --port $DATA/shot/states-1.shot
  ok   port: 6000 records show no fault of the retire port
  $ refused doctor --port none.shot
  earshot: none.shot: No such file or directory
  $ refused doctor --port $DATA/shot/states-1.shot more
  earshot: takes no arguments
  $ earshot doctor --json --port $DATA/shot/states-1.shot
  {"findings": [
    {"well": true, "subject": "port", "text": "6000 records show no fault of the retire port", "remedy": null}], "complete": true, "accounted": true}
  $ refused doctor --json --write-eeprom ftdi:
  earshot: --write-eeprom asks, and has no JSON
