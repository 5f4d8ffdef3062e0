/* How does a program register an allocator of its own for a stream? A descriptor is
 * filled, registered (which copies it) and may then be changed or destroyed without
 * effect. Five pointers, in an order that programs rely on. */
#include "check.h"
#include <acl/acl_rt_allocator.h>

/* The layout that programs cast a descriptor to. */
typedef struct {
    void *object;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
} Layout;

static void *alloc_a(aclrtAllocator object, size_t size)
{
    (void)object;
    return malloc(size);
}

static void *alloc_b(aclrtAllocator object, size_t size)
{
    (void)object;
    return calloc(1, size);
}

static void free_a(aclrtAllocator object, aclrtAllocatorBlock block)
{
    (void)object;
    free(block);
}

static void *advise_a(aclrtAllocator object, size_t size, aclrtAllocatorAddr address)
{
    (void)object;
    (void)address;
    return malloc(size);
}

static void *address_a(aclrtAllocatorBlock block)
{
    return block;
}

static int object_a, object_b;

/* One that can be registered. The advising function is the only optional one. */
static aclrtAllocatorDesc complete_desc(void)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    CHECK(desc != NULL);
    OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_a));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_a));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_a));
    return desc;
}

/* What a lookup writes, with values that no lookup would write. */
typedef struct {
    aclrtAllocatorDesc desc;
    aclrtAllocator object;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
} Found;

static const Found untouched = {&object_b, &object_b, alloc_b, NULL, advise_a, NULL};

static aclError look_up(aclrtStream stream, Found *found)
{
    *found = untouched;
    return aclrtAllocatorGetByStream(stream, &found->desc, &found->object, &found->alloc, &found->free,
                                     &found->advise, &found->address);
}

static void not_registered(aclrtStream stream)
{
    Found found;
    CODE(look_up(stream, &found), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(found.desc, untouched.desc);
    EQ_PTR(found.object, untouched.object);
    CHECK(found.alloc == untouched.alloc);
    CHECK(found.free == untouched.free);
    CHECK(found.advise == untouched.advise);
    CHECK(found.address == untouched.address);
}

static void layout(void)
{
    aclrtAllocatorDesc desc;
    Layout *view;
    int i;

    EQ(sizeof(Layout), 40);
    /* Empty at birth, also where another one has been before. */
    for (i = 0; i < 100; i++) {
        desc = aclrtAllocatorCreateDesc();
        CHECK(desc != NULL);
        EQ((uintptr_t)desc % sizeof(void *), 0);
        view = (Layout *)desc;
        CHECK(view->object == NULL && view->alloc == NULL && view->free == NULL && view->advise == NULL &&
              view->address == NULL);

        OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
        OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_a));
        OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_a));
        OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise_a));
        OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_a));
        EQ_PTR(view->object, &object_a);
        CHECK(view->alloc == alloc_a);
        CHECK(view->free == free_a);
        CHECK(view->advise == advise_a);
        CHECK(view->address == address_a);
        OK(aclrtAllocatorDestroyDesc(desc));
    }
}

static void setters(void)
{
    aclrtAllocatorDesc desc = complete_desc();
    Layout *view = (Layout *)desc;

    CODE(aclrtAllocatorSetObjToDesc(NULL, &object_a), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetAllocFuncToDesc(NULL, alloc_a), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetFreeFuncToDesc(NULL, free_a), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetAllocAdviseFuncToDesc(NULL, advise_a), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(NULL, address_a), ACL_ERROR_INVALID_PARAM);

    /* What is set stays set. */
    CODE(aclrtAllocatorSetObjToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetAllocFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetFreeFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(view->object, &object_a);
    CHECK(view->alloc == alloc_a && view->free == free_a && view->address == address_a);

    /* It may be replaced. */
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_b));
    CHECK(view->alloc == alloc_b);
    OK(aclrtAllocatorDestroyDesc(desc));
    CODE(aclrtAllocatorDestroyDesc(NULL), ACL_ERROR_INVALID_PARAM);
}

static void what_is_needed(aclrtStream stream)
{
    aclrtAllocatorDesc desc;

    desc = aclrtAllocatorCreateDesc();
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM);
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_a));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_a));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_a));
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM); /* no object */
    OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
    OK(aclrtAllocatorRegister(stream, desc));
    OK(aclrtAllocatorUnregister(stream));
    OK(aclrtAllocatorDestroyDesc(desc));

    desc = aclrtAllocatorCreateDesc();
    OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_a));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_a));
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM); /* no alloc */
    OK(aclrtAllocatorDestroyDesc(desc));

    desc = aclrtAllocatorCreateDesc();
    OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_a));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_a));
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM); /* no free */
    OK(aclrtAllocatorDestroyDesc(desc));

    desc = aclrtAllocatorCreateDesc();
    OK(aclrtAllocatorSetObjToDesc(desc, &object_a));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_a));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_a));
    OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise_a));
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM); /* no address */
    OK(aclrtAllocatorDestroyDesc(desc));
    not_registered(stream);

    desc = complete_desc();
    CODE(aclrtAllocatorRegister(NULL, desc), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorRegister(stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorUnregister(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtAllocatorDestroyDesc(desc));
}

static void register_and_find(aclrtStream stream)
{
    aclrtAllocatorDesc desc = complete_desc(), second = complete_desc();
    aclrtAllocatorDesc only_desc = NULL;
    aclrtStream other = NULL;
    Found found;

    OK(aclrtCreateStream(&other));
    not_registered(stream);
    OK(aclrtAllocatorRegister(stream, desc));
    not_registered(other);
    OK(look_up(stream, &found));
    EQ_PTR(found.desc, desc);
    EQ_PTR(found.object, &object_a);
    CHECK(found.alloc == alloc_a && found.free == free_a && found.address == address_a);
    CHECK(found.advise == NULL);

    /* A lookup needs no more than the stream and the descriptor. */
    OK(aclrtAllocatorGetByStream(stream, &only_desc, NULL, NULL, NULL, NULL, NULL));
    EQ_PTR(only_desc, desc);
    CODE(aclrtAllocatorGetByStream(stream, NULL, &found.object, NULL, NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorGetByStream(NULL, &only_desc, NULL, NULL, NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);

    /* The registration is a copy: changes come too late, and so does the end. */
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_b));
    OK(aclrtAllocatorSetObjToDesc(desc, &object_b));
    OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise_a));
    OK(look_up(stream, &found));
    EQ_PTR(found.object, &object_a);
    CHECK(found.alloc == alloc_a && found.advise == NULL);

    /* Registered again, the new state counts. The last one wins. */
    OK(aclrtAllocatorRegister(stream, desc));
    OK(look_up(stream, &found));
    EQ_PTR(found.object, &object_b);
    CHECK(found.alloc == alloc_b && found.advise == advise_a);
    OK(aclrtAllocatorRegister(stream, second));
    OK(look_up(stream, &found));
    EQ_PTR(found.desc, second);
    EQ_PTR(found.object, &object_a);

    /* The original pointer is handed back even after its end. */
    OK(aclrtAllocatorDestroyDesc(second));
    OK(look_up(stream, &found));
    EQ_PTR(found.desc, second);
    EQ_PTR(found.object, &object_a);
    CHECK(found.alloc == alloc_a && found.free == free_a && found.address == address_a);

    /* One descriptor on two streams. */
    OK(aclrtAllocatorRegister(other, desc));
    OK(look_up(other, &found));
    EQ_PTR(found.desc, desc);
    OK(aclrtAllocatorUnregister(stream));
    not_registered(stream);
    OK(look_up(other, &found));
    EQ_PTR(found.desc, desc);

    /* Taking off what is not there is no mistake. */
    OK(aclrtAllocatorUnregister(stream));
    OK(aclrtAllocatorUnregister(stream));
    OK(aclrtAllocatorUnregister(other));
    OK(aclrtAllocatorDestroyDesc(desc));
    OK(aclrtDestroyStream(other));
}

/* Filled through the layout instead of the setters. */
static void through_the_layout(aclrtStream stream)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    Layout *view = (Layout *)desc;
    Found found;

    view->object = &object_b;
    view->alloc = alloc_b;
    view->free = free_a;
    view->advise = advise_a;
    view->address = address_a;
    OK(aclrtAllocatorRegister(stream, desc));
    OK(look_up(stream, &found));
    EQ_PTR(found.object, &object_b);
    CHECK(found.alloc == alloc_b && found.advise == advise_a);
    OK(aclrtAllocatorUnregister(stream));
    OK(aclrtAllocatorDestroyDesc(desc));
}

/* A registration ends with its stream: no later stream inherits it. (Elsewhere the
 * entry stays, and a stream at the same address finds a stranger's allocator.) */
static void the_stream_ends(void)
{
    aclrtAllocatorDesc desc = complete_desc();
    aclrtStream stream = NULL, fresh = NULL;
    int i;

    OK(aclrtCreateStream(&stream));
    OK(aclrtAllocatorRegister(stream, desc));
    OK(aclrtDestroyStream(stream));
    not_registered(stream);
    for (i = 0; i < 100; i++) {
        OK(aclrtCreateStream(&fresh));
        not_registered(fresh);
        OK(aclrtAllocatorRegister(fresh, desc));
        if (i % 2) {
            OK(aclrtDestroyStream(fresh));
        } else {
            OK(aclrtDestroyStreamForce(fresh));
        }
    }
    /* Elsewhere any number is accepted for a stream. Here it has to be one. */
    FAILS(aclrtAllocatorRegister(stream, desc));
    FAILS(aclrtAllocatorRegister((aclrtStream)(uintptr_t)1, desc));
    FAILS(aclrtAllocatorRegister((aclrtStream)&object_a, desc));
    OK(aclrtAllocatorDestroyDesc(desc));
}

static void not_a_descriptor(aclrtStream stream)
{
    aclrtAllocatorDesc desc = complete_desc(), bad[5];
    Layout lookalike = {&object_a, alloc_a, free_a, advise_a, address_a};
    size_t i;

    OK(aclrtAllocatorDestroyDesc(desc));
    bad[0] = desc;                          /* gone */
    bad[1] = &lookalike;                    /* foreign */
    bad[2] = (char *)complete_desc() + 8;   /* inside one */
    bad[3] = (void *)(uintptr_t)0x40;       /* a small number */
    bad[4] = stream;                        /* another kind */
    for (i = 0; i < 5; i++) {
        FAILS(aclrtAllocatorSetObjToDesc(bad[i], &object_a));
        FAILS(aclrtAllocatorSetAllocFuncToDesc(bad[i], alloc_a));
        FAILS(aclrtAllocatorSetFreeFuncToDesc(bad[i], free_a));
        FAILS(aclrtAllocatorSetAllocAdviseFuncToDesc(bad[i], advise_a));
        FAILS(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(bad[i], address_a));
        FAILS(aclrtAllocatorRegister(stream, bad[i]));
        FAILS(aclrtAllocatorDestroyDesc(bad[i]));
    }
    not_registered(stream);
    OK(aclrtAllocatorDestroyDesc((char *)bad[2] - 8));
}

int main(void)
{
    aclrtStream stream = NULL;

    /* Descriptors need neither a start nor a device. */
    layout();
    setters();

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    what_is_needed(stream);
    register_and_find(stream);
    through_the_layout(stream);
    the_stream_ends();
    not_a_descriptor(stream);
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
