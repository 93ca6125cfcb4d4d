// SPDX-License-Identifier: Apache-2.0
// Property of ear_link_uart, proved for every sequence of inputs: a byte that was received and is
// not taken stays as it is, and the next one does not replace it.
`default_nettype none
module formal_link_uart #(
    parameter DIVISOR = 4
) (
    input wire        clk_i,
    input wire        tx_valid_i,
    input wire [31:0] tx_data_i,
    input wire        tx_last_i,
    input wire        rx_ready_i,
    input wire        rxd_i
);
  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire rx_valid;
  wire [7:0] rx_data;

  ear_link_uart #(
      .DIVISOR(DIVISOR)
  ) u_link (
      .link_clk_i (clk_i),
      .link_rst_ni(started_q),
      .tx_valid_i (tx_valid_i),
      .tx_ready_o (),
      .tx_data_i  (tx_data_i),
      .tx_last_i  (tx_last_i),
      .rx_valid_o (rx_valid),
      .rx_ready_i (rx_ready_i),
      .rx_data_o  (rx_data),
      .txd_o      (),
      .rxd_i      (rxd_i)
  );

  reg waits_q = 1'b0;
  reg [7:0] data_q;
  always @(posedge clk_i) begin
    waits_q <= started_q && rx_valid && !rx_ready_i;
    data_q <= rx_data;
  end

  always @* begin
    if (started_q) begin
      assert (!waits_q || (rx_valid && rx_data == data_q));
    end
  end
endmodule
`default_nettype wire
