// SPDX-License-Identifier: Apache-2.0
// A core and the capture unit: put your core in the place of own_core. docs/own-simulation.md walks
// through it.
`include "ear_rvfi.vh"
`default_nettype none
module own_unit #(
    parameter HART = 0
) (
    input  wire clk_i,
    input  wire rst_ni,
    output wire ended_o,

    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,
    input  wire        rx_valid_i,
    output wire        rx_ready_o,
    input  wire [ 7:0] rx_data_i
);
  wire stall;
  wire core_reset;
  wire core_halt;

  `EAR_RVFI_WIRES(1, 32)
  own_core u_core (
      .clk_i  (clk_i),
      .rst_ni (rst_ni && !core_reset),
      .hold_i (stall || core_halt),
      .ended_o(ended_o),
      `EAR_RVFI_CORE
  );

  // RESET_HOLD: the core waits in reset for the host, so that no instruction is missed.
  ear_rvfi #(
      .HART      (HART),
      .CAUSES    (0),
      .RESET_HOLD(1),
      .ONE_CLOCK (1)
  ) u_trace (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      `EAR_RVFI_UNIT,
      `EAR_RVFI_NO_CSRS(1),
      .rvfi_ext_cause_i(32'd0),
      .rvfi_ext_debug_i(1'b0),
      .rvfi_ext_irq_i(1'b0),
      .stall_o         (stall),
      .core_reset_o    (core_reset),
      .core_halt_o     (core_halt),
      .ended_i         (ended_o),
      .link_clk_i      (clk_i),
      .link_rst_ni     (rst_ni),
      .tx_valid_o      (tx_valid_o),
      .tx_ready_i      (tx_ready_i),
      .tx_data_o       (tx_data_o),
      .tx_last_o       (tx_last_o),
      .rx_valid_i      (rx_valid_i),
      .rx_ready_o      (rx_ready_o),
      .rx_data_i       (rx_data_i)
  );
endmodule
`default_nettype wire
