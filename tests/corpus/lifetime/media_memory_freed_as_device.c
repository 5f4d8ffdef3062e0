// rule: memory.wrong-free
// wrong: memory for media processing is freed as device memory
#include "corpus.h"

#include "acl/ops/acl_dvpp.h"

enum { WIDTH = 128, HEIGHT = 64, YUV = WIDTH * HEIGHT * 3 / 2 };

int main(void)
{
    void *frame = NULL;
    start();
    ACL(acldvppMalloc(&frame, YUV));
    ACL(aclrtMemset(frame, YUV, 128, YUV));
    EXPECT(device_bytes(frame, YUV, 128));
#ifdef WRONG
    TRY(aclrtFree(frame));
#else
    ACL(acldvppFree(frame));
#endif
    return finish();
}
