// SPDX-License-Identifier: Apache-2.0
// What an instruction works out from its operands: the checker of the geometry, with multiplier and
// divider. Results of shifts (BASE), products and quotients may take more clocks.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_work #(
    parameter XLEN       = 32,  // bits
    parameter MULTIPLY   = 1,
    parameter DIVIDE     = 1,
    parameter MULTIPLIER = 1,   // as ear_predict_muldiv
    parameter BASE       = 0    // 1: only I and C are known
) (
    input wire clk_i,
    input wire rst_ni,

    // The operation and its operands.
    input wire [     6:0] kind_i,
    input wire            immediate_i,  // the second operand is the immediate
    input wire            memory_i,     // the sum is an address
    input wire            word_i,       // the opcode has four bytes
    input wire [    31:0] imm_i,
    input wire [XLEN-1:0] pc_i,
    input wire [XLEN-1:0] a_i,
    input wire [XLEN-1:0] b_i,

    // What is slow begins with start_i, which stays, and is there with done_o until taken_i.
    input  wire start_i,
    input  wire taken_i,
    output wire slow_o,
    output wire done_o,

    output wire [XLEN-1:0] result_o,   // of rd; 0 if there is none
    output wire [XLEN-1:0] next_pc_o,  // if it does not trap
    output wire [XLEN-1:0] sum_o       // a + imm, if memory_i
);
  generate
    if (BASE != 0) begin : gen_base
      ear_predict_check_base u_check (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .kind_i(kind_i),
          .immediate_i(immediate_i),
          .memory_i(memory_i),
          .word_i(word_i),
          .imm_i(imm_i),
          .pc_i(pc_i),
          .a_i(a_i),
          .b_i(b_i),
          .start_i(start_i),
          .taken_i(taken_i),
          .slow_o(slow_o),
          .done_o(done_o),
          .result_o(result_o),
          .next_pc_o(next_pc_o),
          .sum_o(sum_o)
      );
    end else begin : gen_all
      wire [XLEN-1:0] checked;
      wire [XLEN-1:0] computed;
      ear_predict_check #(
          .XLEN(XLEN)
      ) u_check (
          .kind_i(kind_i),
          .immediate_i(immediate_i),
          .memory_i(memory_i),
          .word_i(word_i),
          .imm_i(imm_i),
          .pc_i(pc_i),
          .a_i(a_i),
          .b_i(b_i),
          .result_o(checked),
          .next_pc_o(next_pc_o),
          .sum_o(sum_o)
      );
      ear_predict_muldiv #(
          .XLEN(XLEN),
          .MULTIPLY(MULTIPLY),
          .DIVIDE(DIVIDE),
          .MULTIPLIER(MULTIPLIER)
      ) u_muldiv (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .start_i(start_i),
          .kind_i(kind_i),
          .a_i(a_i),
          .b_i(b_i),
          .taken_i(taken_i),
          .slow_o(slow_o),
          .done_o(done_o),
          .result_o(computed)
      );
      assign result_o = kind_i >= `EAR_DO_MUL && kind_i <= `EAR_DO_REMUW ? computed : checked;
    end
  endgenerate
endmodule
`default_nettype wire
