// SPDX-License-Identifier: Apache-2.0
// What an instruction writes to rd and the next pc, from operands that are known.
//
// The checker (ear_predict_work) computes; a load, a move from an f register or a CSR operation has
// its result from elsewhere, and traps and returns have their next pc from CSRs.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_result #(
    parameter XLEN       = 32,  // bits
    parameter MULTIPLY   = 1,
    parameter DIVIDE     = 1,
    parameter MULTIPLIER = 1,   // as ear_predict_muldiv
    parameter BASE       = 0    // 1: only I and C are known
) (
    input wire clk_i,
    input wire rst_ni,

    // The operation, as decoded.
    input wire [ 6:0] kind_i,
    input wire [ 5:0] flags_i,
    input wire [ 3:0] access_i,  // bytes
    input wire        word_i,    // the opcode has four bytes
    input wire        has_rd_i,
    input wire [31:0] imm_i,

    // The entry, and what is known beside it.
    input wire [XLEN-1:0] pc_i,
    input wire [XLEN-1:0] a_i,
    input wire [XLEN-1:0] b_i,
    input wire [XLEN-1:0] mem_rdata_i,
    input wire [XLEN-1:0] f_i,          // of the f register that is moved
    input wire [XLEN-1:0] csr_value_i,  // of the operation's CSR; sret: of sepc
    input wire [XLEN-1:0] mtvec_i,
    input wire [XLEN-1:0] mepc_i,
    input wire            trap_i,
    input wire            irq_i,
    input wire [XLEN-1:0] cause_i,
    input wire            rd_zero_i,    // the entry wrote no register

    // A record is here with valid_i until taken_i. Its operands are its own while hold_i is low.
    // wait_o: the results are not there yet.
    input  wire valid_i,
    input  wire hold_i,
    input  wire taken_i,
    output wire wait_o,

    output wire            division_o,
    output reg  [XLEN-1:0] result_o,
    output wire [XLEN-1:0] next_pc_o,
    output wire [XLEN-1:0] sum_o        // address of an access
);
  wire reads = flags_i[`EAR_OPERATION_READS];

  wire [XLEN-1:0] checked;
  wire [XLEN-1:0] checked_next;
  wire slow;
  wire done;
  wire waits = valid_i && !trap_i && slow;
  assign wait_o = waits && !done;
  ear_predict_work #(
      .XLEN(XLEN),
      .MULTIPLY(MULTIPLY),
      .DIVIDE(DIVIDE),
      .MULTIPLIER(MULTIPLIER),
      .BASE(BASE)
  ) u_work (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .kind_i(kind_i),
      .immediate_i(flags_i[`EAR_OPERATION_IMMEDIATE]),
      .memory_i(flags_i[`EAR_OPERATION_MEMORY]),
      .word_i(word_i),
      .imm_i(imm_i),
      .pc_i(pc_i),
      .a_i(a_i),
      .b_i(b_i),
      .start_i(waits && !hold_i),
      .taken_i(taken_i),
      .slow_o(slow),
      .done_o(done),
      .result_o(checked),
      .next_pc_o(checked_next),
      .sum_o(sum_o)
  );
  assign division_o = kind_i >= `EAR_DO_DIV && kind_i <= `EAR_DO_REMUW;

  // What a load makes of the bytes read, or a move of an f register's.
  wire [XLEN-1:0] from = reads ? mem_rdata_i : f_i;
  wire extend = !flags_i[`EAR_OPERATION_UNSIGNED];
  reg [XLEN-1:0] loaded;
  always @* begin
    loaded = from;
    case (access_i)
      4'd1: loaded = {{(XLEN - 8) {extend && from[7]}}, from[7:0]};
      4'd2: loaded = {{(XLEN - 16) {extend && from[15]}}, from[15:0]};
      4'd4: loaded = {{(XLEN - 31) {from[31]}}, from[30:0]};
      default: ;
    endcase
    if (access_i == 4'd4 && !extend && XLEN == 64)
      loaded = from & {{(XLEN - 32) {1'b0}}, 32'hffff_ffff};
  end

  always @* begin
    if (reads || kind_i == `EAR_DO_FMVTOX) result_o = loaded;
    else if (kind_i == `EAR_DO_CSR) result_o = has_rd_i ? csr_value_i : {XLEN{1'b0}};
    else result_o = checked;
    if (trap_i || rd_zero_i) result_o = {XLEN{1'b0}};
  end

  wire by_vector = mtvec_i[1:0] == 2'b01 && irq_i;
  wire [XLEN-1:0] handler = {mtvec_i[XLEN-1:2], 2'b00} +
      (by_vector ? {cause_i[XLEN-3:0], 2'b00} : {XLEN{1'b0}});
  assign next_pc_o = trap_i ? handler : kind_i == `EAR_DO_MRET ? mepc_i :
      kind_i == `EAR_DO_SRET ? csr_value_i : checked_next;

  wire unused = &{1'b0, flags_i, cause_i[XLEN-1:XLEN-2]};
endmodule
`default_nettype wire
