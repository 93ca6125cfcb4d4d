// SPDX-License-Identifier: Apache-2.0
// Give the x registers of an entry, and its ixl, the one form that the predictor expects.
//
// RVFI leaves the operand ports open where an instruction reads no rs1 or rs2, and rd where it
// traps. Some cores show the register that the opcode's bits would name there, with its value (NERV
// does so for the immediate of every addi). To the predictor that is a difference in nearly every
// record, and to the user a register that a jal never read. So:
//
//   4. an operand that the opcode is known not to read is 0, with value 0; with irq both are;
//   5. with trap or irq nothing is written: rd_addr is 0;
//   6. the value of x0 is 0;
//   7. ixl is one that XLEN has: 1 for 32; for 64 it is 1 or 2, and all else becomes 2.
//
// Mode is taken as it is: no value of it is open.
//
// Combinational. What is known here is what the ratified extensions fix for every core. An opcode
// that has two meanings is read in both: floating point reads x registers where FLEN is 0 (Zfinx),
// and c.fsdsp may be a cm.push where FLEN is not 64 (Zcmp). Custom and vector instructions keep
// what they show.
`default_nettype none
module ear_normalize_registers #(
    parameter XLEN = 32,  // bits
    parameter FLEN = 0    // bits, or 0
) (
    input wire [    31:0] insn_i,
    input wire            trap_i,
    input wire            irq_i,
    input wire [     1:0] ixl_i,
    input wire [     4:0] rd_addr_i,
    input wire [XLEN-1:0] rd_wdata_i,
    input wire [     4:0] rs1_addr_i,
    input wire [     4:0] rs2_addr_i,
    input wire [XLEN-1:0] rs1_rdata_i,
    input wire [XLEN-1:0] rs2_rdata_i,

    output wire [     1:0] ixl_o,
    output wire [     4:0] rd_addr_o,
    output wire [XLEN-1:0] rd_wdata_o,
    output wire [     4:0] rs1_addr_o,
    output wire [     4:0] rs2_addr_o,
    output wire [XLEN-1:0] rs1_rdata_o,
    output wire [XLEN-1:0] rs2_rdata_o
);
  localparam [0:0] RV64 = XLEN == 64;
  localparam [0:0] ZFINX = FLEN == 0;         // floating point may be in x registers
  localparam [0:0] DOUBLES = FLEN == 64;      // c.fsdsp is that, and nothing else
  localparam [0:0] C_FSW = !RV64 && !ZFINX;   // the encoding of c.sd is c.fsw, and of an f register

  wire unused_fields = &{1'b0, insn_i[26], insn_i[24:15]};

  // The scalar formats of the major opcodes LOAD-FP and STORE-FP; the others are vectors.
  wire scalar = insn_i[14:12] != 3'd0 && insn_i[14:12] <= 3'd4;
  // sfence.vma, hfence.*, hinval.*, sinval.vma and what is custom read registers; ecall, ebreak,
  // wfi and the returns from traps read none.
  wire privileged_reads = insn_i[31] || (insn_i[25] && insn_i[28:27] != 2'b11);

  reg reads_rs1;
  reg reads_rs2;
  always @* begin
    reads_rs1 = 1'b1;
    reads_rs2 = 1'b1;
    case (insn_i[1:0])
      2'b00:
      case (insn_i[15:13])
        3'b100: reads_rs2 = insn_i[11];                // Zcb: c.lbu and its like; c.sb, c.sh
        3'b101: reads_rs2 = !DOUBLES;                  // c.fsd
        3'b110: ;                                      // c.sw
        3'b111: reads_rs2 = !C_FSW;                    // c.sd, c.fsw
        default: reads_rs2 = 1'b0;                     // c.addi4spn and loads
      endcase
      2'b01: begin
        // c.sub and its like; c.not and its like have one operand (Zcb).
        reads_rs2 = insn_i[15:13] == 3'b100 && insn_i[11:10] == 2'b11 &&
            !(insn_i[12] && insn_i[6:5] == 2'b11);
        case (insn_i[15:13])
          3'b001: reads_rs1 = RV64;                    // c.addiw, c.jal
          3'b010, 3'b101: reads_rs1 = 1'b0;            // c.li, c.j
          // c.lui; c.addi16sp. Without an immediate: c.sspush (Zicfiss).
          3'b011: reads_rs1 = insn_i[11:7] == 5'd2 || (!insn_i[12] && insn_i[6:2] == 5'd0);
          default: ;
        endcase
      end
      2'b10:
      case (insn_i[15:13])
        3'b100: begin
          // c.mv and c.add; c.jr and c.jalr; c.ebreak. c.mv has no rs1.
          reads_rs2 = insn_i[6:2] != 5'd0;
          reads_rs1 = reads_rs2 ? insn_i[12] : insn_i[11:7] != 5'd0;
        end
        3'b101: reads_rs2 = !DOUBLES;                  // c.fsdsp, Zcmp and Zcmt
        3'b110: ;                                      // c.swsp
        3'b111: reads_rs2 = !C_FSW;                    // c.sdsp, c.fswsp
        default: reads_rs2 = 1'b0;                     // c.slli and loads
      endcase
      default:
      case (insn_i[6:2])
        5'b00000, 5'b00100, 5'b00110, 5'b11001: reads_rs2 = 1'b0;  // LOAD, OP-IMM, JALR
        5'b00101, 5'b01101, 5'b11011: begin            // AUIPC, LUI, JAL
          reads_rs1 = 1'b0;
          reads_rs2 = 1'b0;
        end
        5'b00001, 5'b01001: reads_rs2 = !scalar;       // LOAD-FP, STORE-FP
        5'b00011: begin                                // fences read none, cbo.* reads rs1
          reads_rs1 = insn_i[14:13] != 2'b00;
          reads_rs2 = 1'b0;
        end
        5'b01011: reads_rs2 = insn_i[31:27] != 5'b00010;  // LR
        5'b10000, 5'b10001, 5'b10010, 5'b10011: begin  // FP arithmetic of three operands
          reads_rs1 = ZFINX;
          reads_rs2 = ZFINX;
        end
        5'b10100: begin                                // conversions and moves from x registers
          reads_rs1 = ZFINX || (insn_i[31] && insn_i[28:27] == 2'b10);
          reads_rs2 = ZFINX || insn_i[31:27] == 5'b10110;
        end
        5'b11100:
        case (insn_i[14:12])
          3'b000: begin
            reads_rs1 = privileged_reads;
            reads_rs2 = privileged_reads;
          end
          3'b100: ;                                    // hypervisor accesses, may-be-operations
          default: begin                               // CSR instructions
            reads_rs1 = !insn_i[14];
            reads_rs2 = 1'b0;
          end
        endcase
        default: ;
      endcase
    endcase
  end

  wire [4:0] rs1_addr = reads_rs1 && !irq_i ? rs1_addr_i : 5'd0;
  wire [4:0] rs2_addr = reads_rs2 && !irq_i ? rs2_addr_i : 5'd0;
  wire [4:0] rd_addr = trap_i || irq_i ? 5'd0 : rd_addr_i;

  assign rs1_addr_o = rs1_addr;
  assign rs2_addr_o = rs2_addr;
  assign rd_addr_o = rd_addr;
  assign rs1_rdata_o = rs1_addr != 5'd0 ? rs1_rdata_i : {XLEN{1'b0}};
  assign rs2_rdata_o = rs2_addr != 5'd0 ? rs2_rdata_i : {XLEN{1'b0}};
  assign rd_wdata_o = rd_addr != 5'd0 ? rd_wdata_i : {XLEN{1'b0}};

  wire is_32 = XLEN == 32 || ixl_i == 2'd1;
  assign ixl_o = {!is_32, is_32};
endmodule
`default_nettype wire
