// rule: memory.pitch
// wrong: the pitch is given in pixels, the width in bytes
#include "corpus.h"

enum { WIDTH = 120, HEIGHT = 40, CHANNELS = 3, STRIDE = 512 };

int main(void)
{
    static unsigned char picture[HEIGHT * WIDTH * CHANNELS], back[HEIGHT * WIDTH * CHANNELS];
    start();
    aclrtStream stream = new_stream();
    void *staging = pinned_memory(sizeof picture), *device = device_memory(HEIGHT * STRIDE);
    for (size_t i = 0; i < sizeof picture; i++)
        picture[i] = (unsigned char)i;
    memcpy(staging, picture, sizeof picture);
#ifdef WRONG
    size_t pitch = WIDTH;
#else
    size_t pitch = WIDTH * CHANNELS;
#endif
    TRY(aclrtMemcpy2dAsync(device, STRIDE, staging, pitch, WIDTH * CHANNELS, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    TRY(aclrtSynchronizeStream(stream));
#ifndef WRONG
    ACL(aclrtMemcpy2d(back, pitch, device, STRIDE, WIDTH * CHANNELS, HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(memcmp(picture, back, sizeof back) == 0);
#endif
    (void)back;
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(staging));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
