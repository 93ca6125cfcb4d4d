# Floating point of all widths: flags, rounding modes, NaN boxing, status, every way to write fcsr.
#include "runtime.inc"

	.globl main
main:	STORE	ra, -2*SIZE(sp)
	fadd.s	f0, f1, f2		# FS is off
	li	t0, 0x6000
	csrc	mstatus, t0
	li	t0, 0x2000
	csrs	mstatus, t0		# initial
	csrr	a0, fcsr
	la	a2, numbers
	.set	offset, 0
	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	flw	f\r, offset(a2)		# dirty
	.set	offset, offset + 4
	.endr
	csrw	fcsr, zero
	li	s0, 0
1:	csrw	frm, s0
	csrr	a0, fcsr
	.irp	a, 0, 3, 6, 9
	.irp	b, 1, 4, 7, 10
	fadd.s	f12, f\a, f\b
	fsub.s	f13, f\a, f\b
	fmul.s	f14, f\a, f\b
	fdiv.s	f15, f\a, f\b
	fsqrt.s	f16, f\b
	fmadd.s	f17, f\a, f\b, f12
	fnmsub.s f18, f\a, f\b, f13
	fmin.s	f19, f\a, f\b
	fmax.s	f20, f\a, f\b
	feq.s	a0, f\a, f\b
	flt.s	a1, f\a, f\b
	fle.s	a3, f\a, f\b
	fclass.s a4, f\b
	fcvt.w.s a5, f\b
	fcvt.wu.s a6, f15
	fcvt.s.w f21, a5, rtz
	fsgnj.s	f22, f\a, f\b
	fmv.x.w	a7, f15
	fmv.w.x	f23, a7
	fsw	f15, 64(a2)
	.endr
	csrrw	a0, fflags, zero
	.endr
	csrr	a0, fflags
	csrrsi	a0, fflags, 3
	csrrci	a0, fflags, 2
	csrrwi	a0, fcsr, 0x11
	csrrci	a0, fcsr, 0x11
	addi	s0, s0, 1
	li	t0, 5
	bne	s0, t0, 1b
	li	t0, 0x4000
	csrc	mstatus, t0		# initial again
	feq.s	a0, f0, f1
	fadd.s	f0, f0, f1
	csrw	frm, 5			# no rounding mode: what is dynamic traps
	fadd.s	f0, f0, f1
	csrwi	frm, 0
#if __riscv_flen >= 64
	fld	f24, (a2)
	fld	f25, 8(a2)
	fcvt.d.s f26, f3
	fadd.d	f27, f24, f25
	fmul.d	f28, f26, f26
	fdiv.d	f29, f26, f24
	fsqrt.d	f30, f26
	fcvt.s.d f31, f29
	fmadd.d	f27, f26, f25, f24
	feq.d	a0, f24, f25
	flt.d	a0, f24, f26
	fcvt.w.d a1, f29
	fsd	f29, 72(a2)
	fsw	f29, 80(a2)
	fadd.s	f0, f29, f1		# no boxed value: a NaN
	fsgnj.s	f1, f29, f29
	fld	f2, 64(a2)
	fclass.d a4, f29
#if __riscv_xlen == 64
	fcvt.l.d a1, f29
	fcvt.d.l f3, a1
	fmv.x.d	a2, f29
	fmv.d.x	f4, a2
	la	a2, numbers
#endif
	.option	push
	.option	arch, +c
	fsd	f29, 72(a2)
	.option	pop
#endif
#ifdef ZFH
	flh	f0, (a2)
	flh	f1, 2(a2)
	flh	f2, 18(a2)
	fadd.h	f3, f1, f2
	fmul.h	f4, f3, f2
	fdiv.h	f5, f4, f2
	fsqrt.h	f6, f2
	fcvt.s.h f7, f6
	fcvt.h.s f8, f3
	fcvt.h.w f9, s0
	fcvt.w.h a0, f6
	feq.h	a0, f6, f5
	fmv.x.h	a1, f6
	fmv.h.x	f10, a1
	fsh	f5, 84(a2)
	fmadd.h	f11, f1, f2, f3
	fclass.h a4, f0
#endif
	li	t0, 0x6000
	csrc	mstatus, t0
	fadd.s	f0, f1, f2		# off
	LOAD	ra, -2*SIZE(sp)
	ret

	.data
	.balign	16
numbers:
	.word	0x3f800000, 0x40490fdb, 0xc2f6e979, 0x00000001, 0x7f7fffff, 0x7f800000
	.word	0xff800000, 0x7fc00000, 0x7f800001, 0x00000000, 0x80000000, 0x4f000001
	.skip	64
