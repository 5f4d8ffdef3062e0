/* May a program fork first and use the runtime in the children? Yes: this is how
 * worker processes are made. A process in which no call was made has nothing that
 * a fork could break, and parent and children then have devices of their own. */
#include "check.h"
#include <sys/wait.h>

static void use_a_device(int value)
{
    void *block = NULL;
    unsigned char byte = 0;
    OPEN_DEVICE();
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 4096, value, 4096));
    sleep_ms(20);
    OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(byte, value);
    OK(aclrtFree(block));
    CLOSE_DEVICE();
}

int main(void)
{
    pid_t children[2];
    int i;
    for (i = 0; i < 2; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            use_a_device(i + 1);
            return 0;
        }
    }
    use_a_device(9);
    for (i = 0; i < 2; i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i]);
        CHECK(WIFEXITED(status));
        EQ(WEXITSTATUS(status), 0);
    }
    return 0;
}
