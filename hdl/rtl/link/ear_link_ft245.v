// SPDX-License-Identifier: Apache-2.0
// The link over an FTDI chip in synchronous 245 FIFO mode: FT232H and FT2232H (8 bits), FT600 and
// FT601 (16 and 32 bits with byte enables).
//
// The chip's rules, all at the rising edge of its clock:
//   - it takes data when WR# and TXE# are both low; while TXE# is high, WR# low does nothing
//   - it drives data while OE# is low, and steps to the next when RD# and RXF# are both low
//   - OE# must be low for at least a clock before RD#; nobody may drive in the clocks around it
//   - its flags come so late in the clock (up to 9 ns of 16.7) and it wants its inputs so early
//     (7.5 to 8 ns) that nothing may run from a flag through us to a pin: all our outputs are
//     registers, and a datum counts as taken only when its clock shows that TXE# was low
// Reading comes before writing, because control words are few and the host waits for them; also
// while the chip has no room, or a host that does not read could not be stopped.
//
// A chip with 8 bits keeps the end of a short packet back until its latency timer has run out.
// SIWU# low sends it at once: when a frame has ended and no other follows. The FT60x sends what it
// has when WR# rises and wants SIWU# high.
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
    input  wire                    rxf_ni,     // low: the chip has data
    input  wire                    txe_ni,     // low: the chip has room
    output wire                    oe_no,      // low: the chip drives data
    output wire                    rd_no,
    output wire                    wr_no,
    output wire                    siwu_no,
    input  wire [8*DATA_BYTES-1:0] data_i,
    output wire [8*DATA_BYTES-1:0] data_o,
    output wire                    data_oe_o,  // 1: we drive data and byte enables
    input  wire [  DATA_BYTES-1:0] be_i,       // byte enables (FT60x); tie high on the others
    output wire [  DATA_BYTES-1:0] be_o
);
  generate
    if (DATA_BYTES != 1 && DATA_BYTES != 2 && DATA_BYTES != 4) begin : gen_bad_parameter
      ear_link_ft245_DATA_BYTES_must_be_1_2_or_4 u_error ();
    end
  endgenerate

  localparam [2:0] STATE_WRITE = 3'd0;   // we drive
  localparam [2:0] STATE_LEAVE = 3'd1;   // nobody drives
  localparam [2:0] STATE_ENABLE = 3'd2;  // OE# low
  localparam [2:0] STATE_READ = 3'd3;    // OE# and RD# low: the datum is taken at the end
  localparam [2:0] STATE_RETURN = 3'd4;  // nobody drives

  reg  [             2:0] state_q;
  reg  [             2:0] state_d;
  reg                     drive_q;
  reg                     oe_q;
  reg                     rd_q;
  reg                     write_q;       // WR# is low
  reg  [8*DATA_BYTES-1:0] data_q;
  reg                     pending_q;     // data_q is not taken yet
  reg                     last_q;        // it ends a frame
  wire                    piece_valid;
  wire [8*DATA_BYTES-1:0] piece_data;
  wire                    piece_last;
  wire                    rx_free;

  // One datum is read at a time, and only when there is room for it. Then writing continues, so
  // that a host that sends without reading cannot block its own replies.
  wire taken = write_q && !txe_ni;
  wire wants_read = !rxf_ni && rx_free;
  wire load = state_q == STATE_WRITE && !wants_read && (!pending_q || taken);

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
      .piece_ready_i(load),
      .piece_data_o (piece_data),
      .piece_last_o (piece_last)
  );

  ear_link_bytes #(
      .BYTES(DATA_BYTES)
  ) u_link_bytes (
      .clk_i     (link_clk_i),
      .rst_ni    (link_rst_ni),
      .put_i     (state_q == STATE_READ && !rxf_ni),
      .data_i    (data_i),
      .enable_i  (be_i),
      .free_o    (rx_free),
      .rx_valid_o(rx_valid_o),
      .rx_ready_i(rx_ready_i),
      .rx_data_o (rx_data_o)
  );

  always @* begin
    case (state_q)
      STATE_WRITE: state_d = wants_read ? STATE_LEAVE : STATE_WRITE;
      STATE_LEAVE: state_d = STATE_ENABLE;
      STATE_ENABLE: state_d = STATE_READ;
      STATE_READ: state_d = STATE_RETURN;
      default: state_d = STATE_WRITE;
    endcase
  end

  always @(posedge link_clk_i or negedge link_rst_ni) begin
    if (!link_rst_ni) begin
      state_q <= STATE_WRITE;
      drive_q <= 1'b0;
      oe_q <= 1'b0;
      rd_q <= 1'b0;
    end else begin
      state_q <= state_d;
      drive_q <= state_d == STATE_WRITE;
      oe_q <= state_d == STATE_ENABLE || state_d == STATE_READ;
      rd_q <= state_d == STATE_READ;
    end
  end

  // The datum that is offered to the chip. It stays here until it is taken, also while we read.
  always @(posedge link_clk_i or negedge link_rst_ni) begin
    if (!link_rst_ni) begin
      write_q <= 1'b0;
      pending_q <= 1'b0;
      last_q <= 1'b0;
      data_q <= {8 * DATA_BYTES{1'b0}};
    end else begin
      if (load && piece_valid) begin
        data_q <= piece_data;
        last_q <= piece_last;
        pending_q <= 1'b1;
        write_q <= 1'b1;
      end else begin
        if (taken) pending_q <= 1'b0;
        write_q <= state_d == STATE_WRITE && pending_q && !taken;
      end
    end
  end

  // SIWU#: low for 16 clocks, more than the 250 ns that a pulse needs.
  generate
    if (DATA_BYTES == 1) begin : gen_send_immediate
      reg [4:0] pulse_q;  // clocks to go
      reg       low_q;
      always @(posedge link_clk_i or negedge link_rst_ni) begin
        if (!link_rst_ni) begin
          pulse_q <= 5'd0;
          low_q <= 1'b0;
        end else begin
          if (taken && last_q && !piece_valid) pulse_q <= 5'd16;
          else if (pulse_q != 5'd0) pulse_q <= pulse_q - 5'd1;
          low_q <= pulse_q != 5'd0;
        end
      end
      assign siwu_no = !low_q;
    end else begin : gen_no_send_immediate
      wire unused = &{1'b0, last_q};
      assign siwu_no = 1'b1;
    end
  endgenerate

  assign oe_no = !oe_q;
  assign rd_no = !rd_q;
  assign wr_no = !write_q;
  assign data_o = data_q;
  assign data_oe_o = drive_q;
  assign be_o = {DATA_BYTES{1'b1}};
endmodule
`default_nettype wire
