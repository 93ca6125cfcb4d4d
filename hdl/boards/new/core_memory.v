// SPDX-License-Identifier: Apache-2.0
// Memory with program.hex in it: takes an access in each clock, answers in the next one and keeps
// the answer. Higher bits of the address are not read: the memory repeats.
//
// A core with two buses has two of these, so it cannot fetch what it stores.
`default_nettype none
module core_memory #(
    parameter WORDS = 512  // of 4 bytes; a power of two
) (
    input  wire        clk_i,
    input  wire        valid_i,
    input  wire [31:0] address_i,
    input  wire [ 3:0] wmask_i,    // 0: a read
    input  wire [31:0] wdata_i,
    output reg         answer_o,
    output reg  [31:0] rdata_o
);
  localparam BITS = $clog2(WORDS);
  (* no_rw_check *) reg [31:0] memory_q[0:WORDS-1];
  initial $readmemh("program.hex", memory_q);

  // Devices are not in the memory: a store to them changes nothing.
  wire [BITS-1:0] word = address_i[BITS+1:2];
  wire [3:0] wmask = address_i[31] ? wmask_i : 4'd0;

  always @(posedge clk_i) begin
    answer_o <= valid_i;
    if (valid_i) begin
      if (wmask[0]) memory_q[word][7:0] <= wdata_i[7:0];
      if (wmask[1]) memory_q[word][15:8] <= wdata_i[15:8];
      if (wmask[2]) memory_q[word][23:16] <= wdata_i[23:16];
      if (wmask[3]) memory_q[word][31:24] <= wdata_i[31:24];
      rdata_o <= memory_q[word];
    end
  end
endmodule
`default_nettype wire
