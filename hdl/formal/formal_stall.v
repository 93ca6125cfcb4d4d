// SPDX-License-Identifier: Apache-2.0
// Property of ear_capture with policy stall, proved for every sequence of inputs, one and two
// channels:
//
//   No record is lost, if the core keeps its word: while stall_o is high it retires at most
//   STALL_SLACK more entries.
//
// This is what the threshold of the stall rests on: entries on their way from the port, and an
// event that takes a slot. The record FIFO is the smallest that ear_unit takes for these
// parameters.
//
// What the induction needs beside: with stall_o high the FIFO has room for what is on its way and
// what the slack allows still; with stall_o low, for that and for one clock more and an event.
`include "ear_entry.vh"
`default_nettype none
module formal_stall #(
    parameter NRET = 1
) (
    input wire            clk_i,
    input wire [NRET-1:0] retire_i,      // what the core would like
    input wire [NRET-1:0] pass_i,
    input wire [NRET-1:0] start_match_i,
    input wire [NRET-1:0] stop_match_i,
    input wire            ended_i,
    input wire            pin_i,
    input wire            enable_i,
    input wire [     3:0] start_kind_i,
    input wire [     3:0] stop_kind_i,
    input wire            event_valid_i,
    input wire            pop_i,
    input wire            stop_sent_i
);
  localparam BODY = 193;
  localparam LATENCY = 2;
  localparam [2:0] SLACK = NRET == 1 ? 3'd0 : 3'd3;
  localparam [15:0] DEPTH = NRET == 1 ? 16'd16 : 16'd32;
  localparam [15:0] CLOCK = NRET;  // entries of a clock

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  // The core, and the stages between port and capture.
  wire stall;
  reg  [2:0] used_q = 3'd0;  // entries since stall_o rose
  reg  [2:0] used;
  reg  [NRET-1:0] retired;
  reg  [NRET-1:0] stage1_q = {NRET{1'b0}};
  reg  [NRET-1:0] stage2_q = {NRET{1'b0}};
  integer k;
  always @* begin
    used = stall ? used_q : 3'd0;
    for (k = 0; k < NRET; k = k + 1) begin
      retired[k] = started_q && retire_i[k] && (!stall || used < SLACK);
      if (stall && retired[k]) used = used + 3'd1;
    end
  end
  always @(posedge clk_i) begin
    used_q <= used;
    stage1_q <= retired;
    stage2_q <= stage1_q;
  end
  reg [15:0] on_the_way;
  always @* begin
    on_the_way = 16'd0;
    for (k = 0; k < NRET; k = k + 1)
      on_the_way = on_the_way + {15'd0, stage1_q[k]} + {15'd0, stage2_q[k]};
  end

  // The record FIFO.
  wire [1:0] push_count;
  reg [15:0] count_q = 16'd0;
  wire [15:0] room = DEPTH - count_q;
  always @(posedge clk_i)
    count_q <= count_q + {14'd0, push_count} - {15'd0, pop_i && count_q != 16'd0};

  wire idle;
  wire armed;
  wire on;
  wire losing;
  wire [1:0] lost;

  ear_capture #(
      .NRET       (NRET),
      .BODY       (BODY),
      .TIME       (0),
      .LATENCY    (LATENCY),
      .STALL_SLACK(SLACK)
  ) u_capture (
      .rst_ni       (started_q),
      .valid_i      (stage2_q),
      .body_i       ({NRET * BODY{1'b0}}),
      .start_value_i(64'd3),
      .stop_value_i (64'd5),
      .free_i       (room),
      .empty_i      (count_q == 16'd0),
      .drained_i    (1'b1),
      .stop_sent_i  (stop_sent_i && count_q == 16'd0),
      .retired_o    (),
      // generate: connect ear_capture tied last
      .clk_i(clk_i), .pass_i(pass_i), .start_match_i(start_match_i), .stop_match_i(stop_match_i),
      .ended_i(ended_i), .pin_i(pin_i), .enable_i(enable_i), .drop_i(1'b0),
      .start_kind_i(start_kind_i), .stop_kind_i(stop_kind_i), .begin_o(), .finished_o(),
      .idle_o(idle), .armed_o(armed), .on_o(on), .losing_o(losing), .event_valid_i(event_valid_i),
      .event_data_i(32'd0), .event_ready_o(), .mismatch_valid_i(1'b0), .mismatch_order_i(32'd0),
      .mismatch_ready_o(), .mismatch_seen_i(1'b0), .port_valid_i(1'b0), .port_ready_o(),
      .port_source_i(8'd0), .port_value_i(32'd0), .port_order_i(64'd0), .port_waits_i(1'b0),
      .port_late_i(1'b0), .port_close_o(), .roomy_o(), .next_order_o(), .time_i(64'd0),
      .lost_o(lost), .filtered_o(), .running_o(), .held_o(), .held_i(64'd0),
      .push_count_o(push_count), .push_data_o(), .stall_o(stall)
      // generate: end
  );

  always @* begin
    if (started_q) begin
      assert (lost == 2'd0);
      assert (!losing);
      // For the induction.
      assert (used_q <= SLACK);
      assert (count_q <= DEPTH);
      if (idle || armed) assert (count_q == 16'd0);
      if (on && !stall) assert (room >= CLOCK * (LATENCY + 1) + {13'd0, SLACK} + 16'd1);
      if (on && stall) assert (room >= on_the_way + {13'd0, SLACK} - {13'd0, used_q});
    end
  end
endmodule
`default_nettype wire
