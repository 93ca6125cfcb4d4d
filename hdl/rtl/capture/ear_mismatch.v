// SPDX-License-Identifier: Apache-2.0
// Wrong results of a capture: how many the predictor has seen, and where the first one was.
//
// The predictor works behind the record FIFO, so a wrong result is known some records later.
`default_nettype none
module ear_mismatch (
    input wire clk_i,
    input wire rst_ni,

    input wire        begin_i,  // a capture begins: forget all
    input wire        wrong_i,  // the predictor lets a record go whose result is wrong
    input wire [31:0] order_i,  // low bits of its order

    // The first one.
    output wire        valid_o,  // nobody took it so far
    input  wire        ready_i,
    output wire [31:0] order_o,
    output wire        seen_o,   // it was there, taken or not

    output wire [31:0] count_o  // stays at its largest value
);
  reg        seen_q;
  reg        valid_q;
  reg [31:0] order_q;
  reg [31:0] count_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q  <= 1'b0;
      valid_q <= 1'b0;
      count_q <= 32'd0;
    end else if (begin_i) begin
      seen_q  <= 1'b0;
      valid_q <= 1'b0;
      count_q <= 32'd0;
    end else begin
      if (wrong_i) seen_q <= 1'b1;
      if (wrong_i && !seen_q) valid_q <= 1'b1;
      else if (ready_i) valid_q <= 1'b0;
      if (wrong_i && count_q != 32'hffff_ffff) count_q <= count_q + 32'd1;
    end
  end

  always @(posedge clk_i) begin
    if (!seen_q) order_q <= order_i;
  end

  assign valid_o = valid_q;
  assign order_o = order_q;
  assign seen_o  = seen_q;
  assign count_o = count_q;
endmodule
`default_nettype wire
