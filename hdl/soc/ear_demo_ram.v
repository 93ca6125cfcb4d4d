// SPDX-License-Identifier: Apache-2.0
// Memory of the demo system in the block RAM of an FPGA, with the program in it from the start.
//
// Addresses beyond the end do not alias: they are answered with error_o, as the system wants for
// its access faults.
`default_nettype none
module ear_demo_ram #(
    parameter WORDS     = 512,           // size in words of 4 bytes; a power of two, 64 to 65536
    parameter INIT_FILE = "program.hex"  // $readmemh: one word a line, from the base on
) (
    input  wire        clk_i,
    input  wire        valid_i,    // access this cycle; the answer is there in the next and stays
    input  wire [31:0] address_i,  // of a word; bit 31 is the memory's base
    input  wire [ 3:0] wmask_i,    // bytes to write
    input  wire [31:0] wdata_i,
    output reg  [31:0] rdata_o,
    output reg         error_o     // beyond the end
);
  localparam ADDRESS_WIDTH = $clog2(WORDS);

  // What a write cycle reads is not used: synthesis need not care.
  (* no_rw_check *)reg [31:0] memory_q[0:WORDS-1];
  initial $readmemh(INIT_FILE, memory_q);

  wire [ADDRESS_WIDTH-1:0] word = address_i[ADDRESS_WIDTH+1:2];
  wire beyond = address_i[30:ADDRESS_WIDTH+2] != 0;
  wire unused = &{1'b0, address_i[31], address_i[1:0]};

  always @(posedge clk_i) begin
    if (valid_i && !beyond) begin
      if (wmask_i[0]) memory_q[word][7:0] <= wdata_i[7:0];
      if (wmask_i[1]) memory_q[word][15:8] <= wdata_i[15:8];
      if (wmask_i[2]) memory_q[word][23:16] <= wdata_i[23:16];
      if (wmask_i[3]) memory_q[word][31:24] <= wdata_i[31:24];
    end
    if (valid_i) begin
      rdata_o <= memory_q[word];
      error_o <= beyond;
    end
  end
endmodule
`default_nettype wire
