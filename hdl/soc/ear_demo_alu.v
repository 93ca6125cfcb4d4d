// SPDX-License-Identifier: Apache-2.0
// The integer ALU of the demo core: one combinational operation of the OP and OP-IMM groups, and
// the comparison that decides a branch.
//
// One subtractor serves sub, slt, sltu and all six branches.
`default_nettype none
module ear_demo_alu (
    input  wire [31:0] a_i,         // first operand, rs1
    input  wire [31:0] b_i,         // second operand, rs2 or the immediate
    input  wire [ 2:0] funct3_i,    // the instruction's funct3
    input  wire        alternate_i, // sub instead of add, arithmetic instead of logical right shift
    output reg  [31:0] result_o,    // result of the operation
    output reg         taken_o      // branch condition, funct3 read as that of a branch
);
  wire [32:0] difference = {1'b0, a_i} + {1'b0, ~b_i} + 33'd1;
  wire equal = a_i == b_i;
  wire less_unsigned = !difference[32];
  wire less_signed = (a_i[31] ^ b_i[31]) ? a_i[31] : less_unsigned;

  // One right shifter does all shifts: a left shift is a right shift of the mirrored word.
  wire [31:0] a_mirrored;
  wire [31:0] left_shift;
  wire shift_left = funct3_i == 3'b001;
  wire shift_fill = alternate_i & a_i[31] & !shift_left;
  wire [31:0] shift_in = shift_left ? a_mirrored : a_i;
  wire [62:0] shift_wide = {{31{shift_fill}}, shift_in} >> b_i[4:0];
  wire [31:0] right_shift = shift_wide[31:0];
  wire unused = &{1'b0, shift_wide[62:32]};

  genvar k;
  generate
    for (k = 0; k < 32; k = k + 1) begin : gen_mirror
      assign a_mirrored[k] = a_i[31-k];
      assign left_shift[k] = right_shift[31-k];
    end
  endgenerate

  always @* begin
    case (funct3_i)
      3'b000:  result_o = alternate_i ? difference[31:0] : a_i + b_i;
      3'b001:  result_o = left_shift;
      3'b010:  result_o = {31'b0, less_signed};
      3'b011:  result_o = {31'b0, less_unsigned};
      3'b100:  result_o = a_i ^ b_i;
      3'b101:  result_o = right_shift;
      3'b110:  result_o = a_i | b_i;
      default: result_o = a_i & b_i;
    endcase
  end

  always @* begin
    case (funct3_i)
      3'b000:  taken_o = equal;
      3'b001:  taken_o = !equal;
      3'b100:  taken_o = less_signed;
      3'b101:  taken_o = !less_signed;
      3'b110:  taken_o = less_unsigned;
      default: taken_o = !less_unsigned;
    endcase
  end
endmodule
`default_nettype wire
