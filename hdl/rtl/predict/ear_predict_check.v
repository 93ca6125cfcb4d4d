// SPDX-License-Identifier: Apache-2.0
// The checker: what an instruction works out from its operands. Combinational.
//
// It is the part of the predictor that knows arithmetic (decoder/predict/checker.h is the same in
// C). Not here: multiplication and division (ear_predict_muldiv), loads, CSRs, floating point.
// One adder, one shifter and one comparison serve all kinds.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_check #(
    parameter XLEN = 32  // bits
) (
    // The operation and its operands.
    input wire [     6:0] kind_i,
    input wire            immediate_i,  // the second operand is the immediate
    input wire            memory_i,     // the sum is an address
    input wire            word_i,       // the opcode has four bytes
    input wire [    31:0] imm_i,
    input wire [XLEN-1:0] pc_i,
    input wire [XLEN-1:0] a_i,
    input wire [XLEN-1:0] b_i,

    output reg  [XLEN-1:0] result_o,   // of rd; 0 if there is none
    output wire [XLEN-1:0] next_pc_o,  // if it does not trap
    output wire [XLEN-1:0] sum_o       // a + imm, if memory_i
);
  localparam SHIFT_BITS = XLEN == 64 ? 6 : 5;

  wire [XLEN-1:0] imm;
  assign imm[31:0] = imm_i;
  generate
    if (XLEN == 64) begin : gen_wide_imm
      assign imm[63:32] = {32{imm_i[31]}};
    end
  endgenerate

  wire [XLEN-1:0] a = a_i;
  wire [XLEN-1:0] b = immediate_i ? imm : b_i;

  // The low word alone, and a result of a word, sign-extended. On RV32 both are the value itself.
  function [XLEN-1:0] zero_word(input [XLEN-1:0] value);
    begin
      zero_word = value;
      if (XLEN == 64) zero_word = value & {{(XLEN - 32) {1'b0}}, 32'hffff_ffff};
    end
  endfunction
  function [XLEN-1:0] sign_word(input [31:0] value);
    sign_word = {{(XLEN - 31) {value[31]}}, value[30:0]};
  endfunction

  // What the kinds have in common.
  reg unsigned_word;  // a is zero-extended from a word
  reg word_result;    // *W
  reg [1:0] scale;    // sh1add ..
  reg subtract;
  reg less_unsigned;
  always @* begin
    unsigned_word = 1'b0;
    scale = 2'd0;
    word_result = 1'b0;
    case (kind_i)
      `EAR_DO_ADDUW, `EAR_DO_SH1ADDUW, `EAR_DO_SH2ADDUW, `EAR_DO_SH3ADDUW, `EAR_DO_SLLUW:
      unsigned_word = 1'b1;
      default: ;
    endcase
    case (kind_i)
      `EAR_DO_SH1ADD, `EAR_DO_SH1ADDUW: scale = 2'd1;
      `EAR_DO_SH2ADD, `EAR_DO_SH2ADDUW: scale = 2'd2;
      `EAR_DO_SH3ADD, `EAR_DO_SH3ADDUW: scale = 2'd3;
      default: ;
    endcase
    case (kind_i)
      `EAR_DO_ADDW, `EAR_DO_SUBW, `EAR_DO_SLLW, `EAR_DO_SRLW, `EAR_DO_SRAW, `EAR_DO_ROLW,
          `EAR_DO_RORW:
      word_result = XLEN == 64;
      default: ;
    endcase
    case (kind_i)
      `EAR_DO_ADD, `EAR_DO_ADDW, `EAR_DO_ADDUW, `EAR_DO_SH1ADD, `EAR_DO_SH2ADD, `EAR_DO_SH3ADD,
          `EAR_DO_SH1ADDUW, `EAR_DO_SH2ADDUW, `EAR_DO_SH3ADDUW, `EAR_DO_JALR:
      subtract = 1'b0;
      default: subtract = !memory_i;
    endcase
    case (kind_i)
      `EAR_DO_SLTU, `EAR_DO_MINU, `EAR_DO_MAXU, `EAR_DO_BLTU, `EAR_DO_BGEU: less_unsigned = 1'b1;
      default: less_unsigned = 1'b0;
    endcase
  end

  // Sums and comparisons.
  wire [XLEN-1:0] base = unsigned_word ? zero_word(a) : a;
  wire [XLEN-1:0] addend = memory_i ? imm : b;
  wire [XLEN:0] sum = {1'b0, base << scale} + {1'b0, subtract ? ~addend : addend} +
      {{XLEN{1'b0}}, subtract};
  wire less = a[XLEN-1] == b[XLEN-1] ? sum[XLEN-1] : less_unsigned ? b[XLEN-1] : a[XLEN-1];
  wire equal = a == b;

  // Shifts: everything is a rotation to the right, and a mask of the bits that come from a.
  reg shift_left;
  reg rotate;
  always @* begin
    case (kind_i)
      `EAR_DO_SLL, `EAR_DO_SLLW, `EAR_DO_SLLUW, `EAR_DO_ROL, `EAR_DO_ROLW: shift_left = 1'b1;
      default: shift_left = 1'b0;
    endcase
    case (kind_i)
      `EAR_DO_ROL, `EAR_DO_ROLW, `EAR_DO_ROR, `EAR_DO_RORW: rotate = 1'b1;
      default: rotate = 1'b0;
    endcase
  end
  wire [SHIFT_BITS-1:0] amount;
  assign amount[4:0] = b[4:0];
  generate
    if (XLEN == 64) begin : gen_amount
      assign amount[5] = b[5] && !word_result;
    end
  endgenerate
  wire [SHIFT_BITS-1:0] right = shift_left ? -amount : amount;
  wire [XLEN-1:0] source;
  generate
    if (XLEN == 64) begin : gen_source
      assign source = {word_result ? a[31:0] : base[63:32], base[31:0]};
    end else begin : gen_source
      assign source = base;
    end
  endgenerate
  wire [XLEN-1:0] rotated_out;
  wire [XLEN-1:0] rotated;
  assign {rotated_out, rotated} = {source, source} >> right;
  wire unused = &{1'b0, rotated_out};
  // Bits below amount are set.
  wire [XLEN-1:0] below = ~({XLEN{1'b1}} << amount);
  wire [XLEN-1:0] above;  // the topmost amount bits of the XLEN, or of the word, and all above it
  genvar i;
  generate
    for (i = 0; i < XLEN; i = i + 1) begin : gen_above
      if (i < 32) begin : gen_low
        assign above[i] = word_result ? below[31-i] : below[XLEN-1-i];
      end else begin : gen_high
        assign above[i] = word_result || below[XLEN-1-i];
      end
    end
  endgenerate
  wire arithmetic = kind_i == `EAR_DO_SRA || kind_i == `EAR_DO_SRAW;
  wire sign = arithmetic && (word_result ? a[31] : a[XLEN-1]);
  wire [XLEN-1:0] from_a = rotate ? {XLEN{1'b1}} : shift_left ? ~below : ~above;
  wire [XLEN-1:0] shifted = (rotated & from_a) | ({XLEN{sign}} & ~from_a);
  wire [XLEN-1:0] single_bit = {{(XLEN - 1) {1'b0}}, 1'b1} << b[SHIFT_BITS-1:0];

  // Counts. The bits to count are turned so that trailing zeros are counted, up to a stop bit.
  reg [XLEN-1:0] reversed;
  reg [XLEN-1:0] reversed_bytes;
  reg [XLEN-1:0] or_bytes;
  reg [6:0] zeros;
  reg [6:0] ones;
  reg [XLEN-1:0] to_count;
  reg word_count;
  integer k;
  always @* begin
    word_count = XLEN == 64 && (kind_i == `EAR_DO_CLZW || kind_i == `EAR_DO_CTZW ||
        kind_i == `EAR_DO_CPOPW);
    for (k = 0; k < XLEN; k = k + 1) reversed[k] = a[XLEN-1-k];
    for (k = 0; k < XLEN / 8; k = k + 1) begin
      reversed_bytes[8*k+:8] = a[XLEN-8-8*k+:8];
      or_bytes[8*k+:8] = {8{a[8*k+:8] != 8'd0}};
    end
    case (kind_i)
      `EAR_DO_CLZ: to_count = reversed;
      `EAR_DO_CLZW: to_count = reversed >> (XLEN - 32);
      default: to_count = a;
    endcase
    zeros = word_count ? 7'd32 : XLEN[6:0];
    for (k = XLEN - 1; k >= 0; k = k - 1)
      if (to_count[k] && !(word_count && k >= 32)) zeros = k[6:0];
    ones = 7'd0;
    for (k = 0; k < XLEN; k = k + 1)
      ones = ones + {6'd0, a[k] && !(word_count && k >= 32)};
  end

  wire [XLEN-1:0] pc_after = pc_i + {{(XLEN - 3) {1'b0}}, word_i, !word_i, 1'b0};
  wire [XLEN-1:0] target = pc_i + imm;

  always @* begin
    case (kind_i)
      `EAR_DO_IMMEDIATE: result_o = imm;
      `EAR_DO_AUIPC: result_o = target;
      `EAR_DO_ADD, `EAR_DO_SUB, `EAR_DO_SH1ADD, `EAR_DO_SH2ADD, `EAR_DO_SH3ADD, `EAR_DO_ADDUW,
          `EAR_DO_SH1ADDUW, `EAR_DO_SH2ADDUW, `EAR_DO_SH3ADDUW:
      result_o = sum[XLEN-1:0];
      `EAR_DO_ADDW, `EAR_DO_SUBW: result_o = sign_word(sum[31:0]);
      `EAR_DO_SLT, `EAR_DO_SLTU: result_o = {{(XLEN - 1) {1'b0}}, less};
      `EAR_DO_XOR: result_o = a ^ b;
      `EAR_DO_OR: result_o = a | b;
      `EAR_DO_AND: result_o = a & b;
      `EAR_DO_ANDN: result_o = a & ~b;
      `EAR_DO_ORN: result_o = a | ~b;
      `EAR_DO_XNOR: result_o = ~(a ^ b);
      `EAR_DO_SLL, `EAR_DO_SRL, `EAR_DO_SRA, `EAR_DO_ROL, `EAR_DO_ROR, `EAR_DO_SLLUW:
      result_o = shifted;
      `EAR_DO_SLLW, `EAR_DO_SRLW, `EAR_DO_SRAW, `EAR_DO_ROLW, `EAR_DO_RORW:
      result_o = sign_word(shifted[31:0]);
      `EAR_DO_MIN, `EAR_DO_MINU: result_o = less ? a : b;
      `EAR_DO_MAX, `EAR_DO_MAXU: result_o = less ? b : a;
      `EAR_DO_CLZ, `EAR_DO_CTZ, `EAR_DO_CLZW, `EAR_DO_CTZW:
      result_o = {{(XLEN - 7) {1'b0}}, zeros};
      `EAR_DO_CPOP, `EAR_DO_CPOPW: result_o = {{(XLEN - 7) {1'b0}}, ones};
      `EAR_DO_SEXTB: result_o = {{(XLEN - 7) {a[7]}}, a[6:0]};
      `EAR_DO_SEXTH: result_o = {{(XLEN - 15) {a[15]}}, a[14:0]};
      `EAR_DO_ZEXTH: result_o = {{(XLEN - 16) {1'b0}}, a[15:0]};
      `EAR_DO_ORCB: result_o = or_bytes;
      `EAR_DO_REV8: result_o = reversed_bytes;
      `EAR_DO_BCLR: result_o = a & ~single_bit;
      `EAR_DO_BEXT: result_o = {{(XLEN - 1) {1'b0}}, (a & single_bit) != {XLEN{1'b0}}};
      `EAR_DO_BINV: result_o = a ^ single_bit;
      `EAR_DO_BSET: result_o = a | single_bit;
      `EAR_DO_JAL, `EAR_DO_JALR: result_o = pc_after;
      default: result_o = {XLEN{1'b0}};
    endcase
  end

  reg taken;
  always @* begin
    case (kind_i)
      `EAR_DO_JAL: taken = 1'b1;
      `EAR_DO_BEQ: taken = equal;
      `EAR_DO_BNE: taken = !equal;
      `EAR_DO_BLT, `EAR_DO_BLTU: taken = less;
      `EAR_DO_BGE, `EAR_DO_BGEU: taken = !less;
      default: taken = 1'b0;
    endcase
  end
  assign next_pc_o =
      taken ? target : kind_i == `EAR_DO_JALR ? {sum[XLEN-1:1], 1'b0} : pc_after;
  assign sum_o = sum[XLEN-1:0];
endmodule
`default_nettype wire
