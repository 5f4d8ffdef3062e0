/*
 * The scale of mixed-precision training after a step.
 *
 * Each tensor has one element. foundInf is not 0 where a gradient was infinite or no number: the scale is then
 * multiplied by backoffFactor, and growthTracker, which counts good steps, begins again. Every growthInterval good
 * steps one behind the other the scale is multiplied by growthFactor, unless that would make it infinite. The
 * results may be currentScale and growthTracker themselves.
 */
#ifndef MILLPOND_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H
#define MILLPOND_ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H

#include "../aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAmpUpdateScaleGetWorkspaceSize(const aclTensor *currentScale, const aclTensor *growthTracker,
    const aclTensor *foundInf, double growthFactor, double backoffFactor, int64_t growthInterval,
    const aclTensor *updatedScale, const aclTensor *updatedTracker, uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnAmpUpdateScale(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
    const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
