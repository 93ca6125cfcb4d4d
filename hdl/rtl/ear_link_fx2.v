// The link over a Cypress FX2LP in synchronous slave FIFO mode.
`default_nettype none
module ear_link_fx2 #(
    parameter       DATA_BYTES   = 1,      // width of FD: 1 or 2
    parameter       PACKET_BYTES = 512,    // AUTOINLEN of the IN endpoint: 64 (full speed) or 512
    parameter [1:0] ADDRESS_OUT  = 2'b00,  // FIFOADR of the OUT endpoint, control words: EP2
    parameter [1:0] ADDRESS_IN   = 2'b10   // FIFOADR of the IN endpoint, frames: EP6
) (
    input wire link_clk_i,   // IFCLK
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

    // Pins of the chip, active low. The tri-state buffers are in the board's top.
    input  wire                    empty_ni,   // flag of the OUT endpoint; low: nothing to read
    input  wire                    full_ni,    // flag of the IN endpoint; low: no room
    output wire [             1:0] fifoadr_o,
    output wire                    sloe_no,
    output wire                    slrd_no,
    output wire                    slwr_no,
    output wire                    pktend_no,
    input  wire [8*DATA_BYTES-1:0] data_i,
    output wire [8*DATA_BYTES-1:0] data_o,
    output wire                    data_oe_o
);
endmodule
`default_nettype wire
