/*
 * The gradient of aclnnFlashAttentionScore.
 *
 * softmaxMax and softmaxSum are what it gave, or those of whole rows where a sequence was split; attentionIn is its
 * result, and may be NULL where the rows are whole. softmaxIn is not looked at. dpse is filled where pseShift is given.
 */
#ifndef MILLPOND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_GRAD_H
#define MILLPOND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_GRAD_H

#include "../aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnFlashAttentionScoreGradGetWorkspaceSize(const aclTensor *query, const aclTensor *key,
    const aclTensor *value, const aclTensor *dy, const aclTensor *pseShift, const aclTensor *dropMask,
    const aclTensor *paddingMask, const aclTensor *attenMask, const aclTensor *softmaxMax, const aclTensor *softmaxSum,
    const aclTensor *softmaxIn, const aclTensor *attentionIn, const aclIntArray *prefix, double scaleValue,
    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *dq, const aclTensor *dk, const aclTensor *dv, const aclTensor *dpse,
    uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnFlashAttentionScoreGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
    const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
