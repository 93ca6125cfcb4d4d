# The task switch of rtos.c: the context of a task lies on its own stack, its control block holds
# where, and the scheduler runs on a stack of its own.
#
# A context is 34 words: word n is register x<n>, word 0 mepc, word 32 mstatus.

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
	.globl	rtos_entry
rtos_entry:
	addi	sp, sp, -34*SIZE
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
	csrr	t0, mepc
	STORE	t0, 0(sp)
	csrr	t0, mstatus
	STORE	t0, 32*SIZE(sp)
	la	t0, rtos_current
	LOAD	t0, 0(t0)
	STORE	sp, 0(t0)		# the first word of the control block
	la	sp, rtos_stack_top
	LOAD	sp, 0(sp)
	call	rtos_schedule

# Go on with the task that rtos_current points to.
	.globl	rtos_resume
rtos_resume:
	la	t0, rtos_current
	LOAD	t0, 0(t0)
	LOAD	sp, 0(t0)
	LOAD	t0, 0(sp)
	csrw	mepc, t0
	LOAD	t0, 32*SIZE(sp)
	csrw	mstatus, t0
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
	addi	sp, sp, 34*SIZE
	mret
