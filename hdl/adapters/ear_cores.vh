// SPDX-License-Identifier: Apache-2.0
// The parameters of ear_rvfi that a core needs, as it was measured with the version that
// docs/cores/README.md names. The rest is yours:
//
//   ear_rvfi #(`EAR_CORE_IBEX, .PRESET(`EAR_PRESET_LARGE)) u_trace (...);
//
// docs/cores has the wiring of each core.
`ifndef EAR_CORES_VH
`define EAR_CORES_VH
`include "ear_rvfi.vh"

// Held at the bus of its instructions, by ear_hold.
`define EAR_CORE_IBEX .OPCODE_READS(1), .CAUSES(0), .STALL_SLACK(7), .RECORD_FIFO(32)

// Held with its input `stall`.
`define EAR_CORE_NERV .CAUSES(0), .STALL_SLACK(1)

// Held at its memory interface, by ear_hold.
`define EAR_CORE_PICORV32 .OPCODE_READS(1), .CAUSES(0), .STALL_SLACK(2)

// Held at the bus of its instructions, by ear_hold. DEBUG 1 and COMPRESSED 0.
`define EAR_CORE_SERV .CAUSES(0), .STALL_SLACK(1)

// With FormalPlugin. Held at the bus of its instructions, by ear_hold.
`define EAR_CORE_VEXRISCV .CAUSES(0), .STALL_SLACK(8), .RECORD_FIFO(32)

`endif
