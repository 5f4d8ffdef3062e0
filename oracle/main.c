/*
 * Asks the questions and prints one line for each: id, functions, what it asks, answer, with tabs between them.
 *
 *     oracle [--library PATH]... [--seconds N] [--only PREFIX] [--list]
 *
 * The library is loaded in child processes only. A child asks questions until one ends it; the next child goes on behind that one.
 * Answers are in memory that parent and children share, so that what a question had stated before it crashed is kept.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

#define MOST_QUESTIONS 4096
#define MOST_LIBRARIES 32

enum progress { NOT_ASKED, ASKING, ANSWERED };

/* One answer, in shared memory. */
struct answer {
    volatile enum progress progress;
    char text[1000];
};

/* What a child tells its parent. */
struct board {
    volatile unsigned steps; /* grows whenever something happens: a child that does not get further hangs */
    struct answer answers[MOST_QUESTIONS];
};

static const struct question *questions[MOST_QUESTIONS];
static size_t question_count;
static struct board *board;
static struct answer *current;
static jmp_buf next_question;
static void *libraries[MOST_LIBRARIES];
static size_t library_count;
static const char *wanted[MOST_LIBRARIES] = {
#include "libraries.inc"
};

void oracle_add(const struct question *question)
{
    if (question_count == MOST_QUESTIONS) {
        fputs("oracle: too many questions\n", stderr);
        exit(2);
    }
    questions[question_count++] = question;
}

static void state_fact(const char *name, const char *format, va_list values)
{
    size_t used = strlen(current->text);
    size_t room = sizeof current->text - used;
    int written = snprintf(current->text + used, room, "%s%s=", used ? " " : "", name);
    if (written > 0 && (size_t)written < room) {
        char *value = current->text + used + written;
        vsnprintf(value, room - (size_t)written, format, values);
        /* Facts are separated by spaces, answers by lines. */
        for (; *value; value++) {
            if (*value == ' ' || *value == '\t' || *value == '\n') {
                *value = '_';
            }
        }
    }
}

void fact(const char *name, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    state_fact(name, format, values);
    va_end(values);
}

void code(const char *name, long long value)
{
    fact(name, "%lld", value);
}

void need(const char *what, long long status)
{
    if (status != 0) {
        fact("stopped", "%s:%lld", what, status);
        longjmp(next_question, 1);
    }
}

void *oracle_find(const char *name)
{
    for (size_t index = 0; index < library_count; index++) {
        void *found = dlsym(libraries[index], name);
        if (found) {
            return found;
        }
    }
    fact("missing", "%s", name);
    longjmp(next_question, 1);
}

const char *pointer(const void *value)
{
    return value ? "set" : "NULL";
}

aclrtStream new_stream(void)
{
    aclrtStream stream = NULL;
    need("aclrtCreateStream", CALL(aclrtCreateStream)(&stream));
    return stream;
}

void *new_block(size_t bytes)
{
    void *block = NULL;
    need("aclrtMalloc", CALL(aclrtMalloc)(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}

void *new_pinned(size_t bytes)
{
    void *block = NULL;
    need("aclrtMallocHost", CALL(aclrtMallocHost)(&block, bytes));
    return block;
}

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
};

static void wait_at_gate(void *argument)
{
    struct gate *gate = argument;
    pthread_mutex_lock(&gate->lock);
    while (!gate->open) {
        pthread_cond_wait(&gate->changed, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

struct gate *new_gate(aclrtStream stream)
{
    struct gate *gate = calloc(1, sizeof *gate);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    need("aclrtLaunchHostFunc", CALL(aclrtLaunchHostFunc)(stream, wait_at_gate, gate));
    return gate;
}

void open_gate(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static void load_libraries(void)
{
    for (size_t index = 0; index < MOST_LIBRARIES && wanted[index]; index++) {
        void *library = dlopen(wanted[index], RTLD_NOW | RTLD_GLOBAL);
        if (library) {
            libraries[library_count++] = library;
        }
    }
}

/* Brings the process into the state that a question is asked in. */
static void prepare(enum state state)
{
    if (state >= INITIALISED) {
        need("aclInit", CALL(aclInit)(NULL));
    }
    if (state >= DEVICE) {
        need("aclrtSetDevice", CALL(aclrtSetDevice)(0));
    }
}

/* Life of a child: asks from `first` on, up to a question that needs another process. */
static void ask_from(size_t first)
{
    struct answer setup = {NOT_ASKED, ""};
    const struct question *leader = questions[first];
    load_libraries();
    current = &setup;
    if (setjmp(next_question)) {
        snprintf(board->answers[first].text, sizeof setup.text, "setup:%.900s", setup.text);
        board->answers[first].progress = ANSWERED;
        return;
    }
    board->answers[first].progress = ASKING;
    prepare(leader->state);
    for (volatile size_t index = first; index < question_count; index++) {
        const struct question *question = questions[index];
        if (index > first && (question->alone || leader->alone || question->state != leader->state)) {
            return;
        }
        current = &board->answers[index];
        current->progress = ASKING;
        board->steps++;
        if (!setjmp(next_question)) {
            question->ask();
        }
        current->progress = ANSWERED;
        board->steps++;
    }
}

/* How a child ended: its signal, 0 for a normal end, -1 for one that did not get further and was killed. */
static int watch(pid_t child, unsigned seconds)
{
    const struct timespec pause = {0, 1000000};
    unsigned seen = board->steps;
    unsigned long waited = 0;
    for (;;) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) {
            return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        }
        if (board->steps != seen) {
            seen = board->steps;
            waited = 0;
        } else if (waited++ > seconds * 1000UL) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

static void add_end(struct answer *answer, int end)
{
    size_t used = strlen(answer->text);
    char *rest = answer->text + used;
    size_t room = sizeof answer->text - used;
    const char *space = used ? " " : "";
    if (end < 0) {
        snprintf(rest, room, "%stimeout", space);
    } else if (end > 0) {
        snprintf(rest, room, "%scrashed=%d", space, end);
    } else {
        snprintf(rest, room, "%sexited", space);
    }
    answer->progress = ANSWERED;
}

static void ask_all(const char *only, unsigned seconds)
{
    size_t kept = 0;
    for (size_t index = 0; index < question_count; index++) {
        if (strncmp(questions[index]->id, only, strlen(only)) == 0) {
            questions[kept++] = questions[index];
        }
    }
    question_count = kept;
    for (size_t first = 0; first < question_count;) {
        pid_t child = fork();
        if (child < 0) {
            perror("oracle: fork");
            exit(2);
        }
        if (child == 0) {
            /* What the library says goes nowhere; the parent's output is the answers. */
            if (!freopen("/dev/null", "w", stdout) || (!getenv("ORACLE_STDERR") && !freopen("/dev/null", "w", stderr))) {
                _exit(2);
            }
            ask_from(first);
            _exit(0);
        }
        int end = watch(child, seconds);
        size_t last = first;
        while (last < question_count && board->answers[last].progress == ANSWERED) {
            last++;
        }
        if (last < question_count && board->answers[last].progress == ASKING) {
            add_end(&board->answers[last], end);
            last++;
        } else if (last == first) {
            add_end(&board->answers[last], end);
            last++;
        }
        first = last;
    }
}

int main(int count, char **words)
{
    unsigned seconds = 60;
    const char *only = "";
    bool list = false;
    size_t named = 0;
    for (int index = 1; index < count; index++) {
        if (strcmp(words[index], "--list") == 0) {
            list = true;
        } else if (index + 1 < count && strcmp(words[index], "--library") == 0) {
            if (named == 0) {
                memset(wanted, 0, sizeof wanted);
            }
            wanted[named++ % MOST_LIBRARIES] = words[++index];
        } else if (index + 1 < count && strcmp(words[index], "--seconds") == 0) {
            seconds = (unsigned)atoi(words[++index]);
        } else if (index + 1 < count && strcmp(words[index], "--only") == 0) {
            only = words[++index];
        } else {
            fputs("usage: oracle [--library PATH]... [--seconds N] [--only PREFIX] [--list]\n", stderr);
            return 2;
        }
    }
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        perror("oracle: mmap");
        return 2;
    }
    /* Crashes are answers; nobody needs a core file of each. */
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!list) {
        ask_all(only, seconds);
    }
    for (size_t index = 0; index < question_count; index++) {
        const struct question *question = questions[index];
        printf("%s\t%s\t%s\t%s\n", question->id, question->functions, question->asks, board->answers[index].text);
    }
    return 0;
}
