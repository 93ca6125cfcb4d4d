// SPDX-License-Identifier: Apache-2.0
// Timing of PKTEND# of ear_link_fx2: a frame of four words with 16 data lines. No other frame
// follows for END_CLOCKS clocks, so the link ends the short packet.
`default_nettype none
module timing_fx2;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg tx_valid = 1'b0;
  reg [31:0] tx_data = 32'd0;
  reg tx_last = 1'b0;
  wire tx_ready;
  wire [1:0] fifoadr;
  wire slwr_n;
  wire pktend_n;
  wire [15:0] data;

  ear_link_fx2 #(
      .DATA_BYTES(2),
      .END_CLOCKS(8)
  ) u_link (
      .link_clk_i (clk),
      .link_rst_ni(rst_n),
      .tx_valid_i (tx_valid),
      .tx_ready_o (tx_ready),
      .tx_data_i  (tx_data),
      .tx_last_i  (tx_last),
      .rx_valid_o (),
      .rx_ready_i (1'b1),
      .rx_data_o  (),
      .empty_ni   (1'b0),
      .full_ni    (1'b1),
      .fifoadr_o  (fifoadr),
      .sloe_no    (),
      .slrd_no    (),
      .slwr_no    (slwr_n),
      .pktend_no  (pktend_n),
      .data_i     (16'd0),
      .data_o     (data),
      .data_oe_o  ()
  );

  reg show = 1'b0;
  always @(negedge clk)
    if (show)
      $display("%b %b %b %b %h %b %b", tx_valid, tx_ready, tx_last, slwr_n, data, pktend_n,
               !slwr_n);

  integer i;
  initial begin
    $display("signals link_clk_i tx_valid_i tx_ready_o tx_last_i:bit:tx_valid_i slwr_no",
             " data_o:hex:-writes pktend_no -writes");
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    repeat (12) @(posedge clk);
    show = 1'b1;
    for (i = 0; i < 4; i = i + 1) begin
      tx_valid <= 1'b1;
      tx_data <= {8'hB3 + 8'd4 * i[7:0], 8'hB2 + 8'd4 * i[7:0], 8'hB1 + 8'd4 * i[7:0],
                  8'hB0 + 8'd4 * i[7:0]};
      tx_last <= i == 3;
      @(posedge clk);
      while (!tx_ready) @(posedge clk);
    end
    tx_valid <= 1'b0;
    tx_last <= 1'b0;
    wait (!pktend_n);
    repeat (4) @(posedge clk);
    $finish;
  end
endmodule
`default_nettype wire
