// rule: segment.media
// wrong: the planes of a picture in media memory start on multiples of 64 instead of 128
#include "heaps.h"

#include "acl/ops/acl_dvpp.h"

enum { PICTURE = 64 * 33, PICTURES = 3 };

int main(void)
{
    mstxMemRegionHandle_t regions[PICTURES];
    void *media = NULL;
    start();
    ACL(acldvppMalloc(&media, 16384));
    mstxMemHeapHandle_t heap = heap_register(media, 16384);
#ifdef WRONG
    size_t stride = PICTURE;
#else
    size_t stride = (PICTURE + 127) / 128 * 128;
#endif
    for (int i = 0; i < PICTURES; i++) {
        char *picture = (char *)media + i * stride;
        regions[i] = region_register(heap, picture, PICTURE);
        ACL(aclrtMemset(picture, PICTURE, i, PICTURE));
        EXPECT(device_bytes(picture, PICTURE, i));
    }
    for (int i = 0; i < PICTURES; i++)
        region_unregister(regions[i]);
    mstxMemHeapUnregister(globalDomain, heap);
    ACL(acldvppFree(media));
    return finish();
}
