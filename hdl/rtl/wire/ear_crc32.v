// SPDX-License-Identifier: Apache-2.0
// CRC-32 (IEEE 802.3, reflected) over four more bytes, the lowest first. Combinational.
`default_nettype none
module ear_crc32 (
    input  wire [31:0] crc_i,   // all ones before the first word
    input  wire [31:0] data_i,
    output reg  [31:0] crc_o    // inverted, it is the CRC of all bytes so far
);
  localparam [31:0] POLYNOMIAL = 32'hEDB88320;
  integer i;

  always @* begin
    crc_o = crc_i ^ data_i;
    for (i = 0; i < 32; i = i + 1) crc_o = {1'b0, crc_o[31:1]} ^ (crc_o[0] ? POLYNOMIAL : 32'd0);
  end
endmodule
`default_nettype wire
