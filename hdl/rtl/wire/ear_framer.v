// SPDX-License-Identifier: Apache-2.0
// Put header and CRC around each payload (docs/protocol.md, section 2).
//
// A word a clock as long as the link takes it; a frame costs three words and one more clock beside
// its payload.
`include "ear_protocol.vh"
`default_nettype none
module ear_framer #(
    parameter [7:0] STREAM_ID = 8'd0,
    parameter       SERIAL    = 0      // 1: the CRC takes 32 clocks a word, and is small
) (
    input wire clk_i,
    input wire rst_ni,

    // Payloads: a word with the number of words, then these words.
    input  wire        frame_valid_i,
    output wire        frame_ready_o,
    input  wire [31:0] frame_data_i,

`ifdef FORMAL
    // For hdl/formal: how the state counts the words of a frame.
    output wire        idle_o,
    output wire [ 7:0] count_o,     // words that were taken
    output wire [ 6:0] words_o,     // of the payload
    output wire [ 6:0] left_o,      // of these, not taken
    output wire [15:0] sequence_o,
`endif

    // Frames.
    output wire        out_valid_o,
    input  wire        out_ready_i,
    output wire [31:0] out_data_o,
    output wire        out_last_o
);
  localparam [2:0] STATE_LENGTH = 3'd0;
  localparam [2:0] STATE_MAGIC = 3'd1;
  localparam [2:0] STATE_SEQUENCE = 3'd2;
  localparam [2:0] STATE_PAYLOAD = 3'd3;
  localparam [2:0] STATE_CRC = 3'd4;
  localparam [15:0] MAGIC0 = `EAR_FRAME_MAGIC0;
  localparam [15:0] MAGIC1 = `EAR_FRAME_MAGIC1;

  reg [ 2:0] state_q;
  reg [ 6:0] words_q;     // of the payload: 1 to 125
  reg [ 6:0] left_q;
  reg [15:0] sequence_q;
  reg [31:0] data;
  wire [31:0] crc;  // of all words that moved

  wire payload = state_q == STATE_PAYLOAD;
  wire length = state_q == STATE_LENGTH;
  wire busy;  // the CRC is being worked out
  wire move = out_valid_o && out_ready_i;

  always @* begin
    case (state_q)
      STATE_MAGIC: data = {STREAM_ID, `EAR_PROTOCOL_MAJOR, MAGIC1[7:0], MAGIC0[7:0]};
      STATE_SEQUENCE: data = {7'd0, words_q, 2'd0, sequence_q};
      STATE_PAYLOAD: data = frame_data_i;
      default: data = ~crc;
    endcase
  end

  generate
    if (SERIAL != 0) begin : gen_serial
      reg [31:0] crc_q;
      reg [ 4:0] left_bits_q;
      reg        busy_q;
      always @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) busy_q <= 1'b0;
        else if (move) busy_q <= 1'b1;
        else if (left_bits_q == 5'd0) busy_q <= 1'b0;
      end
      always @(posedge clk_i) begin
        left_bits_q <= busy_q ? left_bits_q - 5'd1 : 5'd31;
        if (length) crc_q <= 32'hFFFF_FFFF;
        else if (busy_q) crc_q <= {1'b0, crc_q[31:1]} ^ (crc_q[0] ? 32'hEDB8_8320 : 32'd0);
        else if (move) crc_q <= crc_q ^ data;
      end
      assign busy = busy_q;
      assign crc = crc_q;
    end else begin : gen_parallel
      reg [31:0] crc_q;
      wire [31:0] crc_d;
      ear_crc32 u_crc32 (
          .crc_i (crc_q),
          .data_i(data),
          .crc_o (crc_d)
      );
      always @(posedge clk_i) begin
        if (length) crc_q <= 32'hFFFF_FFFF;
        else if (move) crc_q <= crc_d;
      end
      assign busy = 1'b0;
      assign crc = crc_q;
    end
  endgenerate

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_LENGTH;
      words_q <= 7'd0;
      left_q <= 7'd0;
      sequence_q <= 16'd0;
    end else begin
      case (state_q)
        STATE_LENGTH:
        if (frame_valid_i && !busy) begin
          words_q <= frame_data_i[6:0];
          left_q <= frame_data_i[6:0];
          state_q <= STATE_MAGIC;
        end
        STATE_MAGIC:
        if (move) begin
          state_q <= STATE_SEQUENCE;
        end
        STATE_SEQUENCE:
        if (move) begin
          state_q <= STATE_PAYLOAD;
        end
        STATE_PAYLOAD:
        if (move) begin
          left_q <= left_q - 7'd1;
          if (left_q == 7'd1) state_q <= STATE_CRC;
        end
        default:  // STATE_CRC
        if (move) begin
          sequence_q <= sequence_q + 16'd1;
          state_q <= STATE_LENGTH;
        end
      endcase
    end
  end

  assign frame_ready_o = (length && !busy) || (payload && out_ready_i && !busy);
  assign out_valid_o = !busy && (payload ? frame_valid_i : !length);
  assign out_data_o = data;
  assign out_last_o = state_q == STATE_CRC;

`ifdef FORMAL
  wire head = state_q == STATE_MAGIC || state_q == STATE_SEQUENCE;
  assign idle_o = length;
  assign words_o = words_q;
  assign sequence_o = sequence_q;
  assign left_o = payload || head ? left_q : 7'd0;
  assign count_o = state_q == STATE_SEQUENCE ? 8'd1 :
      payload ? 8'd2 + {1'b0, words_q} - {1'b0, left_q} :
      state_q == STATE_CRC ? 8'd2 + {1'b0, words_q} : 8'd0;
  always @* begin
    if (rst_ni) begin
      assert (state_q <= STATE_CRC);
      assert (length || (words_q >= 7'd1 && words_q <= 7'd125));
      assert (!payload || (left_q >= 7'd1 && left_q <= words_q));
      assert (!head || left_q == words_q);
    end
  end
`endif
endmodule
`default_nettype wire
