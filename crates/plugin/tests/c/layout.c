/* Is the header what the library was compiled with? The numbers are those of the Rust sources. */
#include "shared.h"

_Static_assert(sizeof(millpondAllocatorOptions) == 40, "options");
_Static_assert(offsetof(millpondAllocatorOptions, floor_bytes) == 24, "floor_bytes");
_Static_assert(offsetof(millpondAllocatorOptions, slack_permille) == 32, "slack_permille");
_Static_assert(offsetof(millpondAllocatorOptions, flags) == 36, "flags");
_Static_assert(sizeof(millpondAllocatorStatistics) == 160, "statistics");
_Static_assert(offsetof(millpondAllocatorStatistics, limit_bytes) == 16, "limit_bytes");
_Static_assert(offsetof(millpondAllocatorStatistics, live_blocks) == 64, "live_blocks");
_Static_assert(offsetof(millpondAllocatorStatistics, stream_used_bytes) == 128, "stream_used_bytes");
_Static_assert(offsetof(millpondAllocatorStatistics, stream_frees) == 152, "stream_frees");

int main(void)
{
    CHECK(millpondAllocatorVersion()[0] >= '0' && millpondAllocatorVersion()[0] <= '9');
    EQ_STR(millpondAllocatorMessage(), "");
    return 0;
}
