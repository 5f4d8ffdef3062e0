/* Runs this very program once more, in the checking mode, and looks at what it says.
 *
 * A test program calls `part()` first. In the child it answers the name of the part to play; in
 * the parent NULL, and then `play` starts children. */
#ifndef MILLPOND_TESTS_CHECKED_H
#define MILLPOND_TESTS_CHECKED_H

#include "check.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

extern char **environ;

/* What the last child said: on stderr, in the file of findings, and its records as text. */
static char said[1 << 16];
static char found[1 << 16];
static char records[1 << 18];

static inline const char *part(void)
{
    return getenv("TEST_PART");
}

static inline void slurp(const char *path, char *to, size_t room)
{
    size_t got = 0;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        got = fread(to, 1, room - 1, file);
        fclose(file);
    }
    to[got] = '\0';
    unlink(path);
}

/* Plays a part in a child with further variables, a list of NAME=VALUE that ends with NULL. Answers
 * what waitpid does. */
static inline int play(const char *name, const char *const *variables)
{
    char paths[3][64], self[4096];
    int status = 0, i;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    pid_t child;

    CHECK(length > 0);
    self[length] = '\0';
    for (i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "/tmp/checked.%d.%d", (int)getpid(), i);
        unlink(paths[i]);
    }
    fflush(NULL);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char *const arguments[] = {self, NULL};
        setenv("TEST_PART", name, 1);
        setenv("MILLPOND_CHECK", "1", 1);
        setenv("MILLPOND_CHECK_FINDINGS", paths[1], 1);
        setenv("MILLPOND_RECORDS", paths[2], 1);
        for (; variables != NULL && *variables != NULL; variables++) {
            const char *sign = strchr(*variables, '=');
            char key[128];
            snprintf(key, sizeof key, "%.*s", (int)(sign - *variables), *variables);
            if (sign[1] == '\0') {
                unsetenv(key);
            } else {
                setenv(key, sign + 1, 1);
            }
        }
        if (freopen(paths[0], "w", stderr) == NULL) {
            _exit(98);
        }
        execve(self, arguments, environ);
        _exit(97);
    }
    while (waitpid(child, &status, 0) < 0) {
        CHECK(errno == EINTR);
    }
    slurp(paths[0], said, sizeof said);
    slurp(paths[1], found, sizeof found);
    slurp(paths[2], records, sizeof records);
    return status;
}

static inline void tell_all(void)
{
    fprintf(stderr, "stderr of the child:\n%s\nits findings:\n%s\nits records:\n%s\n", said, found,
            records);
}

/* How often a text is in another. */
static inline int times(const char *where, const char *what)
{
    int count = 0;
    for (where = strstr(where, what); where != NULL; where = strstr(where + 1, what)) {
        count++;
    }
    return count;
}

/* The child left with this status, and what it said has a text so many times. */
#define LEFT(status, code) checked_true(WIFEXITED(status) && WEXITSTATUS(status) == (code), __LINE__, #status " leaves with " #code)
#define KILLED(status, number) checked_true(WIFSIGNALED(status) && WTERMSIG(status) == (number), __LINE__, #status " ends by " #number)
#define HAS(where, what) checked_true(strstr((where), (what)) != NULL, __LINE__, #where " has " what)
#define TIMES(where, what, count) checked_true(times((where), (what)) == (count), __LINE__, #where " has " what " " #count " times")

static inline void checked_true(int held, int line, const char *what)
{
    if (!held) {
        tell_all();
        check_true(0, "this program", line, what);
    }
}

#endif
