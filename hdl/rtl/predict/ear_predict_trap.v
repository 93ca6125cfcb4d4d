// SPDX-License-Identifier: Apache-2.0
// Whether an entry traps, and why: what the instruction says, and the conventions of the core.
//
// A misaligned access or an unknown opcode is expected to do what the last one did, and an
// instruction that trapped is expected to trap again when it comes again (expect_trap and
// learn_trap in decoder/predict/predictor.c).
`include "ear_predict.vh"
`default_nettype none
module ear_predict_trap #(
    parameter XLEN = 32  // bits
) (
    input wire clk_i,
    input wire rst_ni,
    input wire sweep_i,

    // The entry in stage C. learn_i: it leaves, with these true values.
    input wire            learn_i,
    input wire [     6:0] kind_i,
    input wire            writes_i,      // its access is a store
    input wire            misaligned_i,  // its address is not a multiple of its size
    input wire            irq_i,
    input wire            no_insn_i,     // insn is 0
    input wire [     1:0] mode_i,
    input wire [XLEN-1:0] pc_i,
    input wire            trap_i,
    input wire [XLEN-1:0] cause_i,

    output reg            trap_o,
    output reg [XLEN-1:0] cause_o,            // of a trap as expected; 0 if it did not trap
    output reg            irq_without_insn_o  // the last interrupt had no opcode
);
  reg misaligned_traps_q, unknown_traps_q, trapped_before_q;
  reg [XLEN-1:0] trap_pc_q, trap_cause_q, irq_cause_q;
  wire is_unknown = kind_i == `EAR_DO_UNKNOWN;
  wire is_call = kind_i == `EAR_DO_ECALL || kind_i == `EAR_DO_EBREAK;
  wire here_before = trapped_before_q && pc_i == trap_pc_q;

  always @* begin
    trap_o  = 1'b1;
    cause_o = {XLEN{1'b0}};
    if (irq_i) begin
      cause_o = irq_cause_q;
    end else if (kind_i == `EAR_DO_ECALL) begin
      cause_o[3:0] = {2'b10, mode_i};
    end else if (kind_i == `EAR_DO_EBREAK) begin
      cause_o[3:0] = 4'd3;
    end else if (misaligned_traps_q && misaligned_i) begin
      cause_o[3:0] = writes_i ? 4'd6 : 4'd4;
    end else if (unknown_traps_q && is_unknown) begin
      cause_o[3:0] = 4'd2;
    end else if (here_before) begin
      cause_o = trap_cause_q;
    end else begin
      trap_o = 1'b0;
    end
    if (!trap_i) cause_o = {XLEN{1'b0}};
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_without_insn_o <= 1'b0;
      misaligned_traps_q <= 1'b0;
      unknown_traps_q <= 1'b0;
      trapped_before_q <= 1'b0;
      irq_cause_q <= {1'b1, {(XLEN - 4) {1'b0}}, 3'd7};
      trap_pc_q <= {XLEN{1'b0}};
      trap_cause_q <= {XLEN{1'b0}};
    end else if (sweep_i) begin
      irq_without_insn_o <= 1'b0;
      misaligned_traps_q <= 1'b0;
      unknown_traps_q <= 1'b0;
      trapped_before_q <= 1'b0;
      irq_cause_q <= {1'b1, {(XLEN - 4) {1'b0}}, 3'd7};
    end else if (learn_i) begin
      if (irq_i) begin
        irq_cause_q <= cause_i;
        irq_without_insn_o <= no_insn_i;
      end else begin
        if (misaligned_i) misaligned_traps_q <= trap_i;
        if (is_unknown)
          unknown_traps_q <= trap_i && cause_i == {{(XLEN - 2) {1'b0}}, 2'd2};
        if (!is_call) begin
          if (trap_i) begin
            trapped_before_q <= 1'b1;
            trap_pc_q <= pc_i;
            trap_cause_q <= cause_i;
          end else if (here_before) begin
            trapped_before_q <= 1'b0;
          end
        end
      end
    end
  end
endmodule
`default_nettype wire
