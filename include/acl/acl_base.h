/*
 * Everything that the other headers share: status codes, element types and formats, data buffers
 * and tensor descriptions.
 */
#ifndef MILLPOND_ACL_ACL_BASE_H
#define MILLPOND_ACL_ACL_BASE_H

#include "acl_base_rt.h"
#include "acl_base_mdl.h"
#include "error_codes/rt_error_codes.h"
#include "error_codes/ge_error_codes.h"

#endif
