// SPDX-License-Identifier: Apache-2.0
// The demo system: the demo core, its devices, and a port for its memory.
//
// The memory map is the part of QEMU's `virt` machine that a small program needs, so the same ELF
// runs here and under qemu-system-riscv32:
//
//   0x00100000  exit register. 0x5555 ends the program with code 0, (code << 16) | 0x3333 with code
//   0x02000000  CLINT: msip, mtimecmp, mtime (ear_demo_clint)
//   0x10000000  UART: a byte written at +0 is sent, byte +5 bit 5 (0x20) says "ready to send",
//               as in a 16550; nothing can be received
//   0x10020000  event port of the capture unit, 8 KiB, with PORT (docs/event-port.md)
//   0x80000000  memory, as large as the answers on the memory port say
// Everything else, and any fetch outside the memory, is an access fault.
//
// When the program has ended (by the exit register, or by exit_i for a program that signals the
// simulator in its own way) the core is held for good and ended_o rises after the last entry has
// left the retire port. core_reset_i starts the core and its devices afresh; the memory keeps its
// contents. core_halt_i holds the core while it is high.
`default_nettype none
module ear_demo_system #(
    parameter MULDIV      = 1,  // 1: with the M extension; 0: RV32IC
    parameter MUL_SINGLE  = 0,  // 1: multiply in one cycle with `*`
    parameter FREEZE      = 1,  // 1: nothing advances while the core is held, see ear_demo_core
    parameter COUNTERS    = 1,  // 1: mcycle and minstret count; 0: they read as 0
    parameter TIMER       = 1,  // 1: with mtime and its interrupt; 0: mtime reads as 0
    parameter TIME_DIVIDE = 5,  // clock cycles for one count of mtime, 1 .. 256
    parameter PORT        = 0,  // 1: the event port is connected
    parameter FAULTS      = 0   // 1: build the fault injection (simulation only)
) (
    input wire        clk_i,
    input wire        rst_ni,
    input wire [31:0] boot_address_i,  // first pc; even

    // From the capture unit: reset and halt of the core, back-pressure of the retire port.
    input  wire core_reset_i,
    input  wire core_halt_i,
    input  wire stall_i,
    output wire core_halted_o,

    // Memory: always accepts; answers in the next cycle and keeps the answer until asked again.
    // memory_error_i answers an address beyond the end of the memory.
    output wire        memory_valid_o,
    output wire [31:0] memory_address_o,  // address of a word
    output wire [ 3:0] memory_wmask_o,    // bytes to write; 0 for a read
    output wire [31:0] memory_wdata_o,
    input  wire [31:0] memory_rdata_i,
    input  wire        memory_error_i,

    // Event port of the capture unit: as the memory, and never asked to wait.
    output wire        port_valid_o,
    output wire [12:0] port_address_o,
    output wire [ 3:0] port_wmask_o,
    output wire [31:0] port_wdata_o,
    input  wire [31:0] port_rdata_i,

    // UART: bytes to send, one for each cycle with valid and ready.
    output wire       uart_valid_o,
    output wire [7:0] uart_data_o,
    input  wire       uart_ready_i,

    // End of the program.
    input  wire        exit_i,
    input  wire [15:0] exit_code_i,
    output wire        ended_o,
    output wire [15:0] exit_code_o,

    // Fault injection, see ear_demo_core.
    input wire [ 1:0] fault_kind_i,
    input wire        fault_op_valid_i,
    input wire [ 3:0] fault_op_i,
    input wire [31:0] fault_period_i,
    input wire [31:0] fault_mask_i,

    // Retire port, see ear_demo_core.
    // generate: ports core last
    output wire rvfi_valid_o,
    output wire [63:0] rvfi_order_o,
    output wire [31:0] rvfi_insn_o,
    output wire rvfi_trap_o,
    output wire rvfi_halt_o,
    output wire rvfi_intr_o,
    output wire rvfi_ext_irq_o,
    output wire [1:0] rvfi_mode_o,
    output wire [1:0] rvfi_ixl_o,
    output wire rvfi_ext_debug_o,
    output wire rvfi_ext_virt_o,
    output wire [4:0] rvfi_rd_addr_o,
    output wire [31:0] rvfi_rd_wdata_o,
    output wire [31:0] rvfi_pc_rdata_o,
    output wire [31:0] rvfi_pc_wdata_o,
    output wire [31:0] rvfi_mem_addr_o,
    output wire [31:0] rvfi_mem_rdata_o,
    output wire [31:0] rvfi_mem_wdata_o,
    output wire [31:0] rvfi_ext_cause_o,
    output wire [3:0] rvfi_mem_rmask_o,
    output wire [3:0] rvfi_mem_wmask_o,
    output wire [4:0] rvfi_csr_valid_o,
    output wire [59:0] rvfi_csr_addr_o,
    output wire [159:0] rvfi_csr_wdata_o,
    output wire [4:0] rvfi_rs1_addr_o,
    output wire [4:0] rvfi_rs2_addr_o,
    output wire [31:0] rvfi_rs1_rdata_o,
    output wire [31:0] rvfi_rs2_rdata_o
    // generate: end
);
  localparam [15:0] EXIT_PASS = 16'h5555;
  localparam [15:0] EXIT_FAIL = 16'h3333;

  // Who answers the access of the previous cycle.
  localparam [2:0] FROM_NONE = 3'd0;
  localparam [2:0] FROM_MEMORY = 3'd1;
  localparam [2:0] FROM_CLINT = 3'd2;
  localparam [2:0] FROM_UART = 3'd3;
  localparam [2:0] FROM_EXIT = 3'd4;
  localparam [2:0] FROM_PORT = 3'd5;

  reg core_rst_nq;  // reset of the core and its devices
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_rst_nq <= 1'b0;
    else core_rst_nq <= !core_reset_i;
  end

  wire bus_valid;
  wire bus_fetch;
  wire [31:0] bus_address;
  wire [3:0] bus_wmask;
  wire [31:0] bus_wdata;
  wire [31:0] bus_rdata;
  wire bus_error;

  wire irq_software;
  wire irq_timer;
  wire [63:0] mtime;
  wire halted;
  wire held;
  reg ended_q;

  ear_demo_core #(
      .HART_ID   (32'd0),
      .MULDIV    (MULDIV),
      .MUL_SINGLE(MUL_SINGLE),
      .FREEZE    (FREEZE),
      .COUNTERS  (COUNTERS),
      .FAULTS    (FAULTS)
  ) u_core (
      .clk_i           (clk_i),
      .rst_ni          (core_rst_nq),
      .boot_address_i  (boot_address_i),
      .bus_valid_o     (bus_valid),
      .bus_fetch_o     (bus_fetch),
      .bus_address_o   (bus_address),
      .bus_wmask_o     (bus_wmask),
      .bus_wdata_o     (bus_wdata),
      .bus_rdata_i     (bus_rdata),
      .bus_error_i     (bus_error),
      .irq_external_i  (1'b0),
      .irq_software_i  (irq_software),
      .irq_timer_i     (irq_timer),
      .time_i          (mtime),
      .stall_i         (stall_i),
      .held_o          (held),
      .halt_i          (core_halt_i || ended_q),
      .halted_o        (halted),
      .fault_kind_i    (fault_kind_i),
      .fault_op_valid_i(fault_op_valid_i),
      .fault_op_i      (fault_op_i),
      .fault_period_i  (fault_period_i),
      .fault_mask_i    (fault_mask_i),
      // generate: connect ear_demo_core last
      .rvfi_valid_o(rvfi_valid_o), .rvfi_order_o(rvfi_order_o), .rvfi_insn_o(rvfi_insn_o),
      .rvfi_trap_o(rvfi_trap_o), .rvfi_halt_o(rvfi_halt_o), .rvfi_intr_o(rvfi_intr_o),
      .rvfi_ext_irq_o(rvfi_ext_irq_o), .rvfi_mode_o(rvfi_mode_o), .rvfi_ixl_o(rvfi_ixl_o),
      .rvfi_ext_debug_o(rvfi_ext_debug_o), .rvfi_ext_virt_o(rvfi_ext_virt_o),
      .rvfi_rd_addr_o(rvfi_rd_addr_o), .rvfi_rd_wdata_o(rvfi_rd_wdata_o),
      .rvfi_pc_rdata_o(rvfi_pc_rdata_o), .rvfi_pc_wdata_o(rvfi_pc_wdata_o),
      .rvfi_mem_addr_o(rvfi_mem_addr_o), .rvfi_mem_rdata_o(rvfi_mem_rdata_o),
      .rvfi_mem_wdata_o(rvfi_mem_wdata_o), .rvfi_ext_cause_o(rvfi_ext_cause_o),
      .rvfi_mem_rmask_o(rvfi_mem_rmask_o), .rvfi_mem_wmask_o(rvfi_mem_wmask_o),
      .rvfi_csr_valid_o(rvfi_csr_valid_o), .rvfi_csr_addr_o(rvfi_csr_addr_o),
      .rvfi_csr_wdata_o(rvfi_csr_wdata_o), .rvfi_rs1_addr_o(rvfi_rs1_addr_o),
      .rvfi_rs2_addr_o(rvfi_rs2_addr_o), .rvfi_rs1_rdata_o(rvfi_rs1_rdata_o),
      .rvfi_rs2_rdata_o(rvfi_rs2_rdata_o)
      // generate: end
  );

  // Address decoding. A fetch may come only from memory.
  wire at_memory = bus_address[31];
  wire at_exit = bus_address[31:12] == 20'h00100 && !bus_fetch;
  wire at_clint = bus_address[31:16] == 16'h0200 && !bus_fetch;
  wire at_uart = bus_address[31:8] == 24'h100000 && !bus_fetch;
  wire at_port = PORT != 0 && bus_address[31:13] == 19'h08010 && !bus_fetch;
  wire writes = bus_wmask != 4'd0;
  wire at_uart_data = bus_address[7:2] == 6'd0;

  assign memory_valid_o = bus_valid && at_memory;
  assign memory_address_o = bus_address;
  assign memory_wmask_o = bus_wmask;
  assign memory_wdata_o = bus_wdata;

  assign port_valid_o = bus_valid && at_port;
  assign port_address_o = bus_address[12:0];
  assign port_wmask_o = bus_wmask;
  assign port_wdata_o = bus_wdata;

  wire [31:0] clint_rdata;

  ear_demo_clint #(
      .TIMER      (TIMER),
      .TIME_DIVIDE(TIME_DIVIDE)
  ) u_clint (
      .clk_i         (clk_i),
      .rst_ni        (core_rst_nq),
      .valid_i       (bus_valid && at_clint),
      .address_i     (bus_address[15:0]),
      .write_i       (writes),
      .wmask_i       ({{8{bus_wmask[3]}}, {8{bus_wmask[2]}}, {8{bus_wmask[1]}}, {8{bus_wmask[0]}}}),
      .wdata_i       (bus_wdata),
      .rdata_o       (clint_rdata),
      .hold_i        (held),
      .time_o        (mtime),
      .irq_software_o(irq_software),
      .irq_timer_o   (irq_timer)
  );

  reg [2:0] from_q;
  reg [31:0] uart_rdata_q;
  reg uart_valid_q;
  reg [7:0] uart_data_q;
  reg [15:0] exit_code_q;

  wire exit_write = bus_valid && at_exit && bus_wmask[1:0] == 2'b11 && bus_address[11:2] == 10'd0;

  always @(posedge clk_i or negedge core_rst_nq) begin
    if (!core_rst_nq) begin
      from_q <= FROM_NONE;
      uart_rdata_q <= 32'd0;
      uart_valid_q <= 1'b0;
      uart_data_q <= 8'd0;
      ended_q <= 1'b0;
      exit_code_q <= 16'd0;
    end else begin
      if (bus_valid) begin
        from_q <= at_memory ? FROM_MEMORY : at_clint ? FROM_CLINT : at_uart ? FROM_UART :
                  at_exit ? FROM_EXIT : at_port ? FROM_PORT : FROM_NONE;
        // Line status: transmitter empty and ready, once the byte before has been taken.
        uart_rdata_q <= bus_address[7:2] == 6'd1 ?
                        {16'd0, 1'b0, {2{!uart_valid_q}}, 5'd0, 8'd0} : 32'd0;
      end

      if (bus_valid && at_uart && at_uart_data && bus_wmask[0]) begin
        uart_valid_q <= 1'b1;
        uart_data_q  <= bus_wdata[7:0];
      end else if (uart_ready_i) begin
        uart_valid_q <= 1'b0;
      end

      if (exit_write && bus_wdata[15:0] == EXIT_PASS) begin
        ended_q <= 1'b1;
        exit_code_q <= 16'd0;
      end else if (exit_write && bus_wdata[15:0] == EXIT_FAIL) begin
        ended_q <= 1'b1;
        exit_code_q <= bus_wmask[3] ? bus_wdata[31:16] : 16'd0;
      end else if (exit_i) begin
        ended_q <= 1'b1;
        exit_code_q <= exit_code_i;
      end
    end
  end

  assign bus_rdata = from_q == FROM_MEMORY ? memory_rdata_i :
                     from_q == FROM_CLINT ? clint_rdata :
                     from_q == FROM_UART ? uart_rdata_q :
                     PORT != 0 && from_q == FROM_PORT ? port_rdata_i : 32'd0;
  assign bus_error = from_q == FROM_MEMORY ? memory_error_i : from_q == FROM_NONE;

  assign uart_valid_o = uart_valid_q;
  assign uart_data_o = uart_data_q;
  assign core_halted_o = halted;
  assign ended_o = ended_q && halted;
  assign exit_code_o = exit_code_q;
endmodule
`default_nettype wire
