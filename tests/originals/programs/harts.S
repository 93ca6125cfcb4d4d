# Several harts, each on memory of its own. Hart 0 has the most to do.
#include "runtime.inc"

	.globl main
main:	la	a0, rooms
	slli	t0, s11, 8
	add	a0, a0, t0
	li	s0, 40
	beqz	s11, 1f
	li	s0, 10
1:	sw	s0, (a0)
	lw	a1, (a0)
	mul	a2, a1, s0
	sw	a2, 4(a0)
	amoadd.w a3, s0, (a0)
	add	a0, a0, 8
	lr.w	a4, (a0)
	sc.w	a5, a4, (a0)
	add	a0, a0, -8
	csrr	a6, mhartid
	csrw	mscratch, s0
	ecall
	addi	s0, s0, -1
	bnez	s0, 1b
	ret

	.data
	.balign	64
rooms:	.skip	256 * 4
