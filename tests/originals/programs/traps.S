# Exceptions of all causes into M and S mode, interrupts by software, and the ways back.
#include "runtime.inc"

	.macro	to_mode	mode, target	# 0 U, 1 S: continue at target there
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, \mode << 11
	csrs	mstatus, t0
	la	t0, \target
	csrw	mepc, t0
	mret
	.endm

	.globl main
main:	STORE	ra, -2*SIZE(sp)
	li	t0, -1			# all memory for S and U mode
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	la	a0, data
	.word	0xffffffff		# illegal
	.word	0x0000007f		# longer than 4 bytes
	.half	0
	.half	0x9c61
	ecall
	ebreak
	.option	norvc
	ebreak
	.option	rvc
	lr.w	a1, (a0)
	lw	a1, (zero)		# nothing there
	sw	a1, 8(zero)
	amoadd.w a1, a1, (zero)
	csrw	0x7ff, zero		# no such CSR
	csrw	mhartid, zero		# read only
	li	s9, 0
	la	s9, 1f
	jr	zero			# a fetch that fails
1:	csrr	a1, mcause
	csrr	a1, mepc

	# S mode, without delegation: each ecall and fault goes to M mode.
	la	t0, s_trap
	csrw	stvec, t0
	to_mode	1, 1f
1:	ecall
	.word	0xffffffff
	csrr	a1, sstatus
	csrr	a1, mstatus		# not there in S mode
	lw	a1, (zero)

	# Delegated: to S mode.
	li	a7, 1
	ecall				# passed by the handler of M mode
	la	s9, 1f
	ecall
1:	li	t0, 0xb1fe
	csrw	medeleg, t0
	to_mode	1, 1f
1:	.word	0xffffffff
	ebreak
	lw	a1, (zero)
	sw	a1, (zero)
	csrr	a1, mstatus
	to_user:
	li	t0, 0x100
	csrc	sstatus, t0
	la	t0, 1f
	csrw	sepc, t0
	sret
1:	addi	a1, a1, 1		# U mode
	ecall
	.word	0xffffffff
	csrr	a1, sstatus
	lw	a1, (zero)
	sret
	mret
	la	s1, 1f
	la	s9, 1f
	.word	0			# delegated too: the handler of S mode
	ebreak
	li	s7, 1			# the handler of S mode goes back to M mode with an ecall
	ecall

1:	# Interrupts by software: taken at once, in M mode and delegated.
	li	s9, 0
	li	t0, 2
	csrs	mideleg, t0
	csrs	sip, t0
	csrw	mideleg, zero
	li	t0, 2
	csrw	mie, t0
	csrsi	mstatus, 8
	addi	a1, a1, 1
	addi	a1, a1, 1
	csrci	mstatus, 8
	li	t0, 2
	csrs	mideleg, t0
	csrc	sip, t0
	csrw	mie, t0
	li	s6, 1
	to_mode	1, 1f
1:	addi	a1, a1, 1
	csrsi	sip, 2
	csrsi	sstatus, 2
	addi	a1, a1, 1
	addi	a1, a1, 1
	csrci	sstatus, 2
	li	t0, 0x200
	csrw	sip, t0
	la	s9, 1f
	ecall
1:	LOAD	ra, -2*SIZE(sp)
	ret

	.balign	4
s_trap:	csrw	sscratch, t0
	csrr	t0, scause
	bltz	t0, 3f
	bnez	s7, 4f
	csrr	t0, stval
	csrr	t0, sepc
	STORE	t1, -SIZE(sp)
	lhu	t1, (t0)
	andi	t1, t1, 3
	addi	t1, t1, -3
	seqz	t1, t1
	slli	t1, t1, 1
	add	t0, t0, t1
	addi	t0, t0, 2
	csrw	sepc, t0
	LOAD	t1, -SIZE(sp)
	csrr	t0, sscratch
	sret
3:	csrc	sip, 2
	csrci	sip, 2
	csrr	t0, sscratch
	sret
4:	li	s7, 0
	ecall				# from S mode: not delegated, and s9 says where to
	j	4b

	.data
	.balign	64
data:	.skip	64
