// SPDX-License-Identifier: Apache-2.0
// Multiply and divide (the M extension) for the demo core.
//
// Iterative: one bit a cycle, both operands made positive first and the sign put back at the end,
// so that multiplication and division share one 33-bit adder and one 64-bit shift register.
// With MUL_SINGLE = 1 a multiplication is one `*` instead: quick in simulation and on an FPGA with
// multipliers, expensive on one without.
//
// Handshake: start_i high for one cycle while idle; the operands stay until done_o. done_o stays
// high, with the result, until take_i.
`default_nettype none
module ear_demo_muldiv #(
    parameter MUL_SINGLE = 0  // 1: multiply with `*` in one cycle; 0: 32 cycles
) (
    input  wire        clk_i,
    input  wire        rst_ni,
    input  wire        hold_i,    // nothing advances
    input  wire        start_i,
    input  wire        take_i,
    input  wire [ 2:0] funct3_i,  // funct3: mul mulh mulhsu mulhu div divu rem remu
    input  wire [31:0] a_i,       // rs1
    input  wire [31:0] b_i,       // rs2
    output wire        done_o,
    output wire [31:0] result_o
);
  localparam [5:0] STEPS = 6'd32;

  reg busy_q;
  reg done_q;
  reg [5:0] step_q;
  reg [31:0] high_q;  // product high half, or remainder
  reg [31:0] low_q;  // multiplier and product low half, or dividend and quotient
  reg [31:0] operand_q;  // multiplicand, or divisor, without its sign

  wire divide = funct3_i[2];
  wire a_signed = divide ? !funct3_i[0] : funct3_i[1:0] != 2'b11;
  wire b_signed = divide ? !funct3_i[0] : !funct3_i[1];
  wire a_negative = a_signed && a_i[31];
  wire b_negative = b_signed && b_i[31];
  wire [31:0] a_positive = a_negative ? ~a_i + 32'd1 : a_i;
  wire [31:0] b_positive = b_negative ? ~b_i + 32'd1 : b_i;

  // One step. Multiply: add the multiplicand when the low bit is set, shift right.
  // Divide: shift left, subtract the divisor when it fits.
  wire [32:0] remainder_in = {high_q, low_q[31]};
  wire [32:0] sum = divide ? remainder_in - {1'b0, operand_q} :
                             {1'b0, high_q} + (low_q[0] ? {1'b0, operand_q} : 33'd0);
  wire fits = !sum[32];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      step_q <= 6'd0;
      high_q <= 32'd0;
      low_q <= 32'd0;
      operand_q <= 32'd0;
    end else if (start_i) begin
      busy_q <= divide || (MUL_SINGLE == 0);
      done_q <= !divide && (MUL_SINGLE != 0);
      step_q <= STEPS;
      high_q <= 32'd0;
      low_q <= a_positive;
      operand_q <= b_positive;
    end else if (busy_q && !hold_i) begin
      step_q <= step_q - 6'd1;
      if (step_q == 6'd1) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
      if (divide) begin
        high_q <= fits ? sum[31:0] : remainder_in[31:0];
        low_q  <= {low_q[30:0], fits};
      end else begin
        high_q <= sum[32:1];
        low_q  <= {sum[0], low_q[31:1]};
      end
    end else if (take_i) begin
      done_q <= 1'b0;
    end
  end

  // Division by zero gives all ones and the dividend; the loop above does so by itself for
  // unsigned numbers (every subtraction of 0 fits), so only the quotient's sign needs care.
  wire quotient_negative = (a_negative != b_negative) && b_i != 32'd0;
  wire [31:0] quotient = quotient_negative ? ~low_q + 32'd1 : low_q;
  wire [31:0] remainder = a_negative ? ~high_q + 32'd1 : high_q;
  wire [63:0] product;

  generate
    if (MUL_SINGLE != 0) begin : gen_mul_single
      assign product = {{32{a_negative}}, a_i} * {{32{b_negative}}, b_i};
    end else begin : gen_mul_iterative
      wire [63:0] magnitude = {high_q, low_q};
      assign product = (a_negative != b_negative) ? ~magnitude + 64'd1 : magnitude;
    end
  endgenerate

  assign done_o = done_q;
  assign result_o = divide ? (funct3_i[1] ? remainder : quotient) :
                             (funct3_i[1:0] == 2'b00 ? product[31:0] : product[63:32]);
endmodule
`default_nettype wire
