// SPDX-License-Identifier: Apache-2.0
// The x registers as the predictor remembers them: two memories, to read two registers at once.
//
// A result is written when its entry leaves stage C. An operand that was not as remembered is
// trained afterwards, from stage D, while all others wait; a result written in between is
// newer and stays. The entry in C reads in every clock in which it does not advance.
`default_nettype none
module ear_predict_registers #(
    parameter XLEN      = 32,  // bits
    parameter PIPELINED = 1
) (
    input wire clk_i,
    input wire rst_ni,

    input wire       sweep_i,
    input wire [4:0] sweep_address_i,

    // Read: the numbers of the slot before C if advance_i, else of that in C, which gets the
    // values.
    input  wire            advance_i,
    input  wire [     4:0] read1_i,
    input  wire [     4:0] read2_i,
    input  wire [     4:0] read1_c_i,
    input  wire [     4:0] read2_c_i,
    output wire [XLEN-1:0] x1_o,
    output wire [XLEN-1:0] x2_o,

    // The entry in C goes to D: its result, and whether its operands were wrong.
    input wire            learn_i,
    input wire            enter_i,     // an entry or a marker goes to D; as learn_i for an entry
    input wire [     4:0] rd_addr_i,
    input wire [XLEN-1:0] rd_wdata_i,
    input wire            wrong1_i,
    input wire            wrong2_i,

    // The entry in D.
    input  wire            record_d_i,
    input  wire [     4:0] rd_addr_d_i,
    input  wire [XLEN-1:0] rd_wdata_d_i,
    input  wire [     4:0] rs1_addr_d_i,
    input  wire [     4:0] rs2_addr_d_i,
    input  wire [XLEN-1:0] rs1_rdata_d_i,
    input  wire [XLEN-1:0] rs2_rdata_d_i,
    output wire            busy_o          // its operands are being trained
);
  reg fix1_q;
  reg fix2_q;
  reg fixed_q;  // a register was written in the last clock: read again
  wire fixing = fix1_q || fix2_q;
  wire write = (learn_i && rd_addr_i != 5'd0) || fixing || sweep_i;
  wire [4:0] address =
      sweep_i ? sweep_address_i : fix1_q ? rs1_addr_d_i : fix2_q ? rs2_addr_d_i : rd_addr_i;
  wire [XLEN-1:0] data =
      sweep_i ? {XLEN{1'b0}} : fix1_q ? rs1_rdata_d_i : fix2_q ? rs2_rdata_d_i : rd_wdata_i;
  wire [XLEN-1:0] stored1, stored2;

  ear_predict_memory #(
      .WIDTH(XLEN),
      .DEPTH_LOG2(5)
  ) u_x1 (
      .clk_i(clk_i),
      .write_i(write),
      .write_address_i(address),
      .write_data_i(data),
      .read_i(1'b1),
      .read_address_i(advance_i ? read1_i : read1_c_i),
      .read_data_o(stored1)
  );
  ear_predict_memory #(
      .WIDTH(XLEN),
      .DEPTH_LOG2(5)
  ) u_x2 (
      .clk_i(clk_i),
      .write_i(write),
      .write_address_i(address),
      .write_data_i(data),
      .read_i(1'b1),
      .read_address_i(advance_i ? read2_i : read2_c_i),
      .read_data_o(stored2)
  );

  // The entry in D has written its result in the clock in which these were read.
  wire fresh = PIPELINED != 0 && record_d_i && rd_addr_d_i != 5'd0;
  assign x1_o = fresh && rd_addr_d_i == read1_c_i ? rd_wdata_d_i : stored1;
  assign x2_o = fresh && rd_addr_d_i == read2_c_i ? rd_wdata_d_i : stored2;

  // rs1, rs2, rd are trained in this order.
  wire fix1 = wrong1_i && read1_c_i != 5'd0 && read1_c_i != rd_addr_i && read1_c_i != read2_c_i;
  wire fix2 = wrong2_i && read2_c_i != 5'd0 && read2_c_i != rd_addr_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fix1_q  <= 1'b0;
      fix2_q  <= 1'b0;
      fixed_q <= 1'b0;
    end else begin
      fixed_q <= fixing;
      if (enter_i) begin
        fix1_q <= learn_i && fix1;
        fix2_q <= learn_i && fix2;
      end else begin
        fix1_q <= 1'b0;
        fix2_q <= fix1_q && fix2_q;
      end
    end
  end
  assign busy_o = fixing || fixed_q;
endmodule
`default_nettype wire
