// SPDX-License-Identifier: Apache-2.0
// Reset after configuration: 16 clocks, counted by registers that begin at 0 in every FPGA here.
//
// The link's reset begins with it and ends by the link's own clock, which may come much later: an
// FTDI chip has none before the host asks for it.
`default_nettype none
module ear_board_reset (
    input  wire clk_i,
    input  wire link_clk_i,
    output wire rst_no,
    output wire link_rst_no
);
  reg [3:0] count_q = 4'd0;
  reg       rst_nq = 1'b0;
  always @(posedge clk_i) begin
    if (count_q != 4'hf) count_q <= count_q + 4'd1;
    rst_nq <= count_q == 4'hf;
  end

  assign rst_no = rst_nq;

  ear_reset u_link_reset (
      .clk_i (link_clk_i),
      .rst_ni(rst_nq),
      .rst_no(link_rst_no)
  );
endmodule
`default_nettype wire
