// SPDX-License-Identifier: Apache-2.0
// Properties of ear_framer, proved for every sequence of payloads of 1 to 125 words and every pace
// of the link. The CRC is that of a clock (SERIAL 0); tests compare the bytes of the serial one.
//
//   1. A frame has three words more than its payload: magic, sequence and length, CRC. Only its
//      last word has last.
//   2. The second word has the length of the payload, and the number of the frame, one more each.
//   3. Between these the words of the payload come as they are, each once and in order.
//   4. A word that is offered stays, with its data, until it is taken.
//
// What the induction needs about the states is asserted inside ear_framer.
`default_nettype none
module formal_framer #(
    parameter SERIAL = 0
) (
    input wire        clk_i,
    input wire        frame_valid_i,
    input wire [31:0] frame_data_i,
    input wire        out_ready_i
);
  reg started_q = 1'b0;
  always @(posedge clk_i) started_q <= 1'b1;

  // The payload buffer: a word stays until it is taken; a length is 1 to 125.
  wire frame_ready;
  reg valid_q = 1'b0;
  reg [31:0] data_q;
  reg [6:0] payload_q = 7'd0;  // words of the payload that were not taken
  wire take = valid_q && frame_ready;
  wire [6:0] payload = !take ? payload_q : payload_q == 7'd0 ? data_q[6:0] : payload_q - 7'd1;
  wire good = payload != 7'd0 || (frame_data_i[6:0] >= 7'd1 && frame_data_i[6:0] <= 7'd125);
  always @(posedge clk_i) begin
    payload_q <= payload;
    if (!valid_q || frame_ready) begin
      valid_q <= started_q && frame_valid_i && good;
      data_q <= frame_data_i;
    end
  end

  wire out_valid;
  wire [31:0] out_data;
  wire out_last;
  wire idle;
  wire [7:0] count;
  wire [6:0] words;
  wire [6:0] left;
  wire [15:0] number;

  ear_framer #(
      .SERIAL(SERIAL)
  ) u_framer (
      .clk_i        (clk_i),
      .rst_ni       (started_q),
      .frame_valid_i(valid_q),
      .frame_ready_o(frame_ready),
      .frame_data_i (data_q),
      .idle_o       (idle),
      .count_o      (count),
      .words_o      (words),
      .left_o       (left),
      .sequence_o   (number),
      .out_valid_o  (out_valid),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data),
      .out_last_o   (out_last)
  );

  // The link.
  reg [7:0] count_q = 8'd0;  // words of the frame that were taken
  reg [6:0] length_q;        // of its payload
  reg [15:0] sequence_q = 16'd0;
  reg held_q = 1'b0;         // a word was offered and not taken
  reg [31:0] held_data_q;
  reg held_last_q;
  wire move = out_valid && out_ready_i;
  always @(posedge clk_i) begin
    if (take && payload_q == 7'd0) length_q <= data_q[6:0];
    if (move) count_q <= out_last ? 8'd0 : count_q + 8'd1;
    if (move && out_last) sequence_q <= sequence_q + 16'd1;
    held_q <= started_q && out_valid && !out_ready_i;
    held_data_q <= out_data;
    held_last_q <= out_last;
  end

  always @* begin
    if (started_q) begin
      assert (!held_q || (out_valid && out_data == held_data_q && out_last == held_last_q));
      if (out_valid) begin
        assert (out_last == (count_q == {1'b0, length_q} + 8'd2));
        assert (count_q != 8'd1 || out_data == {7'd0, length_q, 2'd0, sequence_q});
        assert (!(count_q > 8'd1 && !out_last) || (valid_q && out_data == data_q));
      end
      assert (!take || payload_q == 7'd0 || (move && count_q > 8'd1 && !out_last));
      // For the induction.
      assert (count == count_q);
      assert (number == sequence_q);
      assert (left == payload_q);
      assert (idle || words == length_q);
    end
  end
endmodule
`default_nettype wire
