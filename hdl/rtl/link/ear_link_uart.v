// SPDX-License-Identifier: Apache-2.0
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
  localparam [15:0] LAST = DIVISOR[15:0] - 16'd1;
  localparam [15:0] MIDDLE = DIVISOR[15:0] / 16'd2;

  generate
    if (DIVISOR < 4 || DIVISOR > 65535) begin : gen_bad_parameter
      ear_link_uart_DIVISOR_must_be_4_to_65535 u_error ();
    end
  endgenerate

  // Transmitter: ten bits, the start bit in the low end.
  wire       piece_valid;
  wire [7:0] piece_data;
  wire       unused_last;
  reg  [9:0] tx_bits_q;
  reg [ 3:0] tx_left_q;   // bits to go; 0: idle
  reg [15:0] tx_clock_q;

  wire       tx_free = tx_left_q == 4'd0;

  ear_link_words #(
      .BYTES(1)
  ) u_link_words (
      .clk_i        (link_clk_i),
      .rst_ni       (link_rst_ni),
      .tx_valid_i   (tx_valid_i),
      .tx_ready_o   (tx_ready_o),
      .tx_data_i    (tx_data_i),
      .tx_last_i    (tx_last_i),
      .piece_valid_o(piece_valid),
      .piece_ready_i(tx_free),
      .piece_data_o (piece_data),
      .piece_last_o (unused_last)
  );
  wire unused = unused_last;

  always @(posedge link_clk_i or negedge link_rst_ni) begin
    if (!link_rst_ni) begin
      tx_bits_q <= 10'h3FF;
      tx_left_q <= 4'd0;
      tx_clock_q <= 16'd0;
    end else if (tx_free) begin
      if (piece_valid) begin
        tx_bits_q <= {1'b1, piece_data, 1'b0};
        tx_left_q <= 4'd10;
        tx_clock_q <= LAST;
      end
    end else if (tx_clock_q != 16'd0) begin
      tx_clock_q <= tx_clock_q - 16'd1;
    end else begin
      tx_bits_q <= {1'b1, tx_bits_q[9:1]};
      tx_left_q <= tx_left_q - 4'd1;
      tx_clock_q <= LAST;
    end
  end

  assign txd_o = tx_bits_q[0];

  // Receiver: nine samples after the falling edge of the start bit, the last is the stop bit.
  (* ASYNC_REG = "TRUE" *) reg [1:0] rxd_q;
  reg [ 7:0] rx_bits_q;
  reg [ 3:0] rx_left_q;   // bits to go; 0: idle
  reg [15:0] rx_clock_q;

  wire rxd = rxd_q[1];
  wire sample = rx_left_q != 4'd0 && rx_clock_q == 16'd0;
  wire stop = sample && rx_left_q == 4'd1;
  wire rx_free;

  always @(posedge link_clk_i or negedge link_rst_ni) begin
    if (!link_rst_ni) begin
      rxd_q <= 2'b11;
      rx_bits_q <= 8'd0;
      rx_left_q <= 4'd0;
      rx_clock_q <= 16'd0;
    end else begin
      rxd_q <= {rxd_q[0], rxd_i};
      if (rx_left_q == 4'd0) begin
        if (!rxd) begin
          rx_left_q <= 4'd10;
          rx_clock_q <= MIDDLE;
        end
      end else if (!sample) begin
        rx_clock_q <= rx_clock_q - 16'd1;
      end else begin
        rx_clock_q <= LAST;
        rx_left_q <= rx_left_q - 4'd1;
        if (rx_left_q == 4'd10 && rxd) rx_left_q <= 4'd0;  // no start bit, only a spike
        else if (!stop) rx_bits_q <= {rxd, rx_bits_q[7:1]};
      end
    end
  end

  // There is no flow control: a byte that finds no room is dropped, and the word's CRC shows it.
  ear_link_bytes #(
      .BYTES(1)
  ) u_link_bytes (
      .clk_i     (link_clk_i),
      .rst_ni    (link_rst_ni),
      .put_i     (stop && rxd && rx_free),
      .data_i    (rx_bits_q),
      .enable_i  (1'b1),
      .free_o    (rx_free),
      .rx_valid_o(rx_valid_o),
      .rx_ready_i(rx_ready_i),
      .rx_data_o (rx_data_o)
  );
endmodule
`default_nettype wire
