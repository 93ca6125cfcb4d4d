# Functions that overlap, are nested, share their beginning, have a gap or no size: what routines that
# save registers (libgcc, save-restore.S) and hand-written code look like.
	.text
	.type outer, @function
outer:
	.rept 4
	nop
	.endr
	.type inner, @function
inner:
	.rept 3
	nop
	.endr
	.type innermost, @function
	.global same_beginning
	.type same_beginning, @function
same_beginning:
innermost:
	nop
	nop
	.size innermost, . - innermost
	nop
	.size inner, . - inner
	.size same_beginning, . - same_beginning
	.rept 5
	nop
	.endr
	.type across, @function
across:
	nop
	nop
	.size outer, . - outer
	nop
	.size across, . - across
	.rept 3
	nop
	.endr
label:
	nop
	.type without_size, @function
without_size:
	nop
	nop
	.section .more, "ax"
	.type after, @function
after:
	nop
	.size after, . - after + 6
	nop
	nop
