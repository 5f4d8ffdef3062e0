/* Every function that Millpond offers, called with nothing but zeros: with a device, and before aclInit. */
#include "../oracle.h"

#define NOTHING_BACK(call) (call, fact("returned", "yes"))
#define NUMBER_BACK(call)  code("result", (long long)(call))
#define REAL_BACK(call)    fact("result", "%g", (double)(call))
#define POINTER_BACK(call) fact("result", "%s", pointer((const void *)(call)))

#define ZERO(function, back, arguments, changes)                                                                     \
    static void function##_zero(void)                                                                                \
    {                                                                                                                \
        back(CALL(function) arguments);                                                                              \
    }                                                                                                                \
    static const struct question function##_row = {"zero." #function, #function,                                     \
        "What does it return when every argument is 0 or NULL, in a thread with a device?", DEVICE, changes, function##_zero}; \
    static const struct question function##_early = {"early." #function, #function,                                  \
        "What does it return when every argument is 0 or NULL, before aclInit?", NOTHING, changes, function##_zero};

#include "zeros.inc"
#undef ZERO

/* All of one state behind each other, so that one process can ask them. */
__attribute__((constructor)) static void add_zeros(void)
{
#define ZERO(function, back, arguments, changes) oracle_add(&function##_row);
#include "zeros.inc"
#undef ZERO
#define ZERO(function, back, arguments, changes) oracle_add(&function##_early);
#include "zeros.inc"
#undef ZERO
}
