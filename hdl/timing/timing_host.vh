// SPDX-License-Identifier: Apache-2.0
// The host of a timing bench: control words, a byte a clock. A bench includes this in its module.
  reg rx_valid = 1'b0;
  reg [7:0] rx_data = 8'd0;
  wire rx_ready;

  function [7:0] crc8(input [71:0] bytes);
    integer i;
    begin
      crc8 = 8'd0;
      for (i = 71; i >= 0; i = i - 1)
        crc8 = {crc8[6:0], 1'b0} ^ (crc8[7] ^ bytes[i] ? `EAR_CONTROL_WORD_CRC_POLY : 8'd0);
    end
  endfunction

  task write_register(input [15:0] address, input [31:0] value);
    reg [79:0] word;
    integer i;
    begin
      word[79:8] = {
        `EAR_CONTROL_WORD_MAGIC, `EAR_CONTROL_WORD_WRITE, 8'd1, address[7:0], address[15:8],
        value[7:0], value[15:8], value[23:16], value[31:24]
      };
      word[7:0] = crc8(word[79:8]);
      for (i = 9; i >= 0; i = i - 1) begin
        rx_valid <= 1'b1;
        rx_data <= word[8*i+:8];
        @(posedge clk);
        while (!rx_ready) @(posedge clk);
      end
      rx_valid <= 1'b0;
      @(posedge clk);
    end
  endtask
