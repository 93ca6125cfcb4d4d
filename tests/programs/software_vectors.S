# A vector table in which only the software interrupt and exceptions have a place to go.

	.section .text, "ax"
	.balign	256
	.option	norvc
	.globl	vectors
vectors:
	j	trap_entry	# 0 exceptions
	j	unexpected
	j	unexpected
	j	trap_entry	# 3 software interrupt
	.rept	12
	j	unexpected
	.endr

unexpected:
	li	a0, 254
	tail	finish
