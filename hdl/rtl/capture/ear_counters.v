// SPDX-License-Identifier: Apache-2.0
// The counters of a capture, the time, and a copy of both taken at one instant.
//
// The host reads the copy (COMMAND.SNAPSHOT), because four 64-bit counters cannot be read at once.
// STOP uses the counters themselves; they do not change while it is written.
//
// On a small FPGA the counters can be shorter, and the copy left out: the host then reads the
// counters themselves.
`default_nettype none
module ear_counters #(
    parameter TIME         = 1,
    parameter COUNTER_BITS = 64,  // of the four counts, 32 to 64; they wrap to 0
    parameter HELD         = 0,   // 1: held clocks are counted, and are no time
    parameter SNAPSHOT     = 1,   // 1: the copy; 0: copy_o is what it would be a copy of
    parameter LATENCY      = 2    // clocks from the retire port to where time is taken
) (
    input wire clk_i,
    input wire rst_ni,

    input wire       begin_i,      // a capture begins: all but the time go to zero
    input wire [1:0] retired_i,    // to be added in this clock
    input wire       delivered_i,
    input wire [1:0] lost_i,
    input wire [1:0] filtered_i,
    input wire       held_i,       // the core was held when the entries of this clock retired
    input wire       running_i,    // and a capture runs: it counts

    // Clocks since reset, as of the retire port of the entries that are being taken.
    output wire [63:0] time_o,

    output wire [63:0] retired_o,
    output wire [63:0] delivered_o,
    output wire [63:0] lost_o,
    output wire [63:0] filtered_o,
    output wire [63:0] held_o,

    // The copy: held, time, filtered, lost, delivered, retired; retired in the low bits.
    input  wire         snapshot_i,
    output wire [383:0] copy_o
);
  localparam [63:0] LATENCY_64 = LATENCY;
  localparam [63:0] MASK = {64{1'b1}} >> (64 - COUNTER_BITS);

  reg [63:0] retired_q;
  reg [63:0] delivered_q;
  reg [63:0] lost_q;
  reg [63:0] filtered_q;

  generate
    if (TIME != 0) begin : gen_time
      reg [63:0] time_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) time_q <= 64'd0 - LATENCY_64;
        else if (HELD == 0 || !held_i) time_q <= time_q + 64'd1;
      end
      assign time_o = time_q;
    end else begin : gen_no_time
      assign time_o = 64'd0;
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      retired_q <= 64'd0;
      delivered_q <= 64'd0;
      lost_q <= 64'd0;
      filtered_q <= 64'd0;
    end else if (begin_i) begin
      retired_q <= 64'd0;
      delivered_q <= 64'd0;
      lost_q <= 64'd0;
      filtered_q <= 64'd0;
    end else begin
      retired_q <= (retired_q + {62'd0, retired_i}) & MASK;
      delivered_q <= (delivered_q + {63'd0, delivered_i}) & MASK;
      lost_q <= (lost_q + {62'd0, lost_i}) & MASK;
      filtered_q <= (filtered_q + {62'd0, filtered_i}) & MASK;
    end
  end

  generate
    if (HELD != 0) begin : gen_held
      reg [63:0] held_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) held_q <= 64'd0;
        else if (begin_i) held_q <= 64'd0;
        else if (held_i && running_i) held_q <= (held_q + 64'd1) & MASK;
      end
      assign held_o = held_q;
    end else begin : gen_not_held
      wire unused = &{1'b0, held_i, running_i};
      assign held_o = 64'd0;
    end
  endgenerate

  wire [383:0] all = {held_o, time_o, filtered_q, lost_q, delivered_q, retired_q};
  generate
    if (SNAPSHOT != 0) begin : gen_copy
      reg [383:0] copy_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) copy_q <= 384'd0;
        else if (snapshot_i) copy_q <= all;
      end
      assign copy_o = copy_q;
    end else begin : gen_no_copy
      wire unused = &{1'b0, snapshot_i};
      assign copy_o = all;
    end
  endgenerate

  assign retired_o = retired_q;
  assign delivered_o = delivered_q;
  assign lost_o = lost_q;
  assign filtered_o = filtered_q;
endmodule
`default_nettype wire
