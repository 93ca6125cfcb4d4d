// What one entry of the record FIFO is made of.
//
//   entry = { ticks (if TIME), body, start[2:0], kind[1:0] }
//   body  = { operands (if OPERANDS), paddr (if PADDR), frd (if FLEN), csr (if CSR_SLOTS), base }
//
// Only ear_retire_stage packs a body and only ear_body_fields takes one apart; both use the
// positions below. Every body begins with the order, so that the units between them can see it.
// start is the kind of the start trigger if it fired on this record, else 0.
`ifndef EAR_ENTRY_VH
`define EAR_ENTRY_VH

// Kinds. The three markers carry their own contents where a record has its body:
//   LOST   order = first, payload 1 = count, payload 2 = last
//   EVENT  order, payload 1 = {source[7:0], value[31:0]}
//   STOP   payload 1 = reason[7:0]; the counters stand still then and are read directly
`define EAR_ENTRY_RECORD 2'd0
`define EAR_ENTRY_LOST 2'd1
`define EAR_ENTRY_EVENT 2'd2
`define EAR_ENTRY_STOP 2'd3

`define EAR_ENTRY_HEAD_WIDTH 5

// Body. order 64, payload of markers from bit 64 on.
// base = { mem_wmask, mem_rmask, cause, mem_wdata, mem_rdata, mem_addr, pc_wdata, pc_rdata,
//          rd_wdata, rd_addr, ext[1:0], status[7:0], insn[31:0], order[63:0] }
`define EAR_BODY_BASE_WIDTH(XLEN) (111 + 7 * (XLEN) + (XLEN) / 4)
`define EAR_BODY_INSN 64
`define EAR_BODY_STATUS 96
`define EAR_BODY_MODE 100
`define EAR_BODY_X 111
`define EAR_BODY_PC(XLEN) (`EAR_BODY_X + 1 * (XLEN))
`define EAR_BODY_MEM_ADDR(XLEN) (`EAR_BODY_X + 3 * (XLEN))
`define EAR_BODY_MEM_RDATA(XLEN) (`EAR_BODY_X + 4 * (XLEN))
`define EAR_BODY_MEM_WDATA(XLEN) (`EAR_BODY_X + 5 * (XLEN))
`define EAR_BODY_MEM_RMASK(XLEN) (`EAR_BODY_X + 7 * (XLEN))
`define EAR_BODY_MEM_WMASK(XLEN) (`EAR_BODY_X + 7 * (XLEN) + (XLEN) / 8)

// csr = { wdata of all slots, address of all slots, valid of all slots }
`define EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS) ((CSR_SLOTS) * (13 + (XLEN)))
// frd = { wdata, fflags, addr, valid }
`define EAR_BODY_FRD_WIDTH(FLEN) ((FLEN) > 0 ? 11 + (FLEN) : 0)
// paddr = { mem_paddr, pc_paddr }
`define EAR_BODY_PADDR_WIDTH(PADDR) ((PADDR) != 0 ? 128 : 0)
// operands = { rs2_rdata, rs1_rdata, rs2_addr, rs1_addr }
`define EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS) ((OPERANDS) != 0 ? 10 + 2 * (XLEN) : 0)

`define EAR_BODY_FRD(XLEN, CSR_SLOTS) \
    (`EAR_BODY_BASE_WIDTH(XLEN) + `EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS))
`define EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN) \
    (`EAR_BODY_FRD(XLEN, CSR_SLOTS) + `EAR_BODY_FRD_WIDTH(FLEN))
`define EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR) \
    (`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN) + `EAR_BODY_PADDR_WIDTH(PADDR))
`define EAR_BODY_WIDTH(XLEN, CSR_SLOTS, FLEN, PADDR, OPERANDS) \
    (`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR) + `EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS))

`endif
