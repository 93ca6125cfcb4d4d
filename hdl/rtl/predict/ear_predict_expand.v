// SPDX-License-Identifier: Apache-2.0
// Expand a compressed instruction into the 32-bit instruction that it represents, for RV32 and
// RV64, floating-point loads and stores included.
//
// What is reserved becomes all ones, an encoding that the decoder does not know. Hints expand to an
// instruction that writes x0.
`default_nettype none
module ear_predict_expand #(
    parameter XLEN = 32  // bits
) (
    input  wire [15:0] half_i,  // bits 1:0 are not 11
    output reg  [31:0] insn_o
);
  localparam [6:0] OP_LOAD = 7'h03;
  localparam [6:0] OP_LOAD_FP = 7'h07;
  localparam [6:0] OP_IMM = 7'h13;
  localparam [6:0] OP_IMM_32 = 7'h1b;
  localparam [6:0] OP_STORE = 7'h23;
  localparam [6:0] OP_STORE_FP = 7'h27;
  localparam [6:0] OP_REG = 7'h33;
  localparam [6:0] OP_REG_32 = 7'h3b;
  localparam [6:0] OP_LUI = 7'h37;
  localparam [6:0] OP_BRANCH = 7'h63;
  localparam [6:0] OP_JALR = 7'h67;
  localparam [6:0] OP_JAL = 7'h6f;
  localparam [31:0] UNKNOWN = 32'hffff_ffff;
  localparam [31:0] INSN_EBREAK = 32'h0010_0073;

  wire [15:0] h = half_i;
  wire [4:0] rd = h[11:7];
  wire [4:0] rs2 = h[6:2];
  wire [4:0] rd_low = {2'b01, h[4:2]};  // the 3-bit register fields name x8 .. x15
  wire [4:0] rs1_low = {2'b01, h[9:7]};

  // Loads and stores: funct3 001 and 101 are double precision, 010 and 110 words, 011 and 111
  // single precision on RV32 and doublewords on RV64.
  wire [1:0] size = h[14:13];
  wire wide = size == 2'b01 || (size == 2'b11 && XLEN == 64);
  wire is_float = size == 2'b01 || (size == 2'b11 && XLEN == 32);
  wire [2:0] funct3 = {2'b01, wide};
  wire [6:0] op_load = is_float ? OP_LOAD_FP : OP_LOAD;
  wire [6:0] op_store = is_float ? OP_STORE_FP : OP_STORE;
  wire [11:0] offset = wide ? {4'd0, h[6:5], h[12:10], 3'd0} : {5'd0, h[5], h[12:10], h[6], 2'd0};
  wire [11:0] offset_load_sp =
      wide ? {3'd0, h[4:2], h[12], h[6:5], 3'd0} : {4'd0, h[3:2], h[12], h[6:4], 2'd0};
  wire [11:0] offset_store_sp =
      wide ? {3'd0, h[9:7], h[12:10], 3'd0} : {4'd0, h[8:7], h[12:9], 2'd0};

  wire [11:0] imm_ci = {{7{h[12]}}, h[6:2]};
  wire [11:0] imm_4spn = {2'd0, h[10:7], h[12:11], h[5], h[6], 2'd0};
  wire [11:0] imm_16sp = {{3{h[12]}}, h[4:3], h[5], h[2], h[6], 4'd0};
  wire [20:1] imm_cj = {{10{h[12]}}, h[8], h[10:9], h[6], h[7], h[2], h[11], h[5:3]};
  wire [12:1] imm_cb = {{5{h[12]}}, h[6:5], h[2], h[11:10], h[4:3]};
  wire [5:0] shift = {h[12], h[6:2]};

  wire [31:0] jump = {imm_cj[20], imm_cj[10:1], imm_cj[11], imm_cj[19:12], 4'd0, !h[15], OP_JAL};
  wire [31:0] branch = {
    imm_cb[12], imm_cb[10:5], 5'd0, rs1_low, 2'b00, h[13], imm_cb[4:1], imm_cb[11], OP_BRANCH
  };

  // funct3 100 of quadrant 1: shifts, c.andi, and the operations on two registers.
  reg [31:0] alu;
  always @* begin
    case (h[11:10])
      2'd0: alu = {6'b000000, shift, rs1_low, 3'd5, rs1_low, OP_IMM};
      2'd1: alu = {6'b010000, shift, rs1_low, 3'd5, rs1_low, OP_IMM};
      2'd2: alu = {imm_ci, rs1_low, 3'd7, rs1_low, OP_IMM};
      default:
      case ({h[12], h[6:5]})
        3'd0: alu = {7'h20, rd_low, rs1_low, 3'd0, rs1_low, OP_REG};
        3'd1: alu = {7'h00, rd_low, rs1_low, 3'd4, rs1_low, OP_REG};
        3'd2: alu = {7'h00, rd_low, rs1_low, 3'd6, rs1_low, OP_REG};
        3'd3: alu = {7'h00, rd_low, rs1_low, 3'd7, rs1_low, OP_REG};
        3'd4: alu = XLEN == 64 ? {7'h20, rd_low, rs1_low, 3'd0, rs1_low, OP_REG_32} : UNKNOWN;
        3'd5: alu = XLEN == 64 ? {7'h00, rd_low, rs1_low, 3'd0, rs1_low, OP_REG_32} : UNKNOWN;
        default: alu = UNKNOWN;
      endcase
    endcase
  end

  always @* begin
    case ({h[1:0], h[15:13]})
      {2'd0, 3'd0} : insn_o = imm_4spn != 12'd0 ? {imm_4spn, 5'd2, 3'd0, rd_low, OP_IMM} : UNKNOWN;
      {2'd0, 3'd1}, {2'd0, 3'd2}, {2'd0, 3'd3} :
      insn_o = {offset, rs1_low, funct3, rd_low, op_load};
      {2'd0, 3'd5}, {2'd0, 3'd6}, {2'd0, 3'd7} :
      insn_o = {offset[11:5], rd_low, rs1_low, funct3, offset[4:0], op_store};

      {2'd1, 3'd0} : insn_o = {imm_ci, rd, 3'd0, rd, OP_IMM};
      {2'd1, 3'd1} :
      insn_o = XLEN == 32 ? jump : rd != 5'd0 ? {imm_ci, rd, 3'd0, rd, OP_IMM_32} : UNKNOWN;
      {2'd1, 3'd2} : insn_o = {imm_ci, 5'd0, 3'd0, rd, OP_IMM};
      {2'd1, 3'd3} :
      insn_o = shift == 6'd0 ? UNKNOWN :
          rd == 5'd2 ? {imm_16sp, 5'd2, 3'd0, 5'd2, OP_IMM} :
          {{8{imm_ci[11]}}, imm_ci, rd, OP_LUI};
      {2'd1, 3'd4} : insn_o = alu;
      {2'd1, 3'd5} : insn_o = jump;
      {2'd1, 3'd6}, {2'd1, 3'd7} : insn_o = branch;

      {2'd2, 3'd0} : insn_o = {6'd0, shift, rd, 3'd1, rd, OP_IMM};
      {2'd2, 3'd1} : insn_o = {offset_load_sp, 5'd2, funct3, rd, op_load};
      {2'd2, 3'd2}, {2'd2, 3'd3} :
      insn_o = rd != 5'd0 || is_float ? {offset_load_sp, 5'd2, funct3, rd, op_load} : UNKNOWN;
      {2'd2, 3'd4} :
      if (rs2 != 5'd0) insn_o = {7'd0, rs2, h[12] ? rd : 5'd0, 3'd0, rd, OP_REG};
      else if (rd != 5'd0) insn_o = {12'd0, rd, 3'd0, 4'd0, h[12], OP_JALR};
      else insn_o = h[12] ? INSN_EBREAK : UNKNOWN;
      {2'd2, 3'd5}, {2'd2, 3'd6}, {2'd2, 3'd7} :
      insn_o = {offset_store_sp[11:5], rs2, 5'd2, funct3, offset_store_sp[4:0], op_store};
      default: insn_o = UNKNOWN;
    endcase
  end
endmodule
`default_nettype wire
