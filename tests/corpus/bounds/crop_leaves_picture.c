// rule: memory.out-of-bounds
// wrong: the crop begins ten rows before the end of the picture and is sixteen rows high
#include "corpus.h"

enum { WIDTH = 256, HEIGHT = 64, CROP_WIDTH = 32, CROP_HEIGHT = 16 };

static void crop(char *to, const char *picture, int x, int y)
{
    TRY(aclrtMemcpy2d(to, CROP_WIDTH, picture + y * WIDTH + x, WIDTH, CROP_WIDTH, CROP_HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

int main(void)
{
    start();
    char *picture = device_memory(WIDTH * HEIGHT), *face = device_memory(CROP_WIDTH * CROP_HEIGHT);
    ACL(aclrtMemset(picture, WIDTH * HEIGHT, 77, WIDTH * HEIGHT));
    crop(face, picture, 0, 0);
    EXPECT(device_bytes(face, CROP_WIDTH * CROP_HEIGHT, 77));
#ifdef WRONG
    int bottom = HEIGHT - 10;
#else
    int bottom = HEIGHT - CROP_HEIGHT;
#endif
    crop(face, picture, WIDTH - CROP_WIDTH, bottom);
    EXPECT(device_bytes(face, CROP_WIDTH * CROP_HEIGHT, 77));
    ACL(aclrtFree(face));
    ACL(aclrtFree(picture));
    return finish();
}
