/*
 * The few functions of the driver's interface that programs ask before they use a device. Results other
 * than 0 are errors.
 */
#ifndef MILLPOND_DRIVER_ASCEND_HAL_H
#define MILLPOND_DRIVER_ASCEND_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results. */
#define DRV_ERROR_NONE           0
#define DRV_ERROR_INVALID_VALUE  3
#define DRV_ERROR_NOT_SUPPORT    0xfffe

typedef int drvError_t;

/* How many devices the machine has, whatever ASCEND_RT_VISIBLE_DEVICES shows of them. */
drvError_t drvGetDevNum(uint32_t *num_dev);

/* A number about a part of a device. None is known here: the answer is DRV_ERROR_NOT_SUPPORT. */
drvError_t halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType, int64_t *value);

/* The version of the interface: 0, older than all that have further functions. */
drvError_t halGetAPIVersion(int *halAPIVersion);

#ifdef __cplusplus
}
#endif

#endif
