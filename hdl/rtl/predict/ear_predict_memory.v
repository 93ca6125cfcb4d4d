// SPDX-License-Identifier: Apache-2.0
// A memory with one write and one read port, read into a register: a block RAM in every family, or
// distributed RAM where it is tiny and the family has it.
//
// What a read gets in the clock of a write to the same address does not matter: whoever uses this
// brings the new value by another way. Nothing is cleared by reset.
`default_nettype none
module ear_predict_memory #(
    parameter WIDTH      = 32,  // bits
    parameter DEPTH_LOG2 = 5
) (
    input wire clk_i,

    input wire                  write_i,
    input wire [DEPTH_LOG2-1:0] write_address_i,
    input wire [     WIDTH-1:0] write_data_i,

    input  wire                  read_i,          // else data_o stays
    input  wire [DEPTH_LOG2-1:0] read_address_i,
    output wire [     WIDTH-1:0] read_data_o
);
  (* no_rw_check *) reg [WIDTH-1:0] memory[0:(1<<DEPTH_LOG2)-1];
  reg [WIDTH-1:0] data_q;

  always @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
    if (read_i) data_q <= memory[read_address_i];
  end

  assign read_data_o = data_q;
endmodule
`default_nettype wire
