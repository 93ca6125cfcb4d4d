// SPDX-License-Identifier: Apache-2.0
// Properties of the event port, from the bus to the record FIFO, proved for every sequence of
// inputs, for a bus that can wait and for one that cannot (WAIT 0):
//
//   1. No event is lost without being counted: each store to a known register that the bus saw
//      taken while a capture runs is in a marker, counted in a PORT_LOST marker, owed to the next
//      one, or still waiting here (asserted inside ear_port_events).
//   2. No marker is pushed into a FIFO without room, and none while STOP is or after it: when STOP
//      goes into the FIFO nothing waits and nothing is owed.
//   3. With policy stall and a bus that can wait no event is lost.
//   4. Events keep their order: the one at hand is pushed before another one is taken (asserted
//      inside ear_port_events).
//   5. With policy drop no record of an entry that retires after an event is pushed before the
//      event's marker.
//
// In the clock in which an event is due no entry retires: the core keeps its word
// (docs/event-port.md, section 3).
`include "ear_entry.vh"
`include "ear_protocol.vh"
`default_nettype none
module formal_port #(
    parameter WAIT = 0
) (
    input wire        clk_i,
    input wire        valid_i,
    input wire        pass_i,
    input wire        ended_i,
    input wire        enable_i,
    input wire        drop_i,
    input wire [15:0] free_i,
    input wire        drained_i,
    input wire        stop_sent_i,
    input wire        port_valid_i,
    input wire [12:0] port_address_i,
    input wire [ 3:0] port_wmask_i
);
  localparam BODY = 193;
  localparam ENTRY = BODY + `EAR_ENTRY_HEAD_WIDTH;

  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire on;
  wire begins;
  wire stall;
  wire port_ready;
  wire event_valid;
  wire event_ready;
  wire [6:0] event_number;
  wire [31:0] event_data;
  wire event_unknown;
  wire marker_valid;
  wire marker_ready;
  wire [7:0] marker_source;
  wire [31:0] marker_value;
  wire [63:0] marker_order;
  wire waits;
  wire late;
  wire closes;
  wire roomy;
  wire [63:0] next_order;
  wire [31:0] lost;
  wire [31:0] unknown;
  wire [1:0] push_count;
  wire [ENTRY-1:0] push_data;

  ear_event_port #(
      .WAIT(WAIT)
  ) u_event_port (
      .rst_ni   (started_q),
      .unknown_o(event_unknown),
      // generate: connect ear_event_port tied last
      .clk_i(clk_i), .port_valid_i(port_valid_i), .port_address_i(port_address_i),
      .port_wmask_i(port_wmask_i), .port_wdata_i(32'd0), .port_ready_o(port_ready), .port_rdata_o(),
      .on_i(on), .stall_i(stall), .event_valid_o(event_valid), .event_ready_i(event_ready),
      .event_number_o(event_number), .event_data_o(event_data)
      // generate: end
  );

  ear_port_events #(
      .WAIT(WAIT)
  ) u_port_events (
      .rst_ni   (started_q),
      .unknown_i(event_unknown),
      .begin_i  (begins),
      .close_i  (closes),
      // generate: connect ear_port_events tied last
      .clk_i(clk_i), .event_valid_i(event_valid), .event_ready_o(event_ready),
      .event_number_i(event_number), .event_data_i(event_data), .drop_i(drop_i), .roomy_i(roomy),
      .next_order_i(next_order), .marker_valid_o(marker_valid), .marker_ready_i(marker_ready),
      .marker_source_o(marker_source), .marker_value_o(marker_value), .marker_order_o(marker_order),
      .waits_o(waits), .late_o(late), .lost_o(lost), .unknown_o(unknown)
      // generate: end
  );

  ear_capture #(
      .BODY(BODY),
      .TRIGGER(0),
      .PORT(WAIT == 0 ? 2 : 1),
      .TIME(0)
  ) u_capture (
      .rst_ni       (started_q),
      .body_i       ({BODY{1'b0}}),
      .begin_o      (begins),
      .event_valid_i(1'b0),
      .event_data_i (32'd0),
      .port_valid_i (marker_valid),
      .port_ready_o (marker_ready),
      .port_source_i(marker_source),
      .port_value_i (marker_value),
      .port_order_i (marker_order),
      .port_waits_i (waits),
      .port_late_i  (late),
      .port_close_o (closes),
      .empty_i      (free_i == 16'd32),
      .start_match_i(1'b0),
      .stop_match_i (1'b0),
      .event_ready_o(),
      .lost_o       (),
      // generate: connect ear_capture tied last
      .clk_i(clk_i), .valid_i(valid_i), .pass_i(pass_i), .ended_i(ended_i), .pin_i(1'b0),
      .enable_i(enable_i), .drop_i(drop_i), .start_kind_i(4'd0), .start_value_i(64'd0),
      .stop_kind_i(4'd0), .stop_value_i(64'd0), .finished_o(), .idle_o(), .armed_o(), .on_o(on),
      .losing_o(), .mismatch_valid_i(1'b0), .mismatch_order_i(32'd0), .mismatch_ready_o(),
      .mismatch_seen_i(1'b0), .roomy_o(roomy), .next_order_o(next_order), .time_i(64'd0),
      .retired_o(), .filtered_o(), .running_o(), .held_o(), .held_i(64'd0),
      .push_count_o(push_count), .push_data_o(push_data), .free_i(free_i), .drained_i(drained_i),
      .stop_sent_i(stop_sent_i), .stall_o(stall)
      // generate: end
  );

  // The marker of this clock, as the FIFO gets it.
  wire [1:0] kind = push_data[1:0];
  wire [7:0] source = push_data[`EAR_ENTRY_HEAD_WIDTH+96+:8];
  wire bus_marker = push_count != 2'd0 && kind == `EAR_ENTRY_EVENT;
  wire stop_marker = push_count != 2'd0 && kind == `EAR_ENTRY_STOP;
  wire record = push_count != 2'd0 && kind == `EAR_ENTRY_RECORD;

  always @* begin
    assume (free_i <= 16'd32);
    // No entry retires in the clock in which an event is due first.
    assume (!(marker_valid && waits && !late && valid_i));
    if (started_q) begin
      // 1: what the capture takes goes into the FIFO as it is.
      assert ((marker_valid && marker_ready) == (bus_marker && source == marker_source));
      assert (!(marker_ready && !marker_valid));
      // 2
      assert ({14'd0, push_count} <= free_i);
      assert (!stop_marker || (!waits && !marker_valid));
      assert (on || event_ready || !event_valid);
      // 3
      assert (WAIT == 0 || drop_i || !event_valid || !event_ready || !waits);
      // 5
      assert (!(drop_i && late && record));
    end
  end
  wire unused = &{1'b0, port_ready, marker_value, marker_order, lost, unknown};
endmodule
`default_nettype wire
