// SPDX-License-Identifier: Apache-2.0
// Forget everything: after reset, and when it is asked for, an address goes through all memories.
//
// It waits until no entry is at work, and holds the next one until the sweep is over. An entry that
// came in between would be predicted from what the host has forgotten.
`default_nettype none
module ear_predict_sweep #(
    parameter BITS = 5  // of the largest index: a sweep takes 2^BITS clocks
) (
    input wire clk_i,
    input wire rst_ni,

    input  wire            clear_i,    // one clock: forget, as soon as there is no entry
    input  wire            empty_i,    // no entry is at work
    output wire            sweep_o,    // what is at this address is cleared in this clock
    output wire [BITS-1:0] address_o,
    output wire            hold_o      // no entry may begin
);
  localparam [BITS-1:0] ONE = 1;

  reg            clear_q;  // it waits until no entry is at work
  reg            sweep_q;
  reg [BITS-1:0] address_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= 1'b1;
      sweep_q <= 1'b0;
      address_q <= {BITS{1'b0}};
    end else begin
      if (clear_i) clear_q <= 1'b1;
      else if (clear_q && empty_i && !sweep_q) clear_q <= 1'b0;
      if (sweep_q) begin
        address_q <= address_q + ONE;
        if (address_q == {BITS{1'b1}}) sweep_q <= 1'b0;
      end else if (clear_q && empty_i) begin
        sweep_q <= 1'b1;
      end
    end
  end
  assign sweep_o = sweep_q;
  assign address_o = address_q;
  assign hold_o = clear_q || sweep_q;
endmodule
`default_nettype wire
