// SPDX-License-Identifier: Apache-2.0
// The kinds of a trigger that do not look into a record: CYCLES, RECORDS, PIN, MISMATCH, and
// NONE.
//
// One counter serves both counts. It holds VALUE until the trigger is armed and then counts down,
// so it never needs to know when it was armed.
`include "ear_protocol.vh"
`default_nettype none
module ear_trigger_count (
    input wire clk_i,
    input wire rst_ni,

    // The trigger block's registers.
    input wire [ 3:0] kind_i,
    input wire [63:0] value_i,

    input  wire       pin_i,
    input  wire       mismatch_i,  // level: a wrong result was seen
    input  wire       armed_i,    // in this clock, before any record of it
    input  wire       hold_i,     // this clock does not count
    input  wire [1:0] records_i,  // records of this clock that count: those after arming
    output wire       clock_o,    // if armed: fires in this clock, before its records
    output wire [1:0] nth_o       // fires on the first, second record of this clock that counts
);
  wire [7:0] kind = {4'd0, kind_i};
  wire       counts_records = kind == `EAR_TRIGGER_RECORDS;

  reg [63:0] left_q;

  // left is 0 or 1 for the first record, at most 2 for the second.
  wire few = left_q[63:2] == 62'd0;
  assign nth_o = {counts_records && few && left_q[1:0] <= 2'd2,
                  counts_records && few && left_q[1:0] <= 2'd1};

  assign clock_o = (kind == `EAR_TRIGGER_CYCLES && few && left_q[1:0] == 2'd0) ||
      (kind == `EAR_TRIGGER_PIN && pin_i) ||
      (kind == `EAR_TRIGGER_MISMATCH && mismatch_i);

  wire [1:0] step = counts_records ? records_i : {1'b0, armed_i && !hold_i};
  wire counting = armed_i || (counts_records && records_i != 2'd0);

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= 64'd0;
    else if (!counting) left_q <= value_i;
    else if (few && left_q[1:0] <= step) left_q <= 64'd0;
    else left_q <= left_q - {62'd0, step};
  end
endmodule
`default_nettype wire
