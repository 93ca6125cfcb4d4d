// SPDX-License-Identifier: Apache-2.0
// From the core's clock to the link's and back: a FIFO for words of frames, one for control bytes.
//
// With ONE_CLOCK both clocks are the same and the streams are only wired. With ONE_CLOCK and two
// clocks, words would be lost or sent twice.
`default_nettype none
module ear_link_crossing #(
    parameter ONE_CLOCK = 0  // 1: link_clk_i is clk_i, and the resets are the same
) (
    // The unit's side.
    input  wire        clk_i,
    input  wire        rst_ni,
    input  wire        out_valid_i,
    output wire        out_ready_o,
    input  wire [31:0] out_data_i,
    input  wire        out_last_i,
    output wire        byte_valid_o,
    input  wire        byte_ready_i,
    output wire [ 7:0] byte_data_o,

    // The link's side.
    input  wire        link_clk_i,
    input  wire        link_rst_ni,
    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,
    input  wire        rx_valid_i,
    output wire        rx_ready_o,
    input  wire [ 7:0] rx_data_i
);
  generate
    if (ONE_CLOCK == 0) begin : gen_crossing
      ear_async_fifo #(
          .WIDTH     (33),
          .DEPTH_LOG2(4)
      ) u_tx_fifo (
          .wr_clk_i  (clk_i),
          .wr_rst_ni (rst_ni),
          .wr_valid_i(out_valid_i),
          .wr_ready_o(out_ready_o),
          .wr_data_i ({out_last_i, out_data_i}),
          .rd_clk_i  (link_clk_i),
          .rd_rst_ni (link_rst_ni),
          .rd_valid_o(tx_valid_o),
          .rd_ready_i(tx_ready_i),
          .rd_data_o ({tx_last_o, tx_data_o})
      );

      ear_async_fifo #(
          .WIDTH     (8),
          .DEPTH_LOG2(4)
      ) u_rx_fifo (
          .wr_clk_i  (link_clk_i),
          .wr_rst_ni (link_rst_ni),
          .wr_valid_i(rx_valid_i),
          .wr_ready_o(rx_ready_o),
          .wr_data_i (rx_data_i),
          .rd_clk_i  (clk_i),
          .rd_rst_ni (rst_ni),
          .rd_valid_o(byte_valid_o),
          .rd_ready_i(byte_ready_i),
          .rd_data_o (byte_data_o)
      );
    end else begin : gen_one_clock
      wire unused = &{1'b0, clk_i, rst_ni, link_clk_i, link_rst_ni};
      assign tx_valid_o = out_valid_i;
      assign out_ready_o = tx_ready_i;
      assign tx_data_o = out_data_i;
      assign tx_last_o = out_last_i;
      assign byte_valid_o = rx_valid_i;
      assign rx_ready_o = byte_ready_i;
      assign byte_data_o = rx_data_i;
    end
  endgenerate
endmodule
`default_nettype wire
