// SPDX-License-Identifier: Apache-2.0
// The digest of the records that have left, and when it is due: 65536 records after the last one,
// before a hard SYNC and at the end of a capture, if any record has come since (docs/predict.md,
// sections 6 and 8).
`default_nettype none
module ear_predict_account (
    input wire clk_i,
    input wire rst_ni,

    // The entry that leaves with leave_i: a record, a STOP, or another marker.
    input wire        leave_i,
    input wire        record_i,
    input wire        stop_i,
    input wire        hard_i,   // the first record after everything was forgotten
    input wire [31:0] fold_i,   // of the record

    output wire        check_o,   // due before the entry
    output wire [31:0] digest_o
);
  localparam [16:0] INTERVAL = 17'd65536;  // records

  reg [31:0] digest_q;
  reg [16:0] unchecked_q;  // records since the last CHECK or since everything was forgotten

  assign check_o = stop_i || hard_i ? unchecked_q != 17'd0 : record_i && unchecked_q == INTERVAL;
  wire restart = hard_i || check_o;
  wire [31:0] base = restart ? 32'd0 : digest_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      digest_q <= 32'd0;
      unchecked_q <= 17'd0;
    end else if (leave_i && record_i) begin
      digest_q <= {base[30:0], 1'b0} ^ (base[31] ? 32'h04C1_1DB7 : 32'd0) ^ fold_i;
      unchecked_q <= restart ? 17'd1 : unchecked_q + 17'd1;
    end else if (leave_i && check_o) begin
      digest_q <= 32'd0;
      unchecked_q <= 17'd0;
    end
  end

  assign digest_o = digest_q;
endmodule
`default_nettype wire
