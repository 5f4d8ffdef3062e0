/* The structures of the header are those of the library: the same numbers are in its source. */
#include "driver.h"

#include <stddef.h>

_Static_assert(sizeof(millpondCudaOptions) == 56, "options");
_Static_assert(offsetof(millpondCudaOptions, floor_bytes) == 32, "options");
_Static_assert(offsetof(millpondCudaOptions, slack_permille) == 40, "options");
_Static_assert(offsetof(millpondCudaOptions, flags) == 48, "options");
_Static_assert(sizeof(millpondCudaBlock) == 56, "block");
_Static_assert(offsetof(millpondCudaBlock, address) == 24, "block");
_Static_assert(sizeof(millpondCudaStatistics) == 432, "statistics");
_Static_assert(offsetof(millpondCudaStatistics, blocks) == 16, "statistics");
_Static_assert(offsetof(millpondCudaStatistics, reserved_bytes) == 272, "statistics");
_Static_assert(offsetof(millpondCudaStatistics, page_bytes) == 304, "statistics");
_Static_assert(offsetof(millpondCudaStatistics, waits) == 424, "statistics");
_Static_assert(sizeof(millpondCudaNews) == 72, "news");

int main(void) {
    open_driver();
    printf("version %s\n", millpondCudaVersion());
    CHECK(millpondCudaCode() == 0 && *millpondCudaMessage() == 0);
    return 0;
}
