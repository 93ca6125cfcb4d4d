// SPDX-License-Identifier: Apache-2.0
// Every link port and the clock crossing in one model. Link i takes words from stream i and gives
// control bytes to it; the chips' pins go to the C++ models of the chips.
`default_nettype none
module tb_unit_links (
    input wire clk_i,
    input wire rst_ni,

    // Streams, one bit or slice for each link: 0 to 2 FT245 with 1, 2, 4 bytes; 3 and 4 FX2 with 1
    // and 2 bytes; 5 FX2 with 64-byte packets; 6 and 7 UART, divisor 4 and 13.
    input  wire [  7:0] tx_valid_i,
    output wire [  7:0] tx_ready_o,
    input  wire [255:0] tx_data_i,
    input  wire [  7:0] tx_last_i,
    output wire [  7:0] rx_valid_o,
    input  wire [  7:0] rx_ready_i,
    output wire [ 63:0] rx_data_o,

    // FT245 chips.
    input  wire [ 2:0] rxf_ni,
    input  wire [ 2:0] txe_ni,
    output wire [ 2:0] oe_no,
    output wire [ 2:0] rd_no,
    output wire [ 2:0] wr_no,
    output wire [ 2:0] siwu_no,
    output wire [ 2:0] ft_drive_o,
    input  wire [95:0] ft_data_i,
    output wire [95:0] ft_data_o,
    input  wire [11:0] be_i,
    output wire [11:0] be_o,

    // FX2 chips.
    input  wire [ 2:0] empty_ni,
    input  wire [ 2:0] full_ni,
    output wire [ 5:0] fifoadr_o,
    output wire [ 2:0] sloe_no,
    output wire [ 2:0] slrd_no,
    output wire [ 2:0] slwr_no,
    output wire [ 2:0] pktend_no,
    output wire [ 2:0] fx_drive_o,
    input  wire [47:0] fx_data_i,
    output wire [47:0] fx_data_o,

    // UARTs.
    output wire [1:0] txd_o,
    input  wire [1:0] rxd_i,

    // A clock crossing of its own.
    input  wire       wr_clk_i,
    input  wire       wr_valid_i,
    output wire       wr_ready_o,
    input  wire [7:0] wr_data_i,
    input  wire       rd_clk_i,
    output wire       rd_valid_o,
    input  wire       rd_ready_i,
    output wire [7:0] rd_data_o
);
  genvar i;
  generate
    for (i = 0; i < 3; i = i + 1) begin : gen_ft245
      localparam BYTES = 1 << i;
      ear_link_ft245 #(
          .DATA_BYTES(BYTES)
      ) u_link (
          .link_clk_i (clk_i),
          .link_rst_ni(rst_ni),
          .tx_valid_i (tx_valid_i[i]),
          .tx_ready_o (tx_ready_o[i]),
          .tx_data_i  (tx_data_i[32*i+:32]),
          .tx_last_i  (tx_last_i[i]),
          .rx_valid_o (rx_valid_o[i]),
          .rx_ready_i (rx_ready_i[i]),
          .rx_data_o  (rx_data_o[8*i+:8]),
          .rxf_ni     (rxf_ni[i]),
          .txe_ni     (txe_ni[i]),
          .oe_no      (oe_no[i]),
          .rd_no      (rd_no[i]),
          .wr_no      (wr_no[i]),
          .siwu_no    (siwu_no[i]),
          .data_i     (ft_data_i[32*i+:8*BYTES]),
          .data_o     (ft_data_o[32*i+:8*BYTES]),
          .data_oe_o  (ft_drive_o[i]),
          .be_i       (be_i[4*i+:BYTES]),
          .be_o       (be_o[4*i+:BYTES])
      );
      if (BYTES < 4) begin : gen_rest
        assign ft_data_o[32*i+8*BYTES+:32-8*BYTES] = {(32 - 8 * BYTES) {1'b0}};
        assign be_o[4*i+BYTES+:4-BYTES] = {(4 - BYTES) {1'b0}};
      end
    end
    for (i = 0; i < 3; i = i + 1) begin : gen_fx2
      localparam BYTES = i == 1 ? 2 : 1;
      ear_link_fx2 #(
          .DATA_BYTES  (BYTES),
          .PACKET_BYTES(i == 2 ? 64 : 512)
      ) u_link (
          .link_clk_i (clk_i),
          .link_rst_ni(rst_ni),
          .tx_valid_i (tx_valid_i[3+i]),
          .tx_ready_o (tx_ready_o[3+i]),
          .tx_data_i  (tx_data_i[32*(3+i)+:32]),
          .tx_last_i  (tx_last_i[3+i]),
          .rx_valid_o (rx_valid_o[3+i]),
          .rx_ready_i (rx_ready_i[3+i]),
          .rx_data_o  (rx_data_o[8*(3+i)+:8]),
          .empty_ni   (empty_ni[i]),
          .full_ni    (full_ni[i]),
          .fifoadr_o  (fifoadr_o[2*i+:2]),
          .sloe_no    (sloe_no[i]),
          .slrd_no    (slrd_no[i]),
          .slwr_no    (slwr_no[i]),
          .pktend_no  (pktend_no[i]),
          .data_i     (fx_data_i[16*i+:8*BYTES]),
          .data_o     (fx_data_o[16*i+:8*BYTES]),
          .data_oe_o  (fx_drive_o[i])
      );
      if (BYTES == 1) begin : gen_rest
        assign fx_data_o[16*i+8+:8] = 8'd0;
      end
    end
    for (i = 0; i < 2; i = i + 1) begin : gen_uart
      ear_link_uart #(
          .DIVISOR(i == 0 ? 4 : 13)
      ) u_link (
          .link_clk_i (clk_i),
          .link_rst_ni(rst_ni),
          .tx_valid_i (tx_valid_i[6+i]),
          .tx_ready_o (tx_ready_o[6+i]),
          .tx_data_i  (tx_data_i[32*(6+i)+:32]),
          .tx_last_i  (tx_last_i[6+i]),
          .rx_valid_o (rx_valid_o[6+i]),
          .rx_ready_i (rx_ready_i[6+i]),
          .rx_data_o  (rx_data_o[8*(6+i)+:8]),
          .txd_o      (txd_o[i]),
          .rxd_i      (rxd_i[i])
      );
    end
  endgenerate

  ear_async_fifo #(
      .WIDTH     (8),
      .DEPTH_LOG2(3)
  ) u_async_fifo (
      .wr_clk_i  (wr_clk_i),
      .wr_rst_ni (rst_ni),
      .wr_valid_i(wr_valid_i),
      .wr_ready_o(wr_ready_o),
      .wr_data_i (wr_data_i),
      .rd_clk_i  (rd_clk_i),
      .rd_rst_ni (rst_ni),
      .rd_valid_o(rd_valid_o),
      .rd_ready_i(rd_ready_i),
      .rd_data_o (rd_data_o)
  );
endmodule
`default_nettype wire
