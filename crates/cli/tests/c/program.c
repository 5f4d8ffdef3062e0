/* A program for the tests of `millpond check`: what it does is said by its arguments, in their order.
 *
 *   open      uses the library: one device, two streams, memory
 *   right     copies in, from stream to stream and out, in order
 *   race      one stream reads what another writes, with no order between them
 *   tidy      gives everything back
 *   mstx      annotates, and calls nothing else
 *   marks     annotates twenty thousand times
 *   escape    says control characters in every way that reaches a terminal
 *   no-files  from now on no file may grow (RLIMIT_FSIZE), and SIGXFSZ keeps its default
 *   close     closes every descriptor from 3 on, and opens files of its own in their place
 *   mine      fails unless those files are still empty
 *   drop-env  clears the environment
 *   folder    changes to the root folder
 *   root      makes another folder its root, if it may
 *   user      becomes another user, if it may
 *   exec:A,B  becomes itself with other words
 *   daemon    forks; the child goes on, the parent ends
 *   fork-end  forks; the child ends by exit() at once
 *   say:WORD  prints a word
 *   wait      waits for the end of stdin
 *   _exit     leaves by _exit(0)
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "mstx/ms_tools_ext.h"

enum { BYTES = 4096, FILES = 64 };

static aclrtStream one, other;
static void *input, *batch, *result;
static int mine[FILES];

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "program: %s\n", what);
        exit(99);
    }
}

static void open_device(void)
{
    check(aclInit(NULL) == 0, aclGetRecentErrMsg());
    check(aclrtSetDevice(0) == 0, "aclrtSetDevice");
    check(aclrtCreateStream(&one) == 0, "aclrtCreateStream");
    check(aclrtCreateStream(&other) == 0, "aclrtCreateStream");
    check(aclrtMallocHost(&input, BYTES) == 0, "aclrtMallocHost");
    check(aclrtMalloc(&batch, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
    check(aclrtMalloc(&result, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
    memset(input, 7, BYTES);
}

static void race(void)
{
    aclrtMemcpyAsync(batch, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, one);
    aclrtMemcpyAsync(result, BYTES, batch, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, other);
    aclrtSynchronizeDevice();
}

static void right(void)
{
    aclrtEvent loaded;
    check(aclrtCreateEventExWithFlag(&loaded, ACL_EVENT_SYNC) == 0, "aclrtCreateEvent");
    aclrtMemcpyAsync(batch, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, one);
    aclrtRecordEvent(loaded, one);
    aclrtStreamWaitEvent(other, loaded);
    aclrtMemcpyAsync(result, BYTES, batch, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, other);
    aclrtMemcpyAsync(input, BYTES, result, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, other);
    aclrtSynchronizeDevice();
    aclrtDestroyEvent(loaded);
}

static void tidy(void)
{
    aclrtFree(result);
    aclrtFree(batch);
    aclrtFreeHost(input);
    aclrtDestroyStream(other);
    aclrtDestroyStream(one);
    aclrtResetDevice(0);
    aclFinalize();
}

static void close_and_open(void)
{
    for (int number = 3; number < 4096; number++)
        close(number);
    for (int index = 0; index < FILES; index++) {
        char name[] = "/tmp/millpond-mine-XXXXXX";
        mine[index] = mkstemp(name);
        check(mine[index] >= 0, "mkstemp");
        unlink(name);
    }
    /* Wherever the library may have had its own. */
    for (int number = 100; number < 1024; number++)
        dup2(mine[number % FILES], number);
}

static void still_empty(void)
{
    for (int index = 0; index < FILES; index++) {
        struct stat status;
        check(fstat(mine[index], &status) == 0 && status.st_size == 0, "something was written to my file");
    }
}

static void annotate(void)
{
    mstxDomainHandle_t domain = mstxDomainCreateA("pool");
    mstxDomainMarkA(domain, "step", NULL);
    mstxMarkA("step", NULL);
    mstxDomainDestroy(domain);
}

static void escape(void)
{
    mstxMarkA("red \033[31m mark", NULL);
    check(aclInit("/no/such \033[2J file") != 0, "a file that is not there");
}

int main(int count, char **words)
{
    for (int index = 1; index < count; index++) {
        const char *word = words[index];
        if (!strcmp(word, "open")) {
            open_device();
        } else if (!strcmp(word, "right")) {
            right();
        } else if (!strcmp(word, "race")) {
            race();
        } else if (!strcmp(word, "tidy")) {
            tidy();
        } else if (!strcmp(word, "mstx")) {
            annotate();
        } else if (!strcmp(word, "marks")) {
            for (int step = 0; step < 20000; step++)
                mstxMarkA("step", NULL);
        } else if (!strcmp(word, "escape")) {
            escape();
        } else if (!strcmp(word, "no-files")) {
            struct rlimit none = { 0, 0 };
            check(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
        } else if (!strcmp(word, "close")) {
            close_and_open();
        } else if (!strcmp(word, "mine")) {
            still_empty();
        } else if (!strcmp(word, "drop-env")) {
            clearenv();
        } else if (!strcmp(word, "folder")) {
            check(chdir("/") == 0, "chdir");
        } else if (!strcmp(word, "root")) {
            if (chroot("/proc/sys") == 0)
                check(chdir("/") == 0, "chdir");
        } else if (!strcmp(word, "user")) {
            if (geteuid() == 0)
                check(setgid(65534) == 0 && setuid(65534) == 0, "setuid");
        } else if (!strncmp(word, "exec:", 5)) {
            char *others[16] = { words[0], strtok(words[index] + 5, ",") };
            for (int next = 2; next < 16 && others[next - 1] != NULL; next++)
                others[next] = strtok(NULL, ",");
            execv("/proc/self/exe", others);
            check(0, "execv");
        } else if (!strcmp(word, "daemon")) {
            pid_t child = fork();
            check(child >= 0, "fork");
            if (child > 0)
                _exit(0);
        } else if (!strcmp(word, "fork-end")) {
            pid_t child = fork();
            if (child == 0)
                exit(0);
            check(waitpid(child, NULL, 0) == child, "waitpid");
        } else if (!strncmp(word, "say:", 4)) {
            puts(word + 4);
            fflush(stdout);
        } else if (!strcmp(word, "wait")) {
            while (getchar() != EOF)
                ;
        } else if (!strcmp(word, "_exit")) {
            _exit(0);
        } else {
            check(0, word);
        }
    }
    return 0;
}
