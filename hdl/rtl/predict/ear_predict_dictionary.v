// SPDX-License-Identifier: Apache-2.0
// The dictionary of opcodes: an opcode that is not as predicted can be sent by its index in here.
// The index is a hash of the opcode (docs/predict.md, section 3).
//
// It is read a stage before C, in the clock in which the slot in C may write.
`default_nettype none
module ear_predict_dictionary #(
    parameter DEPTH_LOG2 = 9  // 4 .. 9
) (
    input wire clk_i,
    input wire rst_ni,

    input wire                  sweep_i,
    input wire [DEPTH_LOG2-1:0] sweep_address_i,

    input  wire        advance_i,
    input  wire [31:0] insn_i,    // of the slot before C
    input  wire [31:0] insn_c_i,  // of the slot in C
    input  wire        write_i,   // train it; only with advance_i
    output wire        has_o,     // the dictionary has it
    output wire [ 8:0] place_o
);
  wire [8:0] hash = insn_i[8:0] ^ insn_i[17:9] ^ insn_i[26:18] ^ {4'd0, insn_i[31:27]};
  wire [8:0] hash_c =
      insn_c_i[8:0] ^ insn_c_i[17:9] ^ insn_c_i[26:18] ^ {4'd0, insn_c_i[31:27]};
  wire [DEPTH_LOG2-1:0] place_c = hash_c[DEPTH_LOG2-1:0];
  wire [31:0] stored;

  ear_predict_memory #(
      .WIDTH(32),
      .DEPTH_LOG2(DEPTH_LOG2)
  ) u_memory (
      .clk_i(clk_i),
      .write_i(sweep_i || write_i),
      .write_address_i(sweep_i ? sweep_address_i : place_c),
      .write_data_i(sweep_i ? 32'd0 : insn_c_i),
      .read_i(advance_i),
      .read_address_i(hash[DEPTH_LOG2-1:0]),
      .read_data_o(stored)
  );

  // What was written in the clock of the read.
  reg                  written_q;
  reg [DEPTH_LOG2-1:0] written_place_q;
  reg [          31:0] written_insn_q;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= 1'b0;
    else if (advance_i) written_q <= write_i;
  end
  always @(posedge clk_i) begin
    if (advance_i) begin
      written_place_q <= place_c;
      written_insn_q  <= insn_c_i;
    end
  end

  assign has_o = insn_c_i == (written_q && written_place_q == place_c ? written_insn_q : stored);
  generate
    if (DEPTH_LOG2 < 9) begin : gen_small
      assign place_o = {{(9 - DEPTH_LOG2) {1'b0}}, place_c};
      wire unused = &{1'b0, hash[8:DEPTH_LOG2], hash_c[8:DEPTH_LOG2]};
    end else begin : gen_whole
      assign place_o = place_c;
    end
  endgenerate
endmodule
`default_nettype wire
