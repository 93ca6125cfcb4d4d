// SPDX-License-Identifier: Apache-2.0
// Properties of ear_hold, proved for every sequence of inputs of a core that keeps a request up
// until it is accepted:
//
//   The memory sees that rule kept, too: no request is taken back.
//   No request begins while hold_i is high.
//   Core and memory agree on what is accepted, and nothing is changed without hold_i.
`default_nettype none
module formal_hold #(
    parameter KEPT = 1  // the core keeps its requests up
) (
    input wire clk_i,
    input wire hold_i,
    input wire request_i,
    input wire ready_i
);
  reg rst_q = 1'b0;
  always @(posedge clk_i) rst_q <= 1'b1;

  wire valid;
  wire ready;
  reg core_waits_q = 1'b0;
  reg memory_waits_q = 1'b0;
  wire core_valid = rst_q && (request_i || (KEPT != 0 && core_waits_q));

  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (rst_q),
      .hold_i (hold_i),
      .valid_i(core_valid),
      .ready_o(ready),
      .valid_o(valid),
      .ready_i(ready_i)
  );

  always @(posedge clk_i) begin
    core_waits_q <= core_valid && !ready;
    memory_waits_q <= valid && !ready_i;
  end

  always @* begin
    if (rst_q) begin
      assert (!memory_waits_q || valid);
      assert (!memory_waits_q || core_waits_q);  // for the induction
      assert (!hold_i || memory_waits_q || !valid);
      assert (hold_i || (valid == core_valid && ready == ready_i));
      assert ((valid && ready_i) == (core_valid && ready));
    end
  end
endmodule
`default_nettype wire
