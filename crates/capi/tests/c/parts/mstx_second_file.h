/* What the other file of mstx_header_only.c has. */
#ifndef MSTX_SECOND_FILE_H
#define MSTX_SECOND_FILE_H

#include <mstx/ms_tools_ext.h>

#ifdef __cplusplus
extern "C" {
#endif

mstxRangeId second_file_range(void);
mstxDomainHandle_t second_file_domain(void);

#ifdef __cplusplus
}
#endif

#endif
