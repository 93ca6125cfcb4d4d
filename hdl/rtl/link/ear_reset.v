// SPDX-License-Identifier: Apache-2.0
// A reset for one clock: asserted at once, released two edges of the clock after rst_ni has risen.
//
// Without it the flip-flops of a design leave a reset that rises near an edge in different clocks.
// While the clock stands still, as the one of a USB chip before it is set up, the reset stays. It
// begins asserted, also where rst_ni is low from the start.
`default_nettype none
module ear_reset (
    input  wire clk_i,
    input  wire rst_ni,  // of any clock, or of none
    output wire rst_no
);
  (* ASYNC_REG = "TRUE" *) reg [1:0] rst_nq = 2'b00;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rst_nq <= 2'b00;
    else rst_nq <= {rst_nq[0], 1'b1};
  end
  assign rst_no = rst_nq[1];
endmodule
`default_nettype wire
