// rule: memory.out-of-bounds
// wrong: the ring's index goes below zero when it steps back from its first slot
#include "corpus.h"

enum { SLOTS = 5, SLOT = 4096 };

static int slot_before(int slot)
{
#ifdef WRONG
    return slot - 1;
#else
    return (slot + SLOTS - 1) % SLOTS;
#endif
}

int main(void)
{
    static char back[SLOT];
    start();
    char *ring = device_memory(SLOTS * SLOT);
    for (int slot = 0; slot < SLOTS; slot++)
        ACL(aclrtMemset(ring + slot * SLOT, SLOT, slot, SLOT));
    for (int slot = SLOTS - 1; slot >= 0; slot--) {
        int before = slot_before(slot);
        download(back, ring + before * SLOT, SLOT);
        EXPECT(all_bytes(back, SLOT, (slot + SLOTS - 1) % SLOTS));
    }
    ACL(aclrtFree(ring));
    return finish();
}
