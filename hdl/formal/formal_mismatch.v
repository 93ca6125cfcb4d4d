// SPDX-License-Identifier: Apache-2.0
// Properties of ear_mismatch, proved for every sequence of inputs:
//
//   1. The count is the number of wrong results of this capture, and stays at its largest value.
//   2. seen_o is high from the first one until the next capture begins.
//   3. The order is the one of the first, and it is offered until it is taken, once.
`default_nettype none
module formal_mismatch (
    input wire        clk_i,
    input wire        begin_i,
    input wire        wrong_i,
    input wire [31:0] order_i,
    input wire        ready_i
);
  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  wire valid;
  wire seen;
  wire [31:0] order;
  wire [31:0] count;

  ear_mismatch u_mismatch (
      .clk_i  (clk_i),
      .rst_ni (started_q),
      .begin_i(begin_i),
      .wrong_i(wrong_i),
      .order_i(order_i),
      .valid_o(valid),
      .ready_i(ready_i),
      .order_o(order),
      .seen_o (seen),
      .count_o(count)
  );

  reg [31:0] count_q = 32'd0;  // what count is to be
  reg [31:0] first_q;          // the order of the first wrong result
  reg taken_q = 1'b0;
  always @(posedge clk_i) begin
    if (!started_q || begin_i) count_q <= 32'd0;
    else if (wrong_i && !(&count_q)) count_q <= count_q + 32'd1;
    if (count_q == 32'd0) first_q <= order_i;
    taken_q <= started_q && !begin_i && (taken_q || (valid && ready_i));
  end

  always @* begin
    if (started_q) begin
      assert (count == count_q);
      assert (seen == (count != 32'd0));
      assert (!seen || order == first_q);
      assert (valid == (seen && !taken_q));
      assert (!taken_q || seen);  // for the induction
    end
  end
endmodule
`default_nettype wire
