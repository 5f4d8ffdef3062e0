// rule: stream.host-buffer
// wrong: the next record is read from the file into a slot whose copy is still queued
#include "corpus.h"

#include <unistd.h>

/* A data loader: records come from a file straight into pinned memory, in four different ways. */
enum { SLOTS = 4, SLOT = 512, RECORDS = 12 };

static void read_record(FILE *file, int record, char *slot)
{
    long offset = (long)record * SLOT;
    size_t got = 0;
    switch (record % 3) {
    case 0:
        fseek(file, offset, SEEK_SET);
        got = fread(slot, 1, SLOT, file);
        break;
    case 1:
        got = (size_t)pread(fileno(file), slot, SLOT, offset);
        break;
    default:
        lseek(fileno(file), offset, SEEK_SET);
        got = (size_t)read(fileno(file), slot, SLOT);
    }
    EXPECT(got == SLOT);
}

int main(void)
{
    aclrtEvent copied[SLOTS];
    char record[SLOT];
    FILE *file = tmpfile();
    for (int i = 0; i < RECORDS; i++) {
        memset(record, 'a' + i, SLOT);
        fwrite(record, 1, SLOT, file);
    }
    fflush(file);
    setvbuf(file, NULL, _IONBF, 0);

    start();
    aclrtStream stream = new_stream();
    char *ring = pinned_memory(SLOTS * SLOT), *device = device_memory(RECORDS * SLOT);
    for (int i = 0; i < SLOTS; i++)
        copied[i] = new_event();
    for (int i = 0; i < RECORDS; i++) {
        char *slot = ring + i % SLOTS * SLOT;
#ifndef WRONG
        if (i >= SLOTS)
            ACL(aclrtSynchronizeEvent(copied[i % SLOTS]));
#endif
        read_record(file, i, slot);
        ACL(aclrtMemcpyAsync(device + i * SLOT, SLOT, slot, SLOT, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL(aclrtRecordEvent(copied[i % SLOTS], stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int i = 0; i < RECORDS; i++)
        EXPECT(device_bytes(device + i * SLOT, SLOT, 'a' + i));
    for (int i = 0; i < SLOTS; i++)
        ACL(aclrtDestroyEvent(copied[i]));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(ring));
    ACL(aclrtDestroyStream(stream));
    fclose(file);
    return finish();
}
