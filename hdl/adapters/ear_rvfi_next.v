// SPDX-License-Identifier: Apache-2.0
// For cores whose rvfi_pc_wdata does not follow traps and returns from them: an entry waits for
// the next one, and gets its pc as rvfi_pc_wdata. So the entries of a Zcmp instruction, which have
// one pc, follow each other, too.
//
// An interrupt that the core shows between two entries (irq_i without valid_i, rvfi_ext_irq_valid
// of Ibex) becomes an entry as docs/retire-port.md, section 3, has it. Its pc is rvfi_pc_wdata of
// the entry before. If that has trap or is a return from a trap, the pc is not known, and the
// interrupt stays rvfi_intr of the next entry.
//
// The last entry waits until flush_i. One entry a clock comes and goes.
`default_nettype none
module ear_rvfi_next #(
    parameter XLEN = 32,  // bits
    parameter REST = 1    // bits of the members that only pass
) (
    input wire clk_i,
    input wire rst_ni,
    input wire flush_i,  // no other entry is awaited

    input wire valid_i,
    input wire irq_i,
    input wire trap_i,
    input wire [31:0] insn_i,
    input wire [1:0] mode_i,
    input wire [1:0] ixl_i,
    input wire [XLEN-1:0] pc_rdata_i,
    input wire [XLEN-1:0] pc_wdata_i,
    input wire [REST-1:0] rest_i,

    output wire valid_o,
    output wire irq_o,
    output wire trap_o,
    output wire [31:0] insn_o,
    output wire [1:0] mode_o,
    output wire [1:0] ixl_o,
    output wire [XLEN-1:0] pc_rdata_o,
    output wire [XLEN-1:0] pc_wdata_o,
    output wire [REST-1:0] rest_o
);
  reg full_q;   // an entry waits
  reg known_q;  // pc_wdata_q is the next address, if no interrupt comes
  reg irq_q;
  reg trap_q;
  reg [31:0] insn_q;
  reg [1:0] mode_q;
  reg [1:0] ixl_q;
  reg [XLEN-1:0] pc_rdata_q;
  reg [XLEN-1:0] pc_wdata_q;
  reg [REST-1:0] rest_q;

  // mret, sret, dret, mnret.
  wire returns = insn_i == 32'h30200073 || insn_i == 32'h10200073 || insn_i == 32'h7b200073 ||
      insn_i == 32'h70200073;
  wire interrupt = irq_i && !valid_i && known_q;

  assign valid_o    = full_q && (valid_i || interrupt || flush_i);
  assign irq_o      = irq_q;
  assign trap_o     = trap_q;
  assign insn_o     = insn_q;
  assign mode_o     = mode_q;
  assign ixl_o      = ixl_q;
  assign pc_rdata_o = pc_rdata_q;
  assign pc_wdata_o = valid_i ? pc_rdata_i : pc_wdata_q;
  assign rest_o     = rest_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= 1'b0;
      known_q <= 1'b0;
    end else begin
      if (valid_i || interrupt) full_q <= 1'b1;
      else if (flush_i) full_q <= 1'b0;
      if (valid_i) known_q <= !trap_i && !returns;
      else if (interrupt) known_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (valid_i) begin
      irq_q      <= irq_i;
      trap_q     <= trap_i;
      insn_q     <= insn_i;
      mode_q     <= mode_i;
      ixl_q      <= ixl_i;
      pc_rdata_q <= pc_rdata_i;
      pc_wdata_q <= pc_wdata_i;
      rest_q     <= rest_i;
    end else if (interrupt) begin
      irq_q      <= 1'b1;
      trap_q     <= 1'b1;
      insn_q     <= 32'd0;
      pc_rdata_q <= pc_wdata_q;
      rest_q     <= {REST{1'b0}};
    end
  end
endmodule
`default_nettype wire
