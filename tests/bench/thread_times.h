#ifndef THREAD_TIMES_H
#define THREAD_TIMES_H

#include <stdbool.h>

/* How much processor time each kind of thread takes, in a program that captures from an emulated
 * USB device. */
enum thread_kind {
	THREAD_CAPTURE,  /* of the driver: libusb, transport, into the ring */
	THREAD_CONSUMER, /* the first one: out of the ring */
	THREAD_DEVICE,   /* the emulated device */
	THREAD_OTHER,
	THREAD_KINDS,
};

#define THREAD_TIMES_MAX 64

struct thread_times {
	double seconds[THREAD_KINDS];

	/* Inside: the threads that there are. */
	struct thread_time {
		int tid; /* 0 none */
		unsigned long long ns;
		bool there;
	} threads[THREAD_TIMES_MAX];
};

/* Call it first: names the first thread, and by that those that it makes. */
void thread_times_begin(struct thread_times *times);

/* Add what each thread took since the last look. Of a thread that has ended, what it took after the
 * last look is not seen. */
void thread_times_look(struct thread_times *times);

#endif
