# The switches of stacks of frames.c.

#if __riscv_xlen == 64
#define LOAD  ld
#define STORE sd
#define SIZE  8
#else
#define LOAD  lw
#define STORE sw
#define SIZE  4
#endif

	.section .text, "ax"

# void frames_switch(xword **from, xword *to): save what a call keeps, and sp in *from; go on with
# what was saved at to.
	.globl	frames_switch
	.type	frames_switch, @function
frames_switch:
	addi	sp, sp, -16*SIZE
	STORE	ra, 0*SIZE(sp)
	STORE	s0, 1*SIZE(sp)
	STORE	s1, 2*SIZE(sp)
	STORE	s2, 3*SIZE(sp)
	STORE	s3, 4*SIZE(sp)
	STORE	s4, 5*SIZE(sp)
	STORE	s5, 6*SIZE(sp)
	STORE	s6, 7*SIZE(sp)
	STORE	s7, 8*SIZE(sp)
	STORE	s8, 9*SIZE(sp)
	STORE	s9, 10*SIZE(sp)
	STORE	s10, 11*SIZE(sp)
	STORE	s11, 12*SIZE(sp)
	STORE	sp, 0(a0)
	mv	sp, a1
	LOAD	ra, 0*SIZE(sp)
	LOAD	s0, 1*SIZE(sp)
	LOAD	s1, 2*SIZE(sp)
	LOAD	s2, 3*SIZE(sp)
	LOAD	s3, 4*SIZE(sp)
	LOAD	s4, 5*SIZE(sp)
	LOAD	s5, 6*SIZE(sp)
	LOAD	s6, 7*SIZE(sp)
	LOAD	s7, 8*SIZE(sp)
	LOAD	s8, 9*SIZE(sp)
	LOAD	s9, 10*SIZE(sp)
	LOAD	s10, 11*SIZE(sp)
	LOAD	s11, 12*SIZE(sp)
	addi	sp, sp, 16*SIZE
	ret
	.size	frames_switch, . - frames_switch

# void frames_call_on(void (*function)(void), xword *stack): call it with sp there.
	.globl	frames_call_on
	.type	frames_call_on, @function
frames_call_on:
	addi	sp, sp, -16
	STORE	ra, 0(sp)
	STORE	s0, SIZE(sp)
	mv	s0, sp
	mv	sp, a1
	jalr	a0
	mv	sp, s0
	LOAD	ra, 0(sp)
	LOAD	s0, SIZE(sp)
	addi	sp, sp, 16
	ret
	.size	frames_call_on, . - frames_call_on
