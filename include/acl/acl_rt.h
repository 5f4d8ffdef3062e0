/*
 * The runtime: devices, contexts, streams, events and memory. Each part has its own header
 * under rt/, which may also be included alone.
 */
#ifndef MILLPOND_ACL_ACL_RT_H
#define MILLPOND_ACL_ACL_RT_H

#include "acl_base.h"
#include "rt/init.h"
#include "rt/device.h"
#include "rt/device_info.h"
#include "rt/context.h"
#include "rt/stream.h"
#include "rt/event.h"
#include "rt/notify.h"
#include "rt/memory.h"
#include "rt/copy.h"
#include "rt/host_memory.h"
#include "rt/virtual_memory.h"
#include "rt/ipc.h"
#include "rt/callback.h"
#include "rt/graph.h"
#include "rt/resource_limit.h"
#include "rt/reserved.h"
#include "rt/kernel.h"
#include "rt/cache.h"

#endif
