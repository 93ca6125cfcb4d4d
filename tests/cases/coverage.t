'coverage --isa' prints which instructions of the ISA ran, and how.

  $ earshot coverage --isa --march rv32i $DATA/spike/rv32-commits.log | grep -v '^ *0 '
           count          bins     %  what                           section
               1          6/90   6.7  lw                             I: RV32I, Load and Store Instructions
               1          4/51   7.8  auipc                          I: RV32I, Integer Register-Immediate Instructions
               1          4/78   5.1  sb                             I: RV32I, Load and Store Instructions
               1        12/102  11.8  beq                            I: RV32I, Conditional Branches
               1           2/2 100.0  transition                     II: Privilege Levels
                       28/3789   0.7  total, rv32: I
  $ earshot coverage --isa --march rv32i --missing $DATA/spike/rv32-commits.log | head -n 5
  lb: executed (I: RV32I, Load and Store Instructions)
  lb: rd=x0 (I: RV32I, Load and Store Instructions)
  lb: rd=x1 (I: RV32I, Load and Store Instructions)
  lb: rd=x2 (I: RV32I, Load and Store Instructions)
  lb: rd=x3 (I: RV32I, Load and Store Instructions)
