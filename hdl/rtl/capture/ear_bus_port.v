// SPDX-License-Identifier: Apache-2.0
// The event port on the system's bus, if it is built: its registers (ear_event_port) and the events
// on their way to the record FIFO (ear_port_events). Without it only wires.
//
// A system without the port has to work as well: here the bus never waits and no event comes. A
// core that stores to the port would hang otherwise.
`default_nettype none
module ear_bus_port #(
    parameter EVENT_PORT = 0,  // 0: not built; 1: the user page; 2: both pages
    parameter STRINGS    = 1,  // 1: with registers for strings by value
    parameter WAIT       = 4,  // clocks that a store waits, 0 to 15
    parameter LATENCY    = 1   // clocks from the retire port to the capture
) (
    input wire clk_i,
    input wire rst_ni,

    // The bus: an access is held until ready; the answer to a read is there from the next clock on.
    input  wire        port_valid_i,
    input  wire [12:0] port_address_i,
    input  wire [ 3:0] port_wmask_i,
    input  wire [31:0] port_wdata_i,
    output wire        port_ready_o,
    output wire [31:0] port_rdata_o,

    // From the capture, and markers to it; see ear_port_events.
    input  wire        begin_i,
    input  wire        on_i,
    input  wire        stall_i,
    input  wire        drop_i,
    input  wire        roomy_i,
    input  wire        close_i,
    input  wire [63:0] next_order_i,
    output wire        marker_valid_o,
    input  wire        marker_ready_i,
    output wire [ 7:0] marker_source_o,
    output wire [31:0] marker_value_o,
    output wire [63:0] marker_order_o,
    output wire        waits_o,
    output wire        late_o,

    // To the registers: how many events were lost, and stores to an unknown register.
    output wire [31:0] lost_o,
    output wire [31:0] unknown_o
);
  generate
    if (EVENT_PORT != 0) begin : gen_event_port
      wire        event_valid;
      wire        event_ready;
      wire [ 6:0] event_number;
      wire [31:0] event_data;
      wire        event_unknown;

      ear_event_port #(
          .PAGES  (EVENT_PORT),
          .STRINGS(STRINGS),
          .WAIT   (WAIT)
      ) u_event_port (
          .clk_i         (clk_i),
          .rst_ni        (rst_ni),
          .port_valid_i  (port_valid_i),
          .port_address_i(port_address_i),
          .port_wmask_i  (port_wmask_i),
          .port_wdata_i  (port_wdata_i),
          .port_ready_o  (port_ready_o),
          .port_rdata_o  (port_rdata_o),
          .on_i          (on_i),
          .stall_i       (stall_i),
          .event_valid_o (event_valid),
          .event_ready_i (event_ready),
          .event_number_o(event_number),
          .event_data_o  (event_data),
          .unknown_o     (event_unknown)
      );

      ear_port_events #(
          .LATENCY(LATENCY),
          .WAIT   (WAIT)
      ) u_port_events (
          .clk_i          (clk_i),
          .rst_ni         (rst_ni),
          .event_valid_i  (event_valid),
          .event_ready_o  (event_ready),
          .event_number_i (event_number),
          .event_data_i   (event_data),
          .unknown_i      (event_unknown),
          .begin_i        (begin_i),
          .drop_i         (drop_i),
          .roomy_i        (roomy_i),
          .close_i        (close_i),
          .next_order_i   (next_order_i),
          .marker_valid_o (marker_valid_o),
          .marker_ready_i (marker_ready_i),
          .marker_source_o(marker_source_o),
          .marker_value_o (marker_value_o),
          .marker_order_o (marker_order_o),
          .waits_o        (waits_o),
          .late_o         (late_o),
          .lost_o         (lost_o),
          .unknown_o      (unknown_o)
      );
    end else begin : gen_no_event_port
      wire unused = &{
        1'b0, clk_i, rst_ni, port_valid_i, port_address_i, port_wmask_i, port_wdata_i, begin_i,
        on_i, stall_i, drop_i, roomy_i, close_i, next_order_i, marker_ready_i
      };
      assign port_ready_o = 1'b1;
      assign port_rdata_o = 32'd0;
      assign marker_valid_o = 1'b0;
      assign marker_source_o = 8'd0;
      assign marker_value_o = 32'd0;
      assign marker_order_o = 64'd0;
      assign waits_o = 1'b0;
      assign late_o = 1'b0;
      assign lost_o = 32'd0;
      assign unknown_o = 32'd0;
    end
  endgenerate
endmodule
`default_nettype wire
