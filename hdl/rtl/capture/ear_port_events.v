// SPDX-License-Identifier: Apache-2.0
// From a store to the event port to its marker in the record FIFO: one event waits here, with the
// order of the entry that retires next.
//
// Entries come to the capture LATENCY clocks after they have retired, so an event waits as long.
// Then its marker is due, in a clock in which no entry comes (docs/event-port.md, section 3), and
// in that clock the order of the next entry is known. Without this module events would be in front
// of instructions that are older.
//
// An event that finds the one before still waiting is held at the bus, or is lost, with policy drop
// or if the bus cannot wait. What is lost is reported in a marker of its own before any later event
// is taken. Every event is pushed, reported as lost, or still here (formal_port.v).
`include "ear_protocol.vh"
`default_nettype none
module ear_port_events #(
    parameter LATENCY = 2,  // clocks from the retire port to the capture: 1 or 2
    parameter WAIT    = 4   // 0: the bus cannot wait
) (
    input wire clk_i,
    input wire rst_ni,

    // Events from ear_event_port.
    input  wire        event_valid_i,
    output wire        event_ready_o,
    input  wire [ 6:0] event_number_i,
    input  wire [31:0] event_data_i,
    input  wire        unknown_i,

    // From the capture.
    input wire        begin_i,       // a capture begins: all counts become 0
    input wire        drop_i,        // policy drop: the bus is not held
    input wire        roomy_i,       // the record FIFO has more room than a core needs to stop
    input wire        close_i,       // the capture ends: all that is owed is due
    input wire [63:0] next_order_i,  // one more than that of the last entry, this clock's included

    // A marker for the FIFO, until it is taken.
    output wire        marker_valid_o,
    input  wire        marker_ready_i,
    output wire [ 7:0] marker_source_o,
    output wire [31:0] marker_value_o,
    output wire [63:0] marker_order_o,
    output wire        waits_o,         // an event is here: the core must not make another one
    output wire        late_o,          // and its clock has passed: what retires now is behind it

    output wire [31:0] lost_o,    // of this capture
    output wire [31:0] unknown_o
);
  reg        full_q;
  reg        young_q;     // its clock has not come
  reg        late_q;
  reg [ 6:0] number_q;
  reg [31:0] data_q;
  reg [63:0] order_q;
  reg [31:0] owed_q;      // lost, and not reported
  reg [31:0] lost_q;
  reg [31:0] unknown_q;
  reg        unknown_owed_q;

  // With WAIT 0 there is room in the FIFO for what comes before the core has stopped.
  wire space = !full_q && owed_q == 32'd0 && (WAIT == 0 || drop_i || roomy_i);
  assign event_ready_o = WAIT == 0 || drop_i || space;
  wire taken = event_valid_i && space;
  wire lost = event_valid_i && event_ready_o && !space;

  wire due_event = full_q && !young_q;
  wire due_lost = !full_q && owed_q != 32'd0;
  wire due_unknown = close_i && !full_q && !due_lost && unknown_owed_q;
  wire pushed = marker_valid_o && marker_ready_i;

  assign marker_valid_o = due_event || due_lost || due_unknown;
  assign marker_source_o = due_event ? `EAR_EVENT_REGISTER | {1'b0, number_q} :
      due_lost ? `EAR_EVENT_PORT_LOST : `EAR_EVENT_PORT_UNKNOWN;
  assign marker_value_o = due_event ? data_q : due_lost ? owed_q : unknown_q;
  assign marker_order_o = due_event ? order_q : next_order_i;
  assign waits_o = full_q;
  assign late_o = late_q;
  assign lost_o = lost_q;
  assign unknown_o = unknown_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      young_q <= 1'b0;
      late_q <= 1'b0;
      owed_q <= 32'd0;
      lost_q <= 32'd0;
      unknown_q <= 32'd0;
      unknown_owed_q <= 1'b0;
    end else begin
      full_q <= taken || (full_q && !(pushed && due_event));
      young_q <= taken && LATENCY > 1;
      late_q <= due_event && !pushed;
      owed_q <= (pushed && due_lost ? 32'd0 : owed_q) + {31'd0, lost};
      lost_q <= (begin_i ? 32'd0 : lost_q) + {31'd0, lost};
      unknown_q <= (begin_i ? 32'd0 : unknown_q) + {31'd0, unknown_i};
      if (unknown_i) unknown_owed_q <= 1'b1;
      else if (begin_i || (pushed && due_unknown)) unknown_owed_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (taken) begin
      number_q <= event_number_i;
      data_q   <= event_data_i;
    end
    if (LATENCY > 1 ? young_q : taken) order_q <= next_order_i;
  end

`ifdef FORMAL
  // For hdl/formal: each event that the bus has seen taken is pushed, reported, owed or here. Fewer
  // than 2^32 stores of a capture go to a register that is not there.
  localparam LOW = 8;
  reg [LOW-1:0] seen_q;
  reg [LOW-1:0] pushed_q;
  reg [LOW-1:0] reported_q;
  reg [LOW-1:0] strange_q;  // stores of this capture to a register that is not there
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q <= {LOW{1'b0}};
      pushed_q <= {LOW{1'b0}};
      reported_q <= {LOW{1'b0}};
      strange_q <= {LOW{1'b0}};
    end else begin
      strange_q <= (begin_i ? {LOW{1'b0}} : strange_q) + {{(LOW - 1) {1'b0}}, unknown_i};
      seen_q <= seen_q + {{(LOW - 1) {1'b0}}, event_valid_i && event_ready_o};
      if (pushed && marker_source_o[7]) pushed_q <= pushed_q + 8'd1;
      if (pushed && marker_source_o == `EAR_EVENT_PORT_LOST)
        reported_q <= reported_q + marker_value_o[LOW-1:0];
    end
  end
  always @* begin
    assume (unknown_q != 32'hffff_ffff);
    if (rst_ni) begin
      assert (unknown_q[LOW-1:0] == strange_q);
      assert (!unknown_owed_q || unknown_q != 32'd0);
      assert (seen_q == pushed_q + reported_q + owed_q[LOW-1:0] + {{(LOW - 1) {1'b0}}, full_q});
      assert (!(young_q && !full_q));
      assert (!(late_q && !due_event));
      // A later event never overtakes a report: nothing is here while one is owed, but for what
      // was here before the first of them was lost.
      assert (!(taken && owed_q != 32'd0));
      assert (!(pushed && due_lost && marker_value_o == 32'd0));
      assert (WAIT == 0 || drop_i || !lost);
    end
  end
`endif
endmodule
`default_nettype wire
