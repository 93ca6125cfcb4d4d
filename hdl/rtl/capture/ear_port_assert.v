// SPDX-License-Identifier: Apache-2.0
// For simulation: say what is wrong at the retire port, and which parameter cures it.
//
// ear_unit has this module where the macro EAR_ASSERT is defined. Each fault is reported once, by
// $display, as "EAR_ASSERT: order N: what; cure", with EAR_ASSERT_STOP also by $stop. Without it an
// integrator sees a trace that is wrong, or only large. Nothing of this is synthesised.
//
// What is looked for: X at an entry; an order that jumps; entries that come after stall_o beyond
// STALL_SLACK; entries after ended_i that the capture does not wait for; accesses of opcodes that
// have none; entries that are not in the normal form where NORMALIZE is 0; a compressed opcode with
// an upper half; a pc_wdata that is not the next pc.
`default_nettype none
module ear_port_assert #(
    parameter XLEN         = 32,
    parameter NRET         = 1,
    parameter FLEN         = 0,
    parameter OPERANDS     = 1,
    parameter OWN_ORDER    = 0,
    parameter NORMALIZE    = 1,
    parameter OPCODE_READS = 0,
    parameter STALL_SLACK  = 0,
    parameter ENDED_CLOCKS = 256
) (
    input wire clk_i,
    input wire rst_ni,

    // Of the retire port, as in ear_unit.
    input wire [       NRET-1:0] rvfi_valid_i,
    input wire [    NRET*64-1:0] rvfi_order_i,
    input wire [    NRET*32-1:0] rvfi_insn_i,
    input wire [       NRET-1:0] rvfi_trap_i,
    input wire [       NRET-1:0] rvfi_intr_i,
    input wire [       NRET-1:0] rvfi_ext_irq_i,
    input wire [     NRET*2-1:0] rvfi_mode_i,
    input wire [     NRET*2-1:0] rvfi_ixl_i,
    input wire [     NRET*5-1:0] rvfi_rd_addr_i,
    input wire [  NRET*XLEN-1:0] rvfi_rd_wdata_i,
    input wire [  NRET*XLEN-1:0] rvfi_pc_rdata_i,
    input wire [  NRET*XLEN-1:0] rvfi_pc_wdata_i,
    input wire [  NRET*XLEN-1:0] rvfi_mem_addr_i,
    input wire [  NRET*XLEN-1:0] rvfi_mem_rdata_i,
    input wire [  NRET*XLEN-1:0] rvfi_mem_wdata_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [     NRET*5-1:0] rvfi_rs1_addr_i,
    input wire [     NRET*5-1:0] rvfi_rs2_addr_i,
    input wire [  NRET*XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [  NRET*XLEN-1:0] rvfi_rs2_rdata_i,

    input wire stall_i,       // stall_o of the unit
    input wire core_reset_i,  // core_reset_o of the unit
    input wire ended_i
);
  localparam BYTES = XLEN / 8;
  localparam [BYTES-1:0] NONE = {BYTES{1'b0}};

  // The entry before the one of a channel: of this clock, or the last one of an earlier clock.
  reg            seen_q;
  reg [    63:0] order_q;
  reg [XLEN-1:0] next_q;
  reg            trap_q;

  // Entries since stall_o rose, clocks since the last entry after ended_i, and since ended_i.
  reg [31:0] held_q;
  reg [31:0] held_most_q;
  reg [31:0] quiet_q;
  reg [31:0] after_q;
  reg        quiet_said_q;
  reg        after_said_q;
  wire [31:0] count = {31'd0, rvfi_valid_i[0]} + {31'd0, NRET > 1 && rvfi_valid_i[NRET-1]};
  wire any = count != 32'd0;
  wire [63:0] order = rvfi_order_i[63:0];
  wire [31:0] held = (stall_i ? held_q : 32'd0) + (stall_i ? count : 32'd0);

  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      wire valid = rvfi_valid_i[k];
      wire [63:0] at = rvfi_order_i[64*k+:64];
      wire [31:0] insn = rvfi_insn_i[32*k+:32];
      wire trap = rvfi_trap_i[k] || rvfi_ext_irq_i[k];
      wire [XLEN-1:0] pc = rvfi_pc_rdata_i[XLEN*k+:XLEN];
      wire [BYTES-1:0] rmask = rvfi_mem_rmask_i[BYTES*k+:BYTES];
      wire [BYTES-1:0] wmask = rvfi_mem_wmask_i[BYTES*k+:BYTES];
      wire same_clock = k > 0 && rvfi_valid_i[0];
      wire has_before = seen_q || same_clock;
      wire [63:0] order_before = same_clock ? rvfi_order_i[63:0] : order_q;
      wire [XLEN-1:0] next = same_clock ? rvfi_pc_wdata_i[XLEN-1:0] : next_q;
      wire trap_before = same_clock ? rvfi_trap_i[0] || rvfi_ext_irq_i[0] : trap_q;
      wire unknown = ^{at, insn, trap, rvfi_intr_i[k], rvfi_mode_i[2*k+:2], rvfi_ixl_i[2*k+:2],
          rvfi_rd_addr_i[5*k+:5], pc, rvfi_pc_wdata_i[XLEN*k+:XLEN], rmask, wmask} === 1'bx;
      wire follows = OWN_ORDER != 0 || at == order_before + 64'd1;

      // Which bytes it reads if the port says that all are read: none, if it cannot access memory.
      wire [BYTES-1:0] may;
      wire [XLEN-1:0] may_addr;
      wire [BYTES-1:0] may_wmask;
      wire [XLEN-1:0] may_rdata;
      wire [XLEN-1:0] may_wdata;
      wire may_paddr;
      ear_normalize #(
          .XLEN        (XLEN),
          .OPCODE_READS(1)
      ) u_may (
          .insn_i   (insn),
          .trap_i   (1'b0),
          .irq_i    (1'b0),
          .rs1_low_i(3'd0),
          .addr_i   ({XLEN{1'b0}}),
          .rmask_i  (~NONE),
          .wmask_i  (NONE),
          .rdata_i  ({XLEN{1'b0}}),
          .wdata_i  ({XLEN{1'b0}}),
          .paddr_i  (1'b0),
          .addr_o   (may_addr),
          .rmask_o  (may),
          .wmask_o  (may_wmask),
          .rdata_o  (may_rdata),
          .wdata_o  (may_wdata),
          .paddr_o  (may_paddr)
      );

      // The normal form of the entry.
      wire [XLEN-1:0] addr;
      wire [BYTES-1:0] normal_rmask;
      wire [BYTES-1:0] normal_wmask;
      wire [XLEN-1:0] rdata;
      wire [XLEN-1:0] wdata;
      wire paddr;
      wire [1:0] ixl;
      wire [4:0] rd_addr;
      wire [XLEN-1:0] rd_wdata;
      wire [4:0] rs1_addr;
      wire [4:0] rs2_addr;
      wire [XLEN-1:0] rs1_rdata;
      wire [XLEN-1:0] rs2_rdata;
      ear_normalize #(
          .XLEN(XLEN)
      ) u_normalize (
          .insn_i   (insn),
          .trap_i   (rvfi_trap_i[k]),
          .irq_i    (rvfi_ext_irq_i[k]),
          .rs1_low_i(3'd0),
          .addr_i   (rvfi_mem_addr_i[XLEN*k+:XLEN]),
          .rmask_i  (rmask),
          .wmask_i  (wmask),
          .rdata_i  (rvfi_mem_rdata_i[XLEN*k+:XLEN]),
          .wdata_i  (rvfi_mem_wdata_i[XLEN*k+:XLEN]),
          .paddr_i  (1'b0),
          .addr_o   (addr),
          .rmask_o  (normal_rmask),
          .wmask_o  (normal_wmask),
          .rdata_o  (rdata),
          .wdata_o  (wdata),
          .paddr_o  (paddr)
      );
      ear_normalize_registers #(
          .XLEN(XLEN),
          .FLEN(FLEN)
      ) u_registers (
          .insn_i     (insn),
          .trap_i     (rvfi_trap_i[k]),
          .irq_i      (rvfi_ext_irq_i[k]),
          .ixl_i      (rvfi_ixl_i[2*k+:2]),
          .rd_addr_i  (rvfi_rd_addr_i[5*k+:5]),
          .rd_wdata_i (rvfi_rd_wdata_i[XLEN*k+:XLEN]),
          .rs1_addr_i (rvfi_rs1_addr_i[5*k+:5]),
          .rs2_addr_i (rvfi_rs2_addr_i[5*k+:5]),
          .rs1_rdata_i(rvfi_rs1_rdata_i[XLEN*k+:XLEN]),
          .rs2_rdata_i(rvfi_rs2_rdata_i[XLEN*k+:XLEN]),
          .ixl_o      (ixl),
          .rd_addr_o  (rd_addr),
          .rd_wdata_o (rd_wdata),
          .rs1_addr_o (rs1_addr),
          .rs2_addr_o (rs2_addr),
          .rs1_rdata_o(rs1_rdata),
          .rs2_rdata_o(rs2_rdata)
      );
      wire memory_normal = {addr, normal_rmask, normal_wmask, rdata, wdata} ==
          {rvfi_mem_addr_i[XLEN*k+:XLEN], rmask, wmask, rvfi_mem_rdata_i[XLEN*k+:XLEN],
           rvfi_mem_wdata_i[XLEN*k+:XLEN]};
      wire operands_normal = OPERANDS == 0 || {rs1_addr, rs2_addr, rs1_rdata, rs2_rdata} ==
          {rvfi_rs1_addr_i[5*k+:5], rvfi_rs2_addr_i[5*k+:5], rvfi_rs1_rdata_i[XLEN*k+:XLEN],
           rvfi_rs2_rdata_i[XLEN*k+:XLEN]};
      wire registers_normal = operands_normal && {ixl, rd_addr, rd_wdata} ==
          {rvfi_ixl_i[2*k+:2], rvfi_rd_addr_i[5*k+:5], rvfi_rd_wdata_i[XLEN*k+:XLEN]};

      wire reads_without = rmask != NONE && (may == NONE || trap) && OPCODE_READS == 0;
      wire writes_without = wmask != NONE && may == NONE;
      wire upper_half = insn[1:0] != 2'b11 && insn[31:16] != 16'd0;
      wire odd_form = NORMALIZE == 0 && !(memory_normal && registers_normal);
      wire odd_next = has_before && follows && !rvfi_intr_i[k] && next != pc;
      wire unused = &{1'b0, may_addr, may_wmask, may_rdata, may_wdata, may_paddr, paddr};

      // What is wrong now, and what was said.
      wire [7:0] now = {odd_next && trap_before, odd_next && !trap_before, odd_form, upper_half,
          writes_without, reads_without, has_before && !follows, 1'b0};
      reg [7:0] said_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          said_q <= 8'd0;
        end else if (rvfi_valid_i[k] === 1'bx || (valid && unknown)) begin
          if (!said_q[0]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("X at the retire port; ");
            $display("reset the core, or tie what it does not have");
          end
          said_q[0] <= 1'b1;
`ifdef EAR_ASSERT_STOP
          $stop;
`endif
        end else if (valid) begin
          if (now[1] && !said_q[1]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("rvfi_order jumped from %0d; ", order_before);
            $display(
                "entries are lost, or the core does not count them: COUNT_ORDER 1 of ear_rvfi");
          end
          if (now[2] && !said_q[2]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("rvfi_mem_rmask is set, but opcode %h reads nothing; ", insn);
            $display("OPCODE_READS 1");
          end
          if (now[3] && !said_q[3]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("rvfi_mem_wmask is set, but opcode %h writes nothing; ", insn);
            $display("zero it in the adapter");
          end
          if (now[4] && !said_q[4]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("compressed opcode %h has an upper half; ", insn);
            $display("zero it in the adapter");
          end
          if (now[5] && !said_q[5]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("the entry of opcode %h is not in its normal form; ", insn);
            $display("NORMALIZE 1");
          end
          if (now[6] && !said_q[6]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("pc is %h, but rvfi_pc_wdata of the entry before was %h; ", pc, next);
            $display("give the address of the next instruction");
          end
          if (now[7] && !said_q[7]) begin
            $write("EAR_ASSERT: order %0d: ", at);
            $write("pc is %h, but rvfi_pc_wdata of the trap before was %h; ", pc, next);
            $display("give the address of the handler");
          end
          said_q <= said_q | now;
`ifdef EAR_ASSERT_STOP
          if (now != 8'd0) $stop;
`endif
        end
      end
    end
  endgenerate

  // The entry that was last, stall and end. A core that is reset may begin anywhere.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      held_q <= 32'd0;
      held_most_q <= STALL_SLACK;
      quiet_q <= 32'd0;
      after_q <= 32'd0;
      quiet_said_q <= 1'b0;
      after_said_q <= 1'b0;
    end else begin
      if (any) begin
        seen_q <= 1'b1;
        order_q <= rvfi_valid_i[NRET-1] ? rvfi_order_i[64*(NRET-1)+:64] : rvfi_order_i[63:0];
        next_q <= rvfi_valid_i[NRET-1] ? rvfi_pc_wdata_i[XLEN*(NRET-1)+:XLEN] :
            rvfi_pc_wdata_i[XLEN-1:0];
        trap_q <= rvfi_valid_i[NRET-1] ? rvfi_trap_i[NRET-1] || rvfi_ext_irq_i[NRET-1] :
            rvfi_trap_i[0] || rvfi_ext_irq_i[0];
      end
      if (core_reset_i && !any) seen_q <= 1'b0;

      held_q <= held;
      if (held > held_most_q) begin
        $write("EAR_ASSERT: order %0d: ", order);
        $write("%0d entries retired while stall_o was high; ", held);
        $display("STALL_SLACK %0d or more", held);
        held_most_q <= held;
`ifdef EAR_ASSERT_STOP
        $stop;
`endif
      end

      if (!ended_i) begin
        quiet_q <= 32'd0;
        after_q <= 32'd0;
      end else if (!stall_i) begin
        quiet_q <= any ? 32'd0 : quiet_q + 32'd1;
        after_q <= after_q + 32'd1;
      end
      if (ended_i && any && after_q != 32'd0 && quiet_q + 32'd1 > ENDED_CLOCKS &&
          !quiet_said_q) begin
        $write("EAR_ASSERT: order %0d: ", order);
        $write("an entry %0d clocks after ended_i and the last entry; ", quiet_q);
        $display("ENDED_CLOCKS more than that, or raise ended_i later");
        quiet_said_q <= 1'b1;
`ifdef EAR_ASSERT_STOP
        $stop;
`endif
      end
      if (ended_i && any && ENDED_CLOCKS != 0 && after_q >= 16 * ENDED_CLOCKS &&
          !after_said_q) begin
        $write("EAR_ASSERT: order %0d: ", order);
        $write("the core still retires %0d clocks after ended_i; ", after_q);
        $display("hold it, or raise ended_i later");
        after_said_q <= 1'b1;
`ifdef EAR_ASSERT_STOP
        $stop;
`endif
      end
    end
  end
endmodule
`default_nettype wire
