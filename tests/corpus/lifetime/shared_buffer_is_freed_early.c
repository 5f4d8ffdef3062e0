// rule: memory.freed-while-shared
// wrong: the exporter frees the buffer when the other process has read it, not when it has closed it
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

enum { BYTES = 1 << 16, KEY = 65 };

static void say(int end)
{
    EXPECT(write(end, "!", 1) == 1);
}

static void hear(int end)
{
    char said;
    EXPECT(read(end, &said, 1) == 1);
}

static void importer(const int from[2], const int to[2])
{
    char key[KEY];
    void *shared = NULL, *own;
    EXPECT(read(from[0], key, KEY) == KEY);
    start();
    own = device_memory(BYTES);
    ACL(aclrtIpcMemImportByKey(&shared, key, 0));
    ACL(aclrtMemcpy(own, BYTES, shared, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
#ifdef WRONG
    say(to[1]);
    hear(from[0]);
    ACL(aclrtIpcMemClose(key));
#else
    ACL(aclrtIpcMemClose(key));
    say(to[1]);
    hear(from[0]);
#endif
    ACL(aclrtFree(own));
    finish();
}

int main(void)
{
    int out[2], back[2], status = 0;
    char key[KEY];
    void *shared;
    EXPECT(pipe(out) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0) {
        importer(out, back);
        exit(corpus_mistakes ? 3 : 0);
    }
    start();
    shared = device_memory(BYTES);
    ACL(aclrtMemset(shared, BYTES, 1, BYTES));
    ACL(aclrtIpcMemGetExportKey(shared, BYTES, key, KEY, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    EXPECT(write(out[1], key, KEY) == KEY);
    hear(back[0]);
    ACL(aclrtIpcMemClose(key));
    ACL(aclrtFree(shared));
    say(out[1]);
    EXPECT(waitpid(child, &status, 0) == child);
    finish();
    return status || corpus_mistakes ? 3 : 0;
}
