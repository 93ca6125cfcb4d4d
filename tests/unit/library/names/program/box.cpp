/* C++ without a library: namespaces, methods, templates, overloads. */
namespace ns
{
struct base {
	int id = 1;
};

struct box : base {
	int count = 2;
	int take(int value);
	int take(const char *text) const;
};

int box::take(int value) /* LINE take */
{
	return count += value;
}

int box::take(const char *text) const
{
	return text[0];
}

template <typename T> T larger(T a, T b)
{
	return a > b ? a : b;
}

box shelf;
int *pointer = &shelf.count;
} // namespace ns

extern "C" void _start()
{
	ns::shelf.take(ns::larger(1, 2));
	ns::shelf.take("a");
	for (;;)
		;
}
