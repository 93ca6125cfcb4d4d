#ifndef EAR_FUZZ_WHISPER_ROUNDS_H
#define EAR_FUZZ_WHISPER_ROUNDS_H

#include <stdio.h>

/* A trace in Whisper's CSV, in rounds: a loop with a store and a load, an interrupt whose handler
 * returns, an exception, another hart, and now and then records that are missing. One line of every
 * bad ones cannot be read; 0: all can. */
static inline void put_whisper_rounds(FILE *out, unsigned rounds, unsigned bad)
{
	static const char *const lines[] = {
		"80000000,128293,x5=1,x5;i1,,,m,,addi     x5; x5; 1,0",
		"80000004,512023,,x5;x2;i0,80001000=1,s,m,,sw       x5; 0x0(x2),0",
		"80000100,1141,x2=80002000,x2;ifffffff0,,,m,,c.addi   x2; -0x10,1",
		"80000008,12303,x6=1,x2;i0,80001000,l,m,,lw       x6; 0x0(x2),0",
		"8000000c,128293,c833=8000000c;c834=80000007;c835=0,x5;i1,,,m,80000007,addi,0",
		"80000040,30200073,pc=8000000c;c768=1888,,,,m,,mret,0",
		"8000000c,128293,x5=2,x5;i1,,,m,,addi     x5; x5; 1,0",
		"80000010,73,c833=80000010;c834=b;c835=0;c768=1800,,,,m,b,ecall,0",
		"80000040,30200073,pc=80000014;c768=1888,,,,m,,mret,0",
		"80000014,628033,x0=0,x5;x6,,,m,,add      x0; x5; x6,0",
		"80000018,ffdff06f,pc=80000000,iffffffe8,,j,m,,jal      x0; . - 0x18,0",
	};
	const size_t count = sizeof(lines) / sizeof(lines[0]);

	fputs("pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
	      "disassembly, hartid\n",
		out);
	for (unsigned round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++)
			if (bad && (round * count + i) % bad == bad - 1)
				fprintf(out, "8000zz00,%s\n", lines[i]);
			else if (round % 10 != 7 || i % 3 != 1)
				fprintf(out, "%s\n", lines[i]);
}

#endif
