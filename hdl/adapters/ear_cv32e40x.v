// SPDX-License-Identifier: Apache-2.0
// RVFI from that of CV32E40X and CV32E40S (cv32e40x_rvfi), where one entry can be several.
//
// - cm.push, cm.pop, cm.popret, cm.popretz, cm.mva01s and cm.mvsa01 are one entry with up to 13
//   accesses. They become an entry for each step, with the opcode of the step and one pc, as Ibex
//   shows them. If a step traps, the entry of this step does, after those that were done.
// - rvfi_trap is a structure: exception and its cause go on, an entry to debug mode is no trap.
// - rvfi_intr is one, too. An interrupt becomes an entry of its own, before the first instruction
//   of its handler: its pc is the next one of the entry before, its mode is mstatus.MPP there.
// - Atomic operations have the write mask only, and the operand as what they write; a failed SC,
//   too. What they read and write is made here.
//
// Entries wait in a FIFO: each step took the core a clock, so 17 is the most that waits.
`include "ear_rvfi.vh"
`default_nettype none
module ear_cv32e40x #(
    parameter NMEM = 128  // accesses on the port: 13 or more; the first 13 are read
) (
    input wire clk_i,
    input wire rst_ni,

    // The core's rvfi_ signals, without rvfi_ and with _i.
    input wire               valid_i,
    input wire [       31:0] insn_i,
    input wire               exception_i,  // rvfi_trap.exception
    input wire [        5:0] cause_i,      // rvfi_trap.exception_cause
    input wire               trigger_i,    // rvfi_trap.debug, and its debug_cause is 2
    input wire               intr_i,       // rvfi_intr.intr
    input wire               interrupt_i,  // rvfi_intr.interrupt
    input wire [       10:0] intr_cause_i, // rvfi_intr.cause
    input wire [        1:0] mpp_i,        // rvfi_csr_mstatus_rdata[12:11]
    input wire [        1:0] mode_i,
    input wire               dbg_mode_i,
    input wire [        4:0] rs1_addr_i,
    input wire [        4:0] rs2_addr_i,
    input wire [       31:0] rs1_rdata_i,
    input wire [       31:0] rs2_rdata_i,
    input wire [        4:0] rd_addr_i,
    input wire [       31:0] rd_wdata_i,
    input wire [       31:0] pc_rdata_i,
    input wire [       31:0] pc_wdata_i,
    input wire [32*NMEM-1:0] mem_addr_i,
    input wire [ 4*NMEM-1:0] mem_rmask_i,
    input wire [ 4*NMEM-1:0] mem_wmask_i,
    input wire [32*NMEM-1:0] mem_rdata_i,
    input wire [32*NMEM-1:0] mem_wdata_i,

    output wire [31:0] ext_cause_o,
    output wire        ext_debug_o,
    output wire        ext_irq_o,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  localparam MEM = 13;
  localparam DEPTH_LOG2 = 5;
  localparam WIDTH = 32 + 1 + 6 + 1 + 1 + 1 + 11 + 2 + 2 + 1 + 15 + 32 * 7 + MEM * (2 * 32 + 8);

  // What the port showed, and the pc that an interrupt before it interrupted.
  reg [WIDTH-1:0] fifo_q[0:(1<<DEPTH_LOG2)-1];
  reg [DEPTH_LOG2:0] wr_q;
  reg [DEPTH_LOG2:0] rd_q;
  reg [31:0] next_q;
  reg seen_q;
  wire unused_rest = &{1'b0, mem_addr_i, mem_rmask_i, mem_wmask_i, mem_rdata_i, mem_wdata_i};

  wire [31:0] insn;
  wire exception;
  wire [5:0] cause;
  wire trigger;
  wire intr;
  wire interrupt;
  wire [10:0] intr_cause;
  wire [1:0] mpp;
  wire [1:0] mode;
  wire dbg_mode;
  wire [4:0] rs1_addr;
  wire [4:0] rs2_addr;
  wire [4:0] rd_addr;
  wire [31:0] rs1_rdata;
  wire [31:0] rs2_rdata;
  wire [31:0] rd_wdata;
  wire [31:0] pc_rdata;
  wire [31:0] pc_wdata;
  wire [31:0] from;
  wire [31:0] mem_addr;
  wire [4*MEM-1:0] mem_rmask;
  wire [4*MEM-1:0] mem_wmask;
  wire [32*MEM-1:0] mem_rdata;
  wire [32*MEM-1:0] mem_wdata;
  assign {insn, exception, cause, trigger, intr, interrupt, intr_cause, mpp, mode, dbg_mode,
      rs1_addr, rs2_addr, rd_addr, rs1_rdata, rs2_rdata, rd_wdata, pc_rdata, pc_wdata, from,
      mem_addr, mem_rmask, mem_wmask, mem_rdata, mem_wdata} = fifo_q[rd_q[DEPTH_LOG2-1:0]];

  wire full = wr_q != rd_q;
  reg done_q;  // its interrupt has gone
  reg [3:0] step_q;
  wire irq = full && interrupt && !done_q;
  wire last;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q   <= 0;
      rd_q   <= 0;
      seen_q <= 1'b0;
      done_q <= 1'b0;
      step_q <= 4'd0;
    end else begin
      if (valid_i) begin
        wr_q   <= wr_q + 1'b1;
        seen_q <= 1'b1;
      end
      done_q <= irq || (done_q && !last);
      if (full && !irq) begin
        step_q <= last ? 4'd0 : step_q + 4'd1;
        if (last) rd_q <= rd_q + 1'b1;
      end
    end
  end

  always @(posedge clk_i) begin
    if (valid_i) begin
      next_q <= pc_wdata_i;
      fifo_q[wr_q[DEPTH_LOG2-1:0]] <= {
        insn_i, exception_i, cause_i, trigger_i, intr_i, interrupt_i && seen_q, intr_cause_i,
        mpp_i, mode_i, dbg_mode_i, rs1_addr_i, rs2_addr_i, rd_addr_i, rs1_rdata_i, rs2_rdata_i,
        rd_wdata_i, pc_rdata_i, pc_wdata_i, next_q, mem_addr_i[31:0], mem_rmask_i[4*MEM-1:0],
        mem_wmask_i[4*MEM-1:0], mem_rdata_i[32*MEM-1:0], mem_wdata_i[32*MEM-1:0]
      };
    end
  end

  // Zcmp, unless it was not executed at all: a fetch that failed, or an illegal opcode.
  wire zcmp = insn[1:0] == 2'b10 && insn[15:13] == 3'b101 &&
      !(exception && (cause == 6'd1 || cause == 6'd2 || cause == 6'd3 || cause == 6'd24));
  wire stack = zcmp && insn[12:11] == 2'b11 && !insn[8];
  wire push = stack && !insn[10] && !insn[9];
  wire returns = stack && insn[10];
  wire zeroes = returns && !insn[9];
  wire move = zcmp && insn[12:10] == 3'b011 && insn[5];
  wire to_a = insn[6];  // cm.mva01s; else cm.mvsa01

  wire [3:0] rlist = insn[7:4];
  wire [3:0] count = rlist == 4'd15 ? 4'd13 : rlist - 4'd3;
  wire [4:0] words = {1'b0, count} + 5'd3;
  wire unused_words = &{1'b0, words[1:0]};
  wire [11:0] total = {5'd0, words[4:2], 4'd0} + {6'd0, insn[3:2], 4'd0};
  wire [11:0] moved = push ? -total : total;

  // ra is the last one, s0 the one before it.
  function [4:0] saved(input [3:0] number);
    saved = number < 4'd2 ? {4'b0100, number[0]} : {1'b1, number};
  endfunction
  wire [3:0] back = count - 4'd2 - step_q;
  wire [4:0] listed = step_q + 4'd1 == count ? 5'd1 : saved(back);
  wire [11:0] slot = {6'd0, step_q + 4'd1, 2'b00};
  wire [11:0] offset = push ? -slot : total - slot;
  wire [31:0] sp = rs1_rdata;
  wire [31:0] moved_sp = sp + {{20{moved[11]}}, moved};
  wire [3:0] last_access = count - 4'd1;
  wire [31:0] ra = mem_rdata[32*last_access+:32];

  // How many accesses were done: the one after them is the one that trapped, or that a debug
  // trigger stopped.
  reg [3:0] accesses;
  integer i;
  always @* begin
    accesses = 4'd0;
    for (i = 0; i < MEM; i = i + 1)
    if (mem_rmask[4*i+:4] != 4'd0 || mem_wmask[4*i+:4] != 4'd0) accesses = accesses + 4'd1;
  end

  wire [3:0] steps = move ? 4'd2 : !stack ? 4'd1 : exception || trigger ? accesses + 4'd1 :
      count + 4'd1 + {3'd0, zeroes} + {3'd0, returns};
  assign last = !irq && step_q + 4'd1 == steps;
  wire [3:0] at = stack ? step_q : 4'd0;
  wire in_list = stack && step_q < count;
  wire of_sp = stack && step_q == count;
  wire of_a0 = zeroes && step_q == count + 4'd1;
  wire jumps = stack && !in_list && !of_sp && !of_a0;
  wire [4:0] first = to_a ? 5'd10 : saved({1'b0, insn[9:7]});
  wire [4:0] source = !to_a ? {4'b0101, step_q[0]} :
      saved({1'b0, step_q[0] ? insn[4:2] : insn[9:7]});

  wire trap = exception && last;
  wire stopped = last && stack && (exception || trigger);

  reg [31:0] step_insn;
  reg [4:0] step_rs1;
  reg [4:0] step_rs2;
  reg [4:0] step_rd;
  reg [31:0] step_rs1_rdata;
  reg [31:0] step_rs2_rdata;
  reg [31:0] step_wdata;
  always @* begin
    step_insn = insn;
    step_rs1 = rs1_addr;
    step_rs2 = rs2_addr;
    step_rd = rd_addr;
    step_rs1_rdata = rs1_rdata;
    step_rs2_rdata = rs2_rdata;
    step_wdata = rd_wdata;
    if (move) begin
      step_rs1 = source;
      step_rs2 = 5'd0;
      step_rd = step_q[0] ? rd_addr : first;
      step_rs1_rdata = step_q[0] ? rd_wdata : rs1_rdata;
      step_wdata = step_rs1_rdata;
      step_insn = {12'd0, step_rs1, 3'b000, step_rd, 7'b0010011};
    end
    if (stack) begin
      step_rs1 = 5'd2;
      step_rs2 = 5'd0;
      step_rd = 5'd0;
      step_rs1_rdata = sp;
      step_rs2_rdata = 32'd0;
      step_wdata = 32'd0;
    end
    if (in_list && push) begin
      step_rs2 = stopped ? 5'd0 : listed;  // its data may not be on the port
      step_rs2_rdata = mem_wdata[32*at+:32];
      step_insn = {offset[11:5], listed, 5'd2, 3'b010, offset[4:0], 7'b0100011};
    end
    if (in_list && !push) begin
      step_rd = stopped ? 5'd0 : listed;
      step_wdata = mem_rdata[32*at+:32];
      step_insn = {offset, 5'd2, 3'b010, listed, 7'b0000011};
    end
    if (of_sp) begin
      step_rd = 5'd2;
      step_wdata = moved_sp;
      step_insn = {moved, 5'd2, 3'b000, 5'd2, 7'b0010011};
    end
    if (of_a0) begin
      step_rs1 = 5'd0;
      step_rs1_rdata = 32'd0;
      step_rd = 5'd10;
      step_insn = {12'd0, 5'd0, 3'b000, 5'd10, 7'b0010011};
    end
    if (jumps) begin
      step_rs1 = 5'd1;
      step_rs1_rdata = ra;
      step_insn = {12'd0, 5'd1, 3'b000, 5'd0, 7'b1100111};
    end
  end

  // Atomic operations.
  wire [3:0] wmask = mem_wmask[4*at+:4];
  wire atomic = insn[6:0] == 7'b0101111 && wmask != 4'd0;
  wire sc = insn[31:27] == 5'b00011;
  wire [31:0] was = mem_rdata[31:0];  // of SC: 1 if it failed
  wire less = insn[30] ? was < rs2_rdata : $signed(was) < $signed(rs2_rdata);
  reg [31:0] becomes;
  always @* begin
    case (insn[31:27])
      5'b00000: becomes = was + rs2_rdata;
      5'b00100: becomes = was ^ rs2_rdata;
      5'b01000: becomes = was | rs2_rdata;
      5'b01100: becomes = was & rs2_rdata;
      5'b10000, 5'b11000: becomes = less ? was : rs2_rdata;
      5'b10100, 5'b11100: becomes = less ? rs2_rdata : was;
      default: becomes = rs2_rdata;  // swap, SC
    endcase
  end

  assign rvfi_valid     = full;
  assign rvfi_order     = 64'd0;
  assign rvfi_insn      = irq ? 32'd0 : step_insn;
  assign rvfi_trap      = irq || trap;
  assign rvfi_halt      = 1'b0;
  assign rvfi_intr      = !irq && intr && step_q == 4'd0;
  assign rvfi_mode      = irq ? mpp : mode;
  assign rvfi_ixl       = 2'd1;
  assign rvfi_rs1_addr  = irq ? 5'd0 : step_rs1;
  assign rvfi_rs2_addr  = irq ? 5'd0 : step_rs2;
  assign rvfi_rs1_rdata = irq ? 32'd0 : step_rs1_rdata;
  assign rvfi_rs2_rdata = irq ? 32'd0 : step_rs2_rdata;
  assign rvfi_rd_addr   = irq || trap ? 5'd0 : step_rd;
  assign rvfi_rd_wdata  = step_wdata;
  assign rvfi_pc_rdata  = irq ? from : pc_rdata;
  assign rvfi_pc_wdata  = irq || !last ? pc_rdata : pc_wdata;
  assign rvfi_mem_addr  = in_list ? sp + {{20{offset[11]}}, offset} : mem_addr;
  assign rvfi_mem_rmask = irq || trap || (stack && !in_list) ? 4'd0 :
      atomic && !sc ? wmask : mem_rmask[4*at+:4];
  assign rvfi_mem_wmask = irq || trap || (stack && !in_list) || (atomic && sc && was[0]) ?
      4'd0 : wmask;
  assign rvfi_mem_rdata = mem_rdata[32*at+:32];
  assign rvfi_mem_wdata = atomic ? becomes : mem_wdata[32*at+:32];
  assign ext_cause_o = irq ? {1'b1, 20'd0, intr_cause} : trap ? {26'd0, cause} : 32'd0;
  assign ext_debug_o = !irq && dbg_mode;
  assign ext_irq_o   = irq;

`ifdef EAR_ASSERT
  wire [DEPTH_LOG2:0] waiting = wr_q - rd_q;
  always @(posedge clk_i)
    if (rst_ni && waiting[DEPTH_LOG2] && valid_i)
      $display("ear_cv32e40x: an entry is lost: more than 32 wait");
`endif
endmodule
`default_nettype wire
