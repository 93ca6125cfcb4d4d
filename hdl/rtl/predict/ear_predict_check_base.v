// SPDX-License-Identifier: Apache-2.0
// The checker of geometries with BASE: what the instructions of RV32I work out from their operands.
//
// It is ear_predict_check without all that BASE leaves out, and small: the sum of operands is also
// the target of a jump, one more adder makes every other next pc, and a shift takes a clock for
// each bit.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_check_base (
    input wire clk_i,
    input wire rst_ni,

    // The operation and its operands.
    input wire [ 6:0] kind_i,
    input wire        immediate_i,  // the second operand is the immediate
    input wire        memory_i,     // the sum is an address
    input wire        word_i,       // the opcode has four bytes
    input wire [31:0] imm_i,
    input wire [31:0] pc_i,
    input wire [31:0] a_i,
    input wire [31:0] b_i,

    // Shifts: result_o is there with done_o; start_i is high until taken_i.
    input  wire start_i,
    input  wire taken_i,
    output wire slow_o,   // the operation is a shift
    output wire done_o,

    output reg  [31:0] result_o,   // of rd; 0 if there is none
    output wire [31:0] next_pc_o,  // if it does not trap
    output wire [31:0] sum_o       // a + imm, if memory_i
);
  // What the kinds have in common.
  reg from_pc;   // the sum is pc + imm
  reg subtract;
  reg shift;
  reg jump;
  always @* begin
    from_pc = kind_i == `EAR_DO_AUIPC || kind_i == `EAR_DO_JAL;
    shift = kind_i == `EAR_DO_SLL || kind_i == `EAR_DO_SRL || kind_i == `EAR_DO_SRA;
    jump = kind_i == `EAR_DO_JAL || kind_i == `EAR_DO_JALR;
    case (kind_i)
      `EAR_DO_SUB, `EAR_DO_SLT, `EAR_DO_SLTU, `EAR_DO_BEQ, `EAR_DO_BNE, `EAR_DO_BLT,
          `EAR_DO_BGE, `EAR_DO_BLTU, `EAR_DO_BGEU:
      subtract = 1'b1;
      default: subtract = 1'b0;
    endcase
  end

  reg taken;
  wire less;
  wire equal;
  always @* begin
    case (kind_i)
      `EAR_DO_BEQ: taken = equal;
      `EAR_DO_BNE: taken = !equal;
      `EAR_DO_BLT, `EAR_DO_BLTU: taken = less;
      `EAR_DO_BGE, `EAR_DO_BGEU: taken = !less;
      default: taken = 1'b0;
    endcase
  end

  wire [31:0] a = from_pc ? pc_i : a_i;
  // Only what is subtracted is inverted.
  wire [31:0] b = (immediate_i || memory_i ? imm_i : b_i) ^ {32{subtract}};
  wire [31:0] sum = a + b + {31'd0, subtract};
  wire less_unsigned =
      kind_i == `EAR_DO_SLTU || kind_i == `EAR_DO_BLTU || kind_i == `EAR_DO_BGEU;
  assign less = a[31] != b[31] ? sum[31] : less_unsigned ? !b[31] : a[31];
  assign equal = sum == 32'd0;

  wire [31:0] pc_after = pc_i + (taken ? imm_i : {29'd0, word_i, !word_i, 1'b0});
  assign next_pc_o = jump ? {sum[31:1], sum[0] && from_pc} : pc_after;
  assign sum_o = sum;

  // Shifts.
  reg [31:0] shifted_q;
  reg [ 4:0] left_q;  // bits to go
  reg        busy_q;
  wire sign = shifted_q[31] && kind_i == `EAR_DO_SRA;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= start_i && shift && !taken_i;
  end
  always @(posedge clk_i) begin
    if (!busy_q) begin
      shifted_q <= a_i;
      left_q <= b[4:0];
    end else if (left_q != 5'd0) begin
      shifted_q <= kind_i == `EAR_DO_SLL ? {shifted_q[30:0], 1'b0} : {sign, shifted_q[31:1]};
      left_q <= left_q - 5'd1;
    end
  end
  assign slow_o = shift;
  assign done_o = busy_q && left_q == 5'd0;

  reg [31:0] logic_value;
  always @* begin
    case (kind_i)
      `EAR_DO_XOR: logic_value = a_i ^ b;
      `EAR_DO_OR: logic_value = a_i | b;
      `EAR_DO_AND: logic_value = a_i & b;
      default: logic_value = b;  // IMMEDIATE
    endcase
    case (kind_i)
      `EAR_DO_IMMEDIATE, `EAR_DO_XOR, `EAR_DO_OR, `EAR_DO_AND: result_o = logic_value;
      `EAR_DO_AUIPC, `EAR_DO_ADD, `EAR_DO_SUB: result_o = sum;
      `EAR_DO_SLL, `EAR_DO_SRL, `EAR_DO_SRA: result_o = shifted_q;
      `EAR_DO_SLT, `EAR_DO_SLTU: result_o = {31'd0, less};
      `EAR_DO_JAL, `EAR_DO_JALR: result_o = pc_after;
      default: result_o = 32'd0;
    endcase
  end
endmodule
`default_nettype wire
