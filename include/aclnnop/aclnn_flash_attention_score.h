/*
 * Attention: softmax(scale * (query * key + realShift), masked) * value, in one operator.
 *
 * inputLayout names the axes: BNSD, BSND, BSH or SBH, of batch, heads, rows, and the numbers of one head (D) or of
 * all (H). Key and value may have fewer heads, each for as many heads of the query. attenMask is true where nobody
 * looks: sparseMode 0 and 1 take it as it is, 0 together with the band from preTokens behind a row to nextTokens
 * ahead of it; 2 hides what is ahead, 3 the same with rows and columns ending together, 4 is a band in that order:
 * their mask is the upper half of a square of any size. A row that sees nothing is 0. dropMask has a bit for each
 * share, the lowest first. paddingMask and prefix must be NULL or empty. softmaxMax and softmaxSum are float32 of
 * batch, heads, rows and 8, for the gradient; softmaxOut is left alone.
 */
#ifndef MILLPOND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H
#define MILLPOND_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H

#include "../aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(const aclTensor *query, const aclTensor *key,
    const aclTensor *value, const aclTensor *realShift, const aclTensor *dropMask, const aclTensor *paddingMask,
    const aclTensor *attenMask, const aclIntArray *prefix, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise, int64_t sparseMode,
    const aclTensor *softmaxMax, const aclTensor *softmaxSum, const aclTensor *softmaxOut,
    const aclTensor *attentionOut, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnFlashAttentionScore(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
    const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
