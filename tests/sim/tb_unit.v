// SPDX-License-Identifier: Apache-2.0
// The capture unit with a port of fixed shape, so that one test program fits every configuration.
//
// Each channel is 56 words of 32 bits; tb_unit.h (pack_entry) says what is where.
`include "ear_geometry.vh"
`default_nettype none
module tb_unit #(
    // generate: parameters ear_unit last
    parameter PRESET = `EAR_PRESET_SMALL, parameter SIZE = `EAR_SIZE_FULL,
    parameter PREDICT = `EAR_PRESET_PREDICT(PRESET),
    parameter PREDICT_GEOMETRY = `EAR_PRESET_GEOMETRY(PRESET), parameter XLEN = 32,
    parameter NRET = 1, parameter CSR_SLOTS = 0, parameter FLEN = 0, parameter PADDR = 0,
    parameter OPERANDS = `EAR_SIZE_OPERANDS(SIZE),
    parameter ORDER_BITS = `EAR_SIZE_ORDER_BITS(SIZE), parameter OWN_ORDER = 0,
    parameter NORMALIZE = 1, parameter OPCODE_READS = 0, parameter CAUSES = 1,
    parameter RESULTS = 1, parameter ACCESSES = 1, parameter STALL_SLACK = 0,
    parameter FILTER = `EAR_SIZE_FILTER(SIZE), parameter TRIGGER = `EAR_SIZE_TRIGGER(SIZE),
    parameter TIME = `EAR_SIZE_TIME(SIZE), parameter HELD = `EAR_SIZE_HELD(SIZE),
    parameter STALL = 1, parameter CORE = 1, parameter RESET_HOLD = 0, parameter LOAD = 0,
    parameter TEST = `EAR_SIZE_TEST(SIZE), parameter EVENTS = `EAR_SIZE_EVENTS(SIZE),
    parameter EVENT_PORT = 0, parameter EVENT_STRINGS = 1, parameter EVENT_WAIT = 4,
    parameter MISMATCH = 0, parameter LOSS = `EAR_SIZE_LOSS(SIZE),
    parameter ENDED_CLOCKS = `EAR_SIZE_ENDED_CLOCKS(SIZE),
    parameter FLUSH_REGISTER = `EAR_SIZE_FLUSH_REGISTER(SIZE), parameter RESUME_REGISTER = 1,
    parameter SNAPSHOT = `EAR_SIZE_SNAPSHOT(SIZE),
    parameter RECORD_FIFO = `EAR_SIZE_RECORD_FIFO(SIZE),
    parameter PAYLOAD_BYTES = `EAR_SIZE_PAYLOAD_BYTES(SIZE),
    parameter COUNTER_BITS = `EAR_SIZE_COUNTER_BITS(SIZE), parameter ONE_CLOCK = 0,
    parameter NARROW = `EAR_SIZE_NARROW(SIZE),
    parameter PREDICT_UNIFIED = `EAR_PREDICT_UNIFIED(PREDICT_GEOMETRY),
    parameter PREDICT_MULTIPLY = `EAR_PREDICT_MULTIPLY(PREDICT_GEOMETRY),
    parameter PREDICT_DIVIDE = `EAR_PREDICT_DIVIDE(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_WORDS_LOG2 = `EAR_PREDICT_CODE_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_WAYS_LOG2 = `EAR_PREDICT_CODE_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CODE_LINE_LOG2 = `EAR_PREDICT_CODE_LINE_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WORDS_LOG2 = `EAR_PREDICT_DATA_WORDS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_WAYS_LOG2 = `EAR_PREDICT_DATA_WAYS_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DATA_LINE_LOG2 = `EAR_PREDICT_DATA_LINE_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_DICTIONARY_LOG2 = `EAR_PREDICT_DICTIONARY_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_CSR_LOG2 = `EAR_PREDICT_CSR_LOG2(PREDICT_GEOMETRY),
    parameter PREDICT_BASE = `EAR_PREDICT_BASE(PREDICT_GEOMETRY),
    parameter PREDICT_SINGLE = `EAR_PREDICT_SINGLE(PREDICT_GEOMETRY),
    parameter PREDICT_MULTIPLIER = `EAR_SIZE_PREDICT_MULTIPLIER(SIZE),
    parameter PREDICT_PIPELINED = `EAR_SIZE_PREDICT_PIPELINED(SIZE)
    // generate: end
) (
    input  wire          clk_i,
    input  wire          rst_ni,
    input  wire [1791:0] channel0_i,
    input  wire [1791:0] channel1_i,
    output wire          stall_o,
    output wire          wrong_o,  // a wrong result is counted in a clock without a record
    output wire          core_reset_o,
    output wire          core_halt_o,
    output wire          load_valid_o,
    output wire          load_write_o,
    output wire [  31:0] load_address_o,
    output wire [  31:0] load_wdata_o,
    input  wire          load_ready_i,
    input  wire [  31:0] load_rdata_i,
    input  wire          load_error_i,
    output wire [  31:0] boot_o,
    input  wire          ended_i,
    input  wire          trigger_i,
    input  wire          event_valid_i,
    input  wire [  31:0] event_data_i,
    output wire          event_ready_o,
    input  wire          port_valid_i,
    input  wire [  12:0] port_address_i,
    input  wire [   3:0] port_wmask_i,
    input  wire [  31:0] port_wdata_i,
    output wire          port_ready_o,
    output wire [  31:0] port_rdata_o,
    input  wire          link_clk_i,
    input  wire          link_rst_ni,
    output wire          tx_valid_o,
    input  wire          tx_ready_i,
    output wire [  31:0] tx_data_o,
    output wire          tx_last_o,
    input  wire          rx_valid_i,
    output wire          rx_ready_o,
    input  wire [   7:0] rx_data_i
);
  localparam CSR_N = CSR_SLOTS > 0 ? CSR_SLOTS : 1;
  localparam CSR_A = CSR_SLOTS > 0 ? 12 : 1;
  localparam CSR_X = CSR_SLOTS > 0 ? XLEN : 1;
  localparam FRD = FLEN > 0 ? FLEN : 1;
  localparam PA = PADDR > 0 ? 64 : 1;

  wire [3583:0] channels = {channel1_i, channel0_i};

  // generate: wires unit
  wire [NRET-1:0] rvfi_valid;
  wire [NRET*64-1:0] rvfi_order;
  wire [NRET*32-1:0] rvfi_insn;
  wire [NRET-1:0] rvfi_trap;
  wire [NRET-1:0] rvfi_halt;
  wire [NRET-1:0] rvfi_intr;
  wire [NRET-1:0] rvfi_ext_irq;
  wire [NRET*2-1:0] rvfi_mode;
  wire [NRET*2-1:0] rvfi_ixl;
  wire [NRET-1:0] rvfi_ext_debug;
  wire [NRET-1:0] rvfi_ext_virt;
  wire [NRET*5-1:0] rvfi_rd_addr;
  wire [NRET*XLEN-1:0] rvfi_rd_wdata;
  wire [NRET*XLEN-1:0] rvfi_pc_rdata;
  wire [NRET*XLEN-1:0] rvfi_pc_wdata;
  wire [NRET*XLEN-1:0] rvfi_mem_addr;
  wire [NRET*XLEN-1:0] rvfi_mem_rdata;
  wire [NRET*XLEN-1:0] rvfi_mem_wdata;
  wire [NRET*XLEN-1:0] rvfi_ext_cause;
  wire [NRET*XLEN/8-1:0] rvfi_mem_rmask;
  wire [NRET*XLEN/8-1:0] rvfi_mem_wmask;
  wire [NRET*(CSR_SLOTS > 0 ? CSR_SLOTS : 1)-1:0] rvfi_csr_valid;
  wire [NRET*(CSR_SLOTS > 0 ? 12*CSR_SLOTS : 1)-1:0] rvfi_csr_addr;
  wire [NRET*(CSR_SLOTS > 0 ? XLEN*CSR_SLOTS : 1)-1:0] rvfi_csr_wdata;
  wire [NRET-1:0] rvfi_frd_valid;
  wire [NRET*5-1:0] rvfi_frd_addr;
  wire [NRET*5-1:0] rvfi_fflags;
  wire [NRET*(FLEN > 0 ? FLEN : 1)-1:0] rvfi_frd_wdata;
  wire [NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_pc_paddr;
  wire [NRET*(PADDR > 0 ? 64 : 1)-1:0] rvfi_mem_paddr;
  wire [NRET*5-1:0] rvfi_rs1_addr;
  wire [NRET*5-1:0] rvfi_rs2_addr;
  wire [NRET*XLEN-1:0] rvfi_rs1_rdata;
  wire [NRET*XLEN-1:0] rvfi_rs2_rdata;
  // generate: end

  assign wrong_o = u_unit.wrong && !(u_unit.entry_valid && u_unit.entry_ready);

  genvar k, s;
  generate
    for (k = 0; k < NRET; k = k + 1) begin : gen_channel
      wire [1791:0] c = channels[k*1792+:1792];
      assign {rvfi_ext_virt[k], rvfi_ext_debug[k], rvfi_ext_irq[k]} = c[10:8];
      assign {rvfi_ixl[2*k+:2], rvfi_mode[2*k+:2], rvfi_intr[k], rvfi_halt[k], rvfi_trap[k],
              rvfi_valid[k]} = c[7:0];
      assign rvfi_frd_valid[k] = c[11];
      assign rvfi_rs1_addr[5*k+:5] = c[32+:5];
      assign rvfi_rs2_addr[5*k+:5] = c[40+:5];
      assign rvfi_rd_addr[5*k+:5] = c[48+:5];
      assign rvfi_frd_addr[5*k+:5] = c[56+:5];
      assign rvfi_mem_rmask[k*XLEN/8+:XLEN/8] = c[64+:XLEN/8];
      assign rvfi_mem_wmask[k*XLEN/8+:XLEN/8] = c[72+:XLEN/8];
      assign rvfi_fflags[5*k+:5] = c[80+:5];
      assign rvfi_insn[32*k+:32] = c[96+:32];
      assign rvfi_order[64*k+:64] = c[128+:64];
      assign rvfi_rs1_rdata[k*XLEN+:XLEN] = c[192+:XLEN];
      assign rvfi_rs2_rdata[k*XLEN+:XLEN] = c[256+:XLEN];
      assign rvfi_rd_wdata[k*XLEN+:XLEN] = c[320+:XLEN];
      assign rvfi_pc_rdata[k*XLEN+:XLEN] = c[384+:XLEN];
      assign rvfi_pc_wdata[k*XLEN+:XLEN] = c[448+:XLEN];
      assign rvfi_mem_addr[k*XLEN+:XLEN] = c[512+:XLEN];
      assign rvfi_mem_rdata[k*XLEN+:XLEN] = c[576+:XLEN];
      assign rvfi_mem_wdata[k*XLEN+:XLEN] = c[640+:XLEN];
      assign rvfi_ext_cause[k*XLEN+:XLEN] = c[704+:XLEN];
      assign rvfi_frd_wdata[k*FRD+:FRD] = c[768+:FRD];
      assign rvfi_pc_paddr[k*PA+:PA] = c[832+:PA];
      assign rvfi_mem_paddr[k*PA+:PA] = c[896+:PA];
      for (s = 0; s < CSR_N; s = s + 1) begin : gen_slot
        assign rvfi_csr_valid[k*CSR_N+s] = c[960+s];
        assign rvfi_csr_addr[(k*CSR_N+s)*CSR_A+:CSR_A] = c[1024+32*s+:CSR_A];
        assign rvfi_csr_wdata[(k*CSR_N+s)*CSR_X+:CSR_X] = c[1280+64*s+:CSR_X];
      end
    end
  endgenerate

  ear_unit #(
      .HART        (16'h0305),
      .CLOCK_HZ    (32'd50_000_000),
      .UNIT_VERSION(16'h0123),
      // generate: assign ear_unit last
      .PRESET(PRESET), .SIZE(SIZE), .PREDICT(PREDICT), .PREDICT_GEOMETRY(PREDICT_GEOMETRY),
      .XLEN(XLEN), .NRET(NRET), .CSR_SLOTS(CSR_SLOTS), .FLEN(FLEN), .PADDR(PADDR),
      .OPERANDS(OPERANDS), .ORDER_BITS(ORDER_BITS), .OWN_ORDER(OWN_ORDER), .NORMALIZE(NORMALIZE),
      .OPCODE_READS(OPCODE_READS), .CAUSES(CAUSES), .RESULTS(RESULTS), .ACCESSES(ACCESSES),
      .STALL_SLACK(STALL_SLACK), .FILTER(FILTER), .TRIGGER(TRIGGER), .TIME(TIME), .HELD(HELD),
      .STALL(STALL), .CORE(CORE), .RESET_HOLD(RESET_HOLD), .LOAD(LOAD), .TEST(TEST),
      .EVENTS(EVENTS), .EVENT_PORT(EVENT_PORT), .EVENT_STRINGS(EVENT_STRINGS),
      .EVENT_WAIT(EVENT_WAIT), .MISMATCH(MISMATCH), .LOSS(LOSS), .ENDED_CLOCKS(ENDED_CLOCKS),
      .FLUSH_REGISTER(FLUSH_REGISTER), .RESUME_REGISTER(RESUME_REGISTER), .SNAPSHOT(SNAPSHOT),
      .RECORD_FIFO(RECORD_FIFO), .PAYLOAD_BYTES(PAYLOAD_BYTES), .COUNTER_BITS(COUNTER_BITS),
      .ONE_CLOCK(ONE_CLOCK), .NARROW(NARROW), .PREDICT_UNIFIED(PREDICT_UNIFIED),
      .PREDICT_MULTIPLY(PREDICT_MULTIPLY), .PREDICT_DIVIDE(PREDICT_DIVIDE),
      .PREDICT_CODE_WORDS_LOG2(PREDICT_CODE_WORDS_LOG2),
      .PREDICT_CODE_WAYS_LOG2(PREDICT_CODE_WAYS_LOG2),
      .PREDICT_CODE_LINE_LOG2(PREDICT_CODE_LINE_LOG2),
      .PREDICT_DATA_WORDS_LOG2(PREDICT_DATA_WORDS_LOG2),
      .PREDICT_DATA_WAYS_LOG2(PREDICT_DATA_WAYS_LOG2),
      .PREDICT_DATA_LINE_LOG2(PREDICT_DATA_LINE_LOG2),
      .PREDICT_DICTIONARY_LOG2(PREDICT_DICTIONARY_LOG2), .PREDICT_CSR_LOG2(PREDICT_CSR_LOG2),
      .PREDICT_BASE(PREDICT_BASE), .PREDICT_SINGLE(PREDICT_SINGLE),
      .PREDICT_MULTIPLIER(PREDICT_MULTIPLIER), .PREDICT_PIPELINED(PREDICT_PIPELINED)
      // generate: end
  ) u_unit (
      // generate: connect ear_unit last
      .clk_i(clk_i), .rst_ni(rst_ni), .rvfi_valid_i(rvfi_valid), .rvfi_order_i(rvfi_order),
      .rvfi_insn_i(rvfi_insn), .rvfi_trap_i(rvfi_trap), .rvfi_halt_i(rvfi_halt),
      .rvfi_intr_i(rvfi_intr), .rvfi_ext_irq_i(rvfi_ext_irq), .rvfi_mode_i(rvfi_mode),
      .rvfi_ixl_i(rvfi_ixl), .rvfi_ext_debug_i(rvfi_ext_debug), .rvfi_ext_virt_i(rvfi_ext_virt),
      .rvfi_rd_addr_i(rvfi_rd_addr), .rvfi_rd_wdata_i(rvfi_rd_wdata),
      .rvfi_pc_rdata_i(rvfi_pc_rdata), .rvfi_pc_wdata_i(rvfi_pc_wdata),
      .rvfi_mem_addr_i(rvfi_mem_addr), .rvfi_mem_rdata_i(rvfi_mem_rdata),
      .rvfi_mem_wdata_i(rvfi_mem_wdata), .rvfi_ext_cause_i(rvfi_ext_cause),
      .rvfi_mem_rmask_i(rvfi_mem_rmask), .rvfi_mem_wmask_i(rvfi_mem_wmask),
      .rvfi_csr_valid_i(rvfi_csr_valid), .rvfi_csr_addr_i(rvfi_csr_addr),
      .rvfi_csr_wdata_i(rvfi_csr_wdata), .rvfi_frd_valid_i(rvfi_frd_valid),
      .rvfi_frd_addr_i(rvfi_frd_addr), .rvfi_fflags_i(rvfi_fflags),
      .rvfi_frd_wdata_i(rvfi_frd_wdata), .rvfi_pc_paddr_i(rvfi_pc_paddr),
      .rvfi_mem_paddr_i(rvfi_mem_paddr), .rvfi_rs1_addr_i(rvfi_rs1_addr),
      .rvfi_rs2_addr_i(rvfi_rs2_addr), .rvfi_rs1_rdata_i(rvfi_rs1_rdata),
      .rvfi_rs2_rdata_i(rvfi_rs2_rdata), .stall_o(stall_o), .core_reset_o(core_reset_o),
      .core_halt_o(core_halt_o), .load_valid_o(load_valid_o), .load_write_o(load_write_o),
      .load_address_o(load_address_o), .load_wdata_o(load_wdata_o), .load_ready_i(load_ready_i),
      .load_rdata_i(load_rdata_i), .load_error_i(load_error_i), .boot_o(boot_o), .ended_i(ended_i),
      .trigger_i(trigger_i), .event_valid_i(event_valid_i), .event_data_i(event_data_i),
      .event_ready_o(event_ready_o), .port_valid_i(port_valid_i), .port_address_i(port_address_i),
      .port_wmask_i(port_wmask_i), .port_wdata_i(port_wdata_i), .port_ready_o(port_ready_o),
      .port_rdata_o(port_rdata_o), .link_clk_i(link_clk_i), .link_rst_ni(link_rst_ni),
      .tx_valid_o(tx_valid_o), .tx_ready_i(tx_ready_i), .tx_data_o(tx_data_o),
      .tx_last_o(tx_last_o), .rx_valid_i(rx_valid_i), .rx_ready_o(rx_ready_o), .rx_data_i(rx_data_i)
      // generate: end
  );
endmodule
`default_nettype wire
