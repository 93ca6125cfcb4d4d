// SPDX-License-Identifier: Apache-2.0
// Holds a core at one of its buses: requests pass from the core to the memory, and none begins
// while hold_i is high. A request that the memory has seen is not taken back, so the bus keeps its
// rules; it ends, and only the next one waits. For buses in which the core keeps a request up until
// it is accepted: valid and ready, req and gnt, cyc and ack, mem_valid and mem_ready.
//
//   ear_hold u_hold (
//       .clk_i(clk), .rst_ni(core_rst_n), .hold_i(stall || core_halt),
//       .valid_i(core_req), .ready_o(core_gnt), .valid_o(memory_req), .ready_i(memory_gnt));
//
// Hold the bus of the instructions. How many the core still retires is in docs/cores/README.md.
`default_nettype none
module ear_hold (
    input wire clk_i,
    input wire rst_ni,
    input wire hold_i,

    // The core.
    input  wire valid_i,
    output wire ready_o,

    // The memory.
    output wire valid_o,
    input  wire ready_i
);
  reg pending_q;  // the memory has seen the request
  wire open = !hold_i || pending_q;

  assign valid_o = valid_i && open;
  assign ready_o = ready_i && open;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pending_q <= 1'b0;
    else pending_q <= valid_o && !ready_i;
  end
endmodule
`default_nettype wire
