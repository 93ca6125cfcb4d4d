// SPDX-License-Identifier: Apache-2.0
// Property of ear_bus_port without an event port (EVENT_PORT 0), for every input: the bus never
// waits, reads give 0, and the capture gets neither a marker nor a count.
`default_nettype none
module formal_bus_port (
    input wire        clk_i,
    input wire        port_valid_i,
    input wire [12:0] port_address_i,
    input wire [ 3:0] port_wmask_i,
    input wire [31:0] port_wdata_i,
    input wire        on_i,
    input wire        stall_i,
    input wire        close_i,
    input wire        marker_ready_i
);
  wire port_ready;
  wire [31:0] port_rdata;
  wire marker_valid;
  wire waits;
  wire late;
  wire [31:0] lost;
  wire [31:0] unknown;

  ear_bus_port #(
      .EVENT_PORT(0)
  ) u_bus_port (
      .clk_i          (clk_i),
      .rst_ni         (1'b1),
      .port_valid_i   (port_valid_i),
      .port_address_i (port_address_i),
      .port_wmask_i   (port_wmask_i),
      .port_wdata_i   (port_wdata_i),
      .port_ready_o   (port_ready),
      .port_rdata_o   (port_rdata),
      .begin_i        (1'b0),
      .on_i           (on_i),
      .stall_i        (stall_i),
      .drop_i         (1'b0),
      .roomy_i        (1'b0),
      .close_i        (close_i),
      .next_order_i   (64'd0),
      .marker_valid_o (marker_valid),
      .marker_ready_i (marker_ready_i),
      .marker_source_o(),
      .marker_value_o (),
      .marker_order_o (),
      .waits_o        (waits),
      .late_o         (late),
      .lost_o         (lost),
      .unknown_o      (unknown)
  );

  always @* begin
    assert (port_ready);
    assert (port_rdata == 32'd0 && lost == 32'd0 && unknown == 32'd0);
    assert (!marker_valid && !waits && !late);
  end
endmodule
`default_nettype wire
