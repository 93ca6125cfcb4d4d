// SPDX-License-Identifier: Apache-2.0
// What the predictor knows of an opcode. Kinds and flags are those of decoder/predict/operation.h;
// the test of ear_predict_decode compares what both decode.
`ifndef EAR_PREDICT_VH
`define EAR_PREDICT_VH

// generate: kinds
`define EAR_DO_UNKNOWN 7'd0
`define EAR_DO_NOTHING 7'd1
`define EAR_DO_IMMEDIATE 7'd2
`define EAR_DO_AUIPC 7'd3
`define EAR_DO_ADD 7'd4
`define EAR_DO_SUB 7'd5
`define EAR_DO_SLL 7'd6
`define EAR_DO_SLT 7'd7
`define EAR_DO_SLTU 7'd8
`define EAR_DO_XOR 7'd9
`define EAR_DO_SRL 7'd10
`define EAR_DO_SRA 7'd11
`define EAR_DO_OR 7'd12
`define EAR_DO_AND 7'd13
`define EAR_DO_ADDW 7'd14
`define EAR_DO_SUBW 7'd15
`define EAR_DO_SLLW 7'd16
`define EAR_DO_SRLW 7'd17
`define EAR_DO_SRAW 7'd18
`define EAR_DO_ANDN 7'd19
`define EAR_DO_ORN 7'd20
`define EAR_DO_XNOR 7'd21
`define EAR_DO_MIN 7'd22
`define EAR_DO_MINU 7'd23
`define EAR_DO_MAX 7'd24
`define EAR_DO_MAXU 7'd25
`define EAR_DO_ROL 7'd26
`define EAR_DO_ROR 7'd27
`define EAR_DO_ROLW 7'd28
`define EAR_DO_RORW 7'd29
`define EAR_DO_CLZ 7'd30
`define EAR_DO_CTZ 7'd31
`define EAR_DO_CPOP 7'd32
`define EAR_DO_CLZW 7'd33
`define EAR_DO_CTZW 7'd34
`define EAR_DO_CPOPW 7'd35
`define EAR_DO_SEXTB 7'd36
`define EAR_DO_SEXTH 7'd37
`define EAR_DO_ZEXTH 7'd38
`define EAR_DO_ORCB 7'd39
`define EAR_DO_REV8 7'd40
`define EAR_DO_SH1ADD 7'd41
`define EAR_DO_SH2ADD 7'd42
`define EAR_DO_SH3ADD 7'd43
`define EAR_DO_ADDUW 7'd44
`define EAR_DO_SH1ADDUW 7'd45
`define EAR_DO_SH2ADDUW 7'd46
`define EAR_DO_SH3ADDUW 7'd47
`define EAR_DO_SLLUW 7'd48
`define EAR_DO_BCLR 7'd49
`define EAR_DO_BEXT 7'd50
`define EAR_DO_BINV 7'd51
`define EAR_DO_BSET 7'd52
`define EAR_DO_MUL 7'd53
`define EAR_DO_MULH 7'd54
`define EAR_DO_MULHSU 7'd55
`define EAR_DO_MULHU 7'd56
`define EAR_DO_MULW 7'd57
`define EAR_DO_DIV 7'd58
`define EAR_DO_DIVU 7'd59
`define EAR_DO_REM 7'd60
`define EAR_DO_REMU 7'd61
`define EAR_DO_DIVW 7'd62
`define EAR_DO_DIVUW 7'd63
`define EAR_DO_REMW 7'd64
`define EAR_DO_REMUW 7'd65
`define EAR_DO_JAL 7'd66
`define EAR_DO_JALR 7'd67
`define EAR_DO_BEQ 7'd68
`define EAR_DO_BNE 7'd69
`define EAR_DO_BLT 7'd70
`define EAR_DO_BGE 7'd71
`define EAR_DO_BLTU 7'd72
`define EAR_DO_BGEU 7'd73
`define EAR_DO_LOAD 7'd74
`define EAR_DO_STORE 7'd75
`define EAR_DO_FLOAD 7'd76
`define EAR_DO_FSTORE 7'd77
`define EAR_DO_LR 7'd78
`define EAR_DO_SC 7'd79
`define EAR_DO_AMOSWAP 7'd80
`define EAR_DO_AMOADD 7'd81
`define EAR_DO_AMOXOR 7'd82
`define EAR_DO_AMOAND 7'd83
`define EAR_DO_AMOOR 7'd84
`define EAR_DO_AMOMIN 7'd85
`define EAR_DO_AMOMAX 7'd86
`define EAR_DO_AMOMINU 7'd87
`define EAR_DO_AMOMAXU 7'd88
`define EAR_DO_CSR 7'd89
`define EAR_DO_ECALL 7'd90
`define EAR_DO_EBREAK 7'd91
`define EAR_DO_MRET 7'd92
`define EAR_DO_SRET 7'd93
`define EAR_DO_FCOMPUTE 7'd94
`define EAR_DO_FCOPY 7'd95
`define EAR_DO_FTOX 7'd96
`define EAR_DO_FMVTOX 7'd97
`define EAR_DO_FMVTOF 7'd98
// generate: end

// Bits of flags.
// generate: flags
`define EAR_OPERATION_IMMEDIATE 0
`define EAR_OPERATION_UNSIGNED 1
`define EAR_OPERATION_MEMORY 2
`define EAR_OPERATION_READS 3
`define EAR_OPERATION_WRITES 4
`define EAR_OPERATION_FLAGS 5
// generate: end

// An operation as ear_predict_decode gives it, packed:
//   { csr[11:0], function[2:0], flags[5:0], access[3:0], word, frs[4:0], frd[4:0], rs2[4:0],
//     rs1[4:0], rd[4:0], imm[31:0], kind[6:0] }
// word: the opcode has four bytes.
`define EAR_OPERATION_WIDTH 90
`define EAR_OPERATION_RS1 44
`define EAR_OPERATION_RS2 49
`define EAR_OPERATION_FRS 59
`define EAR_OPERATION_WORD 64
`define EAR_OPERATION_CSR 78

// Fields of an entry that can differ from the prediction: bits of the masks EAR_DIFFER_*.
// generate: differ
`define EAR_DIFFER_BIT_ORDER 0
`define EAR_DIFFER_BIT_PC 1
`define EAR_DIFFER_BIT_HEAD 2
`define EAR_DIFFER_BIT_IRQ 3
`define EAR_DIFFER_BIT_INSN 4
`define EAR_DIFFER_BIT_NUMBERS 5
`define EAR_DIFFER_BIT_RS1 6
`define EAR_DIFFER_BIT_RS2 7
`define EAR_DIFFER_BIT_TRAP 8
`define EAR_DIFFER_BIT_ADDRESS 9
`define EAR_DIFFER_BIT_MASKS 10
`define EAR_DIFFER_BIT_RDATA 11
`define EAR_DIFFER_BIT_WDATA 12
`define EAR_DIFFER_BIT_RD_ADDR 13
`define EAR_DIFFER_BIT_RD 14
`define EAR_DIFFER_BIT_FRD 15
`define EAR_DIFFER_BIT_FVALUE 16
`define EAR_DIFFER_BIT_NEXT_PC 17
`define EAR_DIFFER_BIT_CSR 18
`define EAR_DIFFER_BIT_PADDR 19
`define EAR_DIFFER_BITS 20
// generate: end

// A slot: what the stages do for one step of an entry. Most entries have one.
`define EAR_SLOT_FINAL 0       // the entry's last slot: everything but the caches is done in it
`define EAR_SLOT_CODE_LOOK 1   // look up a line of the opcode
`define EAR_SLOT_CODE_EVAL 2   // and compare; write what differs
`define EAR_SLOT_CODE_BOTH 3   // it is the second line; the first one is that of the slot before
`define EAR_SLOT_CODE_HELD 4   // the opcode was compared in a slot before
`define EAR_SLOT_DATA_LOOK 5   // look up a line of data
`define EAR_SLOT_DATA_FIRST 6  // it is the first line of the access
`define EAR_SLOT_DATA_EVAL 7   // it is the last one: compare
`define EAR_SLOT_DATA_LEARN 8  // and the only one: write it if it differs or was stored to
`define EAR_SLOT_DATA_WRITE_READ 9    // write a line of what was read
`define EAR_SLOT_DATA_WRITE_STORED 10  // write a line of what was stored
`define EAR_SLOT_DATA_HELD 11  // the data were compared in a slot before
`define EAR_SLOT_DATA_LINE 12  // 2 bits: which line of the access
`define EAR_SLOT_WIDTH 14

`endif
