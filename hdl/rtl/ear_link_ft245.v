// The link over an FTDI chip in synchronous 245 FIFO mode.
`default_nettype none
module ear_link_ft245 #(
    parameter DATA_BYTES = 1  // 1: FT232H, FT2232H; 2: FT600; 4: FT601
) (
    input wire link_clk_i,   // the chip's CLKOUT
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

    // Pins of the chip. The tri-state buffers are in the board's top.
    input  wire                    rxf_ni,   // low: the chip has data
    input  wire                    txe_ni,   // low: the chip has room
    output wire                    oe_no,    // low: the chip drives data
    output wire                    rd_no,
    output wire                    wr_no,
    output wire                    siwu_no,  // low for a clock: send what you have (FT60x: leave open)
    input  wire [8*DATA_BYTES-1:0] data_i,
    output wire [8*DATA_BYTES-1:0] data_o,
    output wire                    data_oe_o,  // 1: we drive data and byte enables
    input  wire [  DATA_BYTES-1:0] be_i,       // byte enables (FT60x); tie high on the others
    output wire [  DATA_BYTES-1:0] be_o
);
endmodule
`default_nettype wire
