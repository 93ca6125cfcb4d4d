# The hypervisor extension: VS and VU mode, two-stage translation, faults of guests, hlv and hsv,
# virtual instructions.
#include "runtime.inc"
	.option	arch, +h

#define V	0x01
#define R	0x02
#define W	0x04
#define X	0x08
#define U	0x10
#define A	0x40
#define D	0x80
/* Guest physical address of `guest`; and the virtual one, without vsatp. */
#define GUEST	0x40000000

	.macro	entry table, index, to, flags
	la	t0, \table
	la	t1, \to
	srli	t1, t1, 2
	li	t2, \flags
	or	t1, t1, t2
	li	t2, \index * 8
	add	t0, t0, t2
	sd	t1, (t0)
	.endm

	.globl main
main:	sd	ra, -16(sp)
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	entry	root, 1, middle, V
	entry	middle, 0, last, V
	entry	last, 0, guest, V|R|X|U|A|D
	entry	last, 1, page, V|R|W|U|A|D
	entry	last, 2, page, V|R|U|A|D
	entry	last, 3, vroot, V|R|W|U|A|D
	# First stage of the guest: a page of 1 GiB, the identity, and one at 0.
	la	t0, vroot
	li	t1, GUEST >> 2 | V|R|W|X|A|D
	sd	t1, 8(t0)
	sd	t1, 0(t0)
	la	t1, root
	srli	t1, t1, 12
	li	t0, 8 << 60
	or	t1, t1, t0
	csrw	hgatp, t1
	csrr	a0, hgatp
	csrw	vsatp, zero
	li	t0, 0xb1fe
	csrw	hedeleg, zero
	csrw	hideleg, zero
	csrw	hcounteren, zero
	csrw	hstatus, zero
	csrr	a0, hstatus
	hfence.gvma
	hfence.vvma
	# hlv and hsv from M mode, as VU: hstatus.SPVP is 0
	li	a0, GUEST + 0x1000
	hlv.w	a1, (a0)
	hsv.w	a1, (a0)
	hlv.bu	a1, (a0)
	hlvx.hu	a1, (a0)
	li	a0, GUEST + 0x8000
	hlv.d	a1, (a0)		# a guest page fault
	hsv.d	a1, (a0)
	# to VS mode
	la	s8, guest
	li	t0, GUEST
	sub	s8, s8, t0
	la	s7, back
	la	s6, back2
	li	t0, 0x8000000000 | 1 << 11
	li	t1, 0x1800
	csrc	mstatus, t1
	csrs	mstatus, t0
	li	t0, GUEST
	csrw	mepc, t0
	mret
	.globl back
back:	# Once more, with the guest's own translation, and its traps delegated.
	li	t0, 0xb100
	csrw	medeleg, t0
	csrw	hedeleg, t0
	csrr	a0, hedeleg
	li	t0, 0x8000000000 | 1 << 11
	li	t1, 0x1800
	csrc	mstatus, t1
	csrs	mstatus, t0
	li	t0, GUEST
	la	t1, second
	la	t2, guest
	sub	t1, t1, t2
	add	t0, t0, t1
	csrw	mepc, t0
	mret
back2:	ld	ra, -16(sp)
	ret

	.balign	4096
guest:	li	a0, GUEST + 0x1000
	lw	a1, (a0)
	sw	a1, 4(a0)
	csrr	a1, sstatus		# vsstatus
	csrw	sscratch, a1		# vsscratch
	csrr	a2, sscratch
	li	t0, 0x40000
	csrs	sstatus, t0
	csrc	sstatus, t0
	li	t0, 0x222
	csrw	sie, t0			# nothing is delegated
	csrr	a1, sie
	li	a0, GUEST + 0x2000
	lw	a1, (a0)
	sw	a1, (a0)		# read only
	li	a0, GUEST + 0x5000
	lw	a1, (a0)
	sd	a1, (a0)
	lr.w	a1, (a0)
	csrr	a1, hstatus		# a virtual instruction
	csrr	a1, mstatus		# illegal
	addi	a1, a1, 1
	hlv.w	a1, (a0)
	hfence.gvma
	ecall
	mv	s9, s7
	ecall
	.balign	4
second:	li	a0, GUEST + 0x3000
	srli	a0, a0, 12
	li	t0, 8 << 60
	or	a0, a0, t0
	csrw	satp, a0		# vsatp
	sfence.vma
	la	t0, vtrap
	csrw	stvec, t0
	lw	a1, (zero)
	li	a0, 0x1000
	lw	a1, (a0)
	sw	a1, 8(a0)
	li	a0, 0x2000
	sw	a1, (a0)		# the second stage refuses
	li	a0, 0xC0000000
	lw	a1, (a0)		# the first stage refuses: delegated
	csrr	a1, scause
	# to VU mode
	li	t0, 0x100
	csrc	sstatus, t0
	la	t0, 1f
	csrw	sepc, t0
	la	t1, vroot
	sret
1:	ecall				# no page of U mode: the fetch faults, delegated
	mv	s9, s6
	ecall

	.balign	4
vtrap:	csrr	t0, sepc
	csrr	t1, stval
	csrr	t2, scause
	li	t3, 12
	beq	t2, t3, 2f
	addi	t0, t0, 2
	csrw	sepc, t0
	sret
2:	mv	s9, s6
	ecall
	.balign	4096

	.bss
	.balign	16384
root:	.skip	16384
middle:	.skip	4096
last:	.skip	4096
page:	.skip	4096
vroot:	.skip	4096
