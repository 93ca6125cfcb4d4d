'timeline' writes waves, for GTKWave and Surfer.

  $ earshot timeline -q -f vcd --from 5 --to 7 -o - $DATA/across/a.csv
  $comment The trace has no time for its records: time here is the number of the instruction record. $end
  $timescale 1 ns $end
  $scope module hart0 $end
  $var wire 64 ! pc [63:0] $end
  $var string 1 " function $end
  $var wire 32 # opcode [31:0] $end
  $var string 1 $ privilege $end
  $var wire 1 % trap $end
  $var wire 1 & interrupt $end
  $var wire 64 ' cause [63:0] $end
  $var string 1 ( event $end
  $scope module access0 $end
  $var wire 1 ) valid $end
  $var wire 1 * write $end
  $var wire 4 + size [3:0] $end
  $var wire 64 , address [63:0] $end
  $var wire 64 - data [63:0] $end
  $upscope $end
  $scope module x $end
  $var reg 64 . t3 [63:0] $end
  $upscope $end
  $scope module csr $end
  $var reg 64 / mstatus [63:0] $end
  $var reg 64 0 mepc [63:0] $end
  $var reg 64 1 mcause [63:0] $end
  $var reg 64 2 mtval [63:0] $end
  $upscope $end
  $upscope $end
  $enddefinitions $end
  #5
  b10000000000000000000000000010100 !
  s- "
  b11111110000000111001111011100011 #
  sM $
  0%
  0&
  bx '
  0)
  #6
  b10000000000000000000000000010000 !
  bx #
  1&
  b1000000000000000000000000000000000000000000000000000000000000111 '
  b10000000000000000000000000010000 0
  b1000000000000000000000000000000000000000000000000000000000000111 1
  b0 2
  b1100000000000 /
  #7
  b10000000000000000000001000000000 !
  b11011111000000011 #
  0&
  bx '
  b0 .
  1)
  0*
  b1000 +
  b10000000000000000001000000000000 ,
  bx -
  #8
