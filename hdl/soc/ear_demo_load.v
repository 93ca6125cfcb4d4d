// SPDX-License-Identifier: Apache-2.0
// Let the capture unit at the memory while it holds the core in reset, so that the host can load a
// program (docs/protocol.md, section 7.4).
//
// The memory has one port and its core never waits for it; so there is no way in beside a running
// core, and an access then is answered with an error.
`default_nettype none
module ear_demo_load (
    input wire clk_i,
    input wire rst_ni,

    input wire core_reset_i,  // the unit holds the core in reset

    // From the capture unit: held until ready, which comes with the answer.
    input  wire        load_valid_i,
    input  wire        load_write_i,
    input  wire [31:0] load_address_i,
    input  wire [31:0] load_wdata_i,
    output wire        load_ready_o,
    output wire        load_error_o,

    // From the system, and to the memory; see ear_demo_system. The answer to a read goes to both.
    input  wire        system_valid_i,
    input  wire [31:0] system_address_i,
    input  wire [ 3:0] system_wmask_i,
    input  wire [31:0] system_wdata_i,
    output wire        memory_valid_o,
    output wire [31:0] memory_address_o,
    output wire [ 3:0] memory_wmask_o,
    output wire [31:0] memory_wdata_o,
    input  wire        memory_error_i
);
  reg asked_q;  // the memory was asked in the clock before
  reg held_q;   // the core has been in reset for a clock: it asks for nothing any more
  reg refused_q;

  // The map says that memory begins at 0x80000000; the memory itself does not look at that bit.
  wire reachable = held_q && load_address_i[31];
  wire ask = load_valid_i && !asked_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= 1'b0;
      held_q <= 1'b0;
      refused_q <= 1'b0;
    end else begin
      asked_q <= ask;
      held_q <= core_reset_i;
      refused_q <= !reachable;
    end
  end

  assign load_ready_o = asked_q;
  assign load_error_o = refused_q || memory_error_i;
  assign memory_valid_o = held_q ? ask && reachable : system_valid_i;
  assign memory_address_o = held_q ? load_address_i : system_address_i;
  assign memory_wmask_o = held_q ? {4{load_write_i}} : system_wmask_i;
  assign memory_wdata_o = held_q ? load_wdata_i : system_wdata_i;
endmodule
`default_nettype wire
