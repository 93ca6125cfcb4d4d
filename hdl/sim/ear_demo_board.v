// SPDX-License-Identifier: Apache-2.0
// The virtual board: demo system, capture unit and a 32-bit FT245 link, as `earshot-board`
// simulates them. The other end of each port (memory, UART, FIFO chip) is C++.
//
// One clock drives everything; the capture unit's clock crossings are there all the same. The core
// waits in reset until the host lets it go (register CORE), so a capture sees the first
// instruction.
`include "ear_geometry.vh"
`default_nettype none
module ear_demo_board #(
    parameter [31:0] CLOCK_HZ = 32'd50_000_000,  // what the clock represents
    parameter        PREDICT  = 1,               // as ear_unit
    // PREDICT_GEOMETRY of ear_unit. With `tiny` it is the unit of the board ice40_hx8k, without its
    // narrow encoder.
    parameter        GEOMETRY = `EAR_GEOMETRY_SMALL
) (
    input wire        clk_i,
    input wire        rst_ni,
    input wire [31:0] boot_address_i, // first pc

    // Memory, see ear_demo_system.
    output wire        memory_valid_o,
    output wire [31:0] memory_address_o,
    output wire [ 3:0] memory_wmask_o,
    output wire [31:0] memory_wdata_o,
    input  wire [31:0] memory_rdata_i,
    input  wire        memory_error_i,

    // UART bytes; always taken.
    output wire       uart_valid_o,
    output wire [7:0] uart_data_o,

    // End of the program: asked for by the simulation, and when it has come.
    input  wire        exit_i,
    input  wire [15:0] exit_code_i,
    output wire        ended_o,
    output wire [15:0] exit_code_o,

    // Events, for the simulation's own decisions and counts.
    output wire retired_o,  // an entry left the retire port, not an interrupt or trap
    output wire held_o,     // the host holds the core: it cannot do anything by itself

    // Fault injection, see ear_demo_core.
    input wire [ 1:0] fault_kind_i,
    input wire        fault_op_valid_i,
    input wire [ 3:0] fault_op_i,
    input wire [31:0] fault_period_i,
    input wire [31:0] fault_mask_i,

    // FIFO chip, see ear_link_ft245.
    input  wire        rxf_ni,
    input  wire        txe_ni,
    output wire        oe_no,
    output wire        rd_no,
    output wire        wr_no,
    input  wire [31:0] data_i,
    output wire [31:0] data_o,
    input  wire [ 3:0] be_i,
    output wire [ 3:0] be_o
);
  localparam SMALLEST = PREDICT != 0 && GEOMETRY == `EAR_GEOMETRY_TINY ? 1 : 0;
  localparam CSR_SLOTS = SMALLEST != 0 ? 0 : 5;
  localparam CSR_N = CSR_SLOTS > 0 ? CSR_SLOTS : 1;  // bits of the unit's port
  localparam CSR_A = CSR_SLOTS > 0 ? CSR_SLOTS * 12 : 1;
  localparam CSR_D = CSR_SLOTS > 0 ? CSR_SLOTS * 32 : 1;

  wire stall;
  wire core_reset;
  wire core_halt;

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

  ear_demo_system #(
      .MUL_SINGLE (1),
      .FREEZE     (SMALLEST != 0 ? 0 : 1),
      .TIME_DIVIDE(CLOCK_HZ / 10_000_000),
      .PORT       (SMALLEST != 0 ? 0 : 1),
      .FAULTS     (1)
  ) u_system (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .boot_address_i  (boot != 32'd0 ? boot : boot_address_i),
      .core_reset_i    (core_reset),
      .core_halt_i     (core_halt),
      .stall_i         (stall),
      .core_halted_o   (core_halted),
      .memory_valid_o  (system_valid),
      .memory_address_o(system_address),
      .memory_wmask_o  (system_wmask),
      .memory_wdata_o  (system_wdata),
      .memory_rdata_i  (memory_rdata_i),
      .memory_error_i  (memory_error_i),
      .port_valid_o    (port_valid),
      .port_address_o  (port_address),
      .port_wmask_o    (port_wmask),
      .port_wdata_o    (port_wdata),
      .port_rdata_i    (port_rdata),
      .uart_valid_o    (uart_valid_o),
      .uart_data_o     (uart_data_o),
      .uart_ready_i    (1'b1),
      .exit_i          (exit_i),
      .exit_code_i     (exit_code_i),
      .ended_o         (ended_o),
      .exit_code_o     (exit_code_o),
      .fault_kind_i    (fault_kind_i),
      .fault_op_valid_i(fault_op_valid_i),
      .fault_op_i      (fault_op_i),
      .fault_period_i  (fault_period_i),
      .fault_mask_i    (fault_mask_i),
      // generate: connect core last
      .rvfi_valid_o(rvfi_valid),
      .rvfi_order_o(rvfi_order),
      .rvfi_insn_o(rvfi_insn),
      .rvfi_trap_o(rvfi_trap),
      .rvfi_halt_o(rvfi_halt),
      .rvfi_intr_o(rvfi_intr),
      .rvfi_ext_irq_o(rvfi_ext_irq),
      .rvfi_mode_o(rvfi_mode),
      .rvfi_ixl_o(rvfi_ixl),
      .rvfi_ext_debug_o(rvfi_ext_debug),
      .rvfi_ext_virt_o(rvfi_ext_virt),
      .rvfi_rd_addr_o(rvfi_rd_addr),
      .rvfi_rd_wdata_o(rvfi_rd_wdata),
      .rvfi_pc_rdata_o(rvfi_pc_rdata),
      .rvfi_pc_wdata_o(rvfi_pc_wdata),
      .rvfi_mem_addr_o(rvfi_mem_addr),
      .rvfi_mem_rdata_o(rvfi_mem_rdata),
      .rvfi_mem_wdata_o(rvfi_mem_wdata),
      .rvfi_ext_cause_o(rvfi_ext_cause),
      .rvfi_mem_rmask_o(rvfi_mem_rmask),
      .rvfi_mem_wmask_o(rvfi_mem_wmask),
      .rvfi_csr_valid_o(rvfi_csr_valid),
      .rvfi_csr_addr_o(rvfi_csr_addr),
      .rvfi_csr_wdata_o(rvfi_csr_wdata),
      .rvfi_rs1_addr_o(rvfi_rs1_addr),
      .rvfi_rs2_addr_o(rvfi_rs2_addr),
      .rvfi_rs1_rdata_o(rvfi_rs1_rdata),
      .rvfi_rs2_rdata_o(rvfi_rs2_rdata)
      // generate: end
  );

  ear_demo_load u_load (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .core_reset_i    (core_reset),
      .load_valid_i    (load_valid),
      .load_write_i    (load_write),
      .load_address_i  (load_address),
      .load_wdata_i    (load_wdata),
      .load_ready_o    (load_ready),
      .load_error_o    (load_error),
      .system_valid_i  (system_valid),
      .system_address_i(system_address),
      .system_wmask_i  (system_wmask),
      .system_wdata_i  (system_wdata),
      .memory_valid_o  (memory_valid_o),
      .memory_address_o(memory_address_o),
      .memory_wmask_o  (memory_wmask_o),
      .memory_wdata_o  (memory_wdata_o),
      .memory_error_i  (memory_error_i)
  );

  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;
  wire event_ready;

  ear_unit #(
      .XLEN         (32),
      .NRET         (1),
      .CSR_SLOTS    (CSR_SLOTS),
      .OPERANDS     (SMALLEST != 0 ? 0 : 1),
      .NORMALIZE    (0),
      .HELD         (SMALLEST != 0 ? 0 : 1),
      .ENDED_CLOCKS (SMALLEST != 0 ? 0 : 256),
      .FILTER       (SMALLEST != 0 ? 0 : 1),
      .TRIGGER      (SMALLEST != 0 ? 0 : 1),
      .TIME         (SMALLEST != 0 ? 0 : 1),
      .CLOCK_HZ     (CLOCK_HZ),
      .RECORD_FIFO  (SMALLEST != 0 ? 1 : 64),
      .PAYLOAD_BYTES(4096),
      .LOSS         (SMALLEST != 0 ? 0 : 1),
      .MISMATCH     (SMALLEST == 0 && PREDICT != 0 ? 1 : 0),
      .EVENT_PORT   (SMALLEST != 0 ? 0 : 2),
      .EVENT_WAIT   (0),
      .OWN_ORDER    (SMALLEST),
      .LOAD         (1),
      .RESET_HOLD   (1),
      .STALL_SLACK  (0),
      .PREDICT                (PREDICT),
      .PREDICT_GEOMETRY       (GEOMETRY),
      .PREDICT_MULTIPLIER     (SMALLEST != 0 ? 0 : 1),
      .PREDICT_PIPELINED      (SMALLEST != 0 ? 0 : 1)
  ) u_unit (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      // generate: connect unit csr_valid=rvfi_csr_valid[CSR_N-1:0] csr_addr=rvfi_csr_addr[CSR_A-1:0] csr_wdata=rvfi_csr_wdata[CSR_D-1:0] frd=0 paddr=0
      .rvfi_valid_i(rvfi_valid),
      .rvfi_order_i(rvfi_order),
      .rvfi_insn_i(rvfi_insn),
      .rvfi_trap_i(rvfi_trap),
      .rvfi_halt_i(rvfi_halt),
      .rvfi_intr_i(rvfi_intr),
      .rvfi_ext_irq_i(rvfi_ext_irq),
      .rvfi_mode_i(rvfi_mode),
      .rvfi_ixl_i(rvfi_ixl),
      .rvfi_ext_debug_i(rvfi_ext_debug),
      .rvfi_ext_virt_i(rvfi_ext_virt),
      .rvfi_rd_addr_i(rvfi_rd_addr),
      .rvfi_rd_wdata_i(rvfi_rd_wdata),
      .rvfi_pc_rdata_i(rvfi_pc_rdata),
      .rvfi_pc_wdata_i(rvfi_pc_wdata),
      .rvfi_mem_addr_i(rvfi_mem_addr),
      .rvfi_mem_rdata_i(rvfi_mem_rdata),
      .rvfi_mem_wdata_i(rvfi_mem_wdata),
      .rvfi_ext_cause_i(rvfi_ext_cause),
      .rvfi_mem_rmask_i(rvfi_mem_rmask),
      .rvfi_mem_wmask_i(rvfi_mem_wmask),
      .rvfi_csr_valid_i(rvfi_csr_valid[CSR_N-1:0]),
      .rvfi_csr_addr_i(rvfi_csr_addr[CSR_A-1:0]),
      .rvfi_csr_wdata_i(rvfi_csr_wdata[CSR_D-1:0]),
      .rvfi_frd_valid_i(1'b0),
      .rvfi_frd_addr_i(5'd0),
      .rvfi_fflags_i(5'd0),
      .rvfi_frd_wdata_i(1'b0),
      .rvfi_pc_paddr_i(1'b0),
      .rvfi_mem_paddr_i(1'b0),
      .rvfi_rs1_addr_i(rvfi_rs1_addr),
      .rvfi_rs2_addr_i(rvfi_rs2_addr),
      .rvfi_rs1_rdata_i(rvfi_rs1_rdata),
      .rvfi_rs2_rdata_i(rvfi_rs2_rdata),
      // generate: end
      .stall_o         (stall),
      .core_reset_o    (core_reset),
      .core_halt_o     (core_halt),
      .load_valid_o    (load_valid),
      .load_write_o    (load_write),
      .load_address_o  (load_address),
      .load_wdata_o    (load_wdata),
      .load_ready_i    (load_ready),
      .load_rdata_i    (memory_rdata_i),
      .load_error_i    (load_error),
      .boot_o          (boot),
      .ended_i         (ended_o),
      .trigger_i       (1'b0),
      .event_valid_i   (1'b0),
      .event_data_i    (32'd0),
      .event_ready_o   (event_ready),
      .port_valid_i    (port_valid),
      .port_address_i  (port_address),
      .port_wmask_i    (port_wmask),
      .port_wdata_i    (port_wdata),
      .port_ready_o    (port_ready),
      .port_rdata_o    (port_rdata),
      .link_clk_i      (clk_i),
      .link_rst_ni     (rst_ni),
      .tx_valid_o      (tx_valid),
      .tx_ready_i      (tx_ready),
      .tx_data_o       (tx_data),
      .tx_last_o       (tx_last),
      .rx_valid_i      (rx_valid),
      .rx_ready_o      (rx_ready),
      .rx_data_i       (rx_data)
  );

  wire siwu_n;
  wire data_oe;

  ear_link_ft245 #(
      .DATA_BYTES(4)
  ) u_link (
      .link_clk_i (clk_i),
      .link_rst_ni(rst_ni),
      .tx_valid_i (tx_valid),
      .tx_ready_o (tx_ready),
      .tx_data_i  (tx_data),
      .tx_last_i  (tx_last),
      .rx_valid_o (rx_valid),
      .rx_ready_i (rx_ready),
      .rx_data_o  (rx_data),
      .rxf_ni     (rxf_ni),
      .txe_ni     (txe_ni),
      .oe_no      (oe_no),
      .rd_no      (rd_no),
      .wr_no      (wr_no),
      .siwu_no    (siwu_n),
      .data_i     (data_i),
      .data_o     (data_o),
      .data_oe_o  (data_oe),
      .be_i       (be_i),
      .be_o       (be_o)
  );

  assign retired_o = rvfi_valid && !rvfi_trap;
  assign held_o = core_reset || core_halt;
  wire unused = &{1'b0, siwu_n, data_oe, event_ready, port_ready, core_halted};
endmodule
`default_nettype wire
