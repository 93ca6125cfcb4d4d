// SPDX-License-Identifier: Apache-2.0
// What ear_unit says of itself in the UNIT message and in its registers (docs/protocol.md): SHAPE,
// BUFFERS, FEATURES and, in predict mode, GEOMETRY, from its parameters. Inside the module, which
// includes this. With a wrong word here the host decodes the trace with another unit's shape.
  localparam [7:0] CSR_SLOTS_8 = CSR_SLOTS[7:0];
  localparam [7:0] FLEN_8 = FLEN[7:0];
  localparam [7:0] NRET_8 = NRET[7:0];
  localparam [7:0] XLEN_8 = XLEN[7:0];
  localparam [15:0] RECORDS_16 = RECORD_FIFO[15:0];
  localparam [31:0] PAYLOAD_32 = PAYLOAD_BYTES / 64;
  localparam [15:0] PAYLOAD_16 = PAYLOAD_32[15:0];
  localparam [31:0] SHAPE = {CSR_SLOTS_8, FLEN_8, NRET_8, XLEN_8};
  localparam [31:0] BUFFERS = {PAYLOAD_16, RECORDS_16};
  localparam [15:0] FEATURES = {
    EVENT_PORT != 0, MISMATCH != 0, NORMALIZE != 0, PREDICT != 0, LOSS != 0, CAUSES == 0,
    COUNT_HELD != 0, LOAD != 0, TEST != 0, CORE != 0, STALL != 0, PREDICT != 0, TIME != 0,
    TRIGGER != 0, FILTER != 0, PADDR != 0
  };

  localparam [7:0] GEOMETRY_FLAGS =
      (PREDICT_UNIFIED != 0 ? `EAR_UNIT_GEOMETRY_UNIFIED : 8'd0) |
      (PREDICT_MULTIPLY != 0 ? `EAR_UNIT_GEOMETRY_MULTIPLY : 8'd0) |
      (PREDICT_DIVIDE != 0 ? `EAR_UNIT_GEOMETRY_DIVIDE : 8'd0) |
      (OPERANDS != 0 ? `EAR_UNIT_GEOMETRY_OPERANDS : 8'd0) |
      (PREDICT_BASE != 0 ? `EAR_UNIT_GEOMETRY_BASE : 8'd0) |
      (PREDICT_SINGLE != 0 ? `EAR_UNIT_GEOMETRY_SINGLE : 8'd0);
  localparam [31:0] CODE_WORDS = PREDICT_CODE_WORDS_LOG2;
  localparam [31:0] CODE_LINES = PREDICT_CODE_WAYS_LOG2 + 16 * PREDICT_CODE_LINE_LOG2;
  localparam [31:0] DATA_WORDS = PREDICT_UNIFIED != 0 ? 0 : PREDICT_DATA_WORDS_LOG2;
  localparam [31:0] DATA_LINES = PREDICT_UNIFIED != 0 ? 0 :
      PREDICT_DATA_WAYS_LOG2 + 16 * PREDICT_DATA_LINE_LOG2;
  localparam [31:0] DICTIONARY = PREDICT_DICTIONARY_LOG2;
  localparam [31:0] CSRS = PREDICT_CSR_LOG2;
  localparam [63:0] GEOMETRY = {
    8'd0, CSRS[7:0], DICTIONARY[7:0], DATA_LINES[7:0], DATA_WORDS[7:0], CODE_LINES[7:0],
    CODE_WORDS[7:0], GEOMETRY_FLAGS
  };
