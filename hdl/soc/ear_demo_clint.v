// SPDX-License-Identifier: Apache-2.0
// Timer and software interrupt of the demo system, at the addresses that the `virt` machine of
// QEMU uses for its CLINT, so that one program runs on both.
//
//   0x0000  msip      bit 0: software interrupt pending
//   0x4000  mtimecmp  64 bits; the timer interrupt is pending while mtime >= mtimecmp
//   0xbff8  mtime     64 bits, counts clock cycles divided by TIME_DIVIDE; not those in which the
//                     capture unit holds the core, so that a program cannot see them
// All other words read as zero. After reset mtimecmp is all ones: no interrupt.
`default_nettype none
module ear_demo_clint #(
    parameter TIMER       = 1,  // 1: with mtime and mtimecmp; 0: they read as 0, no timer interrupt
    parameter TIME_DIVIDE = 5   // clock cycles for one count of mtime, 1 .. 256
) (
    input  wire        clk_i,
    input  wire        rst_ni,
    input  wire        valid_i,         // access this cycle; the answer is there in the next
    input  wire [15:0] address_i,       // offset of a word
    input  wire        write_i,
    input  wire [31:0] wmask_i,         // bits to write
    input  wire [31:0] wdata_i,
    output reg  [31:0] rdata_o,
    input  wire        hold_i,          // the core is held: time stops
    output wire [63:0] time_o,
    output wire        irq_software_o,
    output wire        irq_timer_o
);
  localparam [15:0] MSIP = 16'h0000;
  localparam [15:0] MTIMECMP = 16'h4000;
  localparam [15:0] MTIMECMP_HIGH = 16'h4004;
  localparam [15:0] MTIME = 16'hbff8;
  localparam [15:0] MTIME_HIGH = 16'hbffc;

  reg [63:0] mtime_q;
  reg [63:0] mtimecmp_q;
  reg msip_q;
  reg irq_timer_q;
  reg [7:0] divide_q;

  wire tick = {24'd0, divide_q} == TIME_DIVIDE - 1;

  function [31:0] merge(input [31:0] old, input [31:0] new_bits, input [31:0] mask);
    merge = (old & ~mask) | (new_bits & mask);
  endfunction

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mtime_q <= 64'd0;
      mtimecmp_q <= {64{1'b1}};
      msip_q <= 1'b0;
      irq_timer_q <= 1'b0;
      divide_q <= 8'd0;
      rdata_o <= 32'd0;
    end else begin
      if (TIMER != 0 && !hold_i) begin
        divide_q <= tick ? 8'd0 : divide_q + 8'd1;
        if (tick) mtime_q <= mtime_q + 64'd1;
        irq_timer_q <= mtime_q >= mtimecmp_q;
      end

      if (valid_i && write_i && address_i == MSIP) begin
        if (wmask_i[0]) msip_q <= wdata_i[0];
      end
      if (valid_i && write_i && TIMER != 0) begin
        case (address_i)
          MTIMECMP: mtimecmp_q[31:0] <= merge(mtimecmp_q[31:0], wdata_i, wmask_i);
          MTIMECMP_HIGH: mtimecmp_q[63:32] <= merge(mtimecmp_q[63:32], wdata_i, wmask_i);
          MTIME: mtime_q[31:0] <= merge(mtime_q[31:0], wdata_i, wmask_i);
          MTIME_HIGH: mtime_q[63:32] <= merge(mtime_q[63:32], wdata_i, wmask_i);
          default: ;
        endcase
      end
      if (valid_i) begin
        case (address_i)
          MSIP: rdata_o <= {31'd0, msip_q};
          MTIMECMP: rdata_o <= TIMER != 0 ? mtimecmp_q[31:0] : 32'd0;
          MTIMECMP_HIGH: rdata_o <= TIMER != 0 ? mtimecmp_q[63:32] : 32'd0;
          MTIME: rdata_o <= mtime_q[31:0];
          MTIME_HIGH: rdata_o <= mtime_q[63:32];
          default: rdata_o <= 32'd0;
        endcase
      end
    end
  end

  assign time_o = mtime_q;
  assign irq_software_o = msip_q;
  assign irq_timer_o = irq_timer_q;
endmodule
`default_nettype wire
