// SPDX-License-Identifier: Apache-2.0
// Decide whether one record satisfies a trigger of the kinds PC, OPCODE, ADDRESS and ADDRESS_DATA.
//
// The access of a record spans from the lowest to the highest byte of its mask. For ADDRESS_DATA
// the data of the direction that is asked for counts: rdata for reads, wdata for writes, either if
// both are. Combinational. docs/protocol.md, section 7.2.
`include "ear_protocol.vh"
`default_nettype none
module ear_trigger_match #(
    parameter XLEN = 32  // bits
) (
    // The trigger block's registers.
    input wire [     3:0] kind_i,
    input wire            reads_i,
    input wire            writes_i,
    input wire [XLEN-1:0] value_i,
    input wire [XLEN-1:0] mask_i,
    input wire [XLEN-1:0] data_i,
    input wire [XLEN-1:0] data_mask_i,

    // The record.
    input wire [    XLEN-1:0] pc_i,
    input wire [        31:0] insn_i,
    input wire [    XLEN-1:0] mem_addr_i,
    input wire [XLEN/8-1:0] mem_rmask_i,
    input wire [XLEN/8-1:0] mem_wmask_i,
    input wire [    XLEN-1:0] mem_rdata_i,
    input wire [    XLEN-1:0] mem_wdata_i,

    output wire match_o
);
  localparam BYTES = XLEN / 8;

  wire [BYTES-1:0] read_mask = reads_i ? mem_rmask_i : {BYTES{1'b0}};
  wire [BYTES-1:0] write_mask = writes_i ? mem_wmask_i : {BYTES{1'b0}};
  wire [BYTES-1:0] mask = read_mask | write_mask;

  reg  [3:0] low;
  reg  [3:0] high;
  integer i;
  always @* begin
    low  = 4'd0;
    high = 4'd0;
    for (i = 0; i < BYTES; i = i + 1) if (mask[i]) high = i[3:0];
    for (i = BYTES - 1; i >= 0; i = i - 1) if (mask[i]) low = i[3:0];
  end

  wire [XLEN:0] first = {1'b0, mem_addr_i} + {{(XLEN - 3) {1'b0}}, low};
  wire [XLEN:0] last = {1'b0, mem_addr_i} + {{(XLEN - 3) {1'b0}}, high};
  wire touches = mask != {BYTES{1'b0}} && last >= {1'b0, value_i} && first <= {1'b0, mask_i};

  wire read_data = read_mask != {BYTES{1'b0}} &&
      ((mem_rdata_i ^ data_i) & data_mask_i) == {XLEN{1'b0}};
  wire write_data = write_mask != {BYTES{1'b0}} &&
      ((mem_wdata_i ^ data_i) & data_mask_i) == {XLEN{1'b0}};

  wire [7:0] kind = {4'd0, kind_i};
  assign match_o =
      (kind == `EAR_TRIGGER_PC && ((pc_i ^ value_i) & mask_i) == {XLEN{1'b0}}) ||
      (kind == `EAR_TRIGGER_OPCODE && ((insn_i ^ value_i[31:0]) & mask_i[31:0]) == 32'd0) ||
      (kind == `EAR_TRIGGER_ADDRESS && touches) ||
      (kind == `EAR_TRIGGER_ADDRESS_DATA && touches && (read_data || write_data));
endmodule
`default_nettype wire
