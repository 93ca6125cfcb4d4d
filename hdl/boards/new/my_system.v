// SPDX-License-Identifier: Apache-2.0
// All but the pins: the core with its capture unit (core_*.v), the link and the reset. The top of
// the board has it as u_top.
//
// The program ends with a store to 0x00100000, which is seen at the retire port.
`include "core_bench.vh"
`default_nettype none
module my_system #(
    parameter        CONFIG       = 0,               // not used: core_bench.vh chooses
    parameter [31:0] CLOCK_HZ     = 32'd25_000_000,  // Hz of clk_i
    parameter        RAM_WORDS    = 512,             // not used: core_memory.v has its size
    parameter        LINK         = 0,               // see ear_board_link
    parameter        LINK_DIVISOR = 16               // of a UART
) (
    input  wire       clk_i,
    input  wire       rxd_i,
    output wire       txd_o,
    output wire       uart_o,  // free
    output wire [7:0] led_o,   // ended, in reset, held, retiring; free

    // FTDI chip, see ear_link_ft245.
    input  wire       ftdi_clk_i,
    input  wire       ftdi_rxf_ni,
    input  wire       ftdi_txe_ni,
    output wire       ftdi_oe_no,
    output wire       ftdi_rd_no,
    output wire       ftdi_wr_no,
    output wire       ftdi_siwu_no,
    input  wire [7:0] ftdi_data_i,
    output wire [7:0] ftdi_data_o,
    output wire       ftdi_data_oe_o
);
  wire link_clk = LINK != 0 ? ftdi_clk_i : clk_i;
  wire rst_n;
  wire link_rst_n;
  ear_board_reset u_reset (
      .clk_i      (clk_i),
      .link_clk_i (link_clk),
      .rst_no     (rst_n),
      .link_rst_no(link_rst_n)
  );

  reg ended_q;
  wire core_reset;
  wire stall;
  wire [31:0] rvfi_ext_cause;
  wire rvfi_ext_debug;
  wire rvfi_ext_irq;
  `EAR_RVFI_WIRES(1, 32)

  wire tx_valid;
  wire tx_ready;
  wire [31:0] tx_data;
  wire tx_last;
  wire rx_valid;
  wire rx_ready;
  wire [7:0] rx_data;

  `CORE_TOP u_core (
      .clk_i         (clk_i),
      .rst_ni        (rst_n),
      .link_clk_i    (link_clk),
      .link_rst_ni   (link_rst_n),
      .ended_i       (ended_q),
      .timer_i       (1'b0),
      .software_i    (1'b0),
      `EAR_RVFI_CORE,
      .rvfi_ext_cause(rvfi_ext_cause),
      .rvfi_ext_debug(rvfi_ext_debug),
      .rvfi_ext_irq  (rvfi_ext_irq),
      .stall_o       (stall),
      .core_reset_o  (core_reset),
      .tx_valid_o    (tx_valid),
      .tx_ready_i    (tx_ready),
      .tx_data_o     (tx_data),
      .tx_last_o     (tx_last),
      .rx_valid_i    (rx_valid),
      .rx_ready_o    (rx_ready),
      .rx_data_i     (rx_data)
  );

  always @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) ended_q <= 1'b0;
    else if (core_reset) ended_q <= 1'b0;
    else if (rvfi_valid && rvfi_mem_wmask != 4'd0 && rvfi_mem_addr == 32'h0010_0000)
      ended_q <= 1'b1;  // a core that stops late retires more
  end

  ear_board_link #(
      .LINK   (LINK),
      .DIVISOR(LINK_DIVISOR)
  ) u_link (
      .link_clk_i    (link_clk),
      .link_rst_ni   (link_rst_n),
      .tx_valid_i    (tx_valid),
      .tx_ready_o    (tx_ready),
      .tx_data_i     (tx_data),
      .tx_last_i     (tx_last),
      .rx_valid_o    (rx_valid),
      .rx_ready_i    (rx_ready),
      .rx_data_o     (rx_data),
      .rxd_i         (rxd_i),
      .txd_o         (txd_o),
      .ftdi_rxf_ni   (ftdi_rxf_ni),
      .ftdi_txe_ni   (ftdi_txe_ni),
      .ftdi_oe_no    (ftdi_oe_no),
      .ftdi_rd_no    (ftdi_rd_no),
      .ftdi_wr_no    (ftdi_wr_no),
      .ftdi_siwu_no  (ftdi_siwu_no),
      .ftdi_data_i   (ftdi_data_i),
      .ftdi_data_o   (ftdi_data_o),
      .ftdi_data_oe_o(ftdi_data_oe_o)
  );

  assign led_o = {ended_q, !rst_n, stall, rvfi_valid, 4'd0};
  assign uart_o = 1'b1;
endmodule
`default_nettype wire
