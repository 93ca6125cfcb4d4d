// SPDX-License-Identifier: Apache-2.0
// The link of a board: a UART, or an FTDI chip in synchronous 245 FIFO mode with its own clock.
// The pins of the other one stay quiet.
`default_nettype none
module ear_board_link #(
    parameter LINK    = 0,  // 0: UART; 1: FT232H or FT2232H
    parameter DIVISOR = 16  // UART: clocks a bit, 4 to 65535
) (
    input wire link_clk_i,   // UART: any clock; FTDI: CLKOUT, 60 MHz
    input wire link_rst_ni,

    // Frames from the unit, control bytes to it.
    input  wire        tx_valid_i,
    output wire        tx_ready_o,
    input  wire [31:0] tx_data_i,
    input  wire        tx_last_i,
    output wire        rx_valid_o,
    input  wire        rx_ready_i,
    output wire [ 7:0] rx_data_o,

    // Pins. The tri-state buffers are in the board's top.
    input  wire       rxd_i,
    output wire       txd_o,
    input  wire       ftdi_rxf_ni,
    input  wire       ftdi_txe_ni,
    output wire       ftdi_oe_no,
    output wire       ftdi_rd_no,
    output wire       ftdi_wr_no,
    output wire       ftdi_siwu_no,
    input  wire [7:0] ftdi_data_i,
    output wire [7:0] ftdi_data_o,
    output wire       ftdi_data_oe_o
);
  generate
    if (LINK == 0) begin : gen_uart
      ear_link_uart #(
          .DIVISOR(DIVISOR)
      ) u_uart (
          .link_clk_i (link_clk_i),
          .link_rst_ni(link_rst_ni),
          .tx_valid_i (tx_valid_i),
          .tx_ready_o (tx_ready_o),
          .tx_data_i  (tx_data_i),
          .tx_last_i  (tx_last_i),
          .rx_valid_o (rx_valid_o),
          .rx_ready_i (rx_ready_i),
          .rx_data_o  (rx_data_o),
          .txd_o      (txd_o),
          .rxd_i      (rxd_i)
      );
      wire unused = &{1'b0, ftdi_rxf_ni, ftdi_txe_ni, ftdi_data_i};
      assign ftdi_oe_no = 1'b1;
      assign ftdi_rd_no = 1'b1;
      assign ftdi_wr_no = 1'b1;
      assign ftdi_siwu_no = 1'b1;
      assign ftdi_data_o = 8'd0;
      assign ftdi_data_oe_o = 1'b0;
    end else begin : gen_ft245
      wire unused_be;
      ear_link_ft245 #(
          .DATA_BYTES(1)
      ) u_ft245 (
          .link_clk_i (link_clk_i),
          .link_rst_ni(link_rst_ni),
          .tx_valid_i (tx_valid_i),
          .tx_ready_o (tx_ready_o),
          .tx_data_i  (tx_data_i),
          .tx_last_i  (tx_last_i),
          .rx_valid_o (rx_valid_o),
          .rx_ready_i (rx_ready_i),
          .rx_data_o  (rx_data_o),
          .rxf_ni     (ftdi_rxf_ni),
          .txe_ni     (ftdi_txe_ni),
          .oe_no      (ftdi_oe_no),
          .rd_no      (ftdi_rd_no),
          .wr_no      (ftdi_wr_no),
          .siwu_no    (ftdi_siwu_no),
          .data_i     (ftdi_data_i),
          .data_o     (ftdi_data_o),
          .data_oe_o  (ftdi_data_oe_o),
          .be_i       (1'b1),
          .be_o       (unused_be)
      );
      wire unused = &{1'b0, rxd_i};
      assign txd_o = 1'b1;
    end
  endgenerate
endmodule
`default_nettype wire
