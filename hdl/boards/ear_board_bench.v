// SPDX-License-Identifier: Apache-2.0
// A board at its pins: plays the USB chip, and prints what the program sends on uart_o. The other
// side of the chip is ear_link_sim, so the bench is a device of `earshot capture -d sim:`.
//
// The Makefile defines BENCH_TOP, the module of the board; BENCH_HZ, its clock; BENCH_BAUD of its
// UART; and BENCH_FTDI where the link is an FT232H. Its clock begins late, as it does on a table,
// and it is often full.
`timescale 1ns / 1ps
`default_nettype none
module ear_board_bench;
  localparam real HALF = 5e8 / `BENCH_HZ;  // ns
  localparam real BIT = 1e9 / `BENCH_BAUD;  // ns
  localparam real CONSOLE_BIT = 1e9 / 115200;  // ns

  reg clk = 1'b0;
  always #(HALF) clk = !clk;
  reg rst_n = 1'b0;

  wire txd;
  wire uart;
  reg rxd = 1'b1;

  // The host's side of the chip.
  reg tx_valid = 1'b0;
  reg [31:0] tx_data = 32'd0;
  reg [1:0] count = 2'd0;
  wire tx_ready;
  wire rx_valid;
  wire [7:0] rx_data;

`ifdef BENCH_FTDI
  reg ftdi_clk = 1'b0;
  initial #100000 forever #8.333 ftdi_clk = !ftdi_clk;
  always @(posedge ftdi_clk) rst_n <= 1'b1;

  reg [6:0] noise = 7'd1;
  wire rxf_n = !rx_valid;
  wire txe_n = noise[1:0] == 2'd0;
  wire oe_n;
  wire rd_n;
  wire wr_n;
  wire siwu_n;
  wire [7:0] data;
  wire rx_ready = !oe_n && !rd_n && !rxf_n;
  wire taken = rst_n && !wr_n && !txe_n;
  assign data = oe_n ? 8'bz : rx_data;

  always @(posedge ftdi_clk) begin
    noise <= {noise[5:0], noise[6] ^ noise[5]};
    tx_valid <= taken && count == 2'd3;
    if (taken) begin
      tx_data <= {data, tx_data[31:8]};
      count <= count + 2'd1;
    end
    if (rst_n && !oe_n && u_board.u_top.ftdi_data_oe_o) begin
      $display("ear_board_bench: both sides drive the data");
      $finish;
    end
  end
`define BENCH_CLOCK ftdi_clk
`else
  initial begin
    #(40 * HALF) rst_n = 1'b1;
  end

  // Bytes from the board: a word when there are four.
  reg [1:0] words = 2'd0;
  reg [1:0] words_seen = 2'd0;
  reg [7:0] in;
  integer i;
  always begin
    @(negedge txd);
    #(BIT / 2);
    for (i = 0; i < 8; i = i + 1) begin
      #(BIT);
      in = {txd, in[7:1]};
    end
    #(BIT);
    if (!txd) begin
      $display("ear_board_bench: a stop bit is missing");
      $finish;
    end
    tx_data = {in, tx_data[31:8]};
    count = count + 2'd1;
    if (count == 2'd0) words = words + 2'd1;
  end
  always @(posedge clk) begin
    tx_valid <= words != words_seen;
    words_seen <= words;
  end

  // Bytes to the board.
  reg rx_ready = 1'b0;
  reg [7:0] out;
  integer k;
  always begin
    @(posedge clk);
    if (rx_valid) begin
      out = rx_data;
      rx_ready <= 1'b1;
      @(posedge clk);
      rx_ready <= 1'b0;
      rxd = 1'b0;
      for (k = 0; k < 8; k = k + 1) begin
        #(BIT);
        rxd = out[k];
      end
      #(BIT);
      rxd = 1'b1;
      #(BIT);
    end
  end
`define BENCH_CLOCK clk
`endif

  `BENCH_TOP #(
`ifdef BENCH_FTDI
      .LINK(1)
  ) u_board (
      .ftdi_clk_i  (ftdi_clk),
      .ftdi_rxf_ni (rxf_n),
      .ftdi_txe_ni (txe_n),
      .ftdi_oe_no  (oe_n),
      .ftdi_rd_no  (rd_n),
      .ftdi_wr_no  (wr_n),
      .ftdi_siwu_no(siwu_n),
      .ftdi_data_io(data),
`else
      .LINK(0)
  ) u_board (
`endif
      .clk_i       (clk),
      .rxd_i       (rxd),
      .txd_o       (txd),
      .uart_o      (uart)
  );

  ear_link_sim u_link (
      .clk_i     (`BENCH_CLOCK),
      .rst_ni    (rst_n),
      .ended_i   (u_board.u_top.led_o[7]),
      .tx_valid_i(tx_valid),
      .tx_ready_o(tx_ready),
      .tx_data_i (tx_data),
      .tx_last_i (1'b0),
      .rx_valid_o(rx_valid),
      .rx_ready_i(rx_ready),
      .rx_data_o (rx_data)
  );

  reg [7:0] letter;
  integer n;
  always begin
    @(negedge uart);
    #(CONSOLE_BIT / 2);
    for (n = 0; n < 8; n = n + 1) begin
      #(CONSOLE_BIT);
      letter = {uart, letter[7:1]};
    end
    #(CONSOLE_BIT);
    $write("%c", letter);
  end
endmodule
`default_nettype wire
