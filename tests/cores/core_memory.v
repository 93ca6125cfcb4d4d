// SPDX-License-Identifier: Apache-2.0
// A port to the memory and the devices of bench.cpp: takes an access in each clock, answers in the
// next one and keeps the answer.
`default_nettype none
module core_memory (
    input  wire        clk_i,
    input  wire        valid_i,
    input  wire [31:0] address_i,
    input  wire [ 3:0] wmask_i,  // 0: a read
    input  wire [31:0] wdata_i,
    output reg         answer_o,
    output reg  [31:0] rdata_o
);
  import "DPI-C" function int core_access(
    input int address,
    input int wmask,
    input int wdata
  );

  always @(posedge clk_i) begin
    answer_o <= valid_i;
    if (valid_i) rdata_o <= core_access(address_i, {28'd0, wmask_i}, wdata_i);
  end
endmodule
`default_nettype wire
