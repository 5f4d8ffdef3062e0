// rule: memory.dest-max
// wrong: the room that the copy is told is that of the whole buffer, although it begins in its middle
#include "corpus.h"

enum { PART = 4096, PARTS = 4 };

int main(void)
{
    static char host[PART];
    start();
    char *buffer = device_memory(PARTS * PART);
    for (int part = 0; part < PARTS; part++) {
        memset(host, part, PART);
#ifdef WRONG
        size_t room = PARTS * PART;
#else
        size_t room = (size_t)(PARTS - part) * PART;
#endif
        ACL(aclrtMemcpy(buffer + part * PART, room, host, PART, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    for (int part = 0; part < PARTS; part++)
        EXPECT(device_bytes(buffer + part * PART, PART, part));
    ACL(aclrtFree(buffer));
    return finish();
}
