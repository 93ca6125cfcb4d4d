// SPDX-License-Identifier: Apache-2.0
// A link for a bench in plain Verilog: from tx_* and rx_* of ear_unit to the host, or to files
// (docs/own-simulation.md). It ends the simulation when the host has gone, or when the program has
// ended and the link was quiet for QUIET clocks.
//
// The other end is earshot_link_sim.cpp. Icarus calls it by VPI, as $earshot_word and
// $earshot_byte. With EAR_DPI defined it is called by DPI: Verilator, and commercial simulators.
`default_nettype none
module ear_link_sim #(
    parameter QUIET = 16384  // clocks
) (
    input wire clk_i,
    input wire rst_ni,
    input wire ended_i,  // level: the program has ended

    // Frames from the unit.
    input  wire        tx_valid_i,
    output wire        tx_ready_o,
    input  wire [31:0] tx_data_i,
    input  wire        tx_last_i,

    // Bytes of control words to it.
    output wire       rx_valid_o,
    input  wire       rx_ready_i,
    output wire [7:0] rx_data_o
);
`ifdef EAR_DPI
  import "DPI-C" function void earshot_word(input int data);
  import "DPI-C" function int earshot_byte();
`define EAR_LINK_WORD earshot_word
`define EAR_LINK_BYTE earshot_byte()
`else
`define EAR_LINK_WORD $earshot_word
`define EAR_LINK_BYTE $earshot_byte
`endif

  // earshot_byte: the next byte, NONE, or GONE if there is no host any more. It looks at the
  // socket, and waits for a slow host: so it is called once a clock.
  localparam signed [31:0] NONE = -1;
  localparam signed [31:0] GONE = -2;
  reg signed [31:0] got_q;
  integer quiet_q;
  assign tx_ready_o = rst_ni;
  assign rx_valid_o = got_q >= 0;
  assign rx_data_o  = got_q[7:0];
  wire unused = tx_last_i;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      got_q   <= NONE;
      quiet_q <= 0;
    end else begin
      if (tx_valid_i) `EAR_LINK_WORD(tx_data_i);
      if (!rx_valid_o || rx_ready_i) got_q <= `EAR_LINK_BYTE;
      quiet_q <= ended_i && !tx_valid_i && !rx_valid_o ? quiet_q + 1 : 0;
      if (got_q == GONE || quiet_q > QUIET) $finish;
    end
  end
endmodule
`default_nettype wire
