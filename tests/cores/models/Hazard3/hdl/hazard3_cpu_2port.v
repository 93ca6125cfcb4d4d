// SPDX-License-Identifier: Apache-2.0
// A model of Hazard3's ports that the bench connects: AHB-Lite for instructions and for data, one
// transfer at a time. The address is taken when hready is high, and so is the answer.
`include "ear_rvfi.vh"
`default_nettype none
module hazard3_cpu_2port #(
    parameter RESET_VECTOR       = 32'd0,
    parameter MTVEC_INIT         = 32'd0,
    parameter EXTENSION_A        = 1,
    parameter EXTENSION_ZIFENCEI = 0,
    parameter CSR_COUNTER        = 0
) (
    input  wire        clk,
    input  wire        clk_always_on,
    input  wire        rst_n,
    input  wire        pwrup_ack,
    input  wire        unblock_in,
    `EAR_RVFI_OUTPUTS(1, 32),
    output wire [31:0] i_haddr,
    output wire [ 1:0] i_htrans,
    input  wire        i_hready,
    input  wire        i_hresp,
    input  wire [31:0] i_hrdata,
    output wire [31:0] d_haddr,
    output wire        d_hwrite,
    output wire [ 1:0] d_htrans,
    output wire [ 2:0] d_hsize,
    input  wire        d_hready,
    input  wire        d_hresp,
    input  wire        d_hexokay,
    output wire [31:0] d_hwdata,
    input  wire [31:0] d_hrdata,
    input  wire        dbg_req_halt,
    input  wire        dbg_req_halt_on_reset,
    input  wire        dbg_req_resume,
    input  wire [31:0] dbg_data0_rdata,
    input  wire [31:0] dbg_instr_data,
    input  wire        dbg_instr_data_vld,
    input  wire [31:0] dbg_sbus_addr,
    input  wire        dbg_sbus_write,
    input  wire [ 1:0] dbg_sbus_size,
    input  wire        dbg_sbus_vld,
    input  wire [31:0] dbg_sbus_wdata,
    input  wire        irq,
    input  wire        soft_irq,
    input  wire        timer_irq
);
  wire req;
  wire fetch;
  wire [31:0] address;
  wire [3:0] wmask;
  reg data_q;  // the transfer is in its data phase
  wire ready = fetch ? i_hready : d_hready;

  model_core #(
      .CORE    (2),
      .RESET_PC(RESET_VECTOR)
  ) u_model (
      .clk_i     (clk),
      .rst_ni    (rst_n),
      .hold_i    (1'b0),
      .timer_i   (timer_irq),
      .software_i(soft_irq),
      .req_o     (req),
      .fetch_o   (fetch),
      .address_o (address),
      .wmask_o   (wmask),
      .wdata_o   (d_hwdata),
      .done_i    (data_q && ready),
      .rdata_i   (fetch ? i_hrdata : d_hrdata),
      `EAR_RVFI_CORE
  );

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) data_q <= 1'b0;
    else if (req && ready) data_q <= !data_q;
  end

  wire [1:0] lane = wmask[0] ? 2'd0 : wmask[1] ? 2'd1 : wmask[2] ? 2'd2 : 2'd3;
  assign i_htrans = req && fetch && !data_q ? 2'b10 : 2'b00;
  assign i_haddr = address;
  assign d_htrans = req && !fetch && !data_q ? 2'b10 : 2'b00;
  assign d_haddr = wmask == 4'd0 ? address : {address[31:2], lane};
  assign d_hwrite = wmask != 4'd0;
  assign d_hsize = wmask == 4'd0 || wmask == 4'b1111 ? 3'd2 :
      wmask == 4'b0011 || wmask == 4'b1100 ? 3'd1 : 3'd0;
endmodule
`default_nettype wire
