/*
 * The usual entry point: the runtime, operators and models. Stream-ordered pools
 * (acl_rt_memory_soma.h), user allocators (acl_rt_allocator.h), the operator compiler
 * (acl_op_compiler.h) and the headers under ops/ are included on their own.
 */
#ifndef MILLPOND_ACL_ACL_H
#define MILLPOND_ACL_ACL_H

#include "acl_rt.h"
#include "acl_op.h"
#include "acl_mdl.h"

#endif
