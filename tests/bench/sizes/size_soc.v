// SPDX-License-Identifier: Apache-2.0
// What tests/bench/sizes/measure synthesises as "with core": a core with RVFI, its memory, the
// capture unit of any preset and size, and a UART as link, in one clock.
//
// With SIZE_PICORV32 the core is PicoRV32 as RV32IMC, with its memory port held by stall_o; with
// SIZE_SERV it is SERV, held by ear_hold; else it is the demo core of hdl/soc. The program is not
// given, so that nothing of it decides the size.
`include "ear_rvfi.vh"
`default_nettype none
module size_soc #(
    parameter PRESET = `EAR_PRESET_SMALL,  // of ear_unit
    parameter SIZE   = `EAR_SIZE_LEAN,     // of ear_unit
    parameter WORDS  = 8192                // of memory; a power of two
) (
    input  wire clk_i,
    input  wire rst_ni,
    input  wire rxd_i,
    output wire txd_o,
    output wire led_o
);
  localparam ADDRESS = $clog2(WORDS);

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
  wire        fetch;
  wire        held;
  wire        halted;
  wire        halt;
  wire        stall;
  wire        core_reset;
  wire        core_rst_n = rst_ni && !core_reset;
  wire        valid;
  wire        free;
  wire [31:0] address;
  wire [31:0] wdata;
  wire [ 3:0] wmask;
  reg  [31:0] rdata_q;

  (* no_rw_check *)reg [31:0] memory_q[0:WORDS-1];
  wire [ADDRESS-1:0] word = address[ADDRESS+1:2];
  wire reads;
  wire request = valid && free;
  always @(posedge clk_i) begin
    if (request) begin
      if (wmask[0]) memory_q[word][7:0] <= wdata[7:0];
      if (wmask[1]) memory_q[word][15:8] <= wdata[15:8];
      if (wmask[2]) memory_q[word][23:16] <= wdata[23:16];
      if (wmask[3]) memory_q[word][31:24] <= wdata[31:24];
      if (reads) rdata_q <= memory_q[word];
    end
  end

`ifdef SIZE_PICORV32
  localparam SLACK = 2;
  assign reads = 1'b1;
  reg ready_q;
  assign free = !ready_q && !stall;
  always @(posedge clk_i) ready_q <= core_rst_n && request;
  picorv32 #(
      .COMPRESSED_ISA(1),
      .ENABLE_MUL    (1),
      .ENABLE_DIV    (1),
      .ENABLE_IRQ    (1)
  ) u_core (
      .clk      (clk_i),
      .resetn   (core_rst_n),
      .trap     (led_o),
      .mem_valid(valid),
      .mem_ready(ready_q),
      .mem_addr (address),
      .mem_wdata(wdata),
      .mem_wstrb(wmask),
      .mem_rdata(rdata_q),
      .pcpi_wr  (1'b0),
      .pcpi_rd  (32'd0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq      (32'd0),
      `EAR_RVFI_CORE
  );
`elsif SIZE_SERV
  localparam SLACK = 1;
  assign reads = wmask == 4'd0;  // an SPRAM of the UP5K reads or writes
  wire core_cyc;  // its buses are never busy together
  wire core_ack;
  wire ibus_cyc;
  wire [31:0] ibus_adr;
  wire dbus_cyc;
  wire dbus_we;
  wire [3:0] dbus_sel;
  wire [31:0] dbus_adr;
  reg ready_q;
  assign free = !ready_q;
  assign valid = ibus_cyc || dbus_cyc;
  assign address = dbus_cyc ? dbus_adr : ibus_adr;
  assign wmask = dbus_cyc && dbus_we ? dbus_sel : 4'd0;
  always @(posedge clk_i) ready_q <= core_rst_n && request;
  ear_hold u_hold (
      .clk_i  (clk_i),
      .rst_ni (core_rst_n),
      .hold_i (stall),
      .valid_i(core_cyc),
      .ready_o(core_ack),
      .valid_o(ibus_cyc),
      .ready_i(ready_q && !dbus_cyc)
  );
  serv_rf_top #(
      .RESET_PC(32'd0),
      .DEBUG   (1'b1)
  ) u_core (
      .clk        (clk_i),
      .i_rst      (!core_rst_n),
      .i_timer_irq(1'b0),
      .o_ibus_adr (ibus_adr),
      .o_ibus_cyc (core_cyc),
      .i_ibus_rdt (rdata_q),
      .i_ibus_ack (core_ack),
      .o_dbus_adr (dbus_adr),
      .o_dbus_dat (wdata),
      .o_dbus_sel (dbus_sel),
      .o_dbus_we  (dbus_we),
      .o_dbus_cyc (dbus_cyc),
      .i_dbus_rdt (rdata_q),
      .i_dbus_ack (ready_q && dbus_cyc),
      .i_ext_rd   (32'd0),
      .i_ext_ready(1'b0),
      `EAR_RVFI_CORE
  );
  assign led_o = rvfi_trap;
`else
  localparam SLACK = 0;
  assign reads = 1'b1;
  assign free = 1'b1;
  ear_demo_core u_core (
      .rst_ni          (core_rst_n),
      .boot_address_i  (32'd0),
      .bus_valid_o     (valid),
      .bus_fetch_o     (fetch),
      .bus_address_o   (address),
      .bus_wmask_o     (wmask),
      .bus_wdata_o     (wdata),
      .bus_rdata_i     (rdata_q),
      .bus_error_i     (1'b0),
      // generate: connect ear_demo_core tied last
      .clk_i(clk_i), .irq_external_i(1'b0), .irq_software_i(1'b0), .irq_timer_i(1'b0),
      .time_i(64'd0), .stall_i(stall), .held_o(held), .halt_i(halt), .halted_o(halted),
      .fault_kind_i(2'd0), .fault_op_valid_i(1'b0), .fault_op_i(4'd0), .fault_period_i(32'd0),
      .fault_mask_i(32'd0), .rvfi_valid_o(rvfi_valid), .rvfi_order_o(rvfi_order),
      .rvfi_insn_o(rvfi_insn), .rvfi_trap_o(rvfi_trap), .rvfi_halt_o(rvfi_halt),
      .rvfi_intr_o(rvfi_intr), .rvfi_ext_irq_o(rvfi_ext_irq), .rvfi_mode_o(rvfi_mode),
      .rvfi_ixl_o(rvfi_ixl), .rvfi_ext_debug_o(rvfi_ext_debug), .rvfi_ext_virt_o(rvfi_ext_virt),
      .rvfi_rd_addr_o(rvfi_rd_addr), .rvfi_rd_wdata_o(rvfi_rd_wdata),
      .rvfi_pc_rdata_o(rvfi_pc_rdata), .rvfi_pc_wdata_o(rvfi_pc_wdata),
      .rvfi_mem_addr_o(rvfi_mem_addr), .rvfi_mem_rdata_o(rvfi_mem_rdata),
      .rvfi_mem_wdata_o(rvfi_mem_wdata), .rvfi_ext_cause_o(rvfi_ext_cause),
      .rvfi_mem_rmask_o(rvfi_mem_rmask), .rvfi_mem_wmask_o(rvfi_mem_wmask),
      .rvfi_csr_valid_o(rvfi_csr_valid), .rvfi_csr_addr_o(rvfi_csr_addr),
      .rvfi_csr_wdata_o(rvfi_csr_wdata), .rvfi_rs1_addr_o(rvfi_rs1_addr),
      .rvfi_rs2_addr_o(rvfi_rs2_addr), .rvfi_rs1_rdata_o(rvfi_rs1_rdata),
      .rvfi_rs2_rdata_o(rvfi_rs2_rdata)
      // generate: end
  );
  assign led_o = rvfi_trap;
`endif

  wire        tx_valid;
  wire        tx_ready;
  wire [31:0] tx_data;
  wire        tx_last;
  wire        rx_valid;
  wire        rx_ready;
  wire [ 7:0] rx_data;

  ear_rvfi #(
      .PRESET      (PRESET),
      .SIZE        (SIZE),
      .ONE_CLOCK   (1),
      .STALL_SLACK (SIZE == `EAR_SIZE_LEAST ? 0 : SLACK),
      .OPCODE_READS(1),
      .CAUSES      (0)
  ) u_unit (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      `EAR_RVFI_UNIT,
      `EAR_RVFI_NO_CSRS(1),
      .rvfi_ext_cause_i(32'd0),
      .rvfi_ext_debug_i(1'b0),
      .rvfi_ext_irq_i  (1'b0),
      .stall_o         (stall),
      .core_reset_o    (core_reset),
      .core_halt_o     (halt),
      .ended_i         (rvfi_trap),
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

  ear_link_uart #(
      .DIVISOR(16)
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
      .txd_o      (txd_o),
      .rxd_i      (rxd_i)
  );
  wire unused = &{
    1'b0, halt, address, fetch, held, halted, rvfi_ext_irq, rvfi_ext_debug, rvfi_ext_virt,
    rvfi_ext_cause, rvfi_csr_valid, rvfi_csr_addr, rvfi_csr_wdata
  };
endmodule
`default_nettype wire
