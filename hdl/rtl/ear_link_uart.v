// The link over a UART: 8 data bits, no parity, 1 stop bit, no flow control.
//
// Bytes go out lowest first, back to back. A frame that ends needs nothing: a UART holds no byte
// back. The receiver samples each bit in its middle; a byte whose stop bit is low is dropped, and
// the CRC of the control word does the rest.
//
// rxd_i may come straight from a pin: it is synchronised here.
`default_nettype none
module ear_link_uart #(
    parameter DIVISOR = 16  // link clocks a bit; 4 to 65535
) (
    input wire link_clk_i,
    input wire link_rst_ni,

    // Frames from the unit.
    input  wire        tx_valid_i,
    output wire        tx_ready_o,
    input  wire [31:0] tx_data_i,
    input  wire        tx_last_i,

    // Control bytes to the unit.
    output wire       rx_valid_o,
    input  wire       rx_ready_i,
    output wire [7:0] rx_data_o,

    // Pins.
    output wire txd_o,
    input  wire rxd_i
);
endmodule
`default_nettype wire
