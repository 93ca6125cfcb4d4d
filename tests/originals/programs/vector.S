# Vector instructions: configurations, loads and stores of all addressing modes, masks, tails,
# widening, reductions, floating point with flags, saturation, and accesses that trap.
#include "runtime.inc"

	.globl main
main:	STORE	ra, -2*SIZE(sp)
	vsetvli	t0, zero, e8, m1, ta, ma	# VS is off
	li	t0, 0x2200
	csrs	mstatus, t0			# FS and VS initial
	csrw	vxrm, zero
	csrw	fcsr, zero
	la	a0, data
	la	a1, results
	.irp	sew, 8, 16, 32, 64
	.irp	lmul, m1, m2, m4
	li	t1, 13
	vsetvli	t0, t1, e\sew, \lmul, ta, ma
	vle\sew\().v v8, (a0)
	vid.v	v12
	vadd.vv	v16, v8, v12
	vmseq.vi v0, v8, 3
	vmul.vx	v20, v8, t1
	vadd.vi	v16, v8, 5, v0.t
	vse\sew\().v v16, (a1)
	vse\sew\().v v20, (a1), v0.t
	li	t2, 16
	vlse\sew\().v v24, (a0), t2
	vsse\sew\().v v24, (a1), t2, v0.t
	vmerge.vvm v16, v8, v12, v0
	vredsum.vs v1, v8, v12
	vmv.x.s	t2, v1
	vmv.s.x	v2, t1
	vslideup.vi v28, v8, 2
	vslidedown.vx v28, v8, t1
	vsadd.vv v28, v8, v8
	vaaddu.vv v28, v8, v8
	vcpop.m	t2, v0
	vfirst.m t2, v0
	.endr
	.endr
	vsetvli	t0, t1, e8, mf2, ta, ma
	vle8.v	v8, (a0)
	vwadd.vx v16, v8, t1
	vsetvli	t0, t1, e16, mf4, ta, ma
	vse16.v	v8, (a1)
	csrr	t0, vl
	csrr	t0, vtype
	csrr	t0, vcsr
	csrr	t0, vstart
	csrw	vxsat, zero
	csrwi	vxrm, 2
	csrwi	vcsr, 5
	csrr	t0, vxrm
	li	t1, 8
	vsetvli	t0, t1, e8, m1, tu, mu
	vle8.v	v4, (a0)
	vle8.v	v0, (a0)
	vle8.v	v5, (a0), v0.t
	vle8ff.v v6, (a0)
	vlm.v	v1, (a0)
	vsm.v	v1, (a1)
	vluxei8.v v7, (a0), v4
	vloxei16.v v7, (a0), v10, v0.t
	vsuxei8.v v7, (a1), v4
	vsoxei8.v v7, (a1), v4, v0.t
	vlseg2e8.v v8, (a0)
	vsseg2e8.v v8, (a1), v0.t
	vlsseg3e8.v v8, (a0), t1
	vsseg4e8.v v8, (a1)
	vl1re8.v v16, (a0)
	vs1r.v	v16, (a1)
	vl2re32.v v16, (a0)
	vs2r.v	v16, (a1)
	vmv2r.v	v20, v16
	vwaddu.vv v16, v4, v5
	vwmul.vv v16, v4, v5
	vnsrl.wi v18, v16, 3
	vzext.vf2 v20, v4
	vrgather.vi v21, v4, 1
	vcompress.vm v22, v4, v0
	viota.m	v23, v0
	vmsbf.m	v24, v0
	vmand.mm v24, v0, v1
	vadc.vvm v25, v4, v5, v0
	vmadc.vv v26, v4, v5
	vssra.vi v27, v4, 2
	vnclip.wi v27, v16, 1
	vsmul.vv v28, v4, v5
	li	t1, 0
	vsetvli	t0, t1, e8, m1, tu, mu		# vl 0
	vadd.vv	v4, v4, v4
	vle8.v	v4, (a0)
	vsetvli	t0, zero, e32, m2, ta, mu
	vsetivli t0, 5, e32, m1, ta, ma
	la	a2, floats
	vle32.v	v8, (a2)
	vfadd.vv v9, v8, v8
	vfmul.vv v10, v8, v9
	vfdiv.vv v11, v8, v10
	vfsqrt.v v12, v8
	vfmacc.vv v12, v8, v9
	vfcvt.x.f.v v13, v8
	vfcvt.f.x.v v14, v13
	vmfeq.vv v0, v8, v9
	vfredusum.vs v15, v8, v9
	vfmv.f.s f3, v15
	vfmv.v.f v16, f3
	vfwadd.vv v18, v8, v9
	vfncvt.f.f.w v20, v18
	csrr	t0, fflags
	csrw	fflags, zero
	vfdiv.vv v11, v8, v10
	li	t1, 4
	vsetvli	t0, t1, e32, m1, ta, ma
	li	a3, 0
	vle32.v	v8, (a3)			# traps
	vse32.v	v8, (a3)
	vle32ff.v v8, (a3)
	addi	a3, a0, 2
	csrwi	vstart, 2
	vadd.vi	v9, v8, 1
	csrwi	vstart, 1
	vle32.v	v8, (a0)
	csrwi	vstart, 1
	vmv.x.s	t2, v8
	csrwi	vstart, 1
	vmv1r.v	v9, v8
	vsetvli	t0, t1, e64, mf8, ta, ma	# reserved: vill
	vadd.vv	v9, v8, v8			# illegal
	li	t0, 0x600
	csrc	mstatus, t0
	vadd.vv	v9, v8, v8
	LOAD	ra, -2*SIZE(sp)
	ret

	.data
	.balign	64
data:	.byte	3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5
	.skip	512
	.balign	16
floats:	.word	0x3f800000, 0x40490fdb, 0xc2f6e979, 0x00000001, 0x7f7fffff
	.balign	64
results: .skip	1024
