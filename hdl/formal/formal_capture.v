// SPDX-License-Identifier: Apache-2.0
// Properties of ear_capture, proved for every sequence of inputs (one and two channels):
//
//   1. In each clock, what retired = what was filtered + lost + pushed as a record: no entry is
//      counted twice and none is forgotten.
//   2. Never is more pushed than the FIFO has room for.
//   3. A LOST marker says exactly how many records were lost since the one before, the order of the
//      first and of the last of them, and never 0. While records are owed to a LOST marker a gap is
//      open, and the STOP marker comes only when nothing is owed (asserted inside ear_capture).
//   4. With policy stall the core is held while a gap is open or an event waits for a slot, from
//      the clock after the one in which that began. So a core that stops too late loses no more
//      than what came too late, and one that retires in every clock does not starve an event.
//   5. A gap ends in the first clock in which the FIFO is empty and, with policy drop, the payload
//      buffer has drained.
`include "ear_entry.vh"
`default_nettype none
module formal_capture #(
    parameter NRET = 1
) (
    input wire            clk_i,
    input wire [NRET-1:0] valid_i,
    input wire [NRET*64-1:0] order_i,
    input wire [NRET-1:0] pass_i,
    input wire [NRET-1:0] start_match_i,
    input wire [NRET-1:0] stop_match_i,
    input wire            ended_i,
    input wire            pin_i,
    input wire            enable_i,
    input wire            drop_i,
    input wire [     3:0] start_kind_i,
    input wire [     3:0] stop_kind_i,
    input wire            event_valid_i,
    input wire [    15:0] free_i,
    input wire [    63:0] held_i,
    input wire            drained_i,
    input wire            stop_sent_i
);
  localparam BODY = 193;
  localparam ENTRY = BODY + `EAR_ENTRY_HEAD_WIDTH;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire [1:0] retired;
  wire [1:0] lost;
  wire [1:0] filtered;
  wire on;
  wire losing;
  wire event_ready;  // while a capture is on: no event waits
  wire stall;
  wire [1:0] push_count;
  wire [NRET*ENTRY-1:0] push_data;

  wire [NRET*BODY-1:0] body;
  genvar k;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_body
      assign body[k*BODY+:BODY] = {{(BODY - 64) {1'b0}}, order_i[k*64+:64]};
    end
  endgenerate

  ear_capture #(
      .NRET(NRET),
      .BODY(BODY),
      .HELD(1),
      .TIME(0)
  ) u_capture (
      .rst_ni       (started_q),
      .start_value_i(64'd3),
      .stop_value_i (64'd5),
      .empty_i      (free_i == 16'd16),
      .event_ready_o(event_ready),
      // generate: connect ear_capture tied last
      .clk_i(clk_i), .valid_i(valid_i), .body_i(body), .pass_i(pass_i),
      .start_match_i(start_match_i), .stop_match_i(stop_match_i), .ended_i(ended_i), .pin_i(pin_i),
      .enable_i(enable_i), .drop_i(drop_i), .start_kind_i(start_kind_i), .stop_kind_i(stop_kind_i),
      .begin_o(), .finished_o(), .idle_o(), .armed_o(), .on_o(on), .losing_o(losing),
      .event_valid_i(event_valid_i), .event_data_i(32'd0), .mismatch_valid_i(1'b0),
      .mismatch_order_i(32'd0), .mismatch_ready_o(), .mismatch_seen_i(1'b0), .port_valid_i(1'b0),
      .port_ready_o(), .port_source_i(8'd0), .port_value_i(32'd0), .port_order_i(64'd0),
      .port_waits_i(1'b0), .port_late_i(1'b0), .port_close_o(), .roomy_o(), .next_order_o(),
      .time_i(64'd0), .retired_o(retired), .lost_o(lost), .filtered_o(filtered), .running_o(),
      .held_o(), .held_i(held_i), .push_count_o(push_count), .push_data_o(push_data),
      .free_i(free_i), .drained_i(drained_i), .stop_sent_i(stop_sent_i), .stall_o(stall)
      // generate: end
  );

  reg held_q = 1'b0;   // the core must be held in this clock
  reg ended_q = 1'b0;  // the gap must have ended by now
  always @(posedge clk_i) begin
    held_q <= started_q && on && enable_i && !drop_i && (losing || !event_ready);
    ended_q <= started_q && on && losing && free_i == 16'd16 && (drained_i || !drop_i);
  end

  reg [1:0] records;
  reg       lost_marker;
  reg       stop_marker;
  reg [63:0] loss_marked;
  integer j;
  always @* begin
    records = 2'd0;
    lost_marker = 1'b0;
    stop_marker = 1'b0;
    loss_marked = 64'd0;
    for (j = 0; j < NRET; j = j + 1) begin
      if (j < push_count) begin
        if (push_data[j*ENTRY+:2] == `EAR_ENTRY_RECORD) records = records + 2'd1;
        if (push_data[j*ENTRY+:2] == `EAR_ENTRY_LOST) begin
          lost_marker = 1'b1;
          loss_marked = push_data[j*ENTRY+`EAR_ENTRY_HEAD_WIDTH+64+:64];
        end
        if (push_data[j*ENTRY+:2] == `EAR_ENTRY_STOP) stop_marker = 1'b1;
      end
    end
  end

  always @* begin
    assume (free_i <= 16'd16);
    if (started_q) begin
      assert (retired == filtered + lost + records);
      assert ({14'd0, push_count} <= free_i);
      assert (!lost_marker || loss_marked != 64'd0);
      assert (!(lost_marker && stop_marker));
      assert (!held_q || stall);
      assert (!ended_q || !losing);
    end
  end
endmodule
`default_nettype wire
