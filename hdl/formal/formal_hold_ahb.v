// SPDX-License-Identifier: Apache-2.0
// Properties of ear_hold_ahb, proved for every sequence of inputs with a memory that keeps to
// AHB-Lite: without a transfer it is ready.
//
//   1. No address goes to the memory while hold_i is high.
//   2. Core and memory agree on which transfers there are.
//   3. Each transfer of the core ends once, with the data and the response that the memory gave.
//   4. Nothing is changed without hold_i, except in the clock after it.
`default_nettype none
module formal_hold_ahb #(
    parameter WIDTH = 1  // of the data, bits; one more changes in each clock
) (
    input wire             clk_i,
    input wire             hold_i,
    input wire [      1:0] htrans_i,
    input wire             hready_i,
    input wire             hresp_i,
    input wire [WIDTH-1:0] hrdata_i
);
  reg rst_q = 1'b0;
  always @(posedge clk_i) rst_q <= 1'b1;

  wire [1:0] core_htrans = rst_q ? htrans_i : 2'b00;
  reg flip_q = 1'b0;
  always @(posedge clk_i) flip_q <= !flip_q;
  wire [WIDTH:0] shown = {flip_q, hrdata_i};  // by the memory
  wire [1:0] htrans;
  wire hready;
  wire hresp;
  wire [WIDTH:0] hrdata;

  ear_hold_ahb #(
      .WIDTH(WIDTH + 1)
  ) u_hold (
      .clk_i   (clk_i),
      .rst_ni  (rst_q),
      .hold_i  (hold_i),
      .htrans_i(core_htrans),
      .hready_o(hready),
      .hresp_o (hresp),
      .hrdata_o(hrdata),
      .htrans_o(htrans),
      .hready_i(hready_i),
      .hresp_i (hresp_i),
      .hrdata_i(shown)
  );

  // The transfer of which the data are due, as the core and as the memory see it, and what the
  // memory answered last.
  reg core_q = 1'b0;
  reg memory_q = 1'b0;
  reg held_q = 1'b0;
  reg [WIDTH+1:0] answer_q;
  always @(posedge clk_i) begin
    if (hready) core_q <= core_htrans[1];
    if (hready_i) memory_q <= htrans[1];
    if (memory_q && hready_i) answer_q <= {hresp_i, shown};
    held_q <= rst_q && hold_i;
  end

  always @* begin
    assume (memory_q || hready_i);
    if (rst_q) begin
      assert (!hold_i || htrans == 2'b00);
      assert ((core_htrans[1] && hready) == (htrans[1] && hready_i));
      assert (!memory_q || core_q);
      assert (!(core_q && hready) || {hresp, hrdata} == (memory_q ? {hresp_i, shown} : answer_q));
      assert (hold_i || held_q || (htrans == core_htrans && hready == hready_i));
      assert (hold_i || held_q || {hresp, hrdata} == {hresp_i, shown});
      // For the induction: an answer that the memory owes is not hidden by one that is kept.
      assert (held_q || core_q == memory_q);
      assert (!memory_q || hrdata == shown);
      assert (!held_q || !core_q || memory_q || {hresp, hrdata} == answer_q);
    end
  end
endmodule
`default_nettype wire
