// rule: memory.overlap
// wrong: a picture is scrolled by copying its rows onto themselves, sixteen bytes to the left
#include "corpus.h"

enum { PITCH = 256, HEIGHT = 20, VISIBLE = 128 };

int main(void)
{
    static unsigned char host[PITCH * HEIGHT], back[PITCH * HEIGHT];
    start();
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(i % PITCH);
    char *picture = device_memory(sizeof host), *other = device_memory(sizeof host);
    upload(picture, host, sizeof host);
    upload(other, host, sizeof host);
#ifdef WRONG
    char *target = picture;
#else
    char *target = other;
#endif
    ACL(aclrtMemcpy2d(target, PITCH, picture + 16, PITCH, VISIBLE, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE));
    download(back, target, sizeof back);
    for (int row = 0; row < HEIGHT; row++)
        EXPECT(memcmp(back + row * PITCH, host + row * PITCH + 16, VISIBLE) == 0);
    ACL(aclrtFree(other));
    ACL(aclrtFree(picture));
    return finish();
}
