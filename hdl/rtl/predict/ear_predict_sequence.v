// SPDX-License-Identifier: Apache-2.0
// What is expected of the next entry's order, pc, privilege and the bits beside them.
//
// All of it follows from the entry before, docs/predict.md, section 5.
`default_nettype none
module ear_predict_sequence #(
    parameter XLEN      = 32,  // bits
    parameter ORDER     = 1,   // 0: the order is always as expected, and not looked at
    parameter PIPELINED = 1    // as ear_predictor
) (
    input wire clk_i,
    input wire rst_ni,
    input wire sweep_i,  // everything is forgotten

    // The entry of stage C. learn_i: it is a record and advances. lost_i: it reports lost ones.
    input wire            learn_i,
    input wire            lost_i,
    input wire [    63:0] lost_last_i,  // order of the last of them
    input wire [    63:0] order_i,
    input wire [XLEN-1:0] pc_i,
    input wire [XLEN-1:0] pc_wdata_i,
    input wire [     7:0] status_i,
    input wire [     1:0] ext_i,
    input wire            mret_i,
    input wire            sret_i,       // sret, and no CSR writes are listed
    input wire [     1:0] mpp_i,        // of mstatus before it
    input wire            spp_i,

    // Stage D: a record leaves.
    input wire            leave_d_i,
    input wire [XLEN-1:0] pc_wdata_d_i,

    output wire        hard_o,           // no record has come since all was forgotten
    output wire        order_differs_o,
    output wire        pc_differs_o,
    output wire        head_differs_o,
    output wire [31:0] check_pc_o        // expected when the record of stage D has left
);
  wire [1:0] ixl = status_i[7:6];
  wire [1:0] mode = status_i[5:4];
  wire intr = status_i[2];
  wire halt = status_i[1];
  wire trap = status_i[0];

  reg [    63:0] order_q;
  reg [XLEN-1:0] pc_q;
  reg            hard_q;
  reg            intr_q, debug_q, virt_q;
  reg [     1:0] mode_q, ixl_q;
  localparam [1:0] IXL = XLEN == 64 ? 2'd2 : 2'd1;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      hard_q  <= 1'b0;
      {intr_q, debug_q, virt_q} <= 3'd0;
      mode_q  <= 2'd3;
      ixl_q   <= IXL;
    end else if (sweep_i) begin
      hard_q <= 1'b1;
      {intr_q, debug_q, virt_q} <= 3'd0;
      mode_q <= 2'd3;
      ixl_q  <= IXL;
    end else if (learn_i) begin
      order_q <= order_i + 64'd1;
      hard_q <= 1'b0;
      intr_q <= trap;
      debug_q <= ext_i[0];
      virt_q <= ext_i[1];
      ixl_q <= ixl;
      if (trap) mode_q <= 2'd3;
      else if (mret_i) mode_q <= mpp_i;
      else if (sret_i) mode_q <= {1'b0, spp_i};
      else mode_q <= mode;
    end else if (lost_i) begin
      order_q <= lost_last_i + 64'd1;  // what was dropped never came here
    end
  end

  // With a pipeline the next entry is compared before this one leaves, so a CHECK needs a copy of
  // the pc. Without one the pc itself can wait, also for the CHECK before a hard SYNC: the record
  // after that is compared with 0 instead.
  wire learn_pc = PIPELINED != 0 ? learn_i : leave_d_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pc_q <= {XLEN{1'b0}};
    else if (learn_pc) pc_q <= PIPELINED != 0 ? pc_wdata_i : pc_wdata_d_i;
  end
  generate
    if (PIPELINED != 0) begin : gen_check_pc
      reg [31:0] check_pc_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) check_pc_q <= 32'd0;
        else if (leave_d_i) check_pc_q <= pc_wdata_d_i[31:0];
      end
      assign check_pc_o = check_pc_q;
    end else begin : gen_own_pc
      assign check_pc_o = pc_q[31:0];
    end
  endgenerate

  assign hard_o = hard_q;
  assign order_differs_o = ORDER != 0 && !hard_q && order_i != order_q;
  assign pc_differs_o = hard_q ? pc_i != {XLEN{1'b0}} : pc_i != pc_q;
  assign head_differs_o = halt || intr != intr_q || mode != mode_q || ixl != ixl_q ||
      ext_i != {virt_q, debug_q};

  wire unused = &{1'b0, status_i[3], pc_wdata_i, pc_wdata_d_i};
endmodule
`default_nettype wire
