// SPDX-License-Identifier: Apache-2.0
// Hold what a link read from its chip and hand it on as single bytes.
//
// Up to BYTES bytes arrive at once with one enable each, lowest first; they are given out in that
// order. The link must only put when free_o is high.
`default_nettype none
module ear_link_bytes #(
    parameter BYTES = 1  // 1, 2 or 4
) (
    input wire clk_i,
    input wire rst_ni,

    input  wire               put_i,
    input  wire [8*BYTES-1:0] data_i,
    input  wire [  BYTES-1:0] enable_i,
    output wire               free_o,

    // Control bytes to the unit.
    output wire       rx_valid_o,
    input  wire       rx_ready_i,
    output wire [7:0] rx_data_o
);
  reg [8*BYTES-1:0] data_q;
  reg [  BYTES-1:0] left_q;  // bytes not yet given out

  // A byte that is not enabled, or was taken, makes way for the next.
  wire shift = left_q != {BYTES{1'b0}} && (!left_q[0] || rx_ready_i);

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_q <= {8 * BYTES{1'b0}};
      left_q <= {BYTES{1'b0}};
    end else if (put_i) begin
      data_q <= data_i;
      left_q <= enable_i;
    end else if (shift) begin
      data_q <= data_q >> 8;
      left_q <= left_q >> 1;
    end
  end

  assign free_o = left_q == {BYTES{1'b0}};
  assign rx_valid_o = left_q[0];
  assign rx_data_o = data_q[7:0];
endmodule
`default_nettype wire
