// SPDX-License-Identifier: Apache-2.0
// Compare result and next pc with their predictions, and give the distance of a value from its
// prediction.
//
// An entry is worked out in stage C and sent from stage D. With a pipeline it is compared in D,
// because what is compared takes longest to work out; without one in C, so that fewer values have
// to be kept.
`default_nettype none
module ear_predict_compare #(
    parameter XLEN      = 32,  // bits
    parameter PIPELINED = 1
) (
    input wire clk_i,
    input wire enter_i,  // the entry in C goes to D

    // Stage C: predictions.
    input wire            rdata_differs_i,
    input wire            division_i,       // its result is sent by itself
    input wire [XLEN-1:0] known_i,          // of mem_rdata
    input wire [XLEN-1:0] result_i,         // of rd_wdata
    input wire [XLEN-1:0] next_pc_i,

    // The entry in C, and the one in D.
    input wire [XLEN-1:0] mem_rdata_i,
    input wire [XLEN-1:0] rd_wdata_i,
    input wire [XLEN-1:0] pc_wdata_i,
    input wire [XLEN-1:0] mem_rdata_d_i,
    input wire [XLEN-1:0] rd_wdata_d_i,
    input wire [XLEN-1:0] pc_wdata_d_i,

    // Of the entry in D.
    output wire            rd_differs_o,
    output wire            next_pc_differs_o,
    output wire [XLEN-1:0] delta_o             // mem_rdata, if it differs, else rd_wdata
);
  generate
    if (PIPELINED != 0) begin : gen_in_d
      reg            rdata_differs_q;
      reg            division_q;
      reg [XLEN-1:0] known_q;
      reg [XLEN-1:0] result_q;
      reg [XLEN-1:0] next_pc_q;
      always @(posedge clk_i) begin
        if (enter_i) begin
          rdata_differs_q <= rdata_differs_i;
          division_q <= division_i;
          known_q <= known_i;
          result_q <= result_i;
          next_pc_q <= next_pc_i;
        end
      end
      wire [XLEN-1:0] base = rdata_differs_q ? known_q : division_q ? {XLEN{1'b0}} : result_q;
      assign rd_differs_o = rd_wdata_d_i != result_q;
      assign next_pc_differs_o = pc_wdata_d_i != next_pc_q;
      assign delta_o = (rdata_differs_q ? mem_rdata_d_i : rd_wdata_d_i) - base;
      wire unused = &{1'b0, mem_rdata_i, rd_wdata_i, pc_wdata_i};
    end else begin : gen_in_c
      reg            rd_differs_q;
      reg            next_pc_differs_q;
      reg [XLEN-1:0] delta_q;
      wire [XLEN-1:0] base = rdata_differs_i ? known_i : division_i ? {XLEN{1'b0}} : result_i;
      always @(posedge clk_i) begin
        if (enter_i) begin
          rd_differs_q <= rd_wdata_i != result_i;
          next_pc_differs_q <= pc_wdata_i != next_pc_i;
          delta_q <= (rdata_differs_i ? mem_rdata_i : rd_wdata_i) - base;
        end
      end
      assign rd_differs_o = rd_differs_q;
      assign next_pc_differs_o = next_pc_differs_q;
      assign delta_o = delta_q;
      wire unused = &{1'b0, mem_rdata_d_i, rd_wdata_d_i, pc_wdata_d_i};
    end
  endgenerate
endmodule
`default_nettype wire
