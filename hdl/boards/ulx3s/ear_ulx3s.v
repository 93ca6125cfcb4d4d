// SPDX-License-Identifier: Apache-2.0
// ULX3S (ECP5): 25 MHz. The link is the board's FT231X, 1 Mbaud, or with LINK 1 an FT232H on the
// header J1, with its own clock.
`include "ear_board.vh"
`default_nettype none
module ear_ulx3s #(
    parameter LINK = 0  // see ear_board_link
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,
    output wire [7:0] led_o,
    output wire       wifi_gpio0_o,  // high: the ESP32 leaves the FPGA alone

    // FT232H.
    input  wire       ftdi_clk_i,
    input  wire       ftdi_rxf_ni,
    input  wire       ftdi_txe_ni,
    output wire       ftdi_oe_no,
    output wire       ftdi_rd_no,
    output wire       ftdi_wr_no,
    output wire       ftdi_siwu_no,
    inout  wire [7:0] ftdi_data_io
);
  wire [7:0] data;
  wire drive;
  ear_board_top #(
      .CONFIG      (`EAR_BOARD_FPGA),
      .CLOCK_HZ    (32'd25_000_000),
      .RAM_WORDS   (4096),
      .LINK        (LINK),
      .LINK_DIVISOR(25)
  ) u_top (
      .clk_i         (clk_i),
      .rxd_i         (rxd_i),
      .txd_o         (txd_o),
      .uart_o        (uart_o),
      .led_o         (led_o),
      .ftdi_clk_i    (ftdi_clk_i),
      .ftdi_rxf_ni   (ftdi_rxf_ni),
      .ftdi_txe_ni   (ftdi_txe_ni),
      .ftdi_oe_no    (ftdi_oe_no),
      .ftdi_rd_no    (ftdi_rd_no),
      .ftdi_wr_no    (ftdi_wr_no),
      .ftdi_siwu_no  (ftdi_siwu_no),
      .ftdi_data_i   (ftdi_data_io),
      .ftdi_data_o   (data),
      .ftdi_data_oe_o(drive)
  );
  assign ftdi_data_io = drive ? data : 8'bz;
  assign wifi_gpio0_o = 1'b1;
endmodule
`default_nettype wire
