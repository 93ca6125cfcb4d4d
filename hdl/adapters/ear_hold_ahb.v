// SPDX-License-Identifier: Apache-2.0
// Holds a core at an AHB-Lite bus, as ear_hold does at other ones: no address of the core goes to
// the memory while hold_i is high. A read that the memory has begun ends there; its answer is
// kept for the core, because a memory shows it for one clock only. Without that a core that is held
// takes what the bus shows later.
//
//   ear_hold_ahb u_hold (
//       .clk_i(clk), .rst_ni(core_rst_n), .hold_i(stall || core_halt),
//       .htrans_i(core_htrans), .hready_o(core_hready), .hresp_o(core_hresp),
//       .hrdata_o(core_hrdata),
//       .htrans_o(htrans), .hready_i(hready), .hresp_i(hresp), .hrdata_i(hrdata));
//
// For the bus of the instructions. hready_i is that of the whole bus, which the memory gets, too.
`default_nettype none
module ear_hold_ahb #(
    parameter WIDTH = 32  // of the data, bits
) (
    input wire clk_i,
    input wire rst_ni,
    input wire hold_i,

    // The core.
    input  wire [      1:0] htrans_i,
    output wire             hready_o,
    output wire             hresp_o,
    output wire [WIDTH-1:0] hrdata_o,

    // The memory.
    output wire [      1:0] htrans_o,
    input  wire             hready_i,
    input  wire             hresp_i,
    input  wire [WIDTH-1:0] hrdata_i
);
  reg kept_q;  // the memory has ended, and the core has not seen it
  reg resp_q;
  reg [WIDTH-1:0] data_q;

  assign htrans_o = hold_i ? 2'b00 : htrans_i;
  assign hready_o = !hold_i && (kept_q || hready_i);
  assign hresp_o  = kept_q ? resp_q : hresp_i;
  assign hrdata_o = kept_q ? data_q : hrdata_i;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else kept_q <= hold_i && (kept_q || hready_i);
  end

  always @(posedge clk_i) begin
    if (!kept_q && hready_i) begin
      resp_q <= hresp_i;
      data_q <= hrdata_i;
    end
  end
endmodule
`default_nettype wire
