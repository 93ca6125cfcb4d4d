// Put header and CRC around each payload (docs/protocol.md, section 2).
//
// A word a clock as long as the link takes it; a frame costs three words and one more clock beside
// its payload.
`include "ear_protocol.vh"
`default_nettype none
module ear_framer #(
    parameter [7:0] STREAM_ID = 8'd0
) (
    input wire clk_i,
    input wire rst_ni,

    // Payloads: a word with the number of words, then these words.
    input  wire        frame_valid_i,
    output wire        frame_ready_o,
    input  wire [31:0] frame_data_i,

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
  reg [31:0] crc_q;
  reg [31:0] data;

  wire payload = state_q == STATE_PAYLOAD;
  wire length = state_q == STATE_LENGTH;
  wire move = out_valid_o && out_ready_i;

  always @* begin
    case (state_q)
      STATE_MAGIC: data = {STREAM_ID, `EAR_PROTOCOL_MAJOR, MAGIC1[7:0], MAGIC0[7:0]};
      STATE_SEQUENCE: data = {7'd0, words_q, 2'd0, sequence_q};
      STATE_PAYLOAD: data = frame_data_i;
      default: data = ~crc_q;
    endcase
  end

  wire [31:0] crc_d;
  ear_crc32 u_crc32 (
      .crc_i (crc_q),
      .data_i(data),
      .crc_o (crc_d)
  );

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= STATE_LENGTH;
      words_q <= 7'd0;
      left_q <= 7'd0;
      sequence_q <= 16'd0;
      crc_q <= 32'hFFFF_FFFF;
    end else begin
      case (state_q)
        STATE_LENGTH:
        if (frame_valid_i) begin
          words_q <= frame_data_i[6:0];
          left_q <= frame_data_i[6:0];
          crc_q <= 32'hFFFF_FFFF;
          state_q <= STATE_MAGIC;
        end
        STATE_MAGIC:
        if (move) begin
          crc_q <= crc_d;
          state_q <= STATE_SEQUENCE;
        end
        STATE_SEQUENCE:
        if (move) begin
          crc_q <= crc_d;
          state_q <= STATE_PAYLOAD;
        end
        STATE_PAYLOAD:
        if (move) begin
          crc_q  <= crc_d;
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

  assign frame_ready_o = length || (payload && out_ready_i);
  assign out_valid_o = payload ? frame_valid_i : !length;
  assign out_data_o = data;
  assign out_last_o = state_q == STATE_CRC;
endmodule
`default_nettype wire
