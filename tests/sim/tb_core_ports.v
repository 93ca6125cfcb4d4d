// SPDX-License-Identifier: Apache-2.0
// The adapters of CVA6, CV32E40X, Rocket and BOOM, and Ibex's parameters, each with a unit of its
// own: test_core_ports.cpp is the core, and core_i chooses which. What all ports have has one
// name here; each core takes what it has.
`include "ear_cores.vh"
`include "tb_core_ports.vh"
`default_nettype none
module tb_core_ports (
    input wire clk_i,
    input wire rst_ni,
    input wire [2:0] core_i,  // 0 CVA6, 1 CV32E40X, 2 Rocket, 3 BOOM, 4 Ibex

    input wire [1:0] valid_i,
    input wire [63:0] insn_i,
    input wire [3:0] mode_i,
    input wire [1:0] debug_i,
    input wire [1:0] exception_i,
    input wire [1:0] interrupt_i,
    input wire intr_i,
    input wire debug_trigger_i,
    input wire [1:0] mpp_i,
    input wire [127:0] cause_i,
    input wire [9:0] rs1_addr_i,
    input wire [9:0] rs2_addr_i,
    input wire [9:0] rd_addr_i,
    input wire [127:0] rs1_rdata_i,
    input wire [127:0] rs2_rdata_i,
    input wire [127:0] rd_wdata_i,
    input wire [127:0] pc_rdata_i,
    input wire [127:0] pc_wdata_i,
    input wire [415:0] mem_addr_i,
    input wire [51:0] mem_rmask_i,
    input wire [51:0] mem_wmask_i,
    input wire [415:0] mem_rdata_i,
    input wire [415:0] mem_wdata_i,
    input wire ended_i,

    output wire stall_o,
    output wire tx_valid_o,
    output wire [31:0] tx_data_o,
    input wire rx_valid_i,
    output wire rx_ready_o,
    input wire [7:0] rx_data_i
);
  localparam CORES = 5;
  wire [CORES-1:0] stall;
  wire [CORES-1:0] tx_valid;
  wire [CORES-1:0] tx_last;
  wire [CORES-1:0] rx_ready;
  wire [CORES-1:0] core_reset;
  wire [CORES-1:0] core_halt;
  wire [32*CORES-1:0] tx_data;
  wire unused = &{1'b0, tx_last, core_reset, core_halt};
  assign stall_o = stall[core_i];
  assign tx_valid_o = tx_valid[core_i];
  assign tx_data_o = tx_data[32*core_i+:32];
  assign rx_ready_o = rx_ready[core_i];

  generate
    if (1) begin : gen_cva6
      typedef struct packed {
        logic valid;
        logic [31:0] insn;
        logic [1:0] mode;
        logic [4:0] rs1_addr, rs2_addr, rd_addr;
        logic [63:0] rs1_rdata, rs2_rdata, rd_wdata, pc_rdata, mem_addr;
        logic [7:0] mem_rmask, mem_wmask;
        logic [63:0] mem_rdata, mem_wdata;
      } instr_t;
      typedef struct packed {
        logic ex_valid;
        logic [63:0] cause;
      } iti_t;
      instr_t [1:0] instr;
      iti_t iti;
      wire on = core_i == 3'd0;
      assign iti = '{ex_valid: on && exception_i[0], cause: cause_i[63:0]};
      for (genvar k = 0; k < 2; k = k + 1) begin : gen_port
        assign instr[k] = '{
            valid: valid_i[k] && on, insn: insn_i[32*k+:32],
            mode: debug_i[k] ? 2'd2 : mode_i[2*k+:2],
            rs1_addr: rs1_addr_i[5*k+:5], rs2_addr: rs2_addr_i[5*k+:5],
            rd_addr: rd_addr_i[5*k+:5], rs1_rdata: rs1_rdata_i[64*k+:64],
            rs2_rdata: rs2_rdata_i[64*k+:64], rd_wdata: rd_wdata_i[64*k+:64],
            pc_rdata: pc_rdata_i[64*k+:64], mem_addr: mem_addr_i[64*k+:64],
            mem_rmask: mem_rmask_i[8*k+:8], mem_wmask: mem_wmask_i[8*k+:8],
            mem_rdata: mem_rdata_i[64*k+:64], mem_wdata: mem_wdata_i[64*k+:64]};
      end
      `UNIT(0, 2, 64, `EAR_CORE_CVA6 `COMMA .PREDICT(0) `COMMA .RECORD_FIFO(32))
      ear_cva6 u_port (
          .clk_i(clk_i), .rst_ni(rst_ni), `EAR_CVA6_PORT_2(instr, iti),
          .ext_cause_o(rvfi_ext_cause), .ext_debug_o(rvfi_ext_debug),
          .ext_irq_o(rvfi_ext_irq), `EAR_RVFI_CORE
      );
    end

    if (1) begin : gen_cv32e40x
      tb_cv32e40x_rvfi core ();
      assign core.rvfi_valid = valid_i[0] && core_i == 3'd1;
      assign core.rvfi_insn = insn_i[31:0];
      assign core.rvfi_trap = '{
          cause_type: 2'd0, debug_cause: debug_trigger_i ? 3'd2 : 3'd0,
          exception_cause: cause_i[5:0], debug: debug_trigger_i, exception: exception_i[0],
          trap: exception_i[0] || debug_trigger_i};
      assign core.rvfi_intr = '{
          cause: cause_i[42:32], interrupt: interrupt_i[0], exception: intr_i && !interrupt_i[0],
          intr: intr_i};
      assign core.rvfi_mode = mode_i[1:0];
      assign core.rvfi_dbg_mode = debug_i[0];
      assign core.rvfi_csr_mstatus_rdata = {19'd0, mpp_i, 11'd0};
      assign core.rvfi_rs1_addr = rs1_addr_i[4:0];
      assign core.rvfi_rs2_addr = rs2_addr_i[4:0];
      assign core.rvfi_rd_addr = rd_addr_i[4:0];
      assign core.rvfi_rs1_rdata = rs1_rdata_i[31:0];
      assign core.rvfi_rs2_rdata = rs2_rdata_i[31:0];
      assign core.rvfi_rd_wdata = rd_wdata_i[31:0];
      assign core.rvfi_pc_rdata = pc_rdata_i[31:0];
      assign core.rvfi_pc_wdata = pc_wdata_i[31:0];
      assign core.rvfi_mem_addr = mem_addr_i;
      assign core.rvfi_mem_rmask = mem_rmask_i;
      assign core.rvfi_mem_wmask = mem_wmask_i;
      assign core.rvfi_mem_rdata = mem_rdata_i;
      assign core.rvfi_mem_wdata = mem_wdata_i;
      `UNIT(1, 1, 32, `EAR_CORE_CV32E40X `COMMA .PREDICT(0))
      ear_cv32e40x #(
          .NMEM(13)
      ) u_port (
          .clk_i(clk_i), .rst_ni(rst_ni), `EAR_CV32E40X_PORT(core),
          .ext_cause_o(rvfi_ext_cause), .ext_debug_o(rvfi_ext_debug),
          .ext_irq_o(rvfi_ext_irq), `EAR_RVFI_CORE
      );
    end

    for (genvar boom = 0; boom < 2; boom = boom + 1) begin : gen_rocket
      localparam N = 2 + boom;
      localparam NR = 1 + boom;
      wire [39:0] iaddr[0:1];
      assign iaddr[0] = pc_rdata_i[39:0];
      assign iaddr[1] = pc_rdata_i[103:64];
      wire [2*40-1:0] iaddrs = {iaddr[1], iaddr[0]};
      wire [5:0] priv = {debug_i[1], mode_i[3:2], debug_i[0], mode_i[1:0]};
      wire [1:0] on = {2{core_i == N}};
      wire [1:0] gated_valid = valid_i & on;
      wire [1:0] gated_exception = exception_i & on;
      wire [1:0] gated_interrupt = interrupt_i & (boom != 0 ? on : 2'b11);
      `UNIT(N, NR, 64, `EAR_CORE_ROCKET `COMMA .RESULTS(boom) `COMMA .RECORD_FIFO(32))
      ear_rocket #(
          .BOOM(boom), .NRET(NR), .WDATA(boom)
      ) u_port (
          .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(gated_valid[NR-1:0]),
          .iaddr_i(iaddrs[40*NR-1:0]), .insn_i(insn_i[32*NR-1:0]), .priv_i(priv[3*NR-1:0]),
          .exception_i(gated_exception[NR-1:0]),
          .interrupt_i(gated_interrupt[NR-1:0]), .cause_i(cause_i[64*NR-1:0]),
          .wdata_i(rd_wdata_i[64*NR-1:0]), .ext_cause_o(rvfi_ext_cause),
          .ext_debug_o(rvfi_ext_debug), .ext_irq_o(rvfi_ext_irq), `EAR_RVFI_CORE
      );
    end

    if (1) begin : gen_ibex
      `UNIT(4, 1, 32, `EAR_CORE_IBEX `COMMA .PREDICT(0))
      assign rvfi_valid = valid_i[0] && core_i == 3'd4;
      assign rvfi_order = 64'd0;
      assign rvfi_insn = insn_i[31:0];
      assign rvfi_trap = exception_i[0];
      assign rvfi_halt = 1'b0;
      assign rvfi_intr = intr_i;
      assign rvfi_mode = mode_i[1:0];
      assign rvfi_ixl = 2'd1;
      assign rvfi_rs1_addr = rs1_addr_i[4:0];
      assign rvfi_rs2_addr = rs2_addr_i[4:0];
      assign rvfi_rs1_rdata = rs1_rdata_i[31:0];
      assign rvfi_rs2_rdata = rs2_rdata_i[31:0];
      assign rvfi_rd_addr = rd_addr_i[4:0];
      assign rvfi_rd_wdata = rd_wdata_i[31:0];
      assign rvfi_pc_rdata = pc_rdata_i[31:0];
      assign rvfi_pc_wdata = pc_wdata_i[31:0];
      assign rvfi_mem_addr = mem_addr_i[31:0];
      assign rvfi_mem_rmask = mem_rmask_i[3:0];
      assign rvfi_mem_wmask = mem_wmask_i[3:0];
      assign rvfi_mem_rdata = mem_rdata_i[31:0];
      assign rvfi_mem_wdata = mem_wdata_i[31:0];
      assign rvfi_ext_cause = 32'd0;
      assign rvfi_ext_debug = debug_i[0];
      assign rvfi_ext_irq = interrupt_i[0] && core_i == 3'd4;
    end
  endgenerate
endmodule
`default_nettype wire
