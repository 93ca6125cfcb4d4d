# CSR instructions in all forms on registers that both simulators have, with and without a change.
#include "runtime.inc"

	.globl main
main:	li	a0, -1
	li	a1, 0x55
	.irp	csr, mscratch, sscratch, mepc, sepc, mcause, scause, mtval, stval, stvec
	csrw	\csr, a1
	csrrw	a2, \csr, a1
	csrrs	a3, \csr, a0
	csrrc	a4, \csr, a1
	csrrs	a5, \csr, zero
	csrrc	a5, \csr, zero
	csrrwi	a6, \csr, 9
	csrrsi	a7, \csr, 6
	csrrci	t0, \csr, 2
	csrrsi	t0, \csr, 0
	csrrw	zero, \csr, zero
	csrrw	zero, \csr, zero
	.endr
	li	a0, 0xb100
	csrw	medeleg, a0
	csrr	a2, medeleg
	li	a0, 0x222
	csrw	mideleg, a0
	csrr	a2, mideleg
	csrw	mie, a0
	csrr	a2, sie
	li	a0, 0x20
	csrc	sie, a0
	csrr	a2, mie
	csrs	sie, a0
	li	a0, 2
	csrs	sip, a0			# pending, and not taken: mstatus.MIE and SIE are clear
	csrr	a2, sip
	csrc	sip, a0
	csrr	a2, sip
	csrw	mie, zero
	li	a0, 0x1800
	csrs	mstatus, a0
	csrr	a2, mstatus
	csrr	a2, sstatus
	li	a0, 0x40000
	csrs	sstatus, a0		# SUM
	csrr	a2, mstatus
	csrc	mstatus, a0
	csrr	a2, sstatus
	csrw	mcounteren, zero
	li	a0, 7
	csrw	mcounteren, a0
	csrw	scounteren, a0
	csrr	a2, scounteren
	la	a0, main
	srli	a0, a0, 2
	csrw	pmpaddr0, a0
	csrr	a2, pmpaddr0
	csrw	pmpaddr0, a0
	csrr	a2, mhartid
	ret
