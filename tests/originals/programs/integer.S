# Integer instructions with compressed ones, loads and stores of all sizes, calls, AMOs, LR and SC
# that succeed and fail.
#include "runtime.inc"

	.globl main
main:	addi	sp, sp, -64
	STORE	ra, (sp)
	li	a0, 0x12345678
	li	a1, -77
	la	a2, data
	li	s0, 20
1:	mul	a3, a0, a1
	add	a0, a0, a3
	xor	a1, a1, a0
	srai	a4, a1, 5
	slt	a5, a4, a0
	sltu	a6, a4, a0
	div	a7, a0, a4
	remu	t0, a0, a1
	divu	t1, a1, zero
	rem	t2, a1, zero
	sb	a0, (a2)
	sh	a1, 2(a2)
	sw	a3, 4(a2)
	lb	t3, (a2)
	lbu	t4, 1(a2)
	lh	t5, 2(a2)
	lhu	t6, 2(a2)
	lw	s1, 4(a2)
#if __riscv_xlen == 64
	sd	a0, 8(a2)
	ld	s2, 8(a2)
	lwu	s3, 12(a2)
	addw	s4, s2, s3
	sraiw	s5, s4, 3
	mulw	s6, s5, s1
#endif
	call	helper
	addi	s0, s0, -1
	bnez	s0, 1b

	li	s0, 4
2:	lr.w	t0, (a2)
	addi	t0, t0, 1
	sc.w	t1, t0, (a2)		# stores
	sc.w	t2, t0, (a2)		# there is no reservation any more
	sc.w	zero, t0, (a2)
	lr.w.aq	t0, (a2)
	addi	a3, a2, 64
	sc.w	t1, t0, (a3)		# of another address
	.irp	op, add, swap, xor, or, and, min, max, minu, maxu
	amo\op\().w t0, s0, (a2)
	amo\op\().w.aqrl t1, a1, (a2)
#if __riscv_xlen == 64
	amo\op\().d t2, s0, (a2)
	amo\op\().d zero, a1, (a2)
#endif
	.endr
#if __riscv_xlen == 64
	lr.d	t0, (a2)
	sc.d	t1, t0, (a2)
	sc.d	t1, t0, (a2)
#endif
	addi	s0, s0, -1
	bnez	s0, 2b
	fence
	fence.i
	LOAD	ra, (sp)
	addi	sp, sp, 64
	ret

helper:	la	t0, 3f
	jalr	t1, 4(t0)
3:	addi	x0, x0, 1
	addi	t2, t2, 1
	auipc	zero, 1
	ret

	.data
	.balign	64
data:	.skip	256
