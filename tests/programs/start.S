# Start-up code of the test programs, and the trap entry that programs with traps use.
#
# All registers get a defined value first: a comparison with another simulator, whose registers
# hold other things at reset, then begins with equal states.
#
# With -DNO_CSRS nothing here is of the privileged specification, for a core that has no CSRs.
# With -DVECTORED mtvec is as a core wants it that has vectored traps only, at a multiple of 256.

#if __riscv_xlen == 64
#define LOAD  ld
#define STORE sd
#define SIZE  8
#else
#define LOAD  lw
#define STORE sw
#define SIZE  4
#endif

	.file "start.S" /* else the symbol table names the assembler's temporary file */
	.section .text.start, "ax"
	.globl _start
_start:
	li	x1, 0
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	la	sp, stack_top
	la	tp, tls_start
	li	x5, 0
	li	x6, 0
	li	x7, 0
	li	x8, 0
	li	x9, 0
	li	x10, 0
	li	x11, 0
	li	x12, 0
	li	x13, 0
	li	x14, 0
	li	x15, 0
	li	x16, 0
	li	x17, 0
	li	x18, 0
	li	x19, 0
	li	x20, 0
	li	x21, 0
	li	x22, 0
	li	x23, 0
	li	x24, 0
	li	x25, 0
	li	x26, 0
	li	x27, 0
	li	x28, 0
	li	x29, 0
	li	x30, 0
	li	x31, 0

#ifndef NO_CSRS
	csrw	mie, zero
	li	t0, 0x02004000		# mtimecmp: at reset 0 under QEMU, and then pending
	li	t1, -1
	sw	t1, 4(t0)
	sw	t1, 0(t0)
#ifdef VECTORED
	la	t0, trap_vectors
#else
	la	t0, trap_entry
#endif
	csrw	mtvec, t0
#ifdef __riscv_flen
	li	t0, 0x6000		# mstatus.FS: the F registers can be used
	csrs	mstatus, t0
	csrw	fcsr, zero
#endif
#endif

	# The loader is not relied on to clear .bss.
	la	t0, bss_start
	la	t1, bss_end
1:	bgeu	t0, t1, 2f
	sw	zero, 0(t0)
	addi	t0, t0, 4
	j	1b

2:	li	a0, 0
	li	a1, 0
	call	main
	tail	finish

#ifndef NO_CSRS
# Save every register, call trap_handler(frame), restore, return.
# The frame is an array of 32 words; word 0 holds nothing.
	.section .text, "ax"
#ifdef VECTORED
	.balign	256
	.option push
	.option norvc
trap_vectors:
	.rept	32
	j	trap_entry
	.endr
	.option pop
#endif
	.balign	4
	.globl	trap_entry
trap_entry:
	addi	sp, sp, -32*SIZE
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
	addi	t0, sp, 32*SIZE
	STORE	t0, 2*SIZE(sp)
	mv	a0, sp
	call	trap_handler
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
	addi	sp, sp, 32*SIZE
	mret
#endif
