"""Small C functions with a memory error, and the same without: what they do, by kind, and what is to be found.

One source has them all: a program runs the one whose number `which` holds, or on the host the one that its argument
says. `hide` keeps the compiler from knowing a value, so that -O2 does what was written.
"""
import collections

Case = collections.namedtuple("Case", "name kind found code")  # kind: enum ear_memory_error_kind; found: by Earshot

HEAD = r"""
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#define NOIPA __attribute__((noipa))
#ifdef HOST
#define FINISH exit(0)
#else
#include "support.h"
#define FINISH finish(0)
#endif
volatile int which_area[3] = {0x6863694d, 0x65734143, -1}; /* the number after the mark is patched */
#define which which_area[2]
volatile long sink;
static void *kept[4];
static char text_ten[] = "0123456789";
NOIPA void *hide(void *p) { __asm__ volatile("" : "+r"(p)::"memory"); return p; }
NOIPA long number(long n) { __asm__ volatile("" : "+r"(n)::"memory"); return n; }
NOIPA void use(long n) { sink += n; }
NOIPA void decide(long n) { if (n > 7) sink++; else sink += 2; }
NOIPA void give_up(void *p) { free(p); }
NOIPA void set_if(int *p, int flag) { if (flag) *p = 7; }
struct pair { int first, second; };
struct odd { char c; int n; short s; };
struct bits { unsigned a : 3, b : 5, c : 24; };
struct node { struct node *next; int value; };
"""

TYPES = {"u8": ("uint8_t", 1), "u16": ("uint16_t", 2), "u32": ("uint32_t", 4), "u64": ("uint64_t", 8)}


def is_found(case, build):
    """Some are found only at -O0, or only with optimisation, where pointers are in registers."""
    return (case.found == "O0") == (build == "O0") if isinstance(case.found, str) else case.found


def pairs():
    """Of each: name, kind, whether Earshot finds it, the bad function, the good one."""
    for name, (c_type, size) in TYPES.items():
        for count in (1, 3, 10, 33):
            head = f"{c_type} *p = hide(malloc({count} * sizeof(*p))); long n = number({count}); long i;"
            fill = "for (i = 0; i < n; i++) p[i] = (uint8_t)i;"
            tail = "use(p[0]); free(p);"
            yield (f"heap_write_{name}_{count}", "outside", True, f"{head} for (i = 0; i <= n; i++) p[i] = 1; {tail}",
                   f"{head} for (i = 0; i < n; i++) p[i] = 1; {tail}")
            yield (f"heap_read_{name}_{count}", "outside", True,
                   f"{head} {fill} for (i = 0; i <= n; i++) use(p[i]); {tail}",
                   f"{head} {fill} for (i = 0; i < n; i++) use(p[i]); {tail}")
            yield (f"heap_before_{name}_{count}", "outside", True, f"{head} {fill} p[number(-1)] = 3; {tail}",
                   f"{head} {fill} p[number(0)] = 3; {tail}")
            yield (f"freed_read_{name}_{count}", "freed", True, f"{head} {fill} free(p); use(p[n - 1]);",
                   f"{head} {fill} use(p[n - 1]); free(p);")
            yield (f"freed_write_{name}_{count}", "freed", True, f"{head} {fill} give_up(p); p[n / 2] = 1;",
                   f"{head} {fill} p[n / 2] = 1; give_up(p);")
            yield (f"unwritten_heap_{name}_{count}", "unwritten", True, f"{head} decide(p[n - 1]); free(p);",
                   f"{head} {fill} decide(p[n - 1]); free(p);")
        yield (f"unwritten_array_{name}", "unwritten", True,
               f"{c_type} a[8]; for (int i = 0; i < number(7); i++) ((volatile {c_type} *)a)[i] = 1;"
               "hide(a); decide(a[number(7)]);",
               f"{c_type} a[8]; for (int i = 0; i < number(8); i++) ((volatile {c_type} *)a)[i] = 1;"
               "hide(a); decide(a[number(7)]);")
        yield (f"calloc_{name}", "outside", True,
               f"{c_type} *p = hide(calloc(5, sizeof(*p))); decide(p[number(5)]); free(p);",
               f"{c_type} *p = hide(calloc(5, sizeof(*p))); decide(p[number(4)]); free(p);")
    for size in (1, 2, 5, 8, 13, 24, 100):
        head = f"char *p = hide(malloc({size}));"
        yield (f"memset_{size}", "outside", True, f"{head} memset(p, 1, number({size + 1})); use(p[0]); free(p);",
               f"{head} memset(p, 1, number({size})); use(p[0]); free(p);")
        yield (f"memcpy_{size}", "outside", True,
               f"{head} char from[128] = {{1}}; memcpy(p, hide(from), number({size + 1})); use(p[0]); free(p);",
               f"{head} char from[128] = {{1}}; memcpy(p, hide(from), number({size})); use(p[0]); free(p);")
        yield (f"realloc_{size}", "freed", True,
               f"{head} memset(p, 1, {size}); kept[0] = p; kept[1] = malloc(8); char *q = hide(realloc(p, {size} + 500));"
               "if (q != kept[0]) use(*(char *)hide(kept[0])); free(q);",
               f"{head} memset(p, 1, {size}); char *q = hide(realloc(p, {size} + 500)); use(q[{size} - 1]); free(q);")
        yield (f"realloc_tail_{size}", "unwritten", True,
               f"{head} memset(p, 1, {size}); char *q = hide(realloc(p, {size} + 64)); decide(q[{size} + number(9)]);"
               "free(q);",
               f"{head} memset(p, 1, {size}); char *q = hide(realloc(p, {size} + 64)); decide(q[number({size} - 1)]);"
               "free(q);")
        yield (f"double_free_{size}", "double-free", True, f"{head} give_up(p); give_up(p);", f"{head} give_up(p);")
        yield (f"inner_free_{size}", "wrong-free", True,
               f"{head} char *volatile q = p + 8 * (number({size}) / 8 + 1); free(q);", f"{head} char *volatile q = p; free(q);")
        yield (f"overlap_{size}", "overlap", True,
               f"static char area[256]; memcpy(hide(area + 1), hide(area), number({size} + 1)); use(area[1]);",
               f"static char area[256]; memmove(hide(area + 1), hide(area), number({size} + 1));"
               f"memcpy(hide(area + 128), hide(area), number({size} + 1)); use(area[1]);")
    for length in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10):
        text = f"hide(text_ten + {10 - length})"
        yield (f"strcpy_{length}", "outside", True,
               f"char *p = hide(malloc(strlen({text}))); strcpy(p, {text}); use(p[0]); free(p);",
               f"char *p = hide(malloc(strlen({text}) + 1)); strcpy(p, {text}); use(strlen(hide(p))); free(p);")
        yield (f"frame_read_{length}", "left-frame", True,
               f"kept[0] = frame_{length}(3); use(((int *)kept[0])[number(0)]);", f"use(frame_value_{length}(3));")
        yield (f"frame_write_{length}", "left-frame", True,
               f"kept[0] = frame_{length}(3); ((int *)kept[0])[number(0)] = 4;", f"use(frame_value_{length}(4));")
    for name, code in {
            "int": "int x; set_if(&x, number({f})); decide(x);",
            "struct": "struct pair x; x.first = number(1); set_if(&x.second, number({f})); decide(x.first + x.second);",
            "copy": "struct pair x, y; x.first = 1; set_if(&x.second, number({f})); hide(&x); y = x; hide(&y);"
                    "decide(y.second);",
            "index": "int x; set_if(&x, number({f})); use(text_ten[x & 7]);",
            "loop": "int x; long n = 0; set_if(&x, number({f})); x &= 7; for (int i = 0; i < x; i++) n += i; use(n);",
            "pointer": "int *x; if (number({f})) x = (int *)&which_area; hide(&x); if (number({f}) || x != kept[1])"
                       "use(x == kept[2]);",
            "sum": "int a[4] = {{1, 2, 3}}; int x; set_if(&x, number({f})); decide(a[number(0)] + x);",
            "shift": "int x; set_if(&x, number({f})); decide(x >> 3);",
            "compare": "int x; set_if(&x, number({f})); if (x < 5) use(3);",
    }.items():
        yield f"unwritten_{name}", "unwritten", True, code.format(f=0), code.format(f=1)
    yield ("free_stack", "wrong-free", True, "int a[4] = {1}; free(hide(a));", "int *a = hide(malloc(16)); free(a);")
    yield ("free_global", "wrong-free", True, "free(hide(text_ten));", "free(hide(NULL));")
    yield ("list", "freed", True,
           "struct node *l = NULL; for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof(*n)); n->next = l;"
           "n->value = i; l = n; } while (l) { free(l); l = ((struct node *)hide(l))->next; }",
           "struct node *l = NULL; for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof(*n)); n->next = l;"
           "n->value = i; l = n; } while (l) { struct node *n = l->next; free(l); l = n; }")
    yield ("stale_member", "freed", True,
           "struct node *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b)); a->next = b; free(b);"
           "((struct node *)hide(a))->next->value = 3; free(a);",
           "struct node *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b)); a->next = b; free(hide(NULL));"
           "((struct node *)hide(a))->next->value = 3; free(b); free(a);")
    yield ("pool", "freed", False, # found if the pool is named
           "fill_pool(); union item *a = hide(pool_get()), *b = hide(pool_get()); a->words[1] = b->words[2] = 3;"
           "pool_put(a); decide(a->words[1]); pool_put(b);",
           "fill_pool(); union item *a = hide(pool_get()), *b = hide(pool_get()); a->words[1] = b->words[2] = 3;"
           "decide(a->words[1]); pool_put(a); pool_put(b);")
    # What has no error here can have one that is not certain: these are missed, and said so.
    for count in (4, 16):
        yield (f"stack_array_{count}", "object", False,
               f"int a[{count}], b[{count}]; hide(b); for (int i = 0; i <= number({count}); i++) ((int *)hide(a))[i] = i; use(a[0] + b[0] * 0);",
               f"int a[{count}], b[{count}]; hide(b); for (int i = 0; i < number({count}); i++) ((int *)hide(a))[i] = i; use(a[0]);")
        yield (f"global_array_{count}", "object", True,
               f"static int a[{count}], b[{count}]; for (int i = 0; i <= number({count}); i++) ((int *)hide(a))[i] = i; use(a[0] + b[0]);",
               f"static int a[{count}], b[{count}]; for (int i = 0; i < number({count}); i++) ((int *)hide(a))[i] = i; use(a[0] + b[0]);")
    for c_type, count in (("char", 10), ("short", 8), ("int", 6), ("long long", 4)):
        name, arrays = c_type.replace(" ", "_"), f"static {c_type} a[{count}], b[{count}]; hide(a); hide(b);"
        loop = f"for (int i = 0; i < number({count}%s); i++)"
        for what, found, code in (("write", True, "%s a[i] = i; use(a[0]);"), ("read", True, "long s = 0; %s s += a[i]; use(s);"),
                                  ("walk", "optimised", f"{c_type} *p = a; %s *p++ = i; use(a[0]);")):
            yield (f"global_{what}_{name}", "object", found, arrays + code % (loop % " + 9"), arrays + code % (loop % ""))
    yield ("global_copy", "object", "optimised",
           "static char to[8], next[16]; hide(next); const char *from = hide(text_ten); char *p = to; while ((*p++ = *from++)) ; use(to[0] + next[0]);",
           "static char to[12], next[16]; hide(next); const char *from = hide(text_ten); char *p = to; while ((*p++ = *from++)) ; use(to[0] + next[0]);")
    yield ("global_index", "object", "O0",
           "static int next[8]; hide(next); for (int i = 0; i < 3; i++) put_item(number(i)); put_item(number(9)); use(next[0]);",
           "static int next[8]; hide(next); for (int i = 0; i < 3; i++) put_item(number(i)); put_item(number(7)); use(next[0]);")
    yield ("global_index_first", "object", False,  # its only access is wrong
           "static int next[8]; hide(next); put_other(number(9)); use(next[0]);",
           "static int next[8]; hide(next); put_other(number(7)); use(next[0]);")
    yield ("global_below", "object", False,
           "static int before[8], a[8]; hide(before); for (int i = 7; i >= number(-1); i--) a[i] = i; use(a[0] + before[7]);",
           "static int before[8], a[8]; hide(before); for (int i = 7; i >= number(0); i--) a[i] = i; use(a[0] + before[7]);")


# Correct code that looks as if it were not.
GOOD = {
    "holes": "struct odd a = {1, 2, 3}, b; hide(&a); memcpy(&b, hide(&a), sizeof(a)); struct odd *p = malloc(sizeof(*p)); p->c = 1;"
             "p->n = 2; p->s = 3; b = *(struct odd *)hide(p); decide(b.c + b.n + b.s); free(p);",
    "bit_fields": "struct bits x; x.a = number(1); x.b = number(2); hide(&x); decide(x.a + x.b); struct bits *p = malloc(sizeof(*p));"
                  "p->b = number(3); decide(((struct bits *)hide(p))->b); free(p);",
    "strings": "for (int i = 0; i < 11; i++) { char *p = hide(malloc(i + 1)); memset(p, 'a', i); p[i] = 0; decide(strlen(p));"
               "char *q = hide(strdup(p)); decide(strcmp(p, q)); decide(strchr(p, 'b') != NULL);"
               "decide(memchr(p, 0, i + 1) == p + i); decide(strncmp(p, q, 20)); free(p); free(q); }",
    "short_strings": "char a[16], b[16]; strcpy(a, hide(text_ten + 8)); strcpy(b, hide(text_ten + 8)); hide(a); hide(b);"
                     "decide(strcmp(a, b)); strcat(a, b); decide(strlen(a)); decide(strcmp(a, b)); decide(memcmp(a, b, 2));",
    "alloca": "for (int i = 1; i < 5; i++) { char *p = __builtin_alloca(number(i * 7)); memset(p, i, i * 7); decide(((char *)hide(p))[i]); }",
    "vla": "for (int i = 1; i < 9; i++) { int a[number(i)]; for (int j = 0; j < i; j++) a[j] = j; hide(a); decide(a[i - 1]); }",
    "jump": "jmp_buf env; volatile int n = 0; if (setjmp(env) < 3) { n++; jump_back(env, n, 4); } decide(n);",
    "move": "char a[64]; for (int i = 0; i < 64; i++) a[i] = i; memmove(hide(a + 3), a, number(50)); memmove(hide(a), a + 7, number(50)); decide(a[5]);",
    "half_array": "int a[20]; int n = number(5); for (int i = 0; i < n; i++) a[i] = i; hide(a); long s = 0; for (int i = 0; i < n; i++) s += a[i]; decide(s);",
    "lazy": "int x, have = number(0); hide(&x); if (have && x > 3) use(1); decide(have);",
    "format": "char *p = hide(malloc(16)); snprintf(p, 16, \"%d %s\", (int)number(42), text_ten); decide(strlen(p)); free(p);",
    "sort": "int a[30]; for (int i = 0; i < 30; i++) a[i] = i * 7 % 30; qsort(hide(a), 30, sizeof(int), compare); decide(a[3]);",
    "reuse": "for (int i = 1; i < 40; i++) { char *p = hide(malloc(i * 5)); memset(p, i, i * 5); kept[i % 4 == 0 ? 1 : 2] = p; free(p);"
             "p = hide(calloc(1, i * 3)); decide(p[i]); free(p); }",
    "grow": "char *p = NULL; for (int i = 1; i < 300; i += 13) { p = hide(realloc(p, i)); p[i - 1] = i; } decide(p[0] * 0); decide(p[299 - 299 % 13 - 13]  * 0); free(p);",
    "zero": "char *p = hide(malloc(0)); free(p); p = hide(malloc(1)); p[0] = 1; decide(p[0]); free(p);",
    "union": "union { int n; char c[8]; } u; u.n = number(7); hide(&u); decide(u.c[0] + u.c[3]);",
    "deep": "decide(deep(number(40)));",
    "returned_struct": "struct odd a = make_odd(number(3)); hide(&a); decide(a.c + a.n);",
    "callee_saved": "long a = number(1), b = number(2), c = number(3), d = number(4); use(a); decide(a + b + c + d); use(b); decide(d);",
    "variadic": "decide(sum(3, 1, 2, 3)); decide(sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));",
    "to_caller": "int a[6]; fill(a, 6); decide(a[5]);",
    "words": "uint64_t *p = hide(malloc(8)); uint8_t *q = (uint8_t *)p; for (int i = 0; i < 8; i++) q[i] = i; decide(*(uint64_t *)hide(p) >> 40); free(p);",
    "two_arrays": "static int a[7], b[9], c[5]; fill(a, 7); fill(b, 9); fill(c, 5); fill(a, 3); use(a[1] + b[2] + c[3]);",
    "in_turn": "static int a[8], b[8], c[8]; for (int i = 0; i < number(8); i++) { a[i] = i; b[i] = 2 * i; c[i] = a[i] + b[i]; } use(c[3]);",
    "from_ten": "static int before[10], a[10]; hide(before); for (int i = 10; i < number(20); i++) { before[i - 10] = i; a[i - 10] = i; } use(a[3] + before[4]);",
    "stacks": "static int a[6], b[6], c[6]; fill(a, 6); fill(b, 6); fill(c, 6); int *x = a + number(6), *y = b + number(6), *z = c + number(6);"
              "for (int i = 0; i < 6; i++) use(take_last(&x) + take_last(&y) + take_last(&z));",
    "past_the_end": "static char a[12], b[12]; char *p = a, *end = (char *)hide(a) + 12; while (p != end) *p++ = 1; p = b; end = b + 12; while (p != end) *p++ = 2;"
                    "for (p = (char *)hide(a) + 12; p != a; ) use(*--p);",
    "global_strings": "static char a[16], b[16]; strcpy(a, hide(text_ten)); strcpy(b, a); strcat(a, hide(\"12345\")); decide(strcmp(a, b)); memcpy(b, a, 16);"
                      "decide(memcmp(a, b, 16)); memset(a, 0, 16); memmove(b, b + 3, 13); decide(strlen(b)); decide(memchr(b, 0, 16) != NULL);",
    "matrix": "static int m[4][6], n[6]; for (int i = 0; i < number(24); i++) ((int *)m)[i] = i; for (int i = 0; i < 6; i++) n[i] = m[3][i] + ((int *)hide(m))[i * 4]; use(n[4]);",
    "letters": "static char before[97], counts[26]; hide(before); for (const char *p = hide(\"thequickbrownfox\"); *p; p++) counts[*p - 'a']++; use(counts[3] + before[5]);",
    "swap": "static int a[5], b[5]; int *from = a, *to = b; for (int round = 0; round < number(4); round++) { for (int i = 0; i < 5; i++) to[i] = from[i] + i;"
            "int *other = from; from = to; to = other; } use(a[2] + b[3]);",
    "double_values": "double a[3] = {1.5, 2.5}, b[3]; memcpy(b, hide(a), sizeof(a)); decide(b[1] > 2.0); double *p = malloc(16); p[0] = 2; decide(((double *)hide(p))[0] > 1); free(p);",
    "long_text": "char *p = hide(malloc(200)); p[0] = 0; for (int i = 0; i < 15; i++) strcat(p, text_ten); decide(strlen(p)); char *q = strstr(p, \"890\"); decide(q != NULL); free(p);",
}

HELPERS = r"""
#include <stdarg.h>
static union item { union item *next; int words[6]; } items[4], *free_items;
NOIPA void *pool_get(void) { union item *item = free_items; free_items = item->next; return item; }
NOIPA void pool_put(void *block) { union item *item = block; item->next = free_items; free_items = item; }
static void fill_pool(void) { for (int i = 0; i < 4; i++) pool_put(&items[i]); }
NOIPA void jump_back(jmp_buf env, int n, int depth) { char room[50]; memset(room, n, 50); hide(room);
	if (depth) jump_back(env, n, depth - 1); else longjmp(env, n); use(room[3]); }
NOIPA int deep(int n) { char room[70]; memset(room, n, 70); hide(room); return n ? deep(n - 1) + room[n] : 0; }
NOIPA int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NOIPA struct odd make_odd(int n) { struct odd x; x.c = n; x.n = n + 1; hide(&x); x.s = 3; return x; }
static int array_of_items[8], array_of_others[8];
NOIPA void put_item(int i) { array_of_items[i] = i; }
NOIPA void put_other(int i) { array_of_others[i] = i; }
NOIPA int take_last(int **top) { return *--*top; }
NOIPA void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }
NOIPA int sum(int n, ...) { va_list v; int s = 0; va_start(v, n); while (n--) s += va_arg(v, int); va_end(v); return s; }
"""


def cases():
    """All bad ones, then all good ones: Case."""
    found = list(pairs())
    bad = [Case(f"bad_{name}", kind, seen, code) for name, kind, seen, code, _ in found]
    good = [Case(f"good_{name}", None, False, code) for name, _, _, _, code in found]
    return bad + good + [Case(f"good_{name}", None, False, code) for name, code in GOOD.items()]


def source():
    """The C source of all."""
    lines = [HEAD, HELPERS]
    for length in range(11):
        lines.append(f"NOIPA void *frame_{length}(int n) {{ int room[{length + 1}]; for (int i = 0; i <= {length}; i++)"
                     " room[i] = n; return hide(room); }")
        lines.append(f"NOIPA int frame_value_{length}(int n) {{ int room[{length + 1}]; for (int i = 0; i <= {length}; i++)"
                     " room[i] = n; return *(int *)hide(room); }")
    for case in cases():
        lines.append(f"NOIPA static void {case.name}(void)\n{{\n\t{case.code}\n}}")
    lines.append("static void (*const all[])(void) = {" + ", ".join(case.name for case in cases()) + "};")
    lines.append(f"""static void run(int number)
{{
	if (number >= 0)
		all[number]();
	else
		for (unsigned i = {sum(case.kind is not None for case in cases())}; i < {len(cases())}; i++)
			all[i]();
}}
#ifdef HOST
int main(int argc, char **argv) {{ which = atoi(argv[argc - 1]); run(which); return 0; }}
#else
int main(void) {{ run(which); return 0; }}
#endif""")
    return "\n".join(lines) + "\n"
