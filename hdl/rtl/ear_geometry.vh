// SPDX-License-Identifier: Apache-2.0
// The geometries with a name (docs/predict.md, section 2), the presets that choose one of them or
// raw mode, and the sizes of hdl/configs: their parameters, by number. Each file that names one
// includes this file:
//
//   `include "ear_geometry.vh"
//   ear_unit #(.PRESET(`EAR_PRESET_LARGE), .SIZE(`EAR_SIZE_LEAN)) u_unit (...);
`ifndef EAR_GEOMETRY_VH
`define EAR_GEOMETRY_VH

// generate: presets
`define EAR_GEOMETRY_SMALL 0
`define EAR_GEOMETRY_LARGE 1
`define EAR_GEOMETRY_UNIFIED 2
`define EAR_GEOMETRY_XL 3
`define EAR_GEOMETRY_TINY 4
`define EAR_GEOMETRY_MEDIUM 5
`define EAR_GEOMETRY_COUNT 6
`define EAR_PREDICT_UNIFIED(G) ((G) == 2 || (G) == 4 || (G) == 5 ? 1 : 0)
`define EAR_PREDICT_MULTIPLY(G) ((G) == 4 ? 0 : 1)
`define EAR_PREDICT_DIVIDE(G) ((G) == 4 ? 0 : 1)
`define EAR_PREDICT_CODE_WORDS_LOG2(G) ((G) == 1 || (G) == 5 ? 13 : (G) == 2 || (G) == 3 ? 14 : 10)
`define EAR_PREDICT_CODE_WAYS_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 2 : (G) == 5 ? 1 : 0)
`define EAR_PREDICT_CODE_LINE_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 || (G) == 5 ? 2 : 0)
`define EAR_PREDICT_DATA_WORDS_LOG2(G) \
    ((G) == 1 ? 13 : (G) == 2 || (G) == 4 || (G) == 5 ? 5 : (G) == 3 ? 15 : 9)
`define EAR_PREDICT_DATA_WAYS_LOG2(G) ((G) == 1 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_DATA_LINE_LOG2(G) ((G) == 1 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_DICTIONARY_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 9 : (G) == 4 ? 0 : 8)
`define EAR_PREDICT_CSR_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 6 : (G) == 4 ? 0 : 4)
`define EAR_PREDICT_BASE(G) ((G) == 4 ? 1 : 0)
`define EAR_PREDICT_SINGLE(G) ((G) == 4 ? 1 : 0)

// Presets: a geometry by its number, raw mode, and a geometry parameter by parameter.
`define EAR_PRESET_SMALL 0
`define EAR_PRESET_LARGE 1
`define EAR_PRESET_UNIFIED 2
`define EAR_PRESET_XL 3
`define EAR_PRESET_TINY 4
`define EAR_PRESET_MEDIUM 5
`define EAR_PRESET_RAW 6
`define EAR_PRESET_CUSTOM 7
`define EAR_PRESET_COUNT 8
`define EAR_PRESET_PREDICT(P) ((P) == 6 ? 0 : 1)
`define EAR_PRESET_GEOMETRY(P) ((P) < 6 ? (P) : 0)

// Sizes.
`define EAR_SIZE_FULL 0
`define EAR_SIZE_LEAN 1
`define EAR_SIZE_LEAST 2
`define EAR_SIZE_COUNT 3
`define EAR_SIZE_OPERANDS(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_ORDER_BITS(S) ((S) == 1 ? 40 : (S) == 2 ? 40 : 64)
`define EAR_SIZE_FILTER(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_TRIGGER(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_TIME(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_HELD(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_TEST(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_EVENTS(S) ((S) == 2 ? 0 : 1)
`define EAR_SIZE_LOSS(S) ((S) == 2 ? 0 : 1)
`define EAR_SIZE_ENDED_CLOCKS(S) ((S) == 2 ? 0 : 256)
`define EAR_SIZE_FLUSH_REGISTER(S) ((S) == 2 ? 0 : 1)
`define EAR_SIZE_SNAPSHOT(S) ((S) == 1 ? 0 : (S) == 2 ? 0 : 1)
`define EAR_SIZE_RECORD_FIFO(S) ((S) == 2 ? 1 : 16)
`define EAR_SIZE_PAYLOAD_BYTES(S) ((S) == 1 ? 512 : (S) == 2 ? 512 : 1024)
`define EAR_SIZE_COUNTER_BITS(S) ((S) == 1 ? 40 : (S) == 2 ? 40 : 64)
`define EAR_SIZE_NARROW(S) ((S) == 1 ? 1 : (S) == 2 ? 2 : 0)
`define EAR_SIZE_PREDICT_MULTIPLIER(S) ((S) == 2 ? 0 : 1)
`define EAR_SIZE_PREDICT_PIPELINED(S) ((S) == 2 ? 0 : 1)
// generate: end

`endif
