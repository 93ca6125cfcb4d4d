// SPDX-License-Identifier: Apache-2.0
// The ready tops of hdl/adapters, each with a core and a plain model of its chip, in clocks without
// relation. What a chip gets is a file in the working directory; what it sends is start.hex.
//
// test_unit_links holds the links against models that check the chips' rules; this is about what
// the tops add: resets, the core's reset, and the connections.
`timescale 1ns / 10ps
`include "ear_rvfi.vh"
`default_nettype none
module tb_tops;
  localparam COUNT = 300;
  localparam BYTES = 40;  // four control words
  localparam BIT = 8;     // core clocks of the UART

  reg [7:0] bytes[0:BYTES-1];
  initial $readmemh("start.hex", bytes);

  // The reset rises at no edge of any clock.
  reg clk = 1'b0;
  reg ft_clk = 1'b0;
  reg fx_clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk <= !clk;
  always #8.33 ft_clk <= !ft_clk;
  always #10.41 fx_clk <= !fx_clk;
  initial #123.4 rst_n = 1'b1;

  integer quiet = 0;
  integer spoken = 0;
  integer heard = 0;
  wire [2:0] ended;
  always @(posedge clk) begin
    heard <= spoken;
    quiet <= &ended && heard == spoken ? quiet + 1 : 0;
    if (quiet > 2000) $finish;  // a last frame comes after 256 clocks (FLUSH_CYCLES)
  end

  // FT232H: takes a byte when WR# and TXE# are low, and has room in three of four clocks.
  wire [7:0] ft_out;
  wire ft_oe_n, ft_rd_n, ft_wr_n, ft_siwu_n, ft_drives, ft_be;
  reg ft_txe_n = 1'b1;
  integer ft_at = 0;
  integer ft_file;
  initial ft_file = $fopen("ft245.bin", "wb");
  wire ft_rxf_n = ft_at == BYTES;
  always @(posedge ft_clk) begin
    ft_txe_n <= $random % 4 == 0;
    if (!ft_rd_n && !ft_rxf_n) ft_at <= ft_at + 1;
    if (!ft_wr_n && !ft_txe_n) begin
      $fwrite(ft_file, "%c", ft_out);
      spoken = spoken + 1;
    end
    if (ft_drives && !ft_oe_n) $fatal(1, "two drivers");
  end

  // FX2LP: always has room; its flags move after the edge.
  wire [7:0] fx_out;
  wire [1:0] fx_address;
  wire fx_oe_n, fx_rd_n, fx_wr_n, fx_end_n, fx_drives;
  reg fx_empty_n = 1'b0;
  integer fx_at = 0;
  integer fx_file;
  initial fx_file = $fopen("fx2.bin", "wb");
  always @(posedge fx_clk) begin
    fx_empty_n <= fx_at + !fx_rd_n < BYTES;
    if (!fx_rd_n) fx_at <= fx_at + 1;
    if (!fx_wr_n) begin
      if (fx_address != 2'b10) $fatal(1, "written to the wrong FIFO");
      $fwrite(fx_file, "%c", fx_out);
      spoken = spoken + 1;
    end
    if (fx_drives && !fx_oe_n) $fatal(1, "two drivers");
  end

  // UART, in the core's clock.
  wire txd;
  reg rxd = 1'b1;
  reg [7:0] heard_byte;
  integer uart_file, i, k;
  initial begin
    uart_file = $fopen("uart.bin", "wb");
    #1000;
    for (i = 0; i < BYTES; i = i + 1) begin
      rxd = 1'b0;
      #(10 * BIT);
      for (k = 0; k < 8; k = k + 1) begin
        rxd = bytes[i][k];
        #(10 * BIT);
      end
      rxd = 1'b1;
      #(10 * BIT);
    end
  end
  integer j;
  always @(negedge txd) begin
    #(5 * BIT);
    for (j = 0; j < 8; j = j + 1) begin
      #(10 * BIT) heard_byte[j] = txd;
    end
    #(10 * BIT);
    if (!txd) $fatal(1, "a stop bit is missing");
    $fwrite(uart_file, "%c", heard_byte);
    spoken = spoken + 1;
  end

  genvar g;
  generate
    for (g = 0; g < 3; g = g + 1) begin : gen_top
      wire core_rst_n, core_halt, stall;
      `EAR_RVFI_WIRES(1, 32)
      own_core #(
          .COUNT(COUNT)
      ) u_core (
          .clk_i  (clk),
          .rst_ni (core_rst_n),
          .hold_i (stall || core_halt),
          .ended_o(ended[g]),
          `EAR_RVFI_CORE
      );
      if (g == 0) begin : gen_ft245
        ear_unit_ft245 #(
            .PRESET(`EAR_PRESET_RAW), .CAUSES(0), .RESET_HOLD(1)
        ) u_top (
            .clk_i(clk), .rst_ni(rst_n), `EAR_RVFI_UNIT, `EAR_RVFI_NO_CSRS(1),
            .rvfi_ext_cause_i(32'd0), .rvfi_ext_debug_i(1'b0), .rvfi_ext_irq_i(1'b0),
            .ended_i(ended[g]),
            .core_rst_no(core_rst_n), .core_halt_o(core_halt), .stall_o(stall),
            .link_clk_i(ft_clk), .rxf_ni(ft_rxf_n), .txe_ni(ft_txe_n), .oe_no(ft_oe_n),
            .rd_no(ft_rd_n), .wr_no(ft_wr_n), .siwu_no(ft_siwu_n),
            .data_i(ft_oe_n || ft_rxf_n ? 8'hzz : bytes[ft_at]), .data_o(ft_out),
            .data_oe_o(ft_drives), .be_i(1'b1), .be_o(ft_be)
        );
      end else if (g == 1) begin : gen_fx2
        ear_unit_fx2 #(
            .PRESET(`EAR_PRESET_SMALL), .CAUSES(0), .RESET_HOLD(1)
        ) u_top (
            .clk_i(clk), .rst_ni(rst_n), `EAR_RVFI_UNIT, `EAR_RVFI_NO_CSRS(1),
            .rvfi_ext_cause_i(32'd0), .rvfi_ext_debug_i(1'b0), .rvfi_ext_irq_i(1'b0),
            .ended_i(ended[g]),
            .core_rst_no(core_rst_n), .core_halt_o(core_halt), .stall_o(stall),
            .link_clk_i(fx_clk), .empty_ni(fx_empty_n), .full_ni(1'b1), .fifoadr_o(fx_address),
            .sloe_no(fx_oe_n), .slrd_no(fx_rd_n), .slwr_no(fx_wr_n), .pktend_no(fx_end_n),
            .data_i(fx_oe_n ? 8'hzz : bytes[fx_at]), .data_o(fx_out), .data_oe_o(fx_drives)
        );
      end else begin : gen_uart
        ear_unit_uart #(
            .PRESET(`EAR_PRESET_TINY), .SIZE(`EAR_SIZE_LEAN), .CAUSES(0), .RESET_HOLD(1),
            .DIVISOR(BIT)
        ) u_top (
            .clk_i(clk), .rst_ni(rst_n), `EAR_RVFI_UNIT, `EAR_RVFI_NO_CSRS(1),
            .rvfi_ext_cause_i(32'd0), .rvfi_ext_debug_i(1'b0), .rvfi_ext_irq_i(1'b0),
            .ended_i(ended[g]),
            .core_rst_no(core_rst_n), .core_halt_o(core_halt), .stall_o(stall),
            .txd_o(txd), .rxd_i(rxd)
        );
      end
    end
  endgenerate
endmodule
`default_nettype wire
