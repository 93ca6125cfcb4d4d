enum color { RED, GREEN = 5, BLUE };

struct box {
	int count;
	void (*handler)(int);
	struct box *next;
	unsigned flags : 3;
	signed delta : 5;
	char label[8];
	enum color color;
	union {
		int number;
		char bytes[4];
	};
};

void on_irq(int number);
int other(int value);
