# Sv39 (Sv32 on RV32): S and U mode with pages, faults of all kinds, accessed and dirty bits, MPRV.
#include "runtime.inc"

#if __riscv_xlen == 64
#define LEVELS	39
#define VIRTUAL	0x40000000
#else
#define VIRTUAL	0x40000000
#endif
#define V	0x01
#define R	0x02
#define W	0x04
#define X	0x08
#define U	0x10
#define A	0x40
#define D	0x80

	# a leaf or a pointer at index: \to shifted and \flags
	.macro	entry table, index, to, flags
	la	t0, \table
	la	t1, \to
	srli	t1, t1, 2
	ori	t1, t1, \flags & 0x3f
	li	t2, \flags
	or	t1, t1, t2
	li	t2, \index * SIZE
	add	t0, t0, t2
	STORE	t1, (t0)
	.endm

	.macro	to_mode	mode, target
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, \mode << 11
	csrs	mstatus, t0
	li	t0, \target
	csrw	mepc, t0
	mret
	.endm

	.globl main
main:	STORE	ra, -2*SIZE(sp)
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
#if __riscv_xlen == 64
	entry	root, 1, middle, V
	li	t0, 0x80000000 >> 2 | V|R|W|X|A|D
	la	t1, root
	STORE	t0, 2*SIZE(t1)			# the identity, for M mode with MPRV and S mode
	entry	middle, 0, last, V
#else
	entry	root, 0x100, last, V
	li	t0, 0x80000000 >> 2 | V|R|W|X|A|D
	la	t1, root
	li	t2, 0x800
	add	t1, t1, t2
	STORE	t0, (t1)
#endif
	entry	last, 0, user, V|R|X|U|A
	entry	last, 1, page, V|R|W|U|A|D
	entry	last, 2, page, V|R|U|A		# read only
	entry	last, 3, page, V|R|W|U|A	# not dirty
	entry	last, 4, page, V|R|W|U|D	# not accessed
	entry	last, 5, page, V|R|W|A|D	# of S mode
	entry	last, 6, page, V|W|U|A|D	# reserved
	la	t1, root
	srli	t1, t1, 12
#if __riscv_xlen == 64
	li	t0, 8 << 60
#else
	li	t0, 0x80000000
#endif
	or	t1, t1, t0
	csrw	satp, t1
	sfence.vma
	la	s7, back
	la	s8, user
	li	t0, VIRTUAL
	sub	s8, s8, t0
	to_mode	0, VIRTUAL
	.globl back
back:	li	s8, 0
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, 1 << 11
	csrs	mstatus, t0
	la	t0, 1f
	csrw	mepc, t0
	mret
1:	# S mode, in the identity
	li	a0, VIRTUAL + 0x1000
	lw	a1, (a0)			# a page of U mode: traps
	li	t0, 0x40000
	csrs	sstatus, t0
	lw	a1, (a0)			# SUM
	sw	a1, 4(a0)
	csrc	sstatus, t0
	li	a0, VIRTUAL + 0x5000
	lw	a1, (a0)
	sfence.vma a0, zero
	la	s9, 2f
	ecall
2:	li	t0, 0x20000			# MPRV
	li	t1, 0x1800
	csrc	mstatus, t1
	csrs	mstatus, t0
	li	a0, VIRTUAL + 0x1000
	lw	a1, (a0)
	sw	a1, 8(a0)
	csrc	mstatus, t0
	csrw	satp, zero
	sfence.vma
	LOAD	ra, -2*SIZE(sp)
	ret

	.balign	4096
user:	li	a0, VIRTUAL + 0x1000
	li	s0, 3
1:	lw	a1, (a0)
	sw	a1, 4(a0)
	amoadd.w a1, s0, (a0)
	lr.w	a1, (a0)
	sc.w	a2, a1, (a0)
	sc.w	a2, a1, (a0)
	addi	a0, a0, 16
	addi	s0, s0, -1
	bnez	s0, 1b
	li	a0, VIRTUAL + 0x2000
	lw	a1, (a0)
	sw	a1, (a0)			# traps, and so on
	li	a0, VIRTUAL + 0x3000
	lw	a1, (a0)
	sw	a1, (a0)
	li	a0, VIRTUAL + 0x4000
	lw	a1, (a0)
	li	a0, VIRTUAL + 0x5000
	lw	a1, (a0)
	li	a0, VIRTUAL + 0x6000
	lw	a1, (a0)
	li	a0, VIRTUAL + 0x7000
	lw	a1, (a0)
	lw	a1, (zero)
	csrr	a1, sstatus
	mv	s9, s7
	ecall
	.balign	4096

	.bss
	.balign	4096
root:	.skip	4096
middle:	.skip	4096
last:	.skip	4096
page:	.skip	4096
