// SPDX-License-Identifier: Apache-2.0
// The demo system and the capture unit on the iCE40-HX8K breakout board.
//
// The board's USB chip is the link: 3 Mbaud on its UART. The program's own UART output is on a pin
// of the header. Everything runs from the 12 MHz of the board. The core waits in reset until the
// host lets it go (register CORE).
//
// Core and unit together must fit into 7680 logic cells and 32 block RAMs. So the core is RV32IC
// with the software interrupt only, and the unit leaves out: the values of rs1 and rs2, CSR
// writes, filter, triggers and time. What fits is in tests/bench/hdl.md. With PREDICT the unit also
// leaves out the record FIFO: it always holds the core, which is faster all the same, because
// nearly nothing has to go over the link.
`include "ear_geometry.vh"
`default_nettype none
module ear_ice40_hx8k #(
    parameter PREDICT = 0  // 1: predict mode, geometry tiny; without program load and test source
) (
    input  wire       clk_i,   // 12 MHz
    input  wire       rxd_i,   // from the USB chip
    output wire       txd_o,   // to the USB chip: the capture unit's stream
    output wire       uart_o,  // the program's output, 115200 baud
    output wire [7:0] led_o    // ended, held, stalled, retiring; exit code
);
  localparam [31:0] CLOCK_HZ = 32'd12_000_000;
  localparam LINK_DIVISOR = 4;  // 3 Mbaud
  localparam UART_DIVISOR = 104;  // 115200 baud
  localparam RAM_WORDS = 512;

  // Reset after configuration: the counter starts at 0 in an iCE40.
  reg [3:0] reset_count_q = 4'd0;
  reg rst_nq = 1'b0;
  wire rst_n = rst_nq;
  always @(posedge clk_i) begin
    if (reset_count_q != 4'hf) reset_count_q <= reset_count_q + 4'd1;
    rst_nq <= reset_count_q == 4'hf;
  end

  wire stall;
  wire core_reset;
  wire core_halt;
  wire ended;
  wire [15:0] exit_code;

  wire memory_valid;
  wire [31:0] memory_address;
  wire [3:0] memory_wmask;
  wire [31:0] memory_wdata;
  wire [31:0] memory_rdata;
  wire memory_error;
  wire uart_valid;
  wire [7:0] uart_data;
  wire uart_ready;

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

  // What this board does not report, see above, and what is constant in this core.
  wire core_halted;
  wire event_ready;
  wire system_port_valid;  // this board has no event port
  wire [12:0] system_port_address;
  wire [3:0] system_port_wmask;
  wire [31:0] system_port_wdata;
  wire port_ready;
  wire [31:0] port_rdata;
  wire unused = &{
    1'b0, rvfi_halt, rvfi_mode, rvfi_ixl, rvfi_rs1_addr, rvfi_rs2_addr, rvfi_rs1_rdata,
    rvfi_rs2_rdata, rvfi_ext_debug, rvfi_ext_virt, rvfi_csr_valid, rvfi_csr_addr, rvfi_csr_wdata,
    core_halted, event_ready, port_ready, port_rdata,
    system_port_valid, system_port_address, system_port_wmask, system_port_wdata, exit_code[15:4]
  };

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

  ear_demo_system #(
      .MULDIV     (0),
      .FREEZE     (0),
      .COUNTERS   (0),
      .TIMER      (0),
      .FAULTS     (0)
  ) u_system (
      .clk_i           (clk_i),
      .rst_ni          (rst_n),
      .boot_address_i  (boot != 32'd0 ? boot : 32'h8000_0000),
      .core_reset_i    (core_reset),
      .core_halt_i     (core_halt),
      .stall_i         (stall),
      .core_halted_o   (core_halted),
      .memory_valid_o  (system_valid),
      .memory_address_o(system_address),
      .memory_wmask_o  (system_wmask),
      .memory_wdata_o  (system_wdata),
      .memory_rdata_i  (memory_rdata),
      .memory_error_i  (memory_error),
      .port_valid_o    (system_port_valid),
      .port_address_o  (system_port_address),
      .port_wmask_o    (system_port_wmask),
      .port_wdata_o    (system_port_wdata),
      .port_rdata_i    (32'd0),
      .uart_valid_o    (uart_valid),
      .uart_data_o     (uart_data),
      .uart_ready_i    (uart_ready),
      .exit_i          (1'b0),
      .exit_code_i     (16'd0),
      .ended_o         (ended),
      .exit_code_o     (exit_code),
      .fault_kind_i    (2'd0),
      .fault_op_valid_i(1'b0),
      .fault_op_i      (4'd0),
      .fault_period_i  (32'd0),
      .fault_mask_i    (32'd0),
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
      .rst_ni          (rst_n),
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
      .memory_valid_o  (memory_valid),
      .memory_address_o(memory_address),
      .memory_wmask_o  (memory_wmask),
      .memory_wdata_o  (memory_wdata),
      .memory_error_i  (memory_error)
  );

  ear_demo_ram #(
      .WORDS(RAM_WORDS)
  ) u_ram (
      .clk_i    (clk_i),
      .valid_i  (memory_valid),
      .address_i(memory_address),
      .wmask_i  (memory_wmask),
      .wdata_i  (memory_wdata),
      .rdata_o  (memory_rdata),
      .error_o  (memory_error)
  );

  ear_demo_uart_tx #(
      .DIVISOR(UART_DIVISOR)
  ) u_uart (
      .clk_i  (clk_i),
      .rst_ni (rst_n),
      .valid_i(uart_valid),
      .data_i (uart_data),
      .ready_o(uart_ready),
      .txd_o  (uart_o)
  );

  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;

  ear_unit #(
      .XLEN         (32),
      .NRET         (1),
      .CSR_SLOTS    (0),
      .ORDER_BITS   (40),
      .OPERANDS     (0),
      .NORMALIZE    (0),
      .HELD         (0),
      .ENDED_CLOCKS (0),
      .FILTER       (0),
      .TRIGGER      (0),
      .TIME         (0),
      .CLOCK_HZ     (CLOCK_HZ),
      .RECORD_FIFO  (1),
      .PAYLOAD_BYTES(512),
      .TEST         (PREDICT != 0 ? 0 : 1),
      .LOAD         (PREDICT != 0 ? 0 : 1),
      .RESET_HOLD   (1),
      .COUNTER_BITS (40),
      .SNAPSHOT     (0),
      .ONE_CLOCK    (1),
      .NARROW       (PREDICT != 0 ? 2 : 1),
      .STALL_SLACK  (0),
      .OWN_ORDER    (PREDICT),
      .LOSS         (0),
      .EVENTS       (PREDICT != 0 ? 0 : 1),
      .FLUSH_REGISTER(PREDICT != 0 ? 0 : 1),
      .PREDICT                (PREDICT),
      .PREDICT_GEOMETRY       (`EAR_GEOMETRY_TINY),
      .PREDICT_MULTIPLIER     (0),
      .PREDICT_PIPELINED      (0)
  ) u_unit (
      .clk_i           (clk_i),
      .rst_ni          (rst_n),
      // generate: connect unit halt=1'b0 mode=2'd3 ixl=2'd1 ext_debug=1'b0 ext_virt=1'b0 csr=0 frd=0 paddr=0 operands=0
      .rvfi_valid_i(rvfi_valid),
      .rvfi_order_i(rvfi_order),
      .rvfi_insn_i(rvfi_insn),
      .rvfi_trap_i(rvfi_trap),
      .rvfi_halt_i(1'b0),
      .rvfi_intr_i(rvfi_intr),
      .rvfi_ext_irq_i(rvfi_ext_irq),
      .rvfi_mode_i(2'd3),
      .rvfi_ixl_i(2'd1),
      .rvfi_ext_debug_i(1'b0),
      .rvfi_ext_virt_i(1'b0),
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
      .rvfi_csr_valid_i(1'b0),
      .rvfi_csr_addr_i(1'b0),
      .rvfi_csr_wdata_i(1'b0),
      .rvfi_frd_valid_i(1'b0),
      .rvfi_frd_addr_i(5'd0),
      .rvfi_fflags_i(5'd0),
      .rvfi_frd_wdata_i(1'b0),
      .rvfi_pc_paddr_i(1'b0),
      .rvfi_mem_paddr_i(1'b0),
      .rvfi_rs1_addr_i(5'd0),
      .rvfi_rs2_addr_i(5'd0),
      .rvfi_rs1_rdata_i(32'd0),
      .rvfi_rs2_rdata_i(32'd0),
      // generate: end
      .stall_o         (stall),
      .core_reset_o    (core_reset),
      .core_halt_o     (core_halt),
      .load_valid_o    (load_valid),
      .load_write_o    (load_write),
      .load_address_o  (load_address),
      .load_wdata_o    (load_wdata),
      .load_ready_i    (load_ready),
      .load_rdata_i    (memory_rdata),
      .load_error_i    (load_error),
      .boot_o          (boot),
      .ended_i         (ended),
      .trigger_i       (1'b0),
      .event_valid_i   (1'b0),
      .event_data_i    (32'd0),
      .event_ready_o   (event_ready),
      .port_valid_i    (1'b0),
      .port_address_i  (13'd0),
      .port_wmask_i    (4'd0),
      .port_wdata_i    (32'd0),
      .port_ready_o    (port_ready),
      .port_rdata_o    (port_rdata),
      .link_clk_i      (clk_i),
      .link_rst_ni     (rst_n),
      .tx_valid_o      (tx_valid),
      .tx_ready_i      (tx_ready),
      .tx_data_o       (tx_data),
      .tx_last_o       (tx_last),
      .rx_valid_i      (rx_valid),
      .rx_ready_o      (rx_ready),
      .rx_data_i       (rx_data)
  );

  ear_link_uart #(
      .DIVISOR(LINK_DIVISOR)
  ) u_link (
      .link_clk_i (clk_i),
      .link_rst_ni(rst_n),
      .tx_valid_i (tx_valid),
      .tx_ready_o (tx_ready),
      .tx_data_i  (tx_data),
      .tx_last_i  (tx_last),
      .rx_valid_o (rx_valid),
      .rx_ready_i (rx_ready),
      .rx_data_o  (rx_data),
      .txd_o      (txd_o),
      .rxd_i      (rxd_i)
  );

  assign led_o = {ended, core_reset || core_halt, stall, rvfi_valid, exit_code[3:0]};
endmodule
`default_nettype wire
