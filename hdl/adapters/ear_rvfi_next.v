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
// The last entry waits until flush_i. With two channels the one that waits comes out in channel 0,
// and the first of two that come in one clock in channel 1: as many come as go, in their order.
`default_nettype none
module ear_rvfi_next #(
    parameter XLEN = 32,  // bits
    parameter NRET = 1,   // channels: 1 or 2
    parameter REST = 1    // bits of the members of a channel that only pass
) (
    input wire clk_i,
    input wire rst_ni,
    input wire flush_i,  // no other entry is awaited

    input wire [NRET-1:0] valid_i,
    input wire [NRET-1:0] irq_i,
    input wire [NRET-1:0] trap_i,
    input wire [NRET*32-1:0] insn_i,
    input wire [NRET*2-1:0] mode_i,
    input wire [NRET*2-1:0] ixl_i,
    input wire [NRET*XLEN-1:0] pc_rdata_i,
    input wire [NRET*XLEN-1:0] pc_wdata_i,
    input wire [NRET*REST-1:0] rest_i,

    output wire [NRET-1:0] valid_o,
    output wire [NRET-1:0] irq_o,
    output wire [NRET-1:0] trap_o,
    output wire [NRET*32-1:0] insn_o,
    output wire [NRET*2-1:0] mode_o,
    output wire [NRET*2-1:0] ixl_o,
    output wire [NRET*XLEN-1:0] pc_rdata_o,
    output wire [NRET*XLEN-1:0] pc_wdata_o,
    output wire [NRET*REST-1:0] rest_o
);
  localparam L = NRET - 1;  // the last channel

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

  wire comes = |valid_i;
  wire last = valid_i[L];
  wire trap = last ? trap_i[L] : trap_i[0];
  wire [31:0] insn = last ? insn_i[32*L+:32] : insn_i[31:0];
  // mret, sret, dret, mnret.
  wire returns = insn == 32'h30200073 || insn == 32'h10200073 || insn == 32'h7b200073 ||
      insn == 32'h70200073;
  wire interrupt = irq_i[0] && !comes && known_q;

  assign valid_o[0]             = full_q && (comes || interrupt || flush_i);
  assign irq_o[0]               = irq_q;
  assign trap_o[0]              = trap_q;
  assign insn_o[31:0]           = insn_q;
  assign mode_o[1:0]            = mode_q;
  assign ixl_o[1:0]             = ixl_q;
  assign pc_rdata_o[XLEN-1:0]   = pc_rdata_q;
  assign pc_wdata_o[XLEN-1:0]   = valid_i[0] ? pc_rdata_i[XLEN-1:0] :
      last ? pc_rdata_i[XLEN*L+:XLEN] : pc_wdata_q;
  assign rest_o[REST-1:0]       = rest_q;

  generate
    if (NRET > 1) begin : gen_second
      assign valid_o[1]               = &valid_i;
      assign irq_o[1]                 = irq_i[0];
      assign trap_o[1]                = trap_i[0];
      assign insn_o[63:32]            = insn_i[31:0];
      assign mode_o[3:2]              = mode_i[1:0];
      assign ixl_o[3:2]               = ixl_i[1:0];
      assign pc_rdata_o[XLEN+:XLEN]   = pc_rdata_i[XLEN-1:0];
      assign pc_wdata_o[XLEN+:XLEN]   = pc_rdata_i[XLEN+:XLEN];
      assign rest_o[REST+:REST]       = rest_i[REST-1:0];
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= 1'b0;
      known_q <= 1'b0;
    end else begin
      if (comes || interrupt) full_q <= 1'b1;
      else if (flush_i) full_q <= 1'b0;
      if (comes) known_q <= !trap && !returns;
      else if (interrupt) known_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (comes) begin
      irq_q      <= last ? irq_i[L] : irq_i[0];
      trap_q     <= trap;
      insn_q     <= insn;
      mode_q     <= last ? mode_i[2*L+:2] : mode_i[1:0];
      ixl_q      <= last ? ixl_i[2*L+:2] : ixl_i[1:0];
      pc_rdata_q <= last ? pc_rdata_i[XLEN*L+:XLEN] : pc_rdata_i[XLEN-1:0];
      pc_wdata_q <= last ? pc_wdata_i[XLEN*L+:XLEN] : pc_wdata_i[XLEN-1:0];
      rest_q     <= last ? rest_i[REST*L+:REST] : rest_i[REST-1:0];
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
