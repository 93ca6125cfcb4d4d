// SPDX-License-Identifier: Apache-2.0
// What all boards have: the demo system, the capture unit, and the loader between unit and memory.
//
// A board adds its clock, reset, memory and link. What is built is a configuration of hdl/configs,
// chosen by its number, so that a board and its tests cannot differ in a parameter. The core waits
// in reset until the host lets it go (register CORE): a capture sees the first instruction.
`include "ear_geometry.vh"
`include "ear_board.vh"
`default_nettype none
module ear_board #(
    parameter        CONFIG   = `EAR_BOARD_SMALL,  // number of a board, see ear_board.vh
    parameter [31:0] CLOCK_HZ = 32'd50_000_000     // Hz of clk_i, 10 to 2560 MHz
) (
    input wire        clk_i,
    input wire        rst_ni,
    input wire [31:0] boot_address_i,  // first pc, if the host does not set another one

    // Memory, see ear_demo_system.
    output wire        memory_valid_o,
    output wire [31:0] memory_address_o,
    output wire [ 3:0] memory_wmask_o,
    output wire [31:0] memory_wdata_o,
    input  wire [31:0] memory_rdata_i,
    input  wire        memory_error_i,

    // UART: bytes to send, one for each cycle with valid and ready.
    output wire       uart_valid_o,
    output wire [7:0] uart_data_o,
    input  wire       uart_ready_i,

    // End of the program.
    input  wire        exit_i,
    input  wire [15:0] exit_code_i,
    output wire        ended_o,
    output wire [15:0] exit_code_o,

    // For lamps and for a simulation's own counts.
    output wire retired_o,  // an entry is at the retire port
    output wire trap_o,     // and it is a trap or interrupt
    output wire stall_o,    // the unit holds the core (policy stall)
    output wire held_o,     // the host holds the core: it cannot do anything by itself

    // Fault injection, see ear_demo_core.
    input wire [ 1:0] fault_kind_i,
    input wire        fault_op_valid_i,
    input wire [ 3:0] fault_op_i,
    input wire [31:0] fault_period_i,
    input wire [31:0] fault_mask_i,

    // Frames to the link and control bytes from it, in the link's clock; see ear_unit.
    input  wire        link_clk_i,
    input  wire        link_rst_ni,
    output wire        tx_valid_o,
    input  wire        tx_ready_i,
    output wire [31:0] tx_data_o,
    output wire        tx_last_o,
    input  wire        rx_valid_i,
    output wire        rx_ready_o,
    input  wire [ 7:0] rx_data_i
);
  localparam TIME_DIVIDE = CLOCK_HZ / 10_000_000;
  // generate: choices ear_board ear_demo_system ear_unit
  localparam MULDIV = CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam MUL_SINGLE = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 0 : 1;
  localparam FREEZE = CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam COUNTERS = CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam TIMER = CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam PORT = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam FAULTS = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 0 : 1;
  localparam PREDICT = CONFIG == 0 || CONFIG == 5 || CONFIG == 8 ? 0 : 1;
  localparam PREDICT_GEOMETRY =
      CONFIG == 0 || CONFIG == 2 || CONFIG == 7 ? 0 : CONFIG == 3 ? 1 : CONFIG == 4 ? 2 : 4;
  localparam CSR_SLOTS = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 5 : 0;
  localparam OPERANDS = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam ORDER_BITS = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 40 : 64;
  localparam OWN_ORDER = CONFIG == 1 || CONFIG == 6 || CONFIG == 8 ? 1 : 0;
  localparam NORMALIZE = 0;
  localparam FILTER = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam TRIGGER = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam TIME = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam HELD = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam RESET_HOLD = 1;
  localparam LOAD = CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam TEST = CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 0 : 1;
  localparam EVENTS = CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam EVENT_PORT = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 2 : 0;
  localparam EVENT_WAIT = CONFIG == 0 || CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 0 : 4;
  localparam MISMATCH = CONFIG == 2 || CONFIG == 3 || CONFIG == 4 ? 1 : 0;
  localparam LOSS = CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam ENDED_CLOCKS = CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 256;
  localparam FLUSH_REGISTER = CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam SNAPSHOT = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 0 : 1;
  localparam RECORD_FIFO =
      CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 1 : CONFIG == 7 ? 16 : 64;
  localparam PAYLOAD_BYTES = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 512 : 4096;
  localparam COUNTER_BITS = CONFIG == 5 || CONFIG == 6 || CONFIG == 7 || CONFIG == 8 ? 40 : 64;
  localparam ONE_CLOCK = CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 1 : 0;
  localparam NARROW = CONFIG == 5 || CONFIG == 7 ? 1 : CONFIG == 6 || CONFIG == 8 ? 2 : 0;
  localparam PREDICT_MULTIPLIER = CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  localparam PREDICT_PIPELINED = CONFIG == 1 || CONFIG == 5 || CONFIG == 6 || CONFIG == 8 ? 0 : 1;
  // generate: end
  localparam CSR_N = CSR_SLOTS > 0 ? CSR_SLOTS : 1;  // bits of the unit's port
  localparam CSR_A = CSR_SLOTS > 0 ? CSR_SLOTS * 12 : 1;
  localparam CSR_D = CSR_SLOTS > 0 ? CSR_SLOTS * 32 : 1;

  // generate: wires core
  wire rvfi_valid;
  wire [63:0] rvfi_order;
  wire [31:0] rvfi_insn;
  wire rvfi_trap;
  wire rvfi_halt;
  wire rvfi_intr;
  wire rvfi_ext_irq;
  wire [1:0] rvfi_mode;
  wire [1:0] rvfi_ixl;
  wire rvfi_ext_debug;
  wire rvfi_ext_virt;
  wire [4:0] rvfi_rd_addr;
  wire [31:0] rvfi_rd_wdata;
  wire [31:0] rvfi_pc_rdata;
  wire [31:0] rvfi_pc_wdata;
  wire [31:0] rvfi_mem_addr;
  wire [31:0] rvfi_mem_rdata;
  wire [31:0] rvfi_mem_wdata;
  wire [31:0] rvfi_ext_cause;
  wire [3:0] rvfi_mem_rmask;
  wire [3:0] rvfi_mem_wmask;
  wire [4:0] rvfi_csr_valid;
  wire [59:0] rvfi_csr_addr;
  wire [159:0] rvfi_csr_wdata;
  wire [4:0] rvfi_rs1_addr;
  wire [4:0] rvfi_rs2_addr;
  wire [31:0] rvfi_rs1_rdata;
  wire [31:0] rvfi_rs2_rdata;
  // generate: end
  wire core_reset;
  wire core_halt;
  wire core_halted;

  // The host can load a program while it holds the core in reset.
  wire load_valid;
  wire load_write;
  wire [31:0] load_address;
  wire [31:0] load_wdata;
  wire load_ready;
  wire load_error;
  wire [31:0] boot;
  wire system_valid;
  wire [31:0] system_address;
  wire [3:0] system_wmask;
  wire [31:0] system_wdata;

  // The event port: the core never waits for it, because the unit holds the core after each store.
  wire port_valid;
  wire [12:0] port_address;
  wire [3:0] port_wmask;
  wire [31:0] port_wdata;
  wire [31:0] port_rdata;
  wire port_ready;
  wire event_ready;

  ear_demo_system #(
      // generate: assign ear_demo_system last
      .MULDIV(MULDIV), .MUL_SINGLE(MUL_SINGLE), .FREEZE(FREEZE), .COUNTERS(COUNTERS), .TIMER(TIMER),
      .TIME_DIVIDE(TIME_DIVIDE), .PORT(PORT), .FAULTS(FAULTS)
      // generate: end
  ) u_system (
      .boot_address_i  (boot != 32'd0 ? boot : boot_address_i),
      .stall_i         (stall_o),
      .memory_valid_o  (system_valid),
      .memory_address_o(system_address),
      .memory_wmask_o  (system_wmask),
      .memory_wdata_o  (system_wdata),
      // generate: connect ear_demo_system last
      .clk_i(clk_i), .rst_ni(rst_ni), .core_reset_i(core_reset), .core_halt_i(core_halt),
      .core_halted_o(core_halted), .memory_rdata_i(memory_rdata_i), .memory_error_i(memory_error_i),
      .port_valid_o(port_valid), .port_address_o(port_address), .port_wmask_o(port_wmask),
      .port_wdata_o(port_wdata), .port_rdata_i(port_rdata), .uart_valid_o(uart_valid_o),
      .uart_data_o(uart_data_o), .uart_ready_i(uart_ready_i), .exit_i(exit_i),
      .exit_code_i(exit_code_i), .ended_o(ended_o), .exit_code_o(exit_code_o),
      .fault_kind_i(fault_kind_i), .fault_op_valid_i(fault_op_valid_i), .fault_op_i(fault_op_i),
      .fault_period_i(fault_period_i), .fault_mask_i(fault_mask_i), .rvfi_valid_o(rvfi_valid),
      .rvfi_order_o(rvfi_order), .rvfi_insn_o(rvfi_insn), .rvfi_trap_o(rvfi_trap),
      .rvfi_halt_o(rvfi_halt), .rvfi_intr_o(rvfi_intr), .rvfi_ext_irq_o(rvfi_ext_irq),
      .rvfi_mode_o(rvfi_mode), .rvfi_ixl_o(rvfi_ixl), .rvfi_ext_debug_o(rvfi_ext_debug),
      .rvfi_ext_virt_o(rvfi_ext_virt), .rvfi_rd_addr_o(rvfi_rd_addr),
      .rvfi_rd_wdata_o(rvfi_rd_wdata), .rvfi_pc_rdata_o(rvfi_pc_rdata),
      .rvfi_pc_wdata_o(rvfi_pc_wdata), .rvfi_mem_addr_o(rvfi_mem_addr),
      .rvfi_mem_rdata_o(rvfi_mem_rdata), .rvfi_mem_wdata_o(rvfi_mem_wdata),
      .rvfi_ext_cause_o(rvfi_ext_cause), .rvfi_mem_rmask_o(rvfi_mem_rmask),
      .rvfi_mem_wmask_o(rvfi_mem_wmask), .rvfi_csr_valid_o(rvfi_csr_valid),
      .rvfi_csr_addr_o(rvfi_csr_addr), .rvfi_csr_wdata_o(rvfi_csr_wdata),
      .rvfi_rs1_addr_o(rvfi_rs1_addr), .rvfi_rs2_addr_o(rvfi_rs2_addr),
      .rvfi_rs1_rdata_o(rvfi_rs1_rdata), .rvfi_rs2_rdata_o(rvfi_rs2_rdata)
      // generate: end
  );

  ear_demo_load u_load (
      // generate: connect ear_demo_load last
      .clk_i(clk_i), .rst_ni(rst_ni), .core_reset_i(core_reset), .load_valid_i(load_valid),
      .load_write_i(load_write), .load_address_i(load_address), .load_wdata_i(load_wdata),
      .load_ready_o(load_ready), .load_error_o(load_error), .system_valid_i(system_valid),
      .system_address_i(system_address), .system_wmask_i(system_wmask),
      .system_wdata_i(system_wdata), .memory_valid_o(memory_valid_o),
      .memory_address_o(memory_address_o), .memory_wmask_o(memory_wmask_o),
      .memory_wdata_o(memory_wdata_o), .memory_error_i(memory_error_i)
      // generate: end
  );

  ear_unit #(
      // generate: assign ear_unit last
      .PREDICT(PREDICT), .PREDICT_GEOMETRY(PREDICT_GEOMETRY), .CSR_SLOTS(CSR_SLOTS),
      .OPERANDS(OPERANDS), .ORDER_BITS(ORDER_BITS), .OWN_ORDER(OWN_ORDER), .NORMALIZE(NORMALIZE),
      .CLOCK_HZ(CLOCK_HZ), .FILTER(FILTER), .TRIGGER(TRIGGER), .TIME(TIME), .HELD(HELD),
      .RESET_HOLD(RESET_HOLD), .LOAD(LOAD), .TEST(TEST), .EVENTS(EVENTS), .EVENT_PORT(EVENT_PORT),
      .EVENT_WAIT(EVENT_WAIT), .MISMATCH(MISMATCH), .LOSS(LOSS), .ENDED_CLOCKS(ENDED_CLOCKS),
      .FLUSH_REGISTER(FLUSH_REGISTER), .SNAPSHOT(SNAPSHOT), .RECORD_FIFO(RECORD_FIFO),
      .PAYLOAD_BYTES(PAYLOAD_BYTES), .COUNTER_BITS(COUNTER_BITS), .ONE_CLOCK(ONE_CLOCK),
      .NARROW(NARROW), .PREDICT_MULTIPLIER(PREDICT_MULTIPLIER),
      .PREDICT_PIPELINED(PREDICT_PIPELINED)
      // generate: end
  ) u_unit (
      .rvfi_csr_valid_i(rvfi_csr_valid[CSR_N-1:0]),
      .rvfi_csr_addr_i (rvfi_csr_addr[CSR_A-1:0]),
      .rvfi_csr_wdata_i(rvfi_csr_wdata[CSR_D-1:0]),
      .load_rdata_i    (memory_rdata_i),
      .ended_i         (ended_o),
      // generate: connect ear_unit tied last
      .clk_i(clk_i), .rst_ni(rst_ni), .rvfi_valid_i(rvfi_valid), .rvfi_order_i(rvfi_order),
      .rvfi_insn_i(rvfi_insn), .rvfi_trap_i(rvfi_trap), .rvfi_halt_i(rvfi_halt),
      .rvfi_intr_i(rvfi_intr), .rvfi_ext_irq_i(rvfi_ext_irq), .rvfi_mode_i(rvfi_mode),
      .rvfi_ixl_i(rvfi_ixl), .rvfi_ext_debug_i(rvfi_ext_debug), .rvfi_ext_virt_i(rvfi_ext_virt),
      .rvfi_rd_addr_i(rvfi_rd_addr), .rvfi_rd_wdata_i(rvfi_rd_wdata),
      .rvfi_pc_rdata_i(rvfi_pc_rdata), .rvfi_pc_wdata_i(rvfi_pc_wdata),
      .rvfi_mem_addr_i(rvfi_mem_addr), .rvfi_mem_rdata_i(rvfi_mem_rdata),
      .rvfi_mem_wdata_i(rvfi_mem_wdata), .rvfi_ext_cause_i(rvfi_ext_cause),
      .rvfi_mem_rmask_i(rvfi_mem_rmask), .rvfi_mem_wmask_i(rvfi_mem_wmask), .rvfi_frd_valid_i(1'b0),
      .rvfi_frd_addr_i(5'd0), .rvfi_fflags_i(5'd0), .rvfi_frd_wdata_i(1'b0), .rvfi_pc_paddr_i(1'b0),
      .rvfi_mem_paddr_i(1'b0), .rvfi_rs1_addr_i(rvfi_rs1_addr), .rvfi_rs2_addr_i(rvfi_rs2_addr),
      .rvfi_rs1_rdata_i(rvfi_rs1_rdata), .rvfi_rs2_rdata_i(rvfi_rs2_rdata), .stall_o(stall_o),
      .core_reset_o(core_reset), .core_halt_o(core_halt), .load_valid_o(load_valid),
      .load_write_o(load_write), .load_address_o(load_address), .load_wdata_o(load_wdata),
      .load_ready_i(load_ready), .load_error_i(load_error), .boot_o(boot), .trigger_i(1'b0),
      .event_valid_i(1'b0), .event_data_i(32'd0), .event_ready_o(event_ready),
      .port_valid_i(port_valid), .port_address_i(port_address), .port_wmask_i(port_wmask),
      .port_wdata_i(port_wdata), .port_ready_o(port_ready), .port_rdata_o(port_rdata),
      .link_clk_i(link_clk_i), .link_rst_ni(link_rst_ni), .tx_valid_o(tx_valid_o),
      .tx_ready_i(tx_ready_i), .tx_data_o(tx_data_o), .tx_last_o(tx_last_o),
      .rx_valid_i(rx_valid_i), .rx_ready_o(rx_ready_o), .rx_data_i(rx_data_i)
      // generate: end
  );

  assign retired_o = rvfi_valid;
  assign trap_o = rvfi_trap;
  assign held_o = core_reset || core_halt;
  wire unused = &{
    1'b0, core_halted, event_ready, port_ready, port_rdata, port_valid, port_address, port_wmask,
    port_wdata, rvfi_csr_valid, rvfi_csr_addr, rvfi_csr_wdata
  };
endmodule
`default_nettype wire
