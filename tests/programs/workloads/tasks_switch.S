# The task switch of tasks.c: save the task on its own stack, let the scheduler choose, restore the
# chosen one. A frame is 36 words: word n is register x<n>, then pc, mstatus and room for alignment.

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
	.balign	4
	.globl	tasks_entry
tasks_entry:
	addi	sp, sp, -36*SIZE
	STORE	x1, 1*SIZE(sp)
	STORE	x3, 3*SIZE(sp)
	STORE	x4, 4*SIZE(sp)
	STORE	x5, 5*SIZE(sp)
	STORE	x6, 6*SIZE(sp)
	STORE	x7, 7*SIZE(sp)
	STORE	x8, 8*SIZE(sp)
	STORE	x9, 9*SIZE(sp)
	STORE	x10, 10*SIZE(sp)
	STORE	x11, 11*SIZE(sp)
	STORE	x12, 12*SIZE(sp)
	STORE	x13, 13*SIZE(sp)
	STORE	x14, 14*SIZE(sp)
	STORE	x15, 15*SIZE(sp)
	STORE	x16, 16*SIZE(sp)
	STORE	x17, 17*SIZE(sp)
	STORE	x18, 18*SIZE(sp)
	STORE	x19, 19*SIZE(sp)
	STORE	x20, 20*SIZE(sp)
	STORE	x21, 21*SIZE(sp)
	STORE	x22, 22*SIZE(sp)
	STORE	x23, 23*SIZE(sp)
	STORE	x24, 24*SIZE(sp)
	STORE	x25, 25*SIZE(sp)
	STORE	x26, 26*SIZE(sp)
	STORE	x27, 27*SIZE(sp)
	STORE	x28, 28*SIZE(sp)
	STORE	x29, 29*SIZE(sp)
	STORE	x30, 30*SIZE(sp)
	STORE	x31, 31*SIZE(sp)
	addi	t0, sp, 36*SIZE
	STORE	t0, 2*SIZE(sp)
	csrr	t0, mepc
	STORE	t0, 32*SIZE(sp)
	csrr	t0, mstatus
	STORE	t0, 33*SIZE(sp)
	mv	a0, sp
	call	tasks_schedule

# void tasks_start(xword *frame): go on with the task that has this frame.
	.globl	tasks_start
tasks_start:
	mv	sp, a0
	LOAD	t0, 33*SIZE(sp)
	csrw	mstatus, t0
	LOAD	t0, 32*SIZE(sp)
	csrw	mepc, t0
	LOAD	x1, 1*SIZE(sp)
	LOAD	x3, 3*SIZE(sp)
	LOAD	x4, 4*SIZE(sp)
	LOAD	x5, 5*SIZE(sp)
	LOAD	x6, 6*SIZE(sp)
	LOAD	x7, 7*SIZE(sp)
	LOAD	x8, 8*SIZE(sp)
	LOAD	x9, 9*SIZE(sp)
	LOAD	x10, 10*SIZE(sp)
	LOAD	x11, 11*SIZE(sp)
	LOAD	x12, 12*SIZE(sp)
	LOAD	x13, 13*SIZE(sp)
	LOAD	x14, 14*SIZE(sp)
	LOAD	x15, 15*SIZE(sp)
	LOAD	x16, 16*SIZE(sp)
	LOAD	x17, 17*SIZE(sp)
	LOAD	x18, 18*SIZE(sp)
	LOAD	x19, 19*SIZE(sp)
	LOAD	x20, 20*SIZE(sp)
	LOAD	x21, 21*SIZE(sp)
	LOAD	x22, 22*SIZE(sp)
	LOAD	x23, 23*SIZE(sp)
	LOAD	x24, 24*SIZE(sp)
	LOAD	x25, 25*SIZE(sp)
	LOAD	x26, 26*SIZE(sp)
	LOAD	x27, 27*SIZE(sp)
	LOAD	x28, 28*SIZE(sp)
	LOAD	x29, 29*SIZE(sp)
	LOAD	x30, 30*SIZE(sp)
	LOAD	x31, 31*SIZE(sp)
	LOAD	x2, 2*SIZE(sp)
	mret
