// SPDX-License-Identifier: Apache-2.0
// The geometries with a name (docs/predict.md, section 2): their parameters, by number. Each file
// that names one includes this file:
//
//   `include "ear_geometry.vh"
//   ear_unit #(.PREDICT_GEOMETRY(`EAR_GEOMETRY_LARGE)) u_unit (...);
`ifndef EAR_GEOMETRY_VH
`define EAR_GEOMETRY_VH

// generate: presets
`define EAR_GEOMETRY_SMALL 0
`define EAR_GEOMETRY_LARGE 1
`define EAR_GEOMETRY_UNIFIED 2
`define EAR_GEOMETRY_XL 3
`define EAR_GEOMETRY_TINY 4
`define EAR_GEOMETRY_COUNT 5
`define EAR_PREDICT_UNIFIED(G) ((G) == 2 || (G) == 4 ? 1 : 0)
`define EAR_PREDICT_MULTIPLY(G) ((G) == 4 ? 0 : 1)
`define EAR_PREDICT_DIVIDE(G) ((G) == 4 ? 0 : 1)
`define EAR_PREDICT_CODE_WORDS_LOG2(G) ((G) == 1 ? 13 : (G) == 2 || (G) == 3 ? 14 : 10)
`define EAR_PREDICT_CODE_WAYS_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_CODE_LINE_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_DATA_WORDS_LOG2(G) \
    ((G) == 1 ? 13 : (G) == 2 || (G) == 4 ? 5 : (G) == 3 ? 15 : 9)
`define EAR_PREDICT_DATA_WAYS_LOG2(G) ((G) == 1 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_DATA_LINE_LOG2(G) ((G) == 1 || (G) == 3 ? 2 : 0)
`define EAR_PREDICT_DICTIONARY_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 9 : (G) == 4 ? 0 : 8)
`define EAR_PREDICT_CSR_LOG2(G) ((G) == 1 || (G) == 2 || (G) == 3 ? 6 : (G) == 4 ? 0 : 4)
`define EAR_PREDICT_BASE(G) ((G) == 4 ? 1 : 0)
`define EAR_PREDICT_SINGLE(G) ((G) == 4 ? 1 : 0)
// generate: end

`endif
