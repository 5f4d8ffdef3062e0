// rule: stream.race
// wrong: a camera image of 2160 rows is cropped on one stream while another still uploads it
#include "corpus.h"

enum { HEIGHT = 2160, PITCH = 512, WIDTH = 400, CROP = 100 };

int main(void)
{
    start();
    aclrtStream camera = new_stream(), vision = new_stream();
    aclrtEvent frame_there = new_event();
    char *frame = pinned_memory(HEIGHT * WIDTH), *image = device_memory(HEIGHT * PITCH);
    char *crop = device_memory(HEIGHT * CROP), *result = malloc(HEIGHT * CROP);

    for (int turn = 0; turn < 2; turn++) {
        memset(frame, 60 + turn, HEIGHT * WIDTH);
        ACL(aclrtMemcpy2dAsync(image, PITCH, frame, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE, camera));
        ACL(aclrtRecordEvent(frame_there, camera));
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(vision, frame_there));
#endif
        ACL(aclrtMemcpy2dAsync(crop, CROP, image + 80, PITCH, CROP, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE, vision));
        ACL(aclrtSynchronizeStream(vision));
        ACL(aclrtSynchronizeStream(camera));
        download(result, crop, HEIGHT * CROP);
        EXPECT(all_bytes(result, HEIGHT * CROP, 60 + turn));
    }
    free(result);
    ACL(aclrtFree(crop));
    ACL(aclrtFree(image));
    ACL(aclrtFreeHost(frame));
    ACL(aclrtDestroyEvent(frame_there));
    ACL(aclrtDestroyStream(vision));
    ACL(aclrtDestroyStream(camera));
    return finish();
}
