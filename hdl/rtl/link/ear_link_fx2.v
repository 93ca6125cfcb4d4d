// SPDX-License-Identifier: Apache-2.0
// The link over a Cypress FX2LP in synchronous slave FIFO mode, 8 or 16 bits.
//
// What the chip must be set to: IFCLK up to 48 MHz, synchronous slave FIFO, all strobes active low,
// FLAGA = EF of the OUT endpoint and FLAGB = FF of the IN endpoint (fixed, not indexed), AUTOOUT,
// AUTOIN with PACKET_BYTES. With 16 bits the host sends an even number of control bytes.
//
// The chip's rules, all at the rising edge of IFCLK:
//   - FIFOADR must be stable 25 ns before a strobe and 10 ns after it
//   - SLWR# low writes FD, SLRD# low steps to the next datum, SLOE# low lets the chip drive FD
//   - PKTEND# low commits a short packet, or an empty one (ZEROLENIN is set)
//   - a flag moves up to 9.5 ns after the edge that moved it, and SLWR# is wanted 10.4 ns (18.1 ns
//     for SLRD#) before the edge: nothing may run from a flag through us to a strobe
// All our outputs are registers. FULL can only rise where a packet is committed, so it is looked at
// between packets and not inside one: that costs a few clocks a packet and no byte. Control words
// are read one datum at a time, slowly, and only between packets.
//
// Frames share packets while one follows the other: a host reads many packets at once, and each
// short one would end its transfer. When nothing has followed for END_CLOCKS, PKTEND# ends the
// packet: no frame waits longer. If the last frame has filled its packet, an empty one is sent
// instead: a full packet does not end the host's transfer.
`default_nettype none
module ear_link_fx2 #(
    parameter       DATA_BYTES   = 1,      // width of FD: 1 or 2
    parameter       PACKET_BYTES = 512,    // AUTOINLEN of the IN endpoint: 64 (full speed) or 512
    parameter       END_CLOCKS   = 32,     // 1 to 63; IFCLK periods
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
  localparam [31:0] PACKET_32 = PACKET_BYTES / DATA_BYTES;
  localparam [9:0] PACKET = PACKET_32[9:0];  // data in a packet

  localparam [31:0] END_CLOCKS_32 = END_CLOCKS;
  localparam [5:0] END_WAIT = END_CLOCKS_32[5:0];

  generate
    if (END_CLOCKS < 1 || END_CLOCKS > 63) begin : gen_bad_end
      ear_link_fx2_END_CLOCKS_must_be_1_to_63 u_error ();
    end
    if ((DATA_BYTES != 1 && DATA_BYTES != 2) || (PACKET_BYTES != 64 && PACKET_BYTES != 512))
    begin : gen_bad_parameter
      ear_link_fx2_DATA_BYTES_must_be_1_or_2_PACKET_BYTES_64_or_512 u_error ();
    end
  endgenerate

  localparam [2:0] STATE_CHOOSE = 3'd0;  // between packets, flags are settled
  localparam [2:0] STATE_WRITE = 3'd1;   // inside a packet
  localparam [2:0] STATE_END = 3'd2;     // PKTEND# low
  localparam [2:0] STATE_SETTLE = 3'd3;  // wait for the flags, and for FIFOADR on the way back
  localparam [2:0] STATE_TURN = 3'd4;    // FIFOADR to OUT, nobody drives, then SLOE# low
  localparam [2:0] STATE_READ = 3'd5;    // SLRD# low: the datum is taken
  localparam [2:0] STATE_MORE = 3'd6;    // inside a packet, after a frame: does another one follow?

  reg  [             2:0] state_q;
  reg  [             2:0] wait_q;       // clocks in SETTLE and TURN
  reg  [             9:0] count_q;      // data of the packet so far
  reg  [             5:0] end_wait_q;   // clocks without a datum after a frame
  reg                     owed_q;       // the packet before was full and ended with a frame
  reg                     write_q;
  reg                     end_q;
  reg                     read_q;
  reg                     oe_q;
  reg                     drive_q;
  reg  [             1:0] fifoadr_q;
  reg  [8*DATA_BYTES-1:0] data_q;
  wire                    piece_valid;
  wire [8*DATA_BYTES-1:0] piece_data;
  wire                    piece_last;
  wire                    rx_free;

  wire in_packet = state_q == STATE_WRITE || state_q == STATE_MORE;
  wire write = in_packet && piece_valid;
  wire packet_full = count_q == PACKET - 10'd1;

  ear_link_words #(
      .BYTES(DATA_BYTES)
  ) u_link_words (
      .clk_i        (link_clk_i),
      .rst_ni       (link_rst_ni),
      .tx_valid_i   (tx_valid_i),
      .tx_ready_o   (tx_ready_o),
      .tx_data_i    (tx_data_i),
      .tx_last_i    (tx_last_i),
      .piece_valid_o(piece_valid),
      .piece_ready_i(in_packet),
      .piece_data_o (piece_data),
      .piece_last_o (piece_last)
  );

  ear_link_bytes #(
      .BYTES(DATA_BYTES)
  ) u_link_bytes (
      .clk_i     (link_clk_i),
      .rst_ni    (link_rst_ni),
      .put_i     (read_q),
      .data_i    (data_i),
      .enable_i  ({DATA_BYTES{1'b1}}),
      .free_o    (rx_free),
      .rx_valid_o(rx_valid_o),
      .rx_ready_i(rx_ready_i),
      .rx_data_o (rx_data_o)
  );

  always @(posedge link_clk_i or negedge link_rst_ni) begin
    if (!link_rst_ni) begin
      state_q <= STATE_SETTLE;
      wait_q <= 3'd7;
      count_q <= 10'd0;
      end_wait_q <= 6'd0;
      owed_q <= 1'b0;
      write_q <= 1'b0;
      end_q <= 1'b0;
      read_q <= 1'b0;
      oe_q <= 1'b0;
      drive_q <= 1'b0;
      fifoadr_q <= ADDRESS_IN;
    end else begin
      write_q <= write;
      end_q <= state_q == STATE_END;
      read_q <= 1'b0;
      case (state_q)
        STATE_CHOOSE: begin
          count_q <= 10'd0;
          if (empty_ni && rx_free) begin
            state_q <= STATE_TURN;
            wait_q <= 3'd6;
            drive_q <= 1'b0;
            fifoadr_q <= ADDRESS_OUT;
          end else if (full_ni && piece_valid) begin
            state_q <= STATE_WRITE;
          end else if (full_ni && owed_q) begin
            end_wait_q <= end_wait_q - 6'd1;
            if (end_wait_q == 6'd1) state_q <= STATE_END;
          end
        end
        STATE_WRITE, STATE_MORE:
        if (piece_valid) begin
          count_q <= count_q + 10'd1;
          wait_q <= 3'd5;
          end_wait_q <= END_WAIT;
          owed_q <= packet_full && piece_last;
          if (packet_full) state_q <= STATE_SETTLE;  // the chip commits it by itself
          else state_q <= piece_last ? STATE_MORE : STATE_WRITE;
        end else if (state_q == STATE_MORE) begin
          end_wait_q <= end_wait_q - 6'd1;
          if (end_wait_q == 6'd1) state_q <= STATE_END;
        end
        STATE_END: begin
          owed_q  <= 1'b0;
          state_q <= STATE_SETTLE;
          wait_q <= 3'd5;
        end
        STATE_TURN: begin
          wait_q <= wait_q - 3'd1;
          if (wait_q <= 3'd5) oe_q <= 1'b1;
          if (wait_q == 3'd1) begin
            read_q <= 1'b1;
            state_q <= STATE_READ;
          end
        end
        STATE_READ: begin
          oe_q <= 1'b0;
          state_q <= STATE_SETTLE;
          wait_q <= 3'd5;
        end
        default: begin  // STATE_SETTLE
          // FIFOADR goes back a clock after SLRD#, and we drive a clock after the chip has stopped
          // driving.
          fifoadr_q <= ADDRESS_IN;
          drive_q <= wait_q <= 3'd3;
          wait_q <= wait_q - 3'd1;
          if (wait_q == 3'd0) begin
            wait_q  <= 3'd0;
            state_q <= STATE_CHOOSE;
          end
        end
      endcase
    end
  end

  always @(posedge link_clk_i) begin
    if (write) data_q <= piece_data;
  end

  assign fifoadr_o = fifoadr_q;
  assign sloe_no = !oe_q;
  assign slrd_no = !read_q;
  assign slwr_no = !write_q;
  assign pktend_no = !end_q;
  assign data_o = data_q;
  assign data_oe_o = drive_q;
endmodule
`default_nettype wire
