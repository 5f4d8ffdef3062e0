// also: mstx_second_file.c
// MSTX from the header in C++.
#include "parts/mstx_heard.h"

#include <mstx/ms_tools_ext.h>
#include <mstx/ms_tools_ext_mem.h>

#include "parts/mstx_second_file.h"

namespace {

class Range {
public:
    explicit Range(const char *message) : id_(mstxRangeStartA(message, nullptr)) {}
    ~Range() { mstxRangeEnd(id_); }
    Range(const Range &) = delete;
    Range &operator=(const Range &) = delete;

private:
    mstxRangeId id_;
};

} // namespace

int main()
{
    mstxDomainHandle_t domain = second_file_domain();
    {
        Range outer("outer");
        mstxDomainMarkA(domain, "m", nullptr);
    }
    char pool[64];
    mstxMemVirtualRangeDesc_t range = {};
    range.ptr = pool;
    range.size = sizeof pool;
    mstxMemHeapDesc_t heapDesc{};
    heapDesc.typeSpecificDesc = &range;
    mstxMemHeapHandle_t heap = mstxMemHeapRegister(globalDomain, &heapDesc);
    mstxMemHeapUnregister(globalDomain, heap);
    HEARD("TOOL_ONE", "domain second_domain=101;range outer=102;mark m in 101;end 102;heap 103 in 0;"
                      "heap-end 103;");
    HOLDS(tool_inits("TOOL_ONE") == 1);
    return 0;
}
