// SPDX-License-Identifier: Apache-2.0
// What one entry of the record FIFO is made of.
//
//   entry = { ticks (if TIME), body, start[2:0], kind[1:0] }
//   body  = { operands (if OPERANDS), paddr (if PADDR), frd (if FLEN), csr (if CSR_SLOTS), base }
//
// Fields, order and widths come from retire.table. ear_retire_stage packs a body; ear_body_fields,
// the predictor and its digest unpack it. Every body begins with the order, so that the modules
// between them can read it. start is the kind of the start trigger if it fired on this record, else
// 0.
`ifndef EAR_ENTRY_VH
`define EAR_ENTRY_VH

// Kinds. The three markers carry their own contents where a record has its body:
//   LOST   order = first, payload 1 = count, payload 2 = last
//   EVENT  order, payload 1 = {source[7:0], value[31:0]}
//   STOP   payload 1 = reason[7:0]; the counters do not change then and are read directly
`define EAR_ENTRY_RECORD 2'd0
`define EAR_ENTRY_LOST 2'd1
`define EAR_ENTRY_EVENT 2'd2
`define EAR_ENTRY_STOP 2'd3

`define EAR_ENTRY_HEAD_WIDTH 5

// Body. A marker has its order in bits 63:0 and its payload from bit 64 on.
// generate: entry
// base, from the lowest bit on: order, insn, status, ext, rd_addr, rd_wdata, pc_rdata, pc_wdata,
// mem_addr, mem_rdata, mem_wdata, cause, mem_rmask, mem_wmask.
`define EAR_BODY_ORDER 0
`define EAR_BODY_INSN 64
`define EAR_BODY_STATUS 96
`define EAR_BODY_TRAP 96
`define EAR_BODY_HALT 97
`define EAR_BODY_INTR 98
`define EAR_BODY_EXT_IRQ 99
`define EAR_BODY_MODE 100
`define EAR_BODY_IXL 102
`define EAR_BODY_EXT 104
`define EAR_BODY_EXT_DEBUG 104
`define EAR_BODY_EXT_VIRT 105
`define EAR_BODY_RD_ADDR 106
`define EAR_BODY_RD_WDATA 111
`define EAR_BODY_PC_RDATA(XLEN) (111 + (XLEN))
`define EAR_BODY_PC_WDATA(XLEN) (111 + 2 * (XLEN))
`define EAR_BODY_MEM_ADDR(XLEN) (111 + 3 * (XLEN))
`define EAR_BODY_MEM_RDATA(XLEN) (111 + 4 * (XLEN))
`define EAR_BODY_MEM_WDATA(XLEN) (111 + 5 * (XLEN))
`define EAR_BODY_CAUSE(XLEN) (111 + 6 * (XLEN))
`define EAR_BODY_EXT_CAUSE(XLEN) (111 + 6 * (XLEN))
`define EAR_BODY_MEM_RMASK(XLEN) (111 + 7 * (XLEN))
`define EAR_BODY_MEM_WMASK(XLEN) (111 + 7 * (XLEN) + ((XLEN) / 8))
`define EAR_BODY_BASE_WIDTH(XLEN) (111 + 7 * (XLEN) + 2 * ((XLEN) / 8))

// csr, if CSR_SLOTS is not 0: csr_valid, csr_addr, csr_wdata.
`define EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS) \
    ((CSR_SLOTS) != 0 ? (CSR_SLOTS) + 12*(CSR_SLOTS) + (XLEN)*(CSR_SLOTS) : 0)
// frd, if FLEN is not 0: frd_valid, frd_addr, fflags, frd_wdata.
`define EAR_BODY_FRD_WIDTH(FLEN) \
    ((FLEN) != 0 ? 11 + (FLEN) : 0)
// paddr, if PADDR is not 0: pc_paddr, mem_paddr.
`define EAR_BODY_PADDR_WIDTH(PADDR) \
    ((PADDR) != 0 ? 128 : 0)
// operands, if OPERANDS is not 0: rs1_addr, rs2_addr, rs1_rdata, rs2_rdata.
`define EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS) \
    ((OPERANDS) != 0 ? 10 + 2 * (XLEN) : 0)
// generate: end

// Where the groups begin: in the order of retire.table.
`define EAR_BODY_CSR(XLEN) `EAR_BODY_BASE_WIDTH(XLEN)
`define EAR_BODY_FRD(XLEN, CSR_SLOTS) \
    (`EAR_BODY_BASE_WIDTH(XLEN) + `EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS))
`define EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN) \
    (`EAR_BODY_FRD(XLEN, CSR_SLOTS) + `EAR_BODY_FRD_WIDTH(FLEN))
`define EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR) \
    (`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN) + `EAR_BODY_PADDR_WIDTH(PADDR))
`define EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS) \
    (`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR) + `EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS))

`endif
