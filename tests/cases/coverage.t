'coverage --isa' prints which instructions of the ISA ran, and how.

  $ earshot coverage --isa --march rv32i $DATA/spike/rv32-commits.log | grep -v '^ *0 '
           count          bins     %  what                           section
               1          6/89   6.7  lw                             I: RV32I, Load and Store Instructions
               1          4/51   7.8  auipc                          I: RV32I, Integer Register-Immediate Instructions
               1          4/77   5.2  sb                             I: RV32I, Load and Store Instructions
               1        12/102  11.8  beq                            I: RV32I, Conditional Branches
               -             -     -  instruction address misaligned II: Machine Cause (mcause) Register
               -             -     -  instruction access fault       II: Machine Cause (mcause) Register
               -             -     -  illegal instruction            II: Machine Cause (mcause) Register
               -             -     -  breakpoint                     II: Machine Cause (mcause) Register
               -             -     -  load address misaligned        II: Machine Cause (mcause) Register
               -             -     -  load access fault              II: Machine Cause (mcause) Register
               -             -     -  store address misaligned       II: Machine Cause (mcause) Register
               -             -     -  store access fault             II: Machine Cause (mcause) Register
               -             -     -  ecall from U                   II: Machine Cause (mcause) Register
               -             -     -  ecall from M                   II: Machine Cause (mcause) Register
               -             -     -  machine software               II: Machine Cause (mcause) Register
               -             -     -  machine timer                  II: Machine Cause (mcause) Register
               -             -     -  machine external               II: Machine Cause (mcause) Register
               1           2/2 100.0  transition                     II: Privilege Levels
                       28/3746   0.7  total, rv32: I
  43 bins are not known: the trace does not show them
  $ earshot coverage --isa --march rv32i --missing $DATA/spike/rv32-commits.log | head -n 5
  lb: executed (I: RV32I, Load and Store Instructions)
  lb: rd=x0 (I: RV32I, Load and Store Instructions)
  lb: rd=x1 (I: RV32I, Load and Store Instructions)
  lb: rd=x2 (I: RV32I, Load and Store Instructions)
  lb: rd=x3 (I: RV32I, Load and Store Instructions)
