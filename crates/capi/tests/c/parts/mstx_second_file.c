/* Another file of a program that has MSTX from the header. */
#include <mstx/ms_tools_ext.h>
#include <mstx/ms_tools_ext_mem.h>

#include "mstx_second_file.h"

mstxRangeId second_file_range(void)
{
    return mstxRangeStartA("second", NULL);
}

mstxDomainHandle_t second_file_domain(void)
{
    return mstxDomainCreateA("second_domain");
}
