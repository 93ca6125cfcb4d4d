// SPDX-License-Identifier: Apache-2.0
// Expand a compressed (RVC) instruction into the 32-bit instruction that it represents.
//
// The rest of the core then knows only 32-bit encodings. Reserved and unsupported encodings (the
// floating point loads and stores, the RV64 ones) become the all-zero word, which the decoder
// refuses like any other illegal instruction. Hints expand to an instruction that writes x0.
//
// Format: RISC-V unprivileged specification, "C" extension, RV32 columns of the opcode map.
`default_nettype none
module ear_demo_expand (
    input  wire [15:0] half_i,  // the compressed instruction; bits 1:0 are not 11
    output reg  [31:0] insn_o   // its 32-bit form, 0 when illegal
);
  localparam [6:0] OP_LOAD = 7'h03;
  localparam [6:0] OP_IMM = 7'h13;
  localparam [6:0] OP_STORE = 7'h23;
  localparam [6:0] OP_REG = 7'h33;
  localparam [6:0] OP_LUI = 7'h37;
  localparam [6:0] OP_BRANCH = 7'h63;
  localparam [6:0] OP_JALR = 7'h67;
  localparam [6:0] OP_JAL = 7'h6f;
  localparam [31:0] INSN_EBREAK = 32'h0010_0073;

  wire [4:0] rd = half_i[11:7];
  wire [4:0] rs2 = half_i[6:2];
  wire [4:0] rd_low = {2'b01, half_i[4:2]};  // the 3-bit register fields name x8 .. x15
  wire [4:0] rs1_low = {2'b01, half_i[9:7]};

  // The immediates, named after the instructions that use them.
  wire [11:0] imm_addi = {{7{half_i[12]}}, half_i[6:2]};
  wire [11:0] imm_addi4spn = {2'b00, half_i[10:7], half_i[12:11], half_i[5], half_i[6], 2'b00};
  wire [11:0] imm_addi16sp = {
    {3{half_i[12]}}, half_i[4:3], half_i[5], half_i[2], half_i[6], 4'b0000
  };
  wire [11:0] imm_lw = {5'b0, half_i[5], half_i[12:10], half_i[6], 2'b00};
  wire [11:0] imm_lwsp = {4'b0, half_i[3:2], half_i[12], half_i[6:4], 2'b00};
  wire [11:0] imm_swsp = {4'b0, half_i[8:7], half_i[12:9], 2'b00};
  wire [19:0] imm_lui = {{15{half_i[12]}}, half_i[6:2]};
  wire [11:1] offset_j = {
    half_i[12],
    half_i[8],
    half_i[10:9],
    half_i[6],
    half_i[7],
    half_i[2],
    half_i[11],
    half_i[5:3]
  };
  wire [8:1] offset_b = {half_i[12], half_i[6:5], half_i[2], half_i[11:10], half_i[4:3]};

  // jal with the offset's bits in the order of the J format, and a branch in the order of B.
  wire [19:0] field_j = {offset_j[11], offset_j[10:1], offset_j[11], {8{offset_j[11]}}};
  wire [6:0] field_b_high = {{4{offset_b[8]}}, offset_b[7:5]};
  wire [4:0] field_b_low = {offset_b[4:1], offset_b[8]};

  reg [2:0] arith_funct3;  // c.sub, c.xor, c.or, c.and
  always @* begin
    case (half_i[6:5])
      2'b00:   arith_funct3 = 3'b000;
      2'b01:   arith_funct3 = 3'b100;
      2'b10:   arith_funct3 = 3'b110;
      default: arith_funct3 = 3'b111;
    endcase
  end

  always @* begin
    insn_o = 32'h0;
    case ({
      half_i[1:0], half_i[15:13]
    })
      {2'b00, 3'b000} : begin  // c.addi4spn; the all-zero halfword lands here too
        if (imm_addi4spn != 0) insn_o = {imm_addi4spn, 5'd2, 3'b000, rd_low, OP_IMM};
      end
      {2'b00, 3'b010} : insn_o = {imm_lw, rs1_low, 3'b010, rd_low, OP_LOAD};  // c.lw
      {2'b00, 3'b110} :  // c.sw
      insn_o = {imm_lw[11:5], rd_low, rs1_low, 3'b010, imm_lw[4:0], OP_STORE};
      {2'b01, 3'b000} : insn_o = {imm_addi, rd, 3'b000, rd, OP_IMM};  // c.addi, c.nop
      {2'b01, 3'b001} : insn_o = {field_j, 5'd1, OP_JAL};  // c.jal
      {2'b01, 3'b010} : insn_o = {imm_addi, 5'd0, 3'b000, rd, OP_IMM};  // c.li
      {2'b01, 3'b011} : begin  // c.addi16sp, c.lui
        if ({half_i[12], half_i[6:2]} != 0) begin
          if (rd == 5'd2) insn_o = {imm_addi16sp, 5'd2, 3'b000, 5'd2, OP_IMM};
          else insn_o = {imm_lui, rd, OP_LUI};
        end
      end
      {2'b01, 3'b100} : begin
        case (half_i[11:10])
          2'b00, 2'b01: begin  // c.srli, c.srai
            if (!half_i[12])
              insn_o = {
                1'b0, half_i[10], 5'b0, half_i[6:2], rs1_low, 3'b101, rs1_low, OP_IMM
              };
          end
          2'b10: insn_o = {imm_addi, rs1_low, 3'b111, rs1_low, OP_IMM};  // c.andi
          default: begin
            if (!half_i[12])
              insn_o = {
                1'b0,
                half_i[6:5] == 2'b00,
                5'b0,
                rd_low,
                rs1_low,
                arith_funct3,
                rs1_low,
                OP_REG
              };
          end
        endcase
      end
      {2'b01, 3'b101} : insn_o = {field_j, 5'd0, OP_JAL};  // c.j
      {2'b01, 3'b110} :  // c.beqz
      insn_o = {field_b_high, 5'd0, rs1_low, 3'b000, field_b_low, OP_BRANCH};
      {2'b01, 3'b111} :  // c.bnez
      insn_o = {field_b_high, 5'd0, rs1_low, 3'b001, field_b_low, OP_BRANCH};
      {2'b10, 3'b000} : begin  // c.slli
        if (!half_i[12]) insn_o = {7'b0, half_i[6:2], rd, 3'b001, rd, OP_IMM};
      end
      {2'b10, 3'b010} : begin  // c.lwsp
        if (rd != 0) insn_o = {imm_lwsp, 5'd2, 3'b010, rd, OP_LOAD};
      end
      {2'b10, 3'b100} : begin
        if (rs2 != 0) begin  // c.mv, c.add
          insn_o = {7'b0, rs2, half_i[12] ? rd : 5'd0, 3'b000, rd, OP_REG};
        end else if (rd != 0) begin  // c.jr, c.jalr
          insn_o = {12'b0, rd, 3'b000, 4'b0, half_i[12], OP_JALR};
        end else if (half_i[12]) begin
          insn_o = INSN_EBREAK;
        end
      end
      {2'b10, 3'b110} :  // c.swsp
      insn_o = {imm_swsp[11:5], rs2, 5'd2, 3'b010, imm_swsp[4:0], OP_STORE};
      default: insn_o = 32'h0;
    endcase
  end
endmodule
`default_nettype wire
