// SPDX-License-Identifier: Apache-2.0
// A core with RVFI on a Cypress FX2LP in synchronous slave FIFO mode (ear_link_fx2): RVFI in, pins
// of the chip out. Clock crossing, FIFOs and resets are inside.
//
// rst_ni may come from anywhere: it is released in step with each clock here. The core gets its
// reset from core_rst_no, which rises after the unit's own, and is low while the host holds the
// core in reset; so the first instruction is in the trace. hdl/adapters/README.md has an example.
`include "ear_geometry.vh"
`default_nettype none
module ear_unit_fx2 #(
    parameter DATA_BYTES   = 1,    // width of FD: 1 or 2
    parameter PACKET_BYTES = 512,  // AUTOINLEN of the IN endpoint: 64 (full speed) or 512

    // Those of ear_rvfi.
    // generate: parameters ear_rvfi
    parameter COUNT_ORDER = 0, parameter NEXT_PC = 0, parameter MODE = 4, parameter IXL = 0,
    parameter CSRS = 0, parameter CSR_MASKS = 0, parameter PRESET = `EAR_PRESET_SMALL,
    parameter SIZE = `EAR_SIZE_FULL, parameter PREDICT = `EAR_PRESET_PREDICT(PRESET),
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
    parameter PREDICT_PIPELINED = `EAR_SIZE_PREDICT_PIPELINED(SIZE),
    // generate: end
    parameter [(CSRS > 0 ? 12*CSRS : 1)-1:0] CSR_LIST = 0,
    parameter [15:0] HART = 16'd0,
    parameter [31:0] CLOCK_HZ = 32'd0,
    parameter [15:0] UNIT_VERSION = 16'h0001
) (
    input wire clk_i,   // the core's
    input wire rst_ni,

    // From the core, see ear_rvfi.
    // generate: copy ear_rvfi rvfi_
    input wire [NRET-1:0] rvfi_valid_i,
    input wire [NRET*64-1:0] rvfi_order_i,
    input wire [NRET*32-1:0] rvfi_insn_i,
    input wire [NRET-1:0] rvfi_trap_i,
    input wire [NRET-1:0] rvfi_halt_i,
    input wire [NRET-1:0] rvfi_intr_i,
    input wire [NRET*2-1:0] rvfi_mode_i,
    input wire [NRET*2-1:0] rvfi_ixl_i,
    input wire [NRET*5-1:0] rvfi_rd_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rd_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_pc_wdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_mem_wdata_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_rmask_i,
    input wire [NRET*XLEN/8-1:0] rvfi_mem_wmask_i,
    input wire [NRET*5-1:0] rvfi_rs1_addr_i,
    input wire [NRET*5-1:0] rvfi_rs2_addr_i,
    input wire [NRET*XLEN-1:0] rvfi_rs1_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_rs2_rdata_i,
    input wire [NRET*XLEN-1:0] rvfi_ext_cause_i,
    input wire [NRET-1:0] rvfi_ext_debug_i,
    input wire [NRET-1:0] rvfi_ext_irq_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_rmask_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_wmask_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_rdata_i,
    input wire [NRET*(CSRS > 0 ? CSRS*XLEN : 1)-1:0] rvfi_csr_wdata_i,
    // generate: end
    input wire ended_i,

    // To the core.
    output wire core_rst_no,  // its reset
    output wire core_halt_o,
    output wire stall_o,

    // Pins of the chip, see ear_link_fx2. The tri-state buffers are in the board's top.
    input  wire                    link_clk_i,  // IFCLK
    input  wire                    empty_ni,
    input  wire                    full_ni,
    output wire [             1:0] fifoadr_o,
    output wire                    sloe_no,
    output wire                    slrd_no,
    output wire                    slwr_no,
    output wire                    pktend_no,
    input  wire [8*DATA_BYTES-1:0] data_i,
    output wire [8*DATA_BYTES-1:0] data_o,
    output wire                    data_oe_o
);
  wire rst_n;
  wire link_rst_n;
  wire core_reset;
  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;

  ear_reset u_reset (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .rst_no(rst_n)
  );

  ear_reset u_link_reset (
      .clk_i (link_clk_i),
      .rst_ni(rst_ni),
      .rst_no(link_rst_n)
  );

  ear_reset u_core_reset (
      .clk_i (clk_i),
      .rst_ni(rst_n && !core_reset),
      .rst_no(core_rst_no)
  );

  ear_rvfi #(
      .CSR_LIST    (CSR_LIST),
      .HART        (HART),
      .CLOCK_HZ    (CLOCK_HZ),
      .UNIT_VERSION(UNIT_VERSION),
      // generate: assign ear_rvfi last
      .COUNT_ORDER(COUNT_ORDER), .NEXT_PC(NEXT_PC), .MODE(MODE), .IXL(IXL), .CSRS(CSRS),
      .CSR_MASKS(CSR_MASKS), .PRESET(PRESET), .SIZE(SIZE), .PREDICT(PREDICT),
      .PREDICT_GEOMETRY(PREDICT_GEOMETRY), .XLEN(XLEN), .NRET(NRET), .CSR_SLOTS(CSR_SLOTS),
      .FLEN(FLEN), .PADDR(PADDR), .OPERANDS(OPERANDS), .ORDER_BITS(ORDER_BITS),
      .OWN_ORDER(OWN_ORDER), .NORMALIZE(NORMALIZE), .OPCODE_READS(OPCODE_READS), .CAUSES(CAUSES),
      .RESULTS(RESULTS), .ACCESSES(ACCESSES), .STALL_SLACK(STALL_SLACK), .FILTER(FILTER),
      .TRIGGER(TRIGGER), .TIME(TIME), .HELD(HELD), .STALL(STALL), .CORE(CORE),
      .RESET_HOLD(RESET_HOLD), .LOAD(LOAD), .TEST(TEST), .EVENTS(EVENTS), .EVENT_PORT(EVENT_PORT),
      .EVENT_STRINGS(EVENT_STRINGS), .EVENT_WAIT(EVENT_WAIT), .MISMATCH(MISMATCH), .LOSS(LOSS),
      .ENDED_CLOCKS(ENDED_CLOCKS), .FLUSH_REGISTER(FLUSH_REGISTER),
      .RESUME_REGISTER(RESUME_REGISTER), .SNAPSHOT(SNAPSHOT), .RECORD_FIFO(RECORD_FIFO),
      .PAYLOAD_BYTES(PAYLOAD_BYTES), .COUNTER_BITS(COUNTER_BITS), .ONE_CLOCK(ONE_CLOCK),
      .NARROW(NARROW), .PREDICT_UNIFIED(PREDICT_UNIFIED), .PREDICT_MULTIPLY(PREDICT_MULTIPLY),
      .PREDICT_DIVIDE(PREDICT_DIVIDE), .PREDICT_CODE_WORDS_LOG2(PREDICT_CODE_WORDS_LOG2),
      .PREDICT_CODE_WAYS_LOG2(PREDICT_CODE_WAYS_LOG2),
      .PREDICT_CODE_LINE_LOG2(PREDICT_CODE_LINE_LOG2),
      .PREDICT_DATA_WORDS_LOG2(PREDICT_DATA_WORDS_LOG2),
      .PREDICT_DATA_WAYS_LOG2(PREDICT_DATA_WAYS_LOG2),
      .PREDICT_DATA_LINE_LOG2(PREDICT_DATA_LINE_LOG2),
      .PREDICT_DICTIONARY_LOG2(PREDICT_DICTIONARY_LOG2), .PREDICT_CSR_LOG2(PREDICT_CSR_LOG2),
      .PREDICT_BASE(PREDICT_BASE), .PREDICT_SINGLE(PREDICT_SINGLE),
      .PREDICT_MULTIPLIER(PREDICT_MULTIPLIER), .PREDICT_PIPELINED(PREDICT_PIPELINED)
      // generate: end
  ) u_rvfi (
      .rst_ni      (rst_n),
      .core_reset_o(core_reset),
      .link_rst_ni (link_rst_n),
      // generate: connect ear_rvfi last
      .clk_i(clk_i), .rvfi_valid_i(rvfi_valid_i), .rvfi_order_i(rvfi_order_i),
      .rvfi_insn_i(rvfi_insn_i), .rvfi_trap_i(rvfi_trap_i), .rvfi_halt_i(rvfi_halt_i),
      .rvfi_intr_i(rvfi_intr_i), .rvfi_mode_i(rvfi_mode_i), .rvfi_ixl_i(rvfi_ixl_i),
      .rvfi_rd_addr_i(rvfi_rd_addr_i), .rvfi_rd_wdata_i(rvfi_rd_wdata_i),
      .rvfi_pc_rdata_i(rvfi_pc_rdata_i), .rvfi_pc_wdata_i(rvfi_pc_wdata_i),
      .rvfi_mem_addr_i(rvfi_mem_addr_i), .rvfi_mem_rdata_i(rvfi_mem_rdata_i),
      .rvfi_mem_wdata_i(rvfi_mem_wdata_i), .rvfi_mem_rmask_i(rvfi_mem_rmask_i),
      .rvfi_mem_wmask_i(rvfi_mem_wmask_i), .rvfi_rs1_addr_i(rvfi_rs1_addr_i),
      .rvfi_rs2_addr_i(rvfi_rs2_addr_i), .rvfi_rs1_rdata_i(rvfi_rs1_rdata_i),
      .rvfi_rs2_rdata_i(rvfi_rs2_rdata_i), .rvfi_ext_cause_i(rvfi_ext_cause_i),
      .rvfi_ext_debug_i(rvfi_ext_debug_i), .rvfi_ext_irq_i(rvfi_ext_irq_i),
      .rvfi_csr_rmask_i(rvfi_csr_rmask_i), .rvfi_csr_wmask_i(rvfi_csr_wmask_i),
      .rvfi_csr_rdata_i(rvfi_csr_rdata_i), .rvfi_csr_wdata_i(rvfi_csr_wdata_i), .stall_o(stall_o),
      .core_halt_o(core_halt_o), .ended_i(ended_i), .link_clk_i(link_clk_i), .tx_valid_o(tx_valid),
      .tx_ready_i(tx_ready), .tx_data_o(tx_data), .tx_last_o(tx_last), .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready), .rx_data_i(rx_data)
      // generate: end
  );

  ear_link_fx2 #(
      .DATA_BYTES  (DATA_BYTES),
      .PACKET_BYTES(PACKET_BYTES)
  ) u_link (
      .link_rst_ni(link_rst_n),
      // generate: connect ear_link_fx2 last
      .link_clk_i(link_clk_i), .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_data_i(tx_data),
      .tx_last_i(tx_last), .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_data_o(rx_data),
      .empty_ni(empty_ni), .full_ni(full_ni), .fifoadr_o(fifoadr_o), .sloe_no(sloe_no),
      .slrd_no(slrd_no), .slwr_no(slwr_no), .pktend_no(pktend_no), .data_i(data_i), .data_o(data_o),
      .data_oe_o(data_oe_o)
      // generate: end
  );
endmodule
`default_nettype wire
