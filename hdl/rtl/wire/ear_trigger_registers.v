// SPDX-License-Identifier: Apache-2.0
// One trigger block: the registers of a start or a stop trigger (docs/protocol.md, section 7.1).
`include "ear_protocol.vh"
`default_nettype none
module ear_trigger_registers #(
    parameter XLEN = 32  // bits of mask, data and data mask; the value has 64 always
) (
    input wire clk_i,
    input wire rst_ni,

    // Access by the host. address is that of a word of the block.
    input  wire        write_i,
    input  wire [ 3:0] address_i,
    input  wire [31:0] value_i,
    output reg  [31:0] value_o,

    // To the trigger.
    output wire [     3:0] kind_o,
    output wire            reads_o,
    output wire            writes_o,
    output wire [    63:0] compare_o,
    output wire [XLEN-1:0] mask_o,
    output wire [XLEN-1:0] data_o,
    output wire [XLEN-1:0] data_mask_o
);
  reg  [     5:0] kind_q;
  reg  [    63:0] compare_q;
  reg  [XLEN-1:0] mask_q;
  reg  [XLEN-1:0] data_q;
  reg  [XLEN-1:0] data_mask_q;

  wire [    15:0] address = {10'd0, address_i, 2'd0};
  wire [    63:0] mask;
  wire [    63:0] data;
  wire [    63:0] data_mask;
  generate
    if (XLEN == 64) begin : gen_wide
      assign mask = mask_q;
      assign data = data_q;
      assign data_mask = data_mask_q;
    end else begin : gen_narrow
      assign mask = {32'd0, mask_q};
      assign data = {32'd0, data_q};
      assign data_mask = {32'd0, data_mask_q};
    end
  endgenerate

  always @* begin
    case (address)
      `EAR_TRIGGER_REG_KIND: value_o = {22'd0, kind_q[5:4], 4'd0, kind_q[3:0]};
      `EAR_TRIGGER_REG_VALUE_LO: value_o = compare_q[31:0];
      `EAR_TRIGGER_REG_VALUE_HI: value_o = compare_q[63:32];
      `EAR_TRIGGER_REG_MASK_LO: value_o = mask[31:0];
      `EAR_TRIGGER_REG_MASK_HI: value_o = mask[63:32];
      `EAR_TRIGGER_REG_DATA_LO: value_o = data[31:0];
      `EAR_TRIGGER_REG_DATA_HI: value_o = data[63:32];
      `EAR_TRIGGER_REG_DATA_MASK_LO: value_o = data_mask[31:0];
      `EAR_TRIGGER_REG_DATA_MASK_HI: value_o = data_mask[63:32];
      default: value_o = 32'd0;
    endcase
  end

  // What the 64-bit registers would be after the write; only the half that is meant changes.
  wire upper = address_i[0];
  wire [63:0] mask_d = upper ? {value_i, mask[31:0]} : {mask[63:32], value_i};
  wire [63:0] data_d = upper ? {value_i, data[31:0]} : {data[63:32], value_i};
  wire [63:0] data_mask_d = upper ? {value_i, data_mask[31:0]} : {data_mask[63:32], value_i};

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kind_q <= 6'd0;
      compare_q <= 64'd0;
      mask_q <= {XLEN{1'b0}};
      data_q <= {XLEN{1'b0}};
      data_mask_q <= {XLEN{1'b0}};
    end else if (write_i) begin
      case (address)
        `EAR_TRIGGER_REG_KIND: kind_q <= {value_i[9:8], value_i[3:0]};
        `EAR_TRIGGER_REG_VALUE_LO: compare_q[31:0] <= value_i;
        `EAR_TRIGGER_REG_VALUE_HI: compare_q[63:32] <= value_i;
        `EAR_TRIGGER_REG_MASK_LO, `EAR_TRIGGER_REG_MASK_HI: mask_q <= mask_d[XLEN-1:0];
        `EAR_TRIGGER_REG_DATA_LO, `EAR_TRIGGER_REG_DATA_HI: data_q <= data_d[XLEN-1:0];
        `EAR_TRIGGER_REG_DATA_MASK_LO, `EAR_TRIGGER_REG_DATA_MASK_HI:
        data_mask_q <= data_mask_d[XLEN-1:0];
        default: ;
      endcase
    end
  end

  generate
    if (XLEN == 32) begin : gen_unused
      wire unused = &{1'b0, mask_d[63:32], data_d[63:32], data_mask_d[63:32]};
    end
  endgenerate

  assign kind_o = kind_q[3:0];
  assign reads_o = kind_q[4];
  assign writes_o = kind_q[5];
  assign compare_o = compare_q;
  assign mask_o = mask_q;
  assign data_o = data_q;
  assign data_mask_o = data_mask_q;
endmodule
`default_nettype wire
