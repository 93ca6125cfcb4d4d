// SPDX-License-Identifier: Apache-2.0
// Products, quotients and remainders for the checker.
//
// MULTIPLIER 1 is one combinational `*` of XLEN by XLEN, and a product is there in the clock in
// which it is asked for. Without it, and for every division, one adder works bit by bit: XLEN + 2
// clocks, during which the predictor waits. A core without a fast multiplier or divider of
// its own needs as long, so nothing is lost there.
//
// Results of zero divisors and of overflow are those of the M extension.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_muldiv #(
    parameter XLEN       = 32,  // bits
    parameter MULTIPLY   = 1,   // 1: products are predicted
    parameter DIVIDE     = 1,   // 1: quotients and remainders are predicted
    parameter MULTIPLIER = 1    // 1: a combinational multiplier
) (
    input wire clk_i,
    input wire rst_ni,

    // The operation; it stays while busy_o. start_i: kind, a and b are valid from now on.
    input  wire            start_i,
    input  wire [     6:0] kind_i,
    input  wire [XLEN-1:0] a_i,
    input  wire [XLEN-1:0] b_i,
    input  wire            taken_i,   // the result is taken: forget it
    output wire            slow_o,    // this kind needs many clocks
    output wire            done_o,    // the result of a slow one is there
    output reg  [XLEN-1:0] result_o   // 0 if this kind is not predicted
);
  wire is_product = MULTIPLY != 0 && kind_i >= `EAR_DO_MUL && kind_i <= `EAR_DO_MULW;
  wire is_division = DIVIDE != 0 && kind_i >= `EAR_DO_DIV && kind_i <= `EAR_DO_REMUW;
  wire is_word = XLEN == 64 && (kind_i == `EAR_DO_MULW || kind_i == `EAR_DO_DIVW ||
      kind_i == `EAR_DO_DIVUW || kind_i == `EAR_DO_REMW || kind_i == `EAR_DO_REMUW);
  wire high = kind_i == `EAR_DO_MULH || kind_i == `EAR_DO_MULHSU || kind_i == `EAR_DO_MULHU;
  wire remainder = kind_i == `EAR_DO_REM || kind_i == `EAR_DO_REMU || kind_i == `EAR_DO_REMW ||
      kind_i == `EAR_DO_REMUW;
  reg a_signed;
  reg b_signed;
  always @* begin
    case (kind_i)
      `EAR_DO_MULH, `EAR_DO_DIV, `EAR_DO_REM, `EAR_DO_DIVW, `EAR_DO_REMW:
      {a_signed, b_signed} = 2'b11;
      `EAR_DO_MULHSU: {a_signed, b_signed} = 2'b10;
      default: {a_signed, b_signed} = 2'b00;
    endcase
  end

  // Words on RV64 are extended to 64 bits first.
  wire [XLEN-1:0] a;
  wire [XLEN-1:0] b;
  generate
    if (XLEN == 64) begin : gen_extend
      assign a = is_word ? {{32{a_signed && a_i[31]}}, a_i[31:0]} : a_i;
      assign b = is_word ? {{32{b_signed && b_i[31]}}, b_i[31:0]} : b_i;
    end else begin : gen_extend
      assign a = a_i;
      assign b = b_i;
    end
  endgenerate
  wire a_negative = a_signed && a[XLEN-1];
  wire b_negative = b_signed && b[XLEN-1];

  wire iterate = is_division || (is_product && MULTIPLIER == 0);

  wire [XLEN-1:0] product_low;
  wire [XLEN-1:0] product_high;
  generate
    if (MULTIPLY != 0 && MULTIPLIER != 0) begin : gen_multiplier
      wire signed [XLEN:0] wide_a = {a_negative, a};
      wire signed [XLEN:0] wide_b = {b_negative, b};
      wire signed [2*XLEN+1:0] product = wide_a * wide_b;
      assign product_low  = product[XLEN-1:0];
      assign product_high = product[2*XLEN-1:XLEN];
      wire unused = &{1'b0, product[2*XLEN+1:2*XLEN]};
    end
  endgenerate

  // Bit by bit: {upper, lower} shifts right for a product (lower runs out of a's bits as the
  // product comes in from above) and left for a division (lower runs out of the dividend's).
  wire [XLEN-1:0] quotient;
  wire [XLEN-1:0] rest;
  generate
    if (DIVIDE != 0 || (MULTIPLY != 0 && MULTIPLIER == 0)) begin : gen_iterative
      reg [XLEN-1:0] upper_q;
      reg [XLEN-1:0] lower_q;
      reg [     6:0] count_q;
      reg            busy_q;
      reg            done_q;
      wire [XLEN-1:0] magnitude_a = a_negative ? -a : a;
      wire [XLEN-1:0] magnitude_b = b_negative ? -b : b;
      wire divide = DIVIDE != 0 && is_division;

      wire [XLEN:0] left = divide ? {upper_q, lower_q[XLEN-1]} : {1'b0, upper_q};
      wire [XLEN:0] right = divide ? ~{1'b0, magnitude_b} :
          {1'b0, lower_q[0] ? magnitude_b : {XLEN{1'b0}}};
      wire [XLEN:0] sum = left + right + {{XLEN{1'b0}}, divide};
      wire fits = !sum[XLEN];  // the divisor goes into what is left

      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          busy_q <= 1'b0;
          done_q <= 1'b0;
        end else if (taken_i) begin
          done_q <= 1'b0;
        end else if (busy_q) begin
          busy_q <= count_q != 7'd1;
          done_q <= count_q == 7'd1;
        end else if (start_i && iterate && !done_q) begin
          busy_q <= 1'b1;
        end
      end
      always @(posedge clk_i) begin
        if (!busy_q) begin
          if (start_i && !done_q) begin
            count_q <= XLEN[6:0];
            upper_q <= {XLEN{1'b0}};
            lower_q <= magnitude_a;
          end
        end else begin
          count_q <= count_q - 7'd1;
          if (divide) begin
            upper_q <= fits ? sum[XLEN-1:0] : left[XLEN-1:0];
            lower_q <= {lower_q[XLEN-2:0], fits};
          end else begin
            {upper_q, lower_q} <= {sum, lower_q[XLEN-1:1]};
          end
        end
      end
      assign done_o = done_q;
      assign quotient = lower_q;
      assign rest = upper_q;
      if (MULTIPLY != 0 && MULTIPLIER == 0) begin : gen_product
        wire [2*XLEN-1:0] product =
            a_negative != b_negative ? -{upper_q, lower_q} : {upper_q, lower_q};
        assign {product_high, product_low} = product;
      end
    end else begin : gen_no_iterative
      wire unused = &{1'b0, clk_i, rst_ni, start_i, taken_i};
      assign done_o = 1'b0;
      assign quotient = {XLEN{1'b0}};
      assign rest = {XLEN{1'b0}};
    end
    if (MULTIPLY == 0) begin : gen_no_product
      wire unused_product = &{1'b0, high};
      assign product_low  = {XLEN{1'b0}};
      assign product_high = {XLEN{1'b0}};
    end
  endgenerate

  assign slow_o = iterate;

  // A zero divisor gives all ones and the dividend by itself, but for the sign.
  wire by_zero = b == {XLEN{1'b0}};
  wire negate = remainder ? a_negative : a_negative != b_negative && !by_zero;
  wire [XLEN-1:0] divided = remainder ? rest : quotient;
  wire [XLEN-1:0] division = negate ? -divided : divided;
  reg [XLEN-1:0] value;
  always @* begin
    value = {XLEN{1'b0}};
    if (is_product) value = high ? product_high : product_low;
    if (is_division) value = division;
    result_o = value;
    if (is_word) result_o = {{(XLEN - 31) {value[31]}}, value[30:0]};
  end
endmodule
`default_nettype wire
