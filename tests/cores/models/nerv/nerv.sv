// SPDX-License-Identifier: Apache-2.0
// A model of NERV's ports: held by `stall` at once, memories that keep their answers meanwhile.
`include "ear_rvfi.vh"
`default_nettype none
module nerv #(
    parameter [31:0] RESET_ADDR = 32'h0000_0000
) (
    input  wire        clock,
    input  wire        reset,
    input  wire        stall,
    output wire [31:0] imem_addr,
    input  wire [31:0] imem_data,
    output wire        dmem_valid,
    output wire [31:0] dmem_addr,
    output wire [ 3:0] dmem_wstrb,
    output wire [31:0] dmem_wdata,
    input  wire [31:0] dmem_rdata,
    input  wire [31:0] irq,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  wire req;
  wire fetch;
  reg asked_q;  // the memory has got the request
  reg done_q;   // and has answered: the instruction at hand can end, even in a stall

  model_core #(
      .CORE    (0),
      .RESET_PC(RESET_ADDR)
  ) u_model (
      .clk_i     (clock),
      .rst_ni    (!reset),
      .hold_i    (stall && !req && !done_q),
      .timer_i   (irq[7]),
      .software_i(irq[3]),
      .req_o     (req),
      .fetch_o   (fetch),
      .address_o (dmem_addr),
      .wmask_o   (dmem_wstrb),
      .wdata_o   (dmem_wdata),
      .done_i    (asked_q),
      .rdata_i   (fetch ? imem_data : dmem_rdata),
      `EAR_RVFI_CORE
  );

  assign imem_addr  = dmem_addr;
  assign dmem_valid = req && !fetch && !asked_q;
  always @(posedge clock) begin
    asked_q <= !reset && req && !asked_q && !stall;
    done_q  <= !reset && asked_q;
  end
endmodule
`default_nettype wire
