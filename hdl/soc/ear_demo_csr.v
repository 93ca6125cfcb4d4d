// SPDX-License-Identifier: Apache-2.0
// Control and status registers, interrupts and counters of the demo core.
//
// Machine mode is the only mode, so mstatus keeps MIE and MPIE and its MPP always reads 3.
// All outputs that describe "the value afterwards" are what a csrr right after would read: the
// retire port reports those. Registers and their reset values are in the RISC-V privileged
// specification; a number that is not listed here does not exist and traps.
`default_nettype none
module ear_demo_csr #(
    parameter [31:0] HART_ID  = 32'd0,  // value of mhartid
    parameter        MULDIV   = 1,      // 1: misa shows the M extension
    parameter        COUNTERS = 1       // 1: mcycle and minstret count; 0: they read as 0
) (
    input wire clk_i,
    input wire rst_ni,

    // A CSR instruction: read address_i; write_i commits write_value_i.
    input  wire [11:0] address_i,
    input  wire        write_i,
    input  wire [31:0] write_value_i,
    output reg  [31:0] read_value_o,
    output reg         exists_o,
    output reg  [31:0] new_value_o,    // what the register reads after the write

    // Trap entry and return, each for the one cycle in which it commits.
    input  wire        trap_i,
    input  wire [31:0] trap_cause_i,
    input  wire [31:0] trap_pc_i,       // goes to mepc
    input  wire [31:0] trap_value_i,    // goes to mtval
    input  wire        mret_i,
    output wire [31:0] trap_target_o,   // where the trap with trap_cause_i goes
    output wire [31:0] mepc_o,
    output wire [31:0] mstatus_trap_o,  // mstatus after a trap
    output wire [31:0] mstatus_mret_o,  // mstatus after mret

    // Interrupt lines, and what they ask of the core.
    input  wire        irq_external_i,
    input  wire        irq_software_i,
    input  wire        irq_timer_i,
    output wire        irq_take_o,      // an enabled interrupt is pending and MIE is set
    output wire        irq_wake_o,      // the same without MIE: ends wfi
    output wire [31:0] irq_cause_o,

    input wire        hold_i,    // mcycle does not count
    input wire [63:0] time_i,    // mtime, for the time CSR
    input wire        retired_i  // one instruction retired without a trap
);
  localparam [31:0] MISA = MULDIV != 0 ? 32'h4000_1104 : 32'h4000_0104;  // RV32 I, C and M

  localparam [11:0] CSR_MSTATUS = 12'h300;
  localparam [11:0] CSR_MISA = 12'h301;
  localparam [11:0] CSR_MIE = 12'h304;
  localparam [11:0] CSR_MTVEC = 12'h305;
  localparam [11:0] CSR_MSTATUSH = 12'h310;
  localparam [11:0] CSR_MCOUNTINHIBIT = 12'h320;
  localparam [11:0] CSR_MSCRATCH = 12'h340;
  localparam [11:0] CSR_MEPC = 12'h341;
  localparam [11:0] CSR_MCAUSE = 12'h342;
  localparam [11:0] CSR_MTVAL = 12'h343;
  localparam [11:0] CSR_MIP = 12'h344;
  localparam [11:0] CSR_MCYCLE = 12'hb00;
  localparam [11:0] CSR_MINSTRET = 12'hb02;
  localparam [11:0] CSR_MCYCLEH = 12'hb80;
  localparam [11:0] CSR_MINSTRETH = 12'hb82;
  localparam [11:0] CSR_CYCLE = 12'hc00;
  localparam [11:0] CSR_TIME = 12'hc01;
  localparam [11:0] CSR_INSTRET = 12'hc02;
  localparam [11:0] CSR_CYCLEH = 12'hc80;
  localparam [11:0] CSR_TIMEH = 12'hc81;
  localparam [11:0] CSR_INSTRETH = 12'hc82;
  localparam [11:0] CSR_MVENDORID = 12'hf11;
  localparam [11:0] CSR_MARCHID = 12'hf12;
  localparam [11:0] CSR_MIMPID = 12'hf13;
  localparam [11:0] CSR_MHARTID = 12'hf14;
  localparam [11:0] CSR_MCONFIGPTR = 12'hf15;

  reg mie_q;  // mstatus.MIE
  reg mpie_q;  // mstatus.MPIE
  reg [2:0] enable_q;  // mie: external, timer, software
  reg [31:0] mtvec_q;
  reg [1:0] inhibit_q;  // mcountinhibit: IR, CY
  reg [31:0] mscratch_q;
  reg [31:0] mepc_q;
  reg [31:0] mcause_q;
  reg [31:0] mtval_q;
  reg [63:0] mcycle_q;
  reg [63:0] minstret_q;

  function [31:0] mstatus_word(input mpie, input mie);
    mstatus_word = {19'b0, 2'b11, 3'b0, mpie, 3'b0, mie, 3'b0};
  endfunction

  // The layout that mie and mip share.
  function [31:0] irq_word(input [2:0] bits);
    irq_word = {20'b0, bits[2], 3'b0, bits[1], 3'b0, bits[0], 3'b0};
  endfunction

  wire [ 2:0] pending = {irq_external_i, irq_timer_i, irq_software_i};
  wire [ 2:0] pending_enabled = pending & enable_q;

  wire [31:0] mstatus = mstatus_word(mpie_q, mie_q);

  // The hardware performance counters and their event selectors: all exist, all read as zero.
  wire        is_hpm = address_i[4:0] > 5'd2 &&
                       (address_i[11:5] == 7'h19 || address_i[11:5] == 7'h58 ||
                        address_i[11:5] == 7'h5c);

  // new_value_o is the value of address_i after write_value_i is written to it.
  always @* begin
    exists_o = 1'b1;
    read_value_o = 32'd0;
    new_value_o = 32'd0;
    case (address_i)
      CSR_MSTATUS: begin
        read_value_o = mstatus;
        new_value_o  = mstatus_word(write_value_i[7], write_value_i[3]);
      end
      CSR_MISA: begin
        read_value_o = MISA;
        new_value_o  = MISA;
      end
      CSR_MIE: begin
        read_value_o = irq_word(enable_q);
        new_value_o  = irq_word({write_value_i[11], write_value_i[7], write_value_i[3]});
      end
      CSR_MTVEC: begin
        // Modes 2 and 3 are reserved: such a write changes nothing.
        read_value_o = mtvec_q;
        new_value_o  = write_value_i[1] ? mtvec_q : write_value_i;
      end
      CSR_MCOUNTINHIBIT: begin
        read_value_o = {29'b0, inhibit_q[1], 1'b0, inhibit_q[0]};
        new_value_o  = {29'b0, write_value_i[2], 1'b0, write_value_i[0]};
      end
      CSR_MSCRATCH: begin
        read_value_o = mscratch_q;
        new_value_o  = write_value_i;
      end
      CSR_MEPC: begin
        read_value_o = mepc_q;
        new_value_o  = {write_value_i[31:1], 1'b0};
      end
      CSR_MCAUSE: begin
        read_value_o = mcause_q;
        new_value_o  = write_value_i;
      end
      CSR_MTVAL: begin
        read_value_o = mtval_q;
        new_value_o  = write_value_i;
      end
      CSR_MIP: begin
        // The three pending bits follow their lines and cannot be written.
        read_value_o = irq_word(pending);
        new_value_o  = irq_word(pending);
      end
      CSR_MCYCLE, CSR_CYCLE: begin
        read_value_o = mcycle_q[31:0];
        new_value_o  = COUNTERS != 0 ? write_value_i : 32'd0;
      end
      CSR_MCYCLEH, CSR_CYCLEH: begin
        read_value_o = mcycle_q[63:32];
        new_value_o  = COUNTERS != 0 ? write_value_i : 32'd0;
      end
      CSR_MINSTRET, CSR_INSTRET: begin
        read_value_o = minstret_q[31:0];
        new_value_o  = COUNTERS != 0 ? write_value_i : 32'd0;
      end
      CSR_MINSTRETH, CSR_INSTRETH: begin
        read_value_o = minstret_q[63:32];
        new_value_o  = COUNTERS != 0 ? write_value_i : 32'd0;
      end
      CSR_TIME: read_value_o = time_i[31:0];
      CSR_TIMEH: read_value_o = time_i[63:32];
      CSR_MHARTID: read_value_o = HART_ID;
      CSR_MSTATUSH, CSR_MVENDORID, CSR_MARCHID, CSR_MIMPID, CSR_MCONFIGPTR: read_value_o = 32'd0;
      default: exists_o = is_hpm;
    endcase
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mie_q <= 1'b0;
      mpie_q <= 1'b0;
      enable_q <= 3'b0;
      mtvec_q <= 32'd0;
      inhibit_q <= 2'b0;
      mscratch_q <= 32'd0;
      mepc_q <= 32'd0;
      mcause_q <= 32'd0;
      mtval_q <= 32'd0;
    end else if (trap_i) begin
      mie_q <= 1'b0;
      mpie_q <= mie_q;
      mepc_q <= trap_pc_i;
      mcause_q <= trap_cause_i;
      mtval_q <= trap_value_i;
    end else if (mret_i) begin
      mie_q  <= mpie_q;
      mpie_q <= 1'b1;
    end else if (write_i) begin
      case (address_i)
        CSR_MSTATUS: {mpie_q, mie_q} <= {new_value_o[7], new_value_o[3]};
        CSR_MIE: enable_q <= {new_value_o[11], new_value_o[7], new_value_o[3]};
        CSR_MTVEC: mtvec_q <= new_value_o;
        CSR_MCOUNTINHIBIT: inhibit_q <= {new_value_o[2], new_value_o[0]};
        CSR_MSCRATCH: mscratch_q <= new_value_o;
        CSR_MEPC: mepc_q <= new_value_o;
        CSR_MCAUSE: mcause_q <= new_value_o;
        CSR_MTVAL: mtval_q <= new_value_o;
        default: ;
      endcase
    end
  end

  // A write to half of a counter wins over counting in that cycle.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mcycle_q   <= 64'd0;
      minstret_q <= 64'd0;
    end else begin
      if (COUNTERS == 0) mcycle_q <= 64'd0;
      else if (write_i && address_i == CSR_MCYCLE) mcycle_q[31:0] <= write_value_i;
      else if (write_i && address_i == CSR_MCYCLEH) mcycle_q[63:32] <= write_value_i;
      else if (!inhibit_q[0] && !hold_i) mcycle_q <= mcycle_q + 64'd1;

      if (COUNTERS == 0) minstret_q <= 64'd0;
      else if (write_i && address_i == CSR_MINSTRET) minstret_q[31:0] <= write_value_i;
      else if (write_i && address_i == CSR_MINSTRETH) minstret_q[63:32] <= write_value_i;
      else if (!inhibit_q[1] && retired_i) minstret_q <= minstret_q + 64'd1;
    end
  end

  // Order of priority: external, software, timer.
  wire [3:0] irq_code = pending_enabled[2] ? 4'd11 : pending_enabled[0] ? 4'd3 : 4'd7;

  assign irq_wake_o = |pending_enabled;
  assign irq_take_o = irq_wake_o && mie_q;
  assign irq_cause_o = {1'b1, 27'b0, irq_code};

  // In vectored mode (bit 0) interrupts, and only they, go to base + 4 * cause.
  wire [31:0] base = {mtvec_q[31:2], 2'b00};
  wire is_vectored = mtvec_q[0] && trap_cause_i[31];
  assign trap_target_o  = base + (is_vectored ? {26'b0, trap_cause_i[3:0], 2'b00} : 32'd0);

  assign mepc_o         = mepc_q;
  assign mstatus_trap_o = mstatus_word(mie_q, 1'b0);
  assign mstatus_mret_o = mstatus_word(1'b1, mpie_q);
endmodule
`default_nettype wire
