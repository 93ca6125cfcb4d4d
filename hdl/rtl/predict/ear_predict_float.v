// SPDX-License-Identifier: Apache-2.0
// The f registers as the predictor remembers them, and what an entry is expected to show of
// floating point. Results are not worked out, but for loads, moves and copies; flags are expected
// as the last instruction raised them.
`include "ear_predict.vh"
`default_nettype none
module ear_predict_float #(
    parameter XLEN      = 32,  // bits
    parameter FLEN      = 32,  // 32, 64
    parameter PIPELINED = 1
) (
    input wire clk_i,
    input wire rst_ni,

    input wire       sweep_i,
    input wire [4:0] sweep_address_i,

    // Read: the register of the slot before C if advance_i, else of that in C.
    input wire       advance_i,
    input wire [4:0] read_i,

    // The entry in C. learn_i: it leaves.
    input  wire            learn_i,
    input  wire [     6:0] kind_i,
    input  wire [     3:0] access_i,
    input  wire            raises_i,       // it may raise flags
    input  wire [     4:0] frs_i,
    input  wire [     4:0] frd_i,
    input  wire            trap_i,
    input  wire [XLEN-1:0] mem_rdata_i,
    input  wire [XLEN-1:0] a_i,            // rs1
    input  wire            frd_valid_i,
    input  wire [     4:0] frd_addr_i,
    input  wire [     4:0] fflags_i,
    input  wire [FLEN-1:0] frd_wdata_i,
    output wire [XLEN-1:0] f_o,            // low bits of the register frs_i
    output wire            frd_differs_o,  // frd_valid, frd_addr, fflags
    output wire            value_differs_o,

    // The entry in D: the register that it has written.
    input wire            written_d_i,
    input wire [     4:0] frd_addr_d_i,
    input wire [FLEN-1:0] frd_wdata_d_i
);
  wire [FLEN-1:0] stored;
  ear_predict_memory #(
      .WIDTH(FLEN),
      .DEPTH_LOG2(5)
  ) u_memory (
      .clk_i(clk_i),
      .write_i(sweep_i || (learn_i && frd_valid_i)),
      .write_address_i(sweep_i ? sweep_address_i : frd_addr_i),
      .write_data_i(sweep_i ? {FLEN{1'b0}} : frd_wdata_i),
      .read_i(1'b1),
      .read_address_i(advance_i ? read_i : frs_i),
      .read_data_o(stored)
  );
  // The entry in D wrote in the clock of the read.
  wire [FLEN-1:0] f =
      PIPELINED != 0 && written_d_i && frd_addr_d_i == frs_i ? frd_wdata_d_i : stored;
  generate
    if (XLEN > FLEN) begin : gen_low
      assign f_o = {{(XLEN - FLEN) {1'b0}}, f};
    end else begin : gen_low
      assign f_o = f[XLEN-1:0];
    end
  endgenerate

  reg [4:0] raised_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) raised_q <= 5'd0;
    else if (sweep_i) raised_q <= 5'd0;
    else if (learn_i && raises_i) raised_q <= fflags_i;
  end

  wire to_f = !trap_i && (kind_i == `EAR_DO_FLOAD || kind_i == `EAR_DO_FCOPY ||
      kind_i == `EAR_DO_FCOMPUTE || kind_i == `EAR_DO_FMVTOF);
  assign frd_differs_o = frd_valid_i != to_f || frd_addr_i != (to_f ? frd_i : 5'd0) ||
      fflags_i != (!trap_i && raises_i ? raised_q : 5'd0);

  // A value of 32 bits is in the low half of 64, with ones above.
  wire [63:0] wide_rdata = {{(64 - XLEN) {1'b0}}, mem_rdata_i};
  wire [63:0] wide_a = {{(64 - XLEN) {1'b0}}, a_i};
  wire [63:0] wide_f = {{(64 - FLEN) {1'b0}}, f};
  reg [63:0] value;
  always @* begin
    case (kind_i)
      `EAR_DO_FLOAD: value = wide_rdata;
      `EAR_DO_FCOPY: value = wide_f;
      `EAR_DO_FMVTOF: value = wide_a;
      default: value = 64'd0;
    endcase
    if (access_i == 4'd4 && kind_i != `EAR_DO_FCOPY) value[63:32] = {32{FLEN == 64}};
    if (!frd_valid_i) value = 64'd0;
  end
  assign value_differs_o = frd_wdata_i != value[FLEN-1:0];

  wire unused = &{1'b0, value};
endmodule
`default_nettype wire
