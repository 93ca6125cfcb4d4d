#ifndef EAR_CSR_H
#define EAR_CSR_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of control and status registers, their fields, and the causes of traps: volume II, "CSR
 * Listing" and "Machine-Level ISA". Only those that some code treats specially: csr_name.c has the
 * names of all. A header of numbers alone, so the predictor can include it, too.
 */

#define EAR_CSR_COUNT 4096

enum ear_csr {
	EAR_CSR_FFLAGS = 0x001,
	EAR_CSR_FRM = 0x002,
	EAR_CSR_FCSR = 0x003,
	EAR_CSR_VSTART = 0x008,
	EAR_CSR_VXSAT = 0x009,
	EAR_CSR_VXRM = 0x00A,
	EAR_CSR_VCSR = 0x00F,
	EAR_CSR_SEED = 0x015,

	EAR_CSR_SSTATUS = 0x100,
	EAR_CSR_SIE = 0x104,
	EAR_CSR_SEPC = 0x141,
	EAR_CSR_SCAUSE = 0x142,
	EAR_CSR_STVAL = 0x143,
	EAR_CSR_SIP = 0x144,
	EAR_CSR_SATP = 0x180,

	EAR_CSR_VSSTATUS = 0x200,
	EAR_CSR_VSIE = 0x204,
	EAR_CSR_VSEPC = 0x241,
	EAR_CSR_VSCAUSE = 0x242,
	EAR_CSR_VSTVAL = 0x243,
	EAR_CSR_VSIP = 0x244,
	EAR_CSR_VSATP = 0x280,

	EAR_CSR_MSTATUS = 0x300,
	EAR_CSR_MIDELEG = 0x303,
	EAR_CSR_MIE = 0x304,
	EAR_CSR_MTVEC = 0x305,
	EAR_CSR_MVIP = 0x309,
	EAR_CSR_MSTATUSH = 0x310,
	EAR_CSR_MEPC = 0x341,
	EAR_CSR_MCAUSE = 0x342,
	EAR_CSR_MTVAL = 0x343,
	EAR_CSR_MIP = 0x344,
	EAR_CSR_MTINST = 0x34A,
	EAR_CSR_MTVAL2 = 0x34B,
	EAR_CSR_MNCAUSE = 0x742,

	EAR_CSR_HSTATUS = 0x600,
	EAR_CSR_HIDELEG = 0x603,
	EAR_CSR_HIE = 0x604,
	EAR_CSR_HTVAL = 0x643,
	EAR_CSR_HIP = 0x644,
	EAR_CSR_HTINST = 0x64A,
	EAR_CSR_HGATP = 0x680,
	EAR_CSR_TCONTROL = 0x7A5,
	EAR_CSR_HGEIP = 0xE12,

	/* 32 counters from each of these on; of XLEN 32 the upper halves are CSRs of their own. */
	EAR_CSR_MCYCLE = 0xB00,
	EAR_CSR_MCYCLEH = 0xB80,
	EAR_CSR_CYCLE = 0xC00,
	EAR_CSR_CYCLEH = 0xC80,

	EAR_CSR_VL = 0xC20,
	EAR_CSR_VTYPE = 0xC21,
	EAR_CSR_MTOPI = 0xFB0,
};

/* fcsr is frm and fflags in one. */
#define EAR_FCSR_FFLAGS    0x1Fu
#define EAR_FCSR_FRM_SHIFT 5
#define EAR_FCSR_FRM       (7u << EAR_FCSR_FRM_SHIFT)

#define EAR_MSTATUS_MIE       ((uint64_t)1 << 3)
#define EAR_MSTATUS_MPIE      ((uint64_t)1 << 7)
#define EAR_MSTATUS_SPP       ((uint64_t)1 << 8)
#define EAR_MSTATUS_MPP_SHIFT 11
#define EAR_MSTATUS_MPP       ((uint64_t)3 << EAR_MSTATUS_MPP_SHIFT)
#define EAR_MSTATUS_MPRV      ((uint64_t)1 << 17)

/* What sstatus shows of mstatus: SD, UXL, SDT, SPELP, MXR, SUM, XS, FS, VS, SPP, UBE, SPIE, SIE. */
#define EAR_SSTATUS_MASK_32 UINT64_C(0x00000000818DE762)
#define EAR_SSTATUS_MASK_64 UINT64_C(0x80000003018DE762)

/* mtvec */
#define EAR_MTVEC_MODE          ((uint64_t)3)
#define EAR_MTVEC_MODE_VECTORED 1

/* Values of mcause without the interrupt bit, which is its top bit. */
enum ear_exception {
	EAR_EXCEPTION_FETCH_MISALIGNED = 0,
	EAR_EXCEPTION_FETCH_FAULT = 1,
	EAR_EXCEPTION_ILLEGAL = 2,
	EAR_EXCEPTION_BREAKPOINT = 3,
	EAR_EXCEPTION_LOAD_MISALIGNED = 4,
	EAR_EXCEPTION_LOAD_FAULT = 5,
	EAR_EXCEPTION_STORE_MISALIGNED = 6,
	EAR_EXCEPTION_STORE_FAULT = 7,
	EAR_EXCEPTION_ECALL_U = 8, /* + the privilege mode */
	EAR_EXCEPTION_FETCH_PAGE = 12,
	EAR_EXCEPTION_LOAD_PAGE = 13,
	EAR_EXCEPTION_STORE_PAGE = 15,
};

#define EAR_INTERRUPT_TIMER 7 /* of machine mode */

#define EAR_MODE_M 3 /* privilege, as in MPP */

/* Does a trap write its cause to this CSR? */
static inline bool ear_csr_is_cause(unsigned number)
{
	return number == EAR_CSR_SCAUSE || number == EAR_CSR_VSCAUSE || number == EAR_CSR_MCAUSE ||
	       number == EAR_CSR_MNCAUSE;
}

#endif
