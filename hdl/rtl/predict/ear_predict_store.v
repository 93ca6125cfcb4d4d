// SPDX-License-Identifier: Apache-2.0
// What a store or an atomic operation writes to memory, given what it read. Combinational.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_store #(
    parameter XLEN = 32,  // bits
    parameter BASE = 0    // 1: there are no atomic operations
) (
    input  wire [     6:0] kind_i,
    input  wire [     3:0] access_i,  // bytes
    input  wire            reads_i,   // it also reads: an atomic operation
    input  wire [XLEN-1:0] read_i,    // what it read
    input  wire [XLEN-1:0] b_i,       // rs2
    input  wire [XLEN-1:0] float_i,   // the f register, if that is stored
    input  wire [XLEN/8-1:0] mask_i,  // bytes written
    output wire [XLEN-1:0] stored_o  // the other bytes are 0
);
  reg [XLEN-1:0] amo_old, amo_b, whole;
  wire amo_less = amo_old[XLEN-1] == amo_b[XLEN-1] ? amo_old < amo_b :
      amo_old[XLEN-1] != (kind_i == `EAR_DO_AMOMINU || kind_i == `EAR_DO_AMOMAXU);
  always @* begin
    amo_old = read_i;
    amo_b   = b_i;
    if (access_i == 4'd4 && reads_i) begin
      amo_old = {{(XLEN - 31) {read_i[31]}}, read_i[30:0]};
      amo_b   = {{(XLEN - 31) {b_i[31]}}, b_i[30:0]};
    end
  end
  always @* begin
    whole = amo_b;
    if (kind_i == `EAR_DO_FSTORE) begin
      whole = float_i;
    end else if (reads_i && BASE == 0) begin
      case (kind_i)
        `EAR_DO_AMOADD: whole = amo_old + amo_b;
        `EAR_DO_AMOXOR: whole = amo_old ^ amo_b;
        `EAR_DO_AMOAND: whole = amo_old & amo_b;
        `EAR_DO_AMOOR: whole = amo_old | amo_b;
        `EAR_DO_AMOMIN, `EAR_DO_AMOMINU: whole = amo_less ? amo_old : amo_b;
        `EAR_DO_AMOMAX, `EAR_DO_AMOMAXU: whole = amo_less ? amo_b : amo_old;
        default: ;
      endcase
    end
  end

  genvar i;
  generate
    for (i = 0; i < XLEN / 8; i = i + 1) begin : gen_mask
      assign stored_o[8*i+:8] = whole[8*i+:8] & {8{mask_i[i]}};
    end
  endgenerate
endmodule
`default_nettype wire
