/* Does every exported function survive wrong input, and say that it is wrong? Each is called with nothing at all, with NULL for each
 * pointer in turn, with invented and stale handles, and with sizes that nothing has. Where NULL is legal, wrong_input.tsv says why. */
#include "check.h"

#include <signal.h>

#define NO_CODE (-1L)
#define MOST 64

enum kind { ZERO, NULL_ONE, INVENTED, STALE, HUGE_SIZES };

struct variant {
    enum kind kind;
    int which;
};

struct function {
    const char *name;
    long (*call)(const struct variant *);
    int parameters;
    /* Cases that are not wrong, with blanks around them. */
    const char *allowed;
    const char *names[MOST];
};

/* What the last call had. */
static int is_pointer[MOST], is_handle[MOST];
static char scratch[MOST][4096] __attribute__((aligned(64)));
static void *stale;
static const char *now = "";

/* For arguments that are functions. */
static void *nothing(void)
{
    return NULL;
}

static void set(const struct variant *v, void *place, size_t size, int class, int index, int role)
{
    const int pointer = class == 5;
    memset(place, 0, size);
    is_pointer[index] = pointer;
    is_handle[index] = pointer && role == 1;
    if (v->kind == ZERO || (v->kind == NULL_ONE && v->which == index)) return;
    if (pointer) {
        void *value = scratch[index];
        if (v->kind == STALE && role == 1) value = stale;
        if (role == 2) value = (void *)nothing;
        memcpy(place, &value, size < sizeof value ? size : sizeof value);
    } else if (class == 1 || class == 2 || class == 3) {
        /* An integer, a character or an enumeration. */
        const uint64_t value = v->kind == HUGE_SIZES && size == 8 ? UINT64_C(0x7f7f7f7f7f7f7f7f) : 1;
        memcpy(place, &value, size < 8 ? size : 8);
    }
}

#define SET(v, a, index, role) set((v), &(a), sizeof(a), __builtin_classify_type(a), (index), (role))

#include "wrong_input.h"

static void crashed(int signal)
{
    fprintf(stderr, "%s: signal %d\n", now, signal);
    _exit(3);
}

static int wrong;

static int is_allowed(const struct function *f, const char *what)
{
    char word[256];
    snprintf(word, sizeof word, " %s ", what);
    return strstr(f->allowed, word) != NULL;
}

/* Codes of the interface, of operators by function and of HCCL. */
static int is_code(long code)
{
    return (code >= 100000 && code < 600000) || (code > 0 && code < 64) || code == -1;
}

static void expect(const struct function *f, struct variant v, const char *what)
{
    char text[512];
    if (v.kind == HUGE_SIZES && is_allowed(f, what)) return;
    snprintf(text, sizeof text, "%s with %s", f->name, what);
    now = text;
    memset(scratch, 0, sizeof scratch);
    const long code = f->call(&v);
    now = "";
    if (v.kind == HUGE_SIZES || v.kind == INVENTED || code == NO_CODE) return;
    if (code == ACL_SUCCESS && !is_allowed(f, what)) {
        fprintf(stderr, "%s\t%s\tsucceeds\n", f->name, what);
        wrong++;
    } else if (code != ACL_SUCCESS && is_allowed(f, what)) {
        fprintf(stderr, "%s\t%s\treturns %ld, but the list says that it is legal\n", f->name, what, code);
        wrong++;
    } else if (code != ACL_SUCCESS && !is_code(code)) {
        fprintf(stderr, "%s\t%s\treturns %ld, which is no code\n", f->name, what, code);
        wrong++;
    }
}

/* The call may have changed which device is current, or ended it. */
static void restore(void)
{
    aclrtContext context = NULL;
    if (aclrtGetCurrentContext(&context) != ACL_SUCCESS) OK(aclrtSetDevice(0));
}

int main(int argc, char **argv)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stale));
    OK(aclrtDestroyStream(stale));
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t i = 0; i < 4; i++) signal(signals[i], crashed);
    alarm(300);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        if (argc > 1 && strcmp(argv[1], f->name) != 0) continue;
        CHECK(f->parameters <= MOST);
        int pointers = 0, handles = 0;
        /* Says also which arguments are pointers. */
        expect(f, (struct variant){INVENTED, 0}, "invented");
        for (int p = 0; p < f->parameters; p++) {
            pointers += is_pointer[p];
            handles += is_handle[p];
        }
        int at[MOST];
        memcpy(at, is_pointer, sizeof at);
        if (pointers > 0) expect(f, (struct variant){ZERO, 0}, "zero");
        if (handles > 0) expect(f, (struct variant){STALE, 0}, "stale");
        for (int p = 0; p < f->parameters; p++) {
            if (at[p]) expect(f, (struct variant){NULL_ONE, p}, f->names[p]);
        }
        expect(f, (struct variant){HUGE_SIZES, 0}, "huge");
        restore();
    }
    EQ(wrong, 0);
    return 0;
}
