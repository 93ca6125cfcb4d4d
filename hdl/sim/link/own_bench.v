// SPDX-License-Identifier: Apache-2.0
// A bench in plain Verilog, for Icarus, or for Verilator with --binary and EAR_DPI.
`default_nettype none
module own_bench;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #1 clk <= !clk;
  initial #17 rst_n = 1'b1;

  wire ended;
  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;

  own_unit u_own (
      .clk_i     (clk),
      .rst_ni    (rst_n),
      .ended_o   (ended),
      .tx_valid_o(tx_valid),
      .tx_ready_i(tx_ready),
      .tx_data_o (tx_data),
      .tx_last_o (tx_last),
      .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready),
      .rx_data_i (rx_data)
  );

  ear_link_sim u_link (
      .clk_i     (clk),
      .rst_ni    (rst_n),
      .ended_i   (ended),
      .tx_valid_i(tx_valid),
      .tx_ready_o(tx_ready),
      .tx_data_i (tx_data),
      .tx_last_i (tx_last),
      .rx_valid_o(rx_valid),
      .rx_ready_i(rx_ready),
      .rx_data_o (rx_data)
  );
endmodule
`default_nettype wire
